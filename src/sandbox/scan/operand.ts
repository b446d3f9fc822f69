// Values: constants, columns with paths, parenthesized expressions, calls, and forms that begin with a keyword.
import { isCall, scanCall, scanColumns, scanStar } from './call.ts';
import { isQueryGroup, scanExpressions, scanQueryGroup, scanUntil } from './groups.ts';
import { checkFunction, isKeyword } from './names.ts';
import type { TokenKind } from '../../sql/lexer.ts';
import { stringValue } from '../../sql/string-literal.ts';
import { WHITE_SPACE } from '../../sql/white-space.ts';
import type { Scan, Scope } from './scan.ts';
import { namesState } from '../string-arguments.ts';
import { scanType } from './type.ts';
import { typeFault } from '../type-name.ts';
import { CONSTANTS, UNITS } from '../keywords.ts';

/** A value and its suffixes: `.path`, `[index]`, `::Type`. */
export function scanOperand(scan: Scan, scope: Scope): void {
  scanValue(scan, scope);
  while (scanSuffix(scan, scope));
}

type ReadValue = (scan: Scan, scope: Scope) => void;

const VALUES: ReadonlyMap<TokenKind | undefined, ReadValue> = new Map<TokenKind, ReadValue>([
  ['number', (scan) => scan.skip()],
  ['string', scanString],
  ['*', scanStar],
  ['(', scanBrackets],
  ['[', scanArray],
  ['word', scanNamed],
  ['quoted', scanNamed],
]);

function scanValue(scan: Scan, scope: Scope): void {
  const readValue = VALUES.get(scan.kind()) ?? rejectValue;
  readValue(scan, scope);
}

function scanBrackets(scan: Scan, scope: Scope): void {
  if (isQueryGroup(scan)) {
    // The column's name would change or be lost.
    scan.findings.states.barred.push({ at: scan.at(), form: 'A scalar subquery' });
    scanQueryGroup(scan, scope);
  } else scanExpressions(scan, scope, 'as');
}

function scanArray(scan: Scan, scope: Scope): void {
  scan.skip();
  scanUntil(scan, ']', () => scan.grammar.expression(scan, scope, 'as'));
}

function rejectValue(scan: Scan): never {
  const seen = scan.kind() === undefined ? 'the query ends' : `found ${scan.shown()}`;
  return scan.reject({ code: 'sandbox.syntax_unsupported', message: `Expected a value, but ${seen}` });
}

/** The type of a state: the engine accepts quotes, white space and comments before the parenthesis. */
const STATE = new RegExp(`AggregateFunction[${WHITE_SPACE}\`"“”]*(?:\\(|/[/*]|--|#)`, 'i');

/** No string may hold the type of a state: any function could read a type from it. */
function scanString(scan: Scan): void {
  const value = stringValue(scan.text());
  if (value === undefined) {
    scan.reject({ code: 'sandbox.query_invalid', message: 'Invalid escape sequence in this string' });
  }
  if (STATE.test(value)) {
    scan.reject({
      code: 'sandbox.type_denied',
      message: 'Aggregate function types are not allowed in strings',
    });
  }
  scan.skip();
}

/** A subcolumn of a Dynamic value has the name of a type. */
function checkQuoted(scan: Scan): void {
  if (scan.kind() !== 'quoted' || !namesState(scan.text())) return;
  scan.reject({
    code: 'sandbox.type_denied',
    message: 'Aggregate function types are not allowed as names',
  });
}

function scanNamed(scan: Scan, scope: Scope): void {
  const word = scan.word();
  const next = scan.kind(1);
  if (word === 'CASE') scanCase(scan, scope);
  else if (word === 'INTERVAL' && startsInterval(scan)) scanInterval(scan, scope);
  else if ((word === 'DATE' || word === 'TIMESTAMP') && next === 'string') scanTyped(scan);
  else if (word === 'COLUMNS' && next === '(') scanColumns(scan, scope);
  else if (isCall(scan)) scanCall(scan, scope);
  else if (isKeyword(scan)) rejectValue(scan);
  else scanColumn(scan, word);
}

function scanColumn(scan: Scan, word: string | undefined): void {
  checkQuoted(scan);
  // `name.1` accesses an element of a tuple: the name itself is a bare name.
  const isPath = scan.kind(1) === '.' && scan.kind(2) !== 'number';
  if (!isPath && !CONSTANTS.has(word ?? '')) scan.findings.bare.push(scan.at());
  scan.skip();
}

/** `DATE '…'` is a call of toDate. */
function scanTyped(scan: Scan): void {
  checkFunction(scan);
  scan.skip();
  scanString(scan);
}

function scanCase(scan: Scan, scope: Scope): void {
  scan.skip();
  scan.nest(() => {
    if (scan.word() !== 'WHEN') scan.grammar.expression(scan, scope, 'none');
    do {
      scan.expectWord('WHEN');
      scan.grammar.expression(scan, scope, 'none');
      scan.expectWord('THEN');
      scan.grammar.expression(scan, scope, 'none');
    } while (scan.word() === 'WHEN');
    if (scan.take('ELSE')) scan.grammar.expression(scan, scope, 'none');
    scan.expectWord('END');
  });
}

/** `interval` followed by an operator, a comma or the end is a column. */
function startsInterval(scan: Scan): boolean {
  const next = scan.kind(1);
  if (next === 'number' || next === 'string' || next === '(') return true;
  return next === 'word' && scan.word(1) !== 'AS' && UNITS.has(scan.word(2) ?? '');
}

/** `INTERVAL value UNIT`, or a string that contains the unit. */
function scanInterval(scan: Scan, scope: Scope): void {
  const isWhole = scan.kind(1) === 'string' && !UNITS.has(scan.word(2) ?? '');
  scan.skip();
  scan.takeKind('-');
  scan.nest(() => scan.grammar.operand(scan, scope));
  if (isWhole) return;
  if (!UNITS.has(scan.word() ?? '')) {
    scan.reject({ code: 'sandbox.syntax_unsupported', message: 'Expected a unit of time such as DAY' });
  }
  scan.skip();
}

function scanSuffix(scan: Scan, scope: Scope): boolean {
  if (scan.takeKind('.')) scanPath(scan, scope);
  else if (scan.takeKind('::')) scanType(scan);
  else if (scan.kind() === '[') scanIndex(scan, scope);
  else return false;
  return true;
}

/** `[index]`, or `[]` in a JSON path. */
function scanIndex(scan: Scan, scope: Scope): void {
  scan.skip();
  if (scan.takeKind(']')) return;
  scan.nest(() => scan.grammar.expression(scan, scope, 'none'));
  scan.expectKind(']');
}

/** The type of a JSON path, quoted if it has arguments. */
function scanPathType(scan: Scan): void {
  if (scan.kind() !== 'quoted') {
    scanType(scan);
    return;
  }
  const fault = typeFault(scan.name() ?? '');
  if (fault !== undefined) scan.reject({ code: 'sandbox.type_denied', message: fault });
  scan.skip();
}

/** What may follow a dot: a name, a number, `*`, `:Type` or `^name` of a JSON path; never a call. */
function scanPath(scan: Scan, scope: Scope): void {
  if (scan.kind() === '*') {
    scanStar(scan, scope);
    return;
  }
  if (scan.word() === 'COLUMNS' && scan.kind(1) === '(') {
    scanColumns(scan, scope);
    return;
  }
  if (scan.takeKind(':')) {
    scanPathType(scan);
    return;
  }
  scan.takeKind('^');
  checkQuoted(scan);
  const kind = scan.kind();
  if (kind !== 'word' && kind !== 'quoted' && kind !== 'number') rejectValue(scan);
  if (scan.kind(1) === '(') {
    scan.reject({
      code: 'sandbox.function_denied',
      message: 'Function names must not include a database',
    });
  }
  scan.skip();
}
