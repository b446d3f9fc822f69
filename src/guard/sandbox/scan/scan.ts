// State of one visit of a consumer query's tree: what it may read, what was found, and its expanded size; and the checks of names of
// tables and functions.
import { didYouMean, nearest } from '../../../sql/base/nearest.ts';
import { KEYWORDS } from '../../../sql/clickhouse/tree/keywords.ts';
import type { Node, Tree } from '../../../sql/clickhouse/tree/nodes.ts';
import { nameOf, wordOf } from '../../../sql/clickhouse/tree/visit.ts';
import type { FunctionPolicy } from '../functions/policy.ts';
import { REPLACEMENTS } from '../functions/replacements.ts';
import { rejection, type Violation } from '../lexed-query.ts';
import { createFindings, createSelect, type Findings, type SelectFinding } from './findings.ts';

/** What an endpoint exposes to its consumers. */
export interface Surface {
  /** Tables of the endpoint's WITH clause by exact name, with the expanded size of each in tokens. */
  readonly tables: ReadonlyMap<string, number>;
  /** Names that a consumer's own WITH elements may not use, in lower case: all identifiers of the saved query. */
  readonly reservedNames: ReadonlySet<string>;
  readonly functions: FunctionPolicy;
  /** Columns with aggregate function states, by table; unknown if the engine has not described them. */
  readonly stateColumns: ReadonlyMap<string, readonly string[]> | 'unknown';
  /** The columns that the engine has described; none if they are not known. */
  readonly columnsOf: (table: string) => ReadonlySet<string>;
}

/** What a reference to a table adds to a query. */
export interface TableSize {
  readonly tokens: number;
  /** Reads of the endpoint's tables. */
  readonly reads: number;
}

/** The consumer's own WITH tables in lexical scope, with their sizes. */
export type Scope = ReadonlyMap<string, TableSize>;

/** The mutually recursive parts of the visit. */
export interface Visitor {
  /** Returns the scope that later members of the same set operation see. */
  query(scan: Scan, node: Node, scope: Scope): Scope;
  value(scan: Scan, node: Node, scope: Scope): void;
}

/** One visit of a consumer query; every visiting function reads from it and adds to its findings. */
export interface Scan {
  readonly tree: Tree;
  readonly surface: Surface;
  readonly visitor: Visitor;
  readonly findings: Findings;
  /** The innermost SELECT that is being visited. */
  select: SelectFinding;
  /** What references to tables have added so far. */
  grown: TableSize;
  /** Regular expressions so far. */
  patterns: number;
  /** The `*` that the innermost call of `count` is of. */
  counted: Node | undefined;
}

/** 6 to 10 ms of processor time each, which the engine does not interrupt within one OR: 480 took 23 s on a busy machine. */
const MAX_PATTERNS = 100;

/**
 * Tokens, and reads of the endpoint's tables, after tables are expanded: the engine analyses and plans a table again for each
 * reference to it. Measured near the first limit: 1.0 s of processor time for a union of nine tables with thirty counts (270
 * reads), 0.9 s for CASEs of 300 branches, 0.3 s for concatenations; near the second, over small tables, 0.5 s.
 */
const MAX_EXPANDED = 50_000;
const MAX_READS = 500;
const LESS = 'Read each table in fewer SELECTs: countIf counts several things in one';

/** A visit without findings. */
export function createScan(tree: Tree, surface: Surface, visitor: Visitor): Scan {
  return {
    tree,
    surface,
    visitor,
    findings: createFindings(),
    select: createSelect(tree.root),
    grown: { tokens: 0, reads: 0 },
    patterns: 0,
    counted: undefined,
  };
}

/** @throws Problem with the violation, at a token. */
export function reject({ tree: { cursor } }: Scan, at: number, violation: Violation): never {
  throw rejection(cursor.sql, cursor.start(at), violation);
}

/** Source text of a token for messages, truncated if long. */
export function shown({ tree }: Scan, at: number): string {
  return tree.cursor.text(at).slice(0, MAX_SHOWN);
}

const MAX_SHOWN = 60;

/** Adds a table's size for a reference to it, which ends before a token. */
function grow(scan: Scan, { tokens, reads }: TableSize, at: number): void {
  const grown = { tokens: scan.grown.tokens + tokens, reads: scan.grown.reads + reads };
  scan.grown = grown;
  if (at + grown.tokens <= MAX_EXPANDED && grown.reads <= MAX_READS) return;
  const message = 'The query is too large once each reference to a table is replaced by the table';
  reject(scan, at, { code: 'sandbox.too_large', message, hint: LESS });
}

/** Counts a regular expression: the engine compiles each one that is constant. */
export function countPattern(scan: Scan, at: number): void {
  scan.patterns++;
  if (scan.patterns <= MAX_PATTERNS) return;
  const message = `A query may have at most ${MAX_PATTERNS} regular expressions`;
  reject(scan, at, { code: 'sandbox.too_large', message, hint: "Combine them: match(x, 'a|b')" });
}

/** Visits values in their order. */
export function visitValues(scan: Scan, { parts }: Node, scope: Scope): void {
  for (const part of parts) scan.visitor.value(scan, part, scope);
}

/** Adds a name that the query defines. */
export function addName({ tree, findings }: Scan, at: number): void {
  findings.names.add(nameOf(tree, { at }));
}

/** Checks the name of a table: unqualified, case-sensitive, and in scope. */
export function checkTable(scan: Scan, { from, to }: Node, scope: Scope): void {
  const { tree, surface, findings } = scan;
  const name = nameOf(tree, { at: from });
  const deny = (message: string): never =>
    reject(scan, from, { code: 'sandbox.table_denied', message: `${message}: ${tableList(scan, scope)}` });
  if (name === '' || KEYWORDS.has(wordOf(tree, { at: from }))) return deny('Expected a table name');
  const next = wordOf(tree, { at: from + 1 });
  if (next === '.') return deny('Table names must not include a database');
  if (next === '(') {
    const message = `${shown(scan, from)}(…) is a table function, and table functions are not allowed`;
    reject(scan, from, { code: 'sandbox.table_denied', message });
  }
  const own = scope.get(name);
  const tokens = surface.tables.get(name);
  const size = own ?? (tokens === undefined ? undefined : { tokens, reads: 1 });
  if (size === undefined) return denyTable(scan, scope, { name, at: from });
  if (own === undefined) findings.tables.add(name);
  grow(scan, size, to);
}

function denyTable(
  scan: Scan,
  scope: Scope,
  { name, at }: { readonly name: string; readonly at: number },
): never {
  const hint = didYouMean(nearest(name, visible(scan, scope)));
  const message = `There is no table ${shown(scan, at)}: ${tableList(scan, scope)}`;
  return reject(scan, at, { code: 'sandbox.table_denied', message, ...(hint && { hint }) });
}

function visible({ surface }: Scan, scope: Scope): string[] {
  return [...surface.tables.keys(), ...scope.keys()];
}

function tableList(scan: Scan, scope: Scope): string {
  const names = visible(scan, scope);
  return names.length === 0 ? 'there are no tables' : `the tables are ${names.join(', ')}`;
}

/** Checks the name at a token as a function; `combinator` is the suffix that the engine appends for the call's syntax. */
export function checkFunction(scan: Scan, at: number, combinator = ''): void {
  const name = `${nameOf(scan.tree, { at })}${combinator}`;
  const { functions } = scan.surface;
  if (functions.allows(name)) return;
  const replacement = REPLACEMENTS.get(name.toLowerCase());
  const guess = functions.denies(name) ? undefined : didYouMean(functions.nearest(name));
  const hint = replacement === undefined ? guess : `${replacement}.`;
  const message = `${shown(scan, at)} is not an allowed ${combinator === '' ? '' : 'aggregate '}function`;
  reject(scan, at, { code: 'sandbox.function_denied', message, ...(hint && { hint }) });
}
