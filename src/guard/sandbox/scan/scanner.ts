// The scanner: accepts one SELECT over allowed tables with allowed functions, and rejects anything else. It visits the query's tree, in
// the order of its tokens, so that of several things that are wrong the first is reported. A query with edits is scanned again.
import { Problem } from '../../../sql/base/problem.ts';
import type { Tree } from '../../../sql/clickhouse/tree/nodes.ts';
import { nameOf, wordOf } from '../../../sql/clickhouse/tree/visit.ts';
import type { FunctionPolicy } from '../functions/policy.ts';
import {
  editedText,
  lexConsumerQuery,
  type LexedQuery,
  type TokenEdit,
  type Violation,
} from '../lexed-query.ts';
import { visitQuery } from './query.ts';
import { createScan, reject, shown, type Scan, type Surface, type Visitor } from './scan.ts';
import type { SelectFinding } from './findings.ts';
import { isServerValue, isUnresolved, serverValueViolation } from './server-values.ts';
import { checkStates, stateColumns } from './states.ts';
import { visitValue } from './values.ts';

/** The tables, names and states found in a query. */
export interface ScanResult {
  readonly tree: Tree;
  /** Endpoint tables that it reads. */
  readonly tables: ReadonlySet<string>;
  /** Names that it defines itself. */
  readonly names: ReadonlySet<string>;
  /** Columns of those tables that are aggregate function states. */
  readonly stateColumns: readonly string[];
  /** It is true if there are aggregate function states, read from tables or created. */
  readonly hasStates: boolean;
  readonly selects: readonly SelectFinding[];
  /** Endpoint tables that are the right side of IN. */
  readonly sets: ReadonlySet<string>;
  /** Tokens with names that may be calls of the engine's own functions, unless its analysis finds a column or an alias. */
  readonly unresolved: readonly number[];
  /** How often endpoint tables are read, those in a table of the consumer once for each reference to it. */
  readonly reads: number;
}

const VISITOR: Visitor = { query: visitQuery, value: visitValue };

/**
 * Scans a consumer query. `isColumn` distinguishes the endpoint's columns from names that the engine would call as functions.
 * @throws Problem sandbox.*
 */
export function scanConsumerQuery(
  tree: Tree,
  surface: Surface,
  isColumn: (name: string) => boolean,
): ScanResult {
  const scan = createScan(tree, surface, VISITOR);
  visitQuery(scan, tree.root, new Map());
  if (tree.fault !== undefined) reject(scan, tree.fault.at, faultViolation(scan, tree.fault));
  checkBareNames(scan, isColumn);
  checkStates(scan);
  const { tables, names, selects, sets, bare } = scan.findings;
  const columns = stateColumns(scan);
  const unresolved = bare.filter((index) => isUnresolved(scan, index, nameOf(tree, { at: index })));
  const hasStates = columns.length > 0 || scan.findings.states.made.length > 0;
  const { reads } = scan.grown;
  return { tree, tables, names, stateColumns: columns, hasStates, selects, sets, unresolved, reads };
}

const ONLY_RESULTS = 'is not allowed: the tables are query results';

const UNSUPPORTED: ReadonlyMap<string, string> = new Map([
  ['SETTINGS', 'SETTINGS is not allowed: the endpoint determines the settings'],
  ['FORMAT', 'FORMAT is not allowed: choose a format with the parameter format or the header Accept'],
  ['INTO', 'INTO is not allowed: queries are read-only'],
  ['PARALLEL', 'PARALLEL WITH is not allowed: send a single query'],
  ['FINAL', `FINAL ${ONLY_RESULTS}`],
  ['SAMPLE', `SAMPLE ${ONLY_RESULTS}`],
]);

const JSON_OPERATOR = 'Paths of a JSON column are written with dots, such as metadata.request.path.';

/** What is wrong with a query of which the rest could not be read. */
function faultViolation({ tree }: Scan, { kind, at, message }: NonNullable<Tree['fault']>): Violation {
  if (kind === 'size') return { code: 'sandbox.too_large', message };
  if (kind === 'call') return { code: 'sandbox.function_denied', message };
  const code = 'sandbox.syntax_unsupported';
  if (kind === 'invalid') return { code, message };
  const hint = wordOf(tree, { at }) === '->' ? { hint: JSON_OPERATOR } : {};
  return { code, message: UNSUPPORTED.get(wordOf(tree, { at })) ?? message, ...hint };
}

/** Rejects the first bare name that would be a function call. */
function checkBareNames(scan: Scan, isColumn: (name: string) => boolean): void {
  const { bare, names } = scan.findings;
  for (const index of bare) {
    const name = nameOf(scan.tree, { at: index });
    const isCalled = isBareCall(name, { functions: scan.surface.functions, names, isColumn });
    if (!isCalled && !isServerValue(scan, index, name)) continue;
    reject(scan, index, serverValueViolation(shown(scan, index), !isCalled));
  }
}

/** Context that decides whether a bare name is a column, an alias or a call. */
export interface BareNames {
  readonly functions: FunctionPolicy;
  readonly names: ReadonlySet<string>;
  readonly isColumn: (name: string) => boolean;
}

/** CURRENT_USER and similar names are calls without parentheses, unless a column or an alias has that name. */
export function isBareCall(name: string, { functions, names, isColumn }: BareNames): boolean {
  return functions.denies(name) && !names.has(name) && !isColumn(name);
}

/** A query may read these. */
export interface ScanContext {
  readonly surface: Surface;
  readonly isColumn: (name: string) => boolean;
}

/** A query that has been read, and what the scan has found in it. */
export interface Scanned {
  readonly query: LexedQuery;
  readonly scanned: ScanResult;
}

/** @throws Problem sandbox.* */
export function scan(query: LexedQuery, { surface, isColumn }: ScanContext): Scanned {
  return { query, scanned: scanConsumerQuery(query, surface, isColumn) };
}

/** A query with edits is another query: it is read and scanned as a whole again, since an edit could change what the rest of it means. */
export function edit(sent: Scanned, edits: readonly TokenEdit[], context: ScanContext): Scanned {
  return edits.length === 0 ? sent : scan(lexConsumerQuery(editedText(sent.query, edits)), context);
}

/** The query with edits that it can do without; undefined if it is rejected with them, as too long. */
export function tryEdit(
  sent: Scanned,
  edits: readonly TokenEdit[],
  context: ScanContext,
): Scanned | undefined {
  try {
    return edits.length === 0 ? undefined : edit(sent, edits, context);
  } catch (error) {
    return orNone(error);
  }
}

/** Undefined for a Problem; throws anything else. */
export function orNone(error: unknown): undefined {
  if (!(error instanceof Problem)) throw error;
}
