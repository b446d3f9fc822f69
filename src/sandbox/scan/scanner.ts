// The scanner: accepts one SELECT over allowed tables with allowed functions, every token accounted for; rejects anything else.
import type { LexedQuery } from '../lexed-query.ts';
import { scanExpression } from './expression.ts';
import type { FunctionPolicy } from '../functions/policy.ts';
import { isQueryGroup } from './groups.ts';
import { scanOperand } from './operand.ts';
import { scanQuery } from './query.ts';
import { createScan } from './scan.ts';
import { isServerValue, isUnresolved, serverValueViolation } from './server-values.ts';
import type { Grammar, Scan, Surface } from './scan.ts';
import type { SelectFinding } from './selects.ts';
import { checkStates, stateColumns } from './states.ts';

/** The tables, names and states found in a query. */
export interface ScanResult {
  /** Endpoint tables that it reads. */
  readonly tables: ReadonlySet<string>;
  /** Names that it defines itself. */
  readonly names: ReadonlySet<string>;
  /** Columns of those tables that are aggregate function states. */
  readonly stateColumns: readonly string[];
  /** Whether there are aggregate function states, read from tables or created. */
  readonly hasStates: boolean;
  readonly selects: readonly SelectFinding[];
  /** Endpoint tables that are the right side of IN. */
  readonly sets: ReadonlySet<string>;
  /** Tokens with names that may be calls of the engine's own functions, unless its analysis finds a column or an alias. */
  readonly unresolved: readonly number[];
  /** How often endpoint tables are read, those in a table of the consumer once for each reference to it. */
  readonly reads: number;
}

const GRAMMAR: Grammar = { query: scanQuery, expression: scanExpression, operand: scanOperand };

/**
 * Scans a consumer query. `isColumn` distinguishes the endpoint's columns from names that the engine would call as functions.
 * @throws Problem sandbox.*
 */
export function scanConsumerQuery(
  text: LexedQuery,
  surface: Surface,
  isColumn: (name: string) => boolean,
): ScanResult {
  const scan = createScan(text, surface, GRAMMAR);
  const isQuery = isQueryGroup(scan) || ['SELECT', 'WITH', 'FROM'].includes(scan.word() ?? '');
  if (!isQuery) {
    const message = `A query must start with SELECT, WITH or FROM, not with ${scan.shown()}`;
    scan.reject({ code: 'sandbox.syntax_unsupported', message });
  }
  GRAMMAR.query(scan, { withTables: new Map(), inLambda: false });
  if (scan.kind() !== undefined) rejectRest(scan);
  checkBareNames(scan, isColumn);
  checkStates(scan);
  const { tables, names, selects, sets, bare } = scan.findings;
  const columns = stateColumns(scan);
  const unresolved = bare.filter((index) => isUnresolved(scan, index, scan.name(index - scan.at()) ?? ''));
  const hasStates = columns.length > 0 || scan.findings.states.made.length > 0;
  return { tables, names, stateColumns: columns, hasStates, selects, sets, unresolved, reads: scan.reads() };
}

const UNSUPPORTED_CLAUSES: ReadonlyMap<string | undefined, string> = new Map([
  ['SETTINGS', 'SETTINGS is not allowed: the endpoint determines the settings'],
  ['FORMAT', 'FORMAT is not allowed: choose a format with the parameter format or the header Accept'],
  ['INTO', 'INTO is not allowed: queries are read-only'],
  ['PARALLEL', 'PARALLEL WITH is not allowed: send a single query'],
]);

const JSON_OPERATOR = 'Paths of a JSON column are written with dots, such as metadata.request.path.';

function rejectRest(scan: Scan): never {
  const plain = `Unexpected ${scan.shown()}; a comma, an operator or AS may be missing`;
  return scan.reject({
    code: 'sandbox.syntax_unsupported',
    message: UNSUPPORTED_CLAUSES.get(scan.word()) ?? plain,
    ...(scan.kind() === '->' ? { hint: JSON_OPERATOR } : {}),
  });
}

/** Rejects the first bare name that would be a function call. */
function checkBareNames(scan: Scan, isColumn: (name: string) => boolean): void {
  const { bare, names } = scan.findings;
  for (const index of bare) {
    const ahead = index - scan.at();
    const name = scan.name(ahead) ?? '';
    const isCalled = isBareCall(name, { functions: scan.surface.functions, names, isColumn });
    if (!isCalled && !isServerValue(scan, index, name)) continue;
    scan.reject(serverValueViolation(scan.shown(ahead), !isCalled), ahead);
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
