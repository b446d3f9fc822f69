// Calls: allowed names, arguments, lambdas and windows; and column matchers, which look like calls.
import { isQueryGroup, scanExpressions, scanQueryGroup, scanUntil } from './groups.ts';
import { takesFunction } from '../../sql/higher-order.ts';
import { referenceViolation } from '../functions/higher-order.ts';
import { scanInArguments } from './in.ts';
import { checkFunction, isKeyword, scanNewName } from './names.ts';
import { scanWindow } from './ordering.ts';
import { isNamedTuple, spanReader } from '../named-tuple.ts';
import type { Scan, Scope } from './scan.ts';
import { returnsStates, acceptsStates } from './states.ts';
import { argumentIndex, argumentViolation, stringArgument } from '../string-arguments.ts';
import type { StringArgument } from '../string-arguments.ts';
import { scanType } from './type.ts';
import { CALLABLE, IN_FUNCTIONS } from '../keywords.ts';

/** Whether a name followed by an opening parenthesis comes next. */
export function isCall(scan: Scan): boolean {
  return scan.kind(1) === '(' && (!isKeyword(scan) || CALLABLE.has(scan.word() ?? ''));
}

/** Arguments in standard SQL syntax: keywords between them, and keywords before the first. */
interface Form {
  readonly separators: readonly string[];
  readonly prefixes: readonly string[];
  /** Whether arguments may be aggregate function states; the `*` of count is not one. */
  readonly takesStates?: true;
}

const PLAIN: Form = { separators: [], prefixes: ['DISTINCT'] };
const FORMS: ReadonlyMap<string, Form> = new Map([
  ['EXTRACT', { separators: ['FROM'], prefixes: [] }],
  ['SUBSTRING', { separators: ['FROM', 'FOR'], prefixes: [] }],
  ['OVERLAY', { separators: ['PLACING', 'FROM', 'FOR'], prefixes: [] }],
  ['TRIM', { separators: ['FROM'], prefixes: ['BOTH', 'LEADING', 'TRAILING'] }],
]);

const STATES: Form = { ...PLAIN, takesStates: true };

function formOf(name: string): Form {
  const form = FORMS.get(name.toUpperCase());
  return form ?? (acceptsStates(name) || name.toLowerCase() === 'count' ? STATES : PLAIN);
}

/** Keywords that take a subquery, on the right of a comparison or alone. */
const QUANTIFIERS: ReadonlySet<string> = new Set(['ANY', 'ALL', 'SOME', 'EXISTS']);

/** Functions whose constant pattern is compiled; `x REGEXP y` calls the first. */
const MATCHING: ReadonlySet<string> = new Set(
  `match extract extractall extractgroups extractallgroups extractallgroupshorizontal extractallgroupsvertical replaceregexpall
  replaceregexpone regexp_replace regexp_matches regexp_extract countmatches countmatchescaseinsensitive splitbyregexp`.split(
    /\s+/,
  ),
);

/** `name(arguments)` or `name(parameters)(arguments)`, and what may follow. */
export function scanCall(scan: Scan, scope: Scope): void {
  const word = scan.word();
  if (QUANTIFIERS.has(word ?? '') && isQueryGroup(scan, 1)) {
    // The engine rewrites the others to IN.
    if (word !== 'EXISTS')
      scan.findings.states.barred.push({ at: scan.at(), form: `${word} with a subquery` });
    scan.skip();
    scanQueryGroup(scan, scope);
    return;
  }
  if (IN_FUNCTIONS.has(scan.name()?.toLowerCase() ?? '')) {
    scan.skip();
    scanInArguments(scan, scope);
    return;
  }
  checkFunction(scan);
  if (MATCHING.has(scan.name()?.toLowerCase() ?? '')) scan.pattern();
  checkForms(scan);
  const name = scan.name() ?? '';
  if (takesFunction(name)) rejectReference(scan, name);
  const start = scan.at();
  const made = returnsStates(name) || isNamedState(scan, name);
  scan.skip();
  const named = stringArgument(name);
  if (word === 'CAST') scanCast(scan, scope);
  else if (named !== undefined) scanNamedArguments(scan, scope, { name, named });
  else if (word === 'POSITION' && isStandardPosition(scan)) scanPosition(scan, scope);
  else scanArguments(scan, scope, scan.kind(scan.beyond()) === '(' ? PLAIN : formOf(name)); // parameters cannot be states
  if (scan.kind() === '(') {
    if (named !== undefined) rejectParameters(scan, name);
    scanArguments(scan, scope, formOf(name));
  }
  scanAfterCall(scan, scope);
  if (made) scan.findings.states.made.push({ start, end: scan.at() });
}

/** A name alone, also in parentheses or with an alias, as the first of several arguments: the function of that name, if no value has it. */
function rejectReference(scan: Scan, name: string): void {
  let ahead = 2;
  while (scan.kind(ahead) === '(') ahead++;
  const reference = scan.name(ahead);
  if (reference === undefined) return;
  let end = ahead + 1;
  for (let open = ahead - 2; ;) {
    if (scan.word(end) === 'AS') end += 2;
    else if (open > 0 && scan.kind(end) === ')') [end, open] = [end + 1, open - 1];
    else if (open === 0 && scan.kind(end) === ',') scan.reject(referenceViolation(name, reference), ahead);
    else return;
  }
}

/** `initializeAggregation('sumState', …)` and similar calls. */
function isNamedState(scan: Scan, name: string): boolean {
  return stringArgument(name)?.names === 'function' && returnsStates(scan.text(2));
}

/** Arguments of which one names a type, a function or a subcolumn. */
function scanNamedArguments(
  scan: Scan,
  scope: Scope,
  { name, named }: { readonly name: string; readonly named: StringArgument },
): void {
  const starts: number[] = [];
  const ends: number[] = [];
  scan.expectKind('(');
  scanUntil(scan, ')', () => {
    starts.push(scan.at());
    scanArgument(scan, scope, PLAIN);
    ends.push(scan.at());
  });
  if (starts.length === 0) checkNamedArgument(scan, { name, named, start: scan.at(), end: scan.at() });
  const index = argumentIndex(named, starts.length);
  if (index !== undefined) {
    checkNamedArgument(scan, { name, named, start: starts[index] ?? 0, end: ends[index] ?? 0 });
  }
}

interface NamedArgument {
  readonly name: string;
  readonly named: StringArgument;
  /** Index of its first token, and of the token after its last. */
  readonly start: number;
  readonly end: number;
}

function checkNamedArgument(scan: Scan, { name, named, start, end }: NamedArgument): void {
  const ahead = start - scan.at();
  const literal = end - start === 1 ? scan.text(ahead) : undefined;
  const { functions } = scan.surface;
  const violation = argumentViolation(named, { name, literal, functions });
  if (violation !== undefined) scan.reject(violation, ahead);
}

function rejectParameters(scan: Scan, name: string): never {
  return scan.reject({ code: 'sandbox.syntax_unsupported', message: `${name} does not accept parameters` });
}

/** `f(DISTINCT …)` and `f(…) FILTER (…)` call `fDistinct` and `fIf`, which exist only for aggregate functions. */
function checkForms(scan: Scan): void {
  let after = scan.beyond(1);
  const isParametric = scan.kind(after) === '(';
  const isDistinct = isPrefix(scan, 'DISTINCT', 2) || (isParametric && isPrefix(scan, 'DISTINCT', after + 1));
  if (isDistinct) checkFunction(scan, 'Distinct');
  if (isParametric) after = scan.beyond(after);
  if (['IGNORE', 'RESPECT'].includes(scan.word(after) ?? '')) after += 2;
  if (scan.word(after) === 'FILTER') checkFunction(scan, 'If');
}

/** Whether `word` precedes an argument rather than being one. */
function isPrefix(scan: Scan, word: string, ahead = 0): boolean {
  return scan.word(ahead) === word && ![',', ')', '.'].includes(scan.kind(ahead + 1) ?? '');
}

const CAST_TYPE: StringArgument = { names: 'type', index: 1 };

/** `(value AS Type)` or `(value, 'Type')`. */
function scanCast(scan: Scan, scope: Scope): void {
  scan.expectKind('(');
  scan.nest(() => {
    const value = { start: scan.at(), end: 0 };
    scan.grammar.expression(scan, scope, 'none');
    value.end = scan.at();
    if (scan.take('AS')) scanType(scan);
    else if (scan.takeKind(',')) {
      const start = scan.at();
      scan.grammar.expression(scan, scope, 'none');
      if (isNamedTuple(spanReader(scan), value, { start, end: scan.at() })) return;
      checkNamedArgument(scan, { name: 'CAST', named: CAST_TYPE, start, end: scan.at() });
    }
  });
  scan.expectKind(')');
}

function scanArguments(scan: Scan, scope: Scope, form: Form): void {
  scan.expectKind('(');
  if (form.prefixes.some((word) => isPrefix(scan, word))) scan.skip();
  scanUntil(scan, ')', () => scanArgument(scan, scope, form));
}

function scanArgument(scan: Scan, scope: Scope, form: Form): void {
  if (scanLambda(scan, scope)) return;
  const { separators } = form;
  const start = scan.at();
  scan.grammar.expression(scan, scope, 'as');
  while (separators.some((word) => scan.take(word))) scan.grammar.expression(scan, scope, 'none');
  if (form.takesStates === true) scan.findings.states.permitted.push({ start, end: scan.at() });
}

/** `position(x IN y)`, where IN reads no table: both sides are values. */
function isStandardPosition(scan: Scan): boolean {
  const close = scan.beyond() - 1;
  for (let ahead = 1; ahead < close; ahead = scan.beyond(ahead)) {
    if (scan.kind(ahead) === ',') return false;
    if (scan.word(ahead) === 'IN') return true;
  }
  return false;
}

function scanPosition(scan: Scan, scope: Scope): void {
  scan.expectKind('(');
  scan.nest(() => {
    scan.grammar.operand(scan, scope);
    scan.expectWord('IN');
    scan.grammar.operand(scan, scope);
  });
  scan.expectKind(')');
}

/** `x -> …` or `(x, y) -> …`, allowed only as an argument; nothing inside it may be given an alias. */
function scanLambda(scan: Scan, scope: Scope): boolean {
  const isBracketed = scan.kind() === '(';
  if (scan.kind(isBracketed ? scan.beyond() : 1) !== '->') return false;
  if (isBracketed) {
    scan.skip();
    scanUntil(scan, ')', () => scanNewName(scan));
  } else scanNewName(scan);
  scan.expectKind('->');
  scan.nest(() => scan.grammar.expression(scan, { withTables: scope.withTables, inLambda: true }, 'as'));
  return true;
}

/** `IGNORE NULLS`, `FILTER (WHERE …)`, `OVER …`. */
function scanAfterCall(scan: Scan, scope: Scope): void {
  if (!scan.take('IGNORE', 'NULLS')) scan.take('RESPECT', 'NULLS');
  if (scan.word() === 'FILTER' && scan.kind(1) === '(') {
    scan.skip(2);
    scan.expectWord('WHERE');
    scan.nest(() => scan.grammar.expression(scan, scope, 'none'));
    scan.expectKind(')');
  }
  if (!scan.take('IGNORE', 'NULLS')) scan.take('RESPECT', 'NULLS');
  if (!scan.take('OVER')) return;
  if (scan.kind() === '(') scanWindow(scan, scope);
  else if (scan.name() === undefined || isKeyword(scan)) {
    scan.reject({ code: 'sandbox.syntax_unsupported', message: 'Expected a window after OVER' });
  } else scan.skip();
}

/** Records a matcher of columns that ends with the token at index `end`. */
function addStar(scan: Scan, end: number): void {
  const isQualified = scan.kind(-1) === '.';
  // The engine counts rows for the `*` of count(*); it does not expand it.
  const isCount = scan.kind(-1) === '(' && scan.word(-2) === 'COUNT' && scan.kind(1) === ')';
  if (isCount) return;
  const qualifier = isQualified && scan.kind(-3) !== '.' ? scan.name(-2) : undefined;
  scan.current().stars.push({ end, qualifier, isQualified });
}

/** `*` and its column modifiers. */
export function scanStar(scan: Scan, scope: Scope): void {
  const start = scan.at();
  addStar(scan, start);
  scan.expectKind('*');
  let isPlain = true;
  while (scan.word() !== undefined) {
    const isLeftOut = scan.word() === 'EXCEPT';
    if (!scanTransformer(scan, scope)) break;
    isPlain &&= isLeftOut;
  }
  scan.findings.states.stars.push({ start, end: scan.at(), isPlain });
}

/** `COLUMNS('pattern')` or `COLUMNS(a, b)`. */
export function scanColumns(scan: Scan, scope: Scope): void {
  scan.findings.states.barred.push({ at: scan.at(), form: 'COLUMNS' });
  if (scan.kind(2) === 'string') addStar(scan, scan.at() + 3);
  scan.skip();
  scanColumnNames(scan);
  while (scanTransformer(scan, scope));
}

function scanTransformer(scan: Scan, scope: Scope): boolean {
  if (scan.word() === 'EXCEPT' && !startsMember(scan, 1)) {
    scan.skip();
    scan.take('STRICT');
    scanLeftOut(scan);
    return true;
  }
  if (scan.take('REPLACE')) {
    scan.take('STRICT');
    if (scan.kind() === '(') scanExpressions(scan, scope, 'as');
    else scan.grammar.expression(scan, scope, 'as');
    return true;
  }
  if (!scan.take('APPLY')) return false;
  scanApplied(scan, scope);
  return true;
}

/** Whether EXCEPT is the set operator rather than the column modifier. */
function startsMember(scan: Scan, ahead: number): boolean {
  const word = scan.word(ahead);
  if (word === 'ALL' || word === 'DISTINCT') return true;
  return word === 'SELECT' || word === 'WITH' || word === 'FROM' || isQueryGroup(scan, ahead);
}

/** `column`, `(columns)` or `('pattern')`. */
function scanLeftOut(scan: Scan): void {
  if (scan.kind() !== '(') {
    scanColumnName(scan);
    return;
  }
  scanColumnNames(scan);
}

/** `('pattern')`, or column names in parentheses. */
function scanColumnNames(scan: Scan): void {
  scan.expectKind('(');
  if (!scan.takeKind('string')) {
    do scanColumnName(scan);
    while (scan.takeKind(','));
  }
  scan.expectKind(')');
}

function scanColumnName(scan: Scan): void {
  const start = scan.at();
  do {
    if (scan.name() === undefined || isKeyword(scan)) {
      scan.reject({ code: 'sandbox.syntax_unsupported', message: 'Expected a column name' });
    }
    scan.skip();
  } while (scan.takeKind('.'));
  scan.findings.states.permitted.push({ start, end: scan.at() });
}

/** A function name, optionally with parameters, or a lambda; the parentheses around it are optional. */
function scanApplied(scan: Scan, scope: Scope): void {
  if (!scan.takeKind('(')) {
    scanAppliedName(scan, scope);
    return;
  }
  scan.nest(() => {
    if (!scanLambda(scan, scope)) scanAppliedName(scan, scope);
    if (scan.takeKind(',')) scan.expectKind('string', 'a prefix, as a string');
  });
  scan.expectKind(')');
}

function scanAppliedName(scan: Scan, scope: Scope): void {
  checkFunction(scan);
  const name = scan.name() ?? '';
  if (stringArgument(name) !== undefined || returnsStates(name)) {
    const message = `${name} cannot be used by name in APPLY: use a lambda, as in APPLY(x -> ${name}(…))`;
    scan.reject({ code: 'sandbox.type_denied', message });
  }
  scan.skip();
  if (scan.kind() === '(') scanArguments(scan, scope, PLAIN);
}
