// The checks of consumer queries depend on this besides the query: it is read once from an endpoint's saved query, and from what the engine has
// described of its tables.
import type { Outline } from '../../sql/clickhouse/outline.ts';
import type { Tree } from '../../sql/clickhouse/tree/nodes.ts';
import { parseSavedText } from '../../sql/clickhouse/tree/parse.ts';
import { nameOf, namesOf, walk } from '../../sql/clickhouse/tree/visit.ts';
import { callsUnknown, type TakenNames } from './apart.ts';
import type { TableColumn } from './columns.ts';
import type { Explain } from './explain.ts';
import type { FunctionPolicy } from './functions/policy.ts';
import type { CheckContext } from './judge.ts';
import { createKnownTypes } from './known-types.ts';
import { isClauseLeakproof, isExpressionLeakproof } from './leakproof/leakproof.ts';
import type { RedactTable } from './redaction/source-redaction.ts';
import type { Surface } from './scan/scan.ts';
import { readTables } from './statement.ts';

/** What the engine computes when it reads stored tables. */
export interface ComputedOnRead {
  /** It is true if a table is a view, whose query may compute anything. */
  readonly hasViews: boolean;
  /** The expressions of ALIAS columns. */
  readonly aliases: readonly string[];
}

/** An endpoint's saved query and policy, and what the engine has described of its tables. */
export interface EndpointOptions {
  /** The saved query with typed placeholders, and its outline. */
  readonly boundSql: string;
  readonly outline: Outline;
  readonly functions: FunctionPolicy;
  /** Columns by table, if the engine has described them. */
  readonly columns?: ReadonlyMap<string, readonly TableColumn[]>;
  /**
   * Columns with a dot in their name that the stored table behind a table has. Without them, subcolumns of the table are not
   * read alone.
   */
  readonly dotted?: ReadonlyMap<string, readonly string[]> | undefined;
  /** Tables of which maps have a subcolumn for each key in the stored table. */
  readonly mapKeys?: ReadonlySet<string> | undefined;
  /** What the engine computes when it reads the stored tables; default: nothing. */
  readonly computed?: ComputedOnRead | undefined;
  /** Columns with aggregate function states by table; unknown if the engine has not described them. */
  readonly stateColumns?: Surface['stateColumns'];
  /** Undefined if the engine has no analyzer: only the scanner then checks, which the caller must report. */
  readonly explain: Explain | undefined;
  /** The fewest rows of a group that a query may see; default: any. */
  readonly minGroup?: number | undefined;
  /** Redacts the tables below the query; needs `columns`. Default: nothing is redacted. */
  readonly redact?: RedactTable | undefined;
}

/** `outline` must be the outline of `boundSql`. */
export function readEndpoint(options: EndpointOptions): CheckContext {
  const { outline, boundSql, functions, explain, redact, minGroup } = options;
  if (redact !== undefined && options.columns === undefined)
    throw new Error('tables are redacted only if their columns are known');
  const saved = parseSavedText(boundSql);
  // The query reads what redaction leaves: other types, fewer columns.
  const columns =
    options.columns &&
    new Map([...options.columns].map(([table, all]) => [table, redact?.(all).columns ?? all] as const));
  const described = [...(columns?.values() ?? [])].flat();
  const names = new Set(described.map(({ name }) => name));
  const leakproof = {
    functions,
    tables: new Set(outline.elements.map(({ name }) => name)),
    types: createKnownTypes(described),
  };
  // A condition on a column that a table computes is pushed down as a condition on what it is computed from.
  const { hasViews = false, aliases = [] } = options.computed ?? {};
  const isBarred =
    hasViews ||
    !isClauseLeakproof(saved, leakproof) ||
    !aliases.every((sql) => isExpressionLeakproof(sql, leakproof));
  const tables = readTables(saved, outline, { ...options, isBarred });
  // The names in what a table computes when it is read, and in functions of the server, are not known here.
  const isKnown = !hasViews && aliases.length === 0 && !callsUnknown(saved);
  const mentioned = mentionedColumns(saved);
  return {
    tables,
    surface: {
      tables: new Map(tables.map(({ name, size }) => [name, size])),
      reservedNames: new Set([...outline.identifiers].map((name) => name.toLowerCase())),
      functions,
      stateColumns: options.stateColumns ?? new Map(),
      columnsOf: (table) => new Set(columns?.get(table)?.map(({ name }) => name)),
    },
    isColumn: (name) => names.has(name) || mentioned.has(name),
    leakproof,
    columns,
    taken: isKnown && columns !== undefined ? takenNames(outline, described) : undefined,
    explain,
    minGroup,
  };
}

/** Undefined if a column is named by the number of its subquery in the whole statement. */
function takenNames({ identifiers }: Outline, columns: readonly TableColumn[]): TakenNames | undefined {
  if (columns.some(({ name }) => name.includes('_subquery'))) return undefined;
  const names = [...identifiers, ...columns.map(({ name }) => name)];
  return new Set(names.flatMap((name) => [name, ...name.split('.')]).map((name) => name.toLowerCase()));
}

/** Names of columns in the saved query, and those that it gives to values: some of its tables have them. */
function mentionedColumns(saved: Tree): ReadonlySet<string> {
  const names = new Set<string>();
  walk(saved.root, (node) => {
    if (node.kind === 'alias') names.add(nameOf(saved, node));
    if (node.kind === 'column' || node.kind === 'column-name')
      for (const name of namesOf(saved, node)) names.add(name);
  });
  return names;
}
