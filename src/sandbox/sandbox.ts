// One endpoint's sandbox: a consumer query is read, scanned, checked against the engine's tree and wrapped, or rejected.
import { Problem } from '../core/problem.ts';
import type { Outline } from '../sql/outline.ts';
import type { Tree } from '../sql/tree/nodes.ts';
import { parseSavedText } from '../sql/tree/parse.ts';
import { nameOf, namesOf, walk } from '../sql/tree/visit.ts';
import { callsUnknown, type TakenNames } from './apart.ts';
import { checkQuery } from './check.ts';
import type { Explain } from './explain.ts';
import type { FunctionPolicy } from './functions/policy.ts';
import type { CheckContext } from './judge.ts';
import { isClauseLeakproof, isExpressionLeakproof } from './leakproof/leakproof.ts';
import { lexConsumerQuery } from './lexed-query.ts';
import type { TableColumn } from './columns.ts';
import type { IsNull } from './read-table.ts';
import type { RedactTable } from './redaction/source-redaction.ts';
import type { Surface } from './scan/scan.ts';
import { assembleReread, assembleStatement, readTables, type ConsumerStatement } from './statement.ts';
import { isResolved } from './times/times.ts';
import type { VerdictCache } from './verdict-cache.ts';
import type { Verdict } from './verdict.ts';

export type { Explain, Explained } from './explain.ts';
export type { Verdict } from './verdict.ts';

/** What the engine computes when it reads stored tables. */
export interface ComputedOnRead {
  /** Whether a table is a view, whose query may compute anything. */
  readonly hasViews: boolean;
  /** The expressions of ALIAS columns. */
  readonly aliases: readonly string[];
}

/** An endpoint's saved query and policy, and what the engine has described of its tables. */
export interface SandboxOptions {
  /** The saved query with typed placeholders, and its outline. */
  readonly boundSql: string;
  readonly outline: Outline;
  readonly revision: string;
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
  readonly cache: VerdictCache<Verdict>;
  /** Undefined if the engine has no analyzer: only the scanner then checks, which the caller must report. */
  readonly explain: Explain | undefined;
  /** The fewest rows of a group that a query may see; default: any. */
  readonly minGroup?: number | undefined;
  /** Redacts the tables below the query; needs `columns`. Default: nothing is redacted. */
  readonly redact?: RedactTable | undefined;
}

/** The checks and statements of one endpoint revision; shared by all of its consumers. */
export interface Sandbox {
  /** Names of the tables that consumers may read. */
  readonly tables: readonly string[];
  /**
   * `evaluate` runs what makes the engine evaluate constants of the query; default: `explain`.
   * @throws Problem sandbox.*, with line and column; passes on whatever `explain` and `evaluate` reject with.
   */
  check(text: string, evaluate?: Explain): Promise<Verdict>;
  /** Whether the engine can resolve a checked query, over one row of default values; false also if it cannot be asked. */
  resolves(verdict: Verdict, evaluate: Explain): Promise<boolean>;
  /**
   * The statement for a checked query. `rows` is the row limit, one above the caller's so that truncation is detected.
   * With `isNull` the statement is only for calls in which the same parameters are NULL.
   */
  assemble(verdict: Verdict, rows: number, isNull?: IsNull): ConsumerStatement;
  /** The statement to run after that one failed; undefined if another tenant's data cannot be the cause. */
  assembleReread(verdict: Verdict, rows: number, isNull?: IsNull): ConsumerStatement | undefined;
  /** All known columns of the tables. */
  readonly columns: ReadonlySet<string>;
  /** The columns of each table as a query reads them; undefined if the engine has not described them. */
  readonly readable: ReadonlyMap<string, readonly TableColumn[]> | undefined;
}

/** Compiles one endpoint's sandbox; reads the saved query once. `outline` must be the outline of `boundSql`. */
export function createSandbox(options: SandboxOptions): Sandbox {
  const { outline, boundSql, functions, revision, cache, explain, redact, minGroup } = options;
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
    types: typesByName(described),
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
  const context: CheckContext = {
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
  const read = (verdict: Verdict) => tables.filter(({ name }) => verdict.tables.includes(name));
  return {
    tables: tables.map(({ name }) => name),
    columns: names,
    readable: columns,
    check: (source, evaluate = explain) =>
      cache.get(`${revision} ${source}`, () => checkQuery(source, context, evaluate), isRejection),
    resolves: async ({ source, tables: known }, evaluate) =>
      columns !== undefined && isResolved(lexConsumerQuery(source), { evaluate, tables: known, columns }),
    assemble: (verdict, rows, isNull) => assembleStatement(read(verdict), verdict, rows, isNull),
    assembleReread: (verdict, rows, isNull) => assembleReread(read(verdict), verdict, rows, isNull),
  };
}

/** Undefined if a column is named by the number of its subquery in the whole statement. */
function takenNames({ identifiers }: Outline, columns: readonly TableColumn[]): TakenNames | undefined {
  if (columns.some(({ name }) => name.includes('_subquery'))) return undefined;
  const names = [...identifiers, ...columns.map(({ name }) => name)];
  return new Set(names.flatMap((name) => [name, ...name.split('.')]).map((name) => name.toLowerCase()));
}

function typesByName(columns: readonly TableColumn[]): ReadonlyMap<string, readonly string[]> {
  const types = new Map<string, string[]>();
  for (const { name, type } of columns) types.set(name, [...(types.get(name) ?? []), type]);
  return types;
}

/** Others are problems of a caller, such as its budget. */
function isRejection(error: unknown): boolean {
  return error instanceof Problem && error.code.startsWith('sandbox.');
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
