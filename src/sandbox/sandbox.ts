// One endpoint's sandbox: a consumer query is read, scanned, checked against the engine's tree and wrapped, or rejected.
import { Problem } from '../core/problem.ts';
import { createCursor, type Cursor } from '../sql/cursor.ts';
import { withClauseOf, type Outline } from '../sql/outline.ts';
import { parseSaved } from '../sql/tree/parse.ts';
import { lexConsumerQuery, rejection, type LexedQuery } from './lexed-query.ts';
import type { FunctionPolicy } from './functions/policy.ts';
import { callsUnknown, isApart, type TakenNames } from './apart.ts';
import { comparedTexts } from './compared-texts.ts';
import { conditionsBelow } from './leakproof/below-barrier.ts';
import { checkLeakproof, isClauseLeakproof, isExpressionLeakproof } from './leakproof/leakproof.ts';
import type { LeakproofContext } from './leakproof/context.ts';
import { unorderedTables } from './row-order.ts';
import type { Surface } from './scan/scan.ts';
import { scanConsumerQuery } from './scan/scanner.ts';
import { createTypeOf, type ReadTable } from './read-table.ts';
import type { ScanResult } from './scan/scanner.ts';
import { acceptTree, explainShape, explainText, NO_TREE } from './query-tree/agreement.ts';
import { rejectServerValues } from './query-tree/server-values.ts';
import { assembleReread, assembleStatement, tableTexts } from './statement.ts';
import type { AssembledStatement, CheckedText, IsNull, TableColumn, TableText } from './statement.ts';
import { planSubcolumns, subcolumnsIn } from './subcolumns.ts';
import type { SubcolumnPlan } from './subcolumns.ts';
import { isResolved, withReadTimes } from './times/times.ts';
import { withScales } from './times/whole-seconds.ts';
import { withMinimum } from './min-group/minimum.ts';
import { rejected, unreadableName } from './min-group/rejected.ts';
import { minGroupRejection } from './min-group/selects.ts';
import { earlyNames, neededNames } from './needed-names.ts';
import type { RedactTable } from './redaction/source-redaction.ts';
import type { VerdictCache } from './verdict-cache.ts';

/** The engine's response to EXPLAIN: the tree as text, or that it rejected the query. */
export type Explained =
  | { readonly kind: 'tree'; readonly text: string }
  | { readonly kind: 'rejected'; readonly engineCode: number | undefined; readonly message: string };

/** Runs EXPLAIN on a read-only connection with the consumers' limits; rejects for any other failure. */
export type Explain = (sql: string) => Promise<Explained>;

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

/** A query that may run: what was checked, and the endpoint tables that it reads, in the endpoint's order. */
export interface Verdict extends CheckedText {
  /** The query as the consumer sent it. */
  readonly source: string;
  readonly tables: readonly string[];
  readonly names: ReadonlySet<string>;
  /** Whether columns of its result may be aggregate function states. */
  readonly hasStates: boolean;
  /** Tokens with names that the engine has to resolve, see ScanResult. */
  readonly unresolved: readonly number[];
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
  assemble(verdict: Verdict, rows: number, isNull?: IsNull): AssembledStatement;
  /** The statement to run after that one failed; undefined if another tenant's data cannot be the cause. */
  assembleReread(verdict: Verdict, rows: number, isNull?: IsNull): AssembledStatement | undefined;
  /** All known columns of the tables. */
  readonly columns: ReadonlySet<string>;
  /** The columns of each table as a query reads them; undefined if the engine has not described them. */
  readonly readable: ReadonlyMap<string, readonly TableColumn[]> | undefined;
}

/** Compiles one endpoint's sandbox; lexes the saved query once. `outline` must be the outline of `boundSql`. */
export function createSandbox(stored: SandboxOptions): Sandbox {
  const options = withRedactedColumns(stored);
  const { outline, boundSql, functions, revision, cache } = options;
  const described = [...(options.columns?.values() ?? [])].flat();
  const columns = new Set(described.map(({ name }) => name));
  const leakproof = {
    functions,
    tables: new Set(outline.elements.map(({ name }) => name)),
    types: typesByName(described),
  };
  const saved = createCursor(boundSql);
  const { cursor: clause } = withClauseOf({ cursor: saved }, outline);
  // A condition on a column that a table computes is pushed down as a condition on what it is computed from.
  const { hasViews = false, aliases = [] } = options.computed ?? {};
  const isBarred =
    hasViews ||
    !isClauseLeakproof(parseSaved(saved), leakproof) ||
    !aliases.every((sql) => isExpressionLeakproof(sql, leakproof));
  const tables = tableTexts(clause, outline, { columns: stored.columns, isBarred, redact: stored.redact });
  const surface: Surface = {
    tables: new Map(tables.map(({ name, size }) => [name, size])),
    reservedNames: new Set([...outline.identifiers].map((name) => name.toLowerCase())),
    functions,
    stateColumns: options.stateColumns ?? new Map(),
    columnsOf: (table) => new Set(options.columns?.get(table)?.map(({ name }) => name)),
  };
  const mentioned = mentionedColumns(saved);
  const isColumn = (name: string) => columns.has(name) || mentioned.has(name);
  const known = tables.map((table) => knownTable(table, options));
  const readTables: Reading['readTables'] = (scanned) => known.filter(({ name }) => scanned.tables.has(name));
  const { explain } = options;
  const { minGroup } = options;
  const reading: Reading = {
    readTables,
    surface,
    isColumn,
    leakproof,
    columns: options.columns,
    // The names in what a table computes when it is read, and in functions of the server, are not known here.
    taken:
      hasViews || aliases.length > 0 || callsUnknown(clause)
        ? undefined
        : options.columns && takenNames(outline, described),
    explain,
    minGroup,
  };
  const read = (verdict: Verdict) => tables.filter(({ name }) => verdict.tables.includes(name));
  return {
    tables: tables.map(({ name }) => name),
    columns,
    readable: options.columns,
    check: (source, evaluate = explain) =>
      cache.get(`${revision} ${source}`, () => check(source, reading, evaluate), isRejection),
    resolves: async ({ source, tables: read }, evaluate) =>
      options.columns !== undefined &&
      isResolved(lexConsumerQuery(source), { evaluate, tables: read, columns: options.columns }),
    assemble: (verdict, rows, isNull) => assembleStatement(read(verdict), verdict, rows, isNull),
    assembleReread: (verdict, rows, isNull) => assembleReread(read(verdict), verdict, rows, isNull),
  };
}

/** The query reads what redaction leaves: other types, fewer columns. */
function withRedactedColumns(options: SandboxOptions): SandboxOptions {
  const { redact, columns } = options;
  if (redact === undefined) return options;
  if (columns === undefined) throw new Error('tables are redacted only if their columns are known');
  const left = [...columns].map(([table, all]) => [table, redact(all).columns] as const);
  return { ...options, columns: new Map(left) };
}

function knownTable(
  { name, passes, redaction }: TableText,
  { columns: all, dotted, mapKeys }: SandboxOptions,
): ReadTable {
  const columns = all?.get(name) ?? [];
  const typeOf = createTypeOf(columns);
  return {
    name,
    passes,
    columns,
    typeOf,
    dotted: dotted?.get(name),
    hasMapKeys: mapKeys?.has(name) === true,
    redaction,
  };
}

/** What checks of a query depend on besides its text. */
interface Reading {
  /** The tables that a query reads. */
  readonly readTables: (scanned: ScanResult) => readonly ReadTable[];
  readonly surface: Surface;
  readonly isColumn: (name: string) => boolean;
  readonly leakproof: Omit<LeakproofContext, 'names'>;
  readonly columns: SandboxOptions['columns'];
  /** Undefined if they are not all known. */
  readonly taken: TakenNames | undefined;
  readonly explain: Explain | undefined;
  readonly minGroup: number | undefined;
}

/** Undefined if a column is named by the number of its subquery in the whole statement. */
function takenNames({ identifiers }: Outline, columns: readonly TableColumn[]): TakenNames | undefined {
  if (columns.some(({ name }) => name.includes('_subquery'))) return undefined;
  const names = [...identifiers, ...columns.map(({ name }) => name)];
  return new Set(names.flatMap((name) => [name, ...name.split('.')]).map((name) => name.toLowerCase()));
}

/** The verdict on a query, with the times that it compares in forms that the engine reads. */
async function check(source: string, reading: Reading, evaluate: Explain | undefined): Promise<Verdict> {
  const { text, verdict } = await checkScaled(lexConsumerQuery(source), reading);
  const { explain, columns } = reading;
  if (explain === undefined || evaluate === undefined || columns === undefined) return verdict;
  const resolving = { evaluate, tables: verdict.tables, columns };
  await rejectServerValues(text, verdict.unresolved, {
    ...resolving,
    functions: reading.leakproof.functions,
  });
  const rewritten = await withReadTimes(text, resolving);
  if (rewritten === undefined) return verdict;
  try {
    return { ...(await checkText(lexConsumerQuery(rewritten), reading)), source };
  } catch (error) {
    if (error instanceof Problem) return verdict; // with the longer literals it is too long
    throw error;
  }
}

/** The verdict with a scale for times that are compared with fractions of seconds; `text` is what it is of. */
async function checkScaled(
  text: LexedQuery,
  reading: Reading,
): Promise<{ readonly text: LexedQuery; readonly verdict: Verdict }> {
  const scaled = reading.columns && withScales(text, reading.leakproof.types);
  if (scaled !== undefined) {
    try {
      const longer = lexConsumerQuery(scaled);
      const verdict = { ...(await checkText(longer, reading)), source: text.cursor.sql };
      return { text: longer, verdict };
    } catch (error) {
      if (!(error instanceof Problem)) throw error; // its location would be that in the longer query
    }
  }
  return { text, verdict: await checkText(text, reading) };
}

async function checkText(text: LexedQuery, reading: Reading): Promise<Verdict> {
  const { readTables, surface, isColumn, leakproof, explain } = reading;
  const scanned = scanConsumerQuery(text, surface, isColumn);
  if (reading.minGroup !== undefined) return checkGroups(text, scanned, reading, reading.minGroup);
  const plan = explain && planNarrow(text, scanned, reading);
  const sent = plan?.text ?? text;
  const explaining = explain && explainShape(explain, sent);
  // While the engine reads the query.
  const { names } = scanned;
  const own = {
    source: text.cursor.sql,
    joined: text.joined,
    names,
    hasStates: scanned.hasStates,
    unresolved: scanned.unresolved,
    needed: neededNames(scanned),
    early: earlyNames(scanned.tree),
    compared: comparedTexts(scanned),
    ...barrierOf(scanned, reading),
  };
  const explained = await explaining;
  const { functions } = leakproof;
  const tree = explained && acceptTree(explained, sent, { scanned, functions, isColumn });
  const parts = plan && tree && subcolumnsIn(tree, plan, scanned, readTables(scanned));
  const { taken } = reading;
  return {
    ...own,
    isApart: tree !== undefined && taken !== undefined && isApart(scanned, tree, taken),
    tables: readTables(scanned).map(({ name }) => name),
    narrow: parts && { joined: sent.joined, ...parts },
  };
}

/** The verdict on a query that sees groups of rows only; `minGroup` is the fewest rows of one. */
async function checkGroups(
  source: LexedQuery,
  scannedSource: ScanResult,
  reading: Reading,
  minGroup: number,
): Promise<Verdict> {
  const { readTables, surface, isColumn, leakproof, explain } = reading;
  const { cursor } = source;
  const text = lexConsumerQuery(withMinimum(source, scannedSource, minGroup));
  const scanned = scanConsumerQuery(text, surface, isColumn);
  const explained = await (explain && explainText(explain, text));
  if (explained === undefined) throw rejection(cursor.sql, 0, NO_TREE);
  const { functions } = leakproof;
  const tree = acceptTree(explained, text, { scanned, functions, isColumn });
  const tables = readTables(scanned);
  const found =
    unreadableName(source) ?? minGroupRejection(tree, { minimum: minGroup, scanned, functions, tables });
  if (found !== undefined) throw rejected(source, found);
  return {
    source: cursor.sql,
    joined: text.joined,
    tables: tables.map(({ name }) => name),
    names: scanned.names,
    hasStates: scanned.hasStates,
    unresolved: scannedSource.unresolved,
    needed: neededNames(scanned),
    early: earlyNames(scanned.tree),
    compared: comparedTexts(scanned),
    ...barrierOf(scanned, reading),
  };
}

function planNarrow(text: LexedQuery, scanned: ScanResult, reading: Reading): SubcolumnPlan | undefined {
  const { surface, isColumn, readTables } = reading;
  const plan = planSubcolumns(text, scanned, readTables(scanned));
  if (plan === undefined || plan.text === text) return plan;
  try {
    scanConsumerQuery(lexConsumerQuery(plan.text.joined), surface, isColumn);
    return plan;
  } catch (error) {
    if (error instanceof Problem) return undefined; // with the insertions it is too long
    throw error;
  }
}

/** Whether the query needs a barrier, and what is evaluated inside the tables all the same. */
function barrierOf(
  scanned: ScanResult,
  reading: Reading,
): Pick<Verdict, 'isLeakproof' | 'below' | 'unordered'> {
  const { leakproof, columns, readTables } = reading;
  if (columns === undefined) return { isLeakproof: false };
  const checked = checkLeakproof(scanned.tree, { ...leakproof, names: scanned.names });
  const below = conditionsBelow(scanned, checked, readTables(scanned));
  if (checked.isLeakproof) return { isLeakproof: true, below };
  return {
    isLeakproof: false,
    below,
    unordered: unorderedTables(scanned, leakproof.functions),
  };
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

/** Names in the saved query that no parenthesis follows: includes its columns, excludes its functions. */
function mentionedColumns(saved: Cursor): ReadonlySet<string> {
  const names = saved.tokens.flatMap((_, index) =>
    saved.kind(index + 1) === '(' ? [] : (saved.name(index) ?? []),
  );
  return new Set(names);
}
