// Hints for engine failures of a consumer query: what its author probably meant.
import { didYouMean, nearest } from '../../sql/base/nearest.ts';
import { parseColumnType } from '../../sql/types/column-type.ts';
import type { Tree } from '../../sql/clickhouse/tree/nodes.ts';
import { someNode, sourceOf } from '../../sql/clickhouse/tree/visit.ts';
import type { TableColumn } from './columns.ts';

/** What a consumer may know about the tables that the query reads. */
export interface VisibleNames {
  readonly columns: ReadonlySet<string>;
  /** Columns with their types by table; undefined if the engine has not described them. */
  readonly readable?: ReadonlyMap<string, readonly TableColumn[]> | undefined;
}

const UNKNOWN_IDENTIFIER = 47;
const HINTS: ReadonlyMap<number, string> = new Map([
  [184, 'Write conditions on aggregates in HAVING; aggregate an aggregate in a subquery.'],
  [215, 'Add it to GROUP BY, or write any(…) around it.'],
  [353, 'Count the columns of SELECT from 1.'],
]);
const CONVERSIONS: ReadonlySet<number> = new Set([6, 32, 38, 41, 72]);
const ARGUMENT_TYPES = 43;
const MAX_LISTED = 30;

export interface FailedName {
  /** As the consumer wrote it; undefined if the failure is about nothing in the query. */
  readonly source: string | undefined;
  readonly engineCode: number | undefined;
  /** The engine's message, which is never shown. */
  readonly message: string;
  readonly query: Tree;
  /** Names of the query itself. */
  readonly own: ReadonlySet<string>;
  /** The endpoint's tables that the query reads. */
  readonly tables: readonly string[];
}

/** Undefined: the general hint of the problem applies. */
export function failureHint(failed: FailedName, visible: VisibleNames): string | undefined {
  const { source, engineCode, message, query } = failed;
  if (engineCode === UNKNOWN_IDENTIFIER && source !== undefined) return unknownName(failed, source, visible);
  if (
    engineCode !== undefined &&
    CONVERSIONS.has(engineCode) &&
    source !== undefined &&
    isCall(query, source)
  )
    return `Use the function whose name ends in OrNull or OrZero, such as ${source}OrNull.`;
  if (engineCode === ARGUMENT_TYPES && message.includes('arrayElement'))
    return 'Paths of a JSON column are written with dots, such as metadata.request.path; only arrays and maps have [ ].';
  if (engineCode === ARGUMENT_TYPES && source?.startsWith("'") === true)
    return 'Write an interval without quotes, such as INTERVAL 5 MINUTE, and check the order of the arguments.';
  return HINTS.get(engineCode ?? 0);
}

function isCall(query: Tree, source: string): boolean {
  return someNode(
    query.root,
    ({ kind, at }) => kind === 'call' && sourceOf(query, { from: at, to: at + 1 }) === source,
  );
}

function unknownName(failed: FailedName, source: string, visible: VisibleNames): string | undefined {
  const { query, own, tables } = failed;
  const guess = nearest(source, [...visible.columns, ...own]);
  if (guess !== undefined && guess !== source) return didYouMean(guess);
  if (source.startsWith('"')) return `Strings are in single quotes: '${source.slice(1, -1)}'.`;
  if (!someNode(query.root, ({ kind }) => kind === 'from')) return 'The query has no FROM.';
  const inside = pathsEndingIn(source, tables, visible);
  if (inside.length > 0) return `Did you mean ${inside.join(' or ')}?`;
  return columnList(tables, visible);
}

/** Declared paths of JSON columns and tuples that end in the name. */
function pathsEndingIn(
  source: string,
  tables: readonly string[],
  { readable }: VisibleNames,
): readonly string[] {
  const last = `.${source.split('.').at(-1) ?? source}`.toLowerCase();
  const columns = tables.flatMap((table) => readable?.get(table) ?? []);
  const paths = columns.flatMap(({ name, type }) => {
    const shape = parseColumnType(type);
    if (shape.kind === 'json') return [...shape.paths.keys()].map((path) => `${name}.${path}`);
    return shape.kind === 'tuple' ? [...shape.elements.keys()].map((path) => `${name}.${path}`) : [];
  });
  return [...new Set(paths)].filter((path) => path.toLowerCase().endsWith(last)).slice(0, 3);
}

function columnList(tables: readonly string[], { readable }: VisibleNames): string | undefined {
  const [table, second] = tables;
  const columns = table === undefined || second !== undefined ? undefined : readable?.get(table);
  if (columns === undefined || columns.length === 0) return undefined;
  const names = columns.slice(0, MAX_LISTED).map(({ name }) => name);
  return `The columns of ${table} are ${names.join(', ')}${columns.length > MAX_LISTED ? ', …' : ''}.`;
}
