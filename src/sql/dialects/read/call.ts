// Reads function calls, with the clauses inside and after their parentheses, and those whose arguments are separated by words.
import { syntax } from '../context.ts';
import type { Call, Expression, Field } from '../tree.ts';
import { castOf, readCharacterSet, readTypeName } from './types.ts';
import { keywordsThat } from './keywords.ts';
import { areWords, expectSymbol, expectWords, has, isNameToken, isQueryAhead, isSymbol, isWord, peek, readExpression, readItems, readMember, readName, readParts, requires, type Source, takeSymbol, takeWords, unexpected, unread } from './source.ts'; // prettier-ignore
import { readCount, readOrders, readOver } from './clauses.ts';

type Building = { -readonly [Key in keyof Call]: Call[Key] };

/** Keywords that a parenthesis may follow without being a call. */
const NOT_FUNCTIONS = keywordsThat('call');

/** Returns whether the name that starts here is that of a call. */
export function isCallAhead(source: Source): boolean {
  const { kind, upper } = peek(source);
  let ahead = 1;
  while (isSymbol(source, '.', ahead) && isNameToken(source, ahead + 1)) ahead += 2;
  if (!isSymbol(source, '(', ahead)) return false;
  if (kind === 'quoted') return true;
  const { reserved, callable, specialCalls } = source.grammar;
  return (
    !NOT_FUNCTIONS.has(upper) && (!reserved.has(upper) || callable.has(upper) || specialCalls.has(upper))
  );
}

/**
 * Reads a call.
 * @throws UnconvertedError
 */
export function readCall(source: Source): Expression {
  const { start: at } = peek(source);
  const special = readSpecialCall(source);
  if (special !== undefined && !('first' in special)) return special;
  // The opening parenthesis comes next, or has been read.
  const call: Building =
    special === undefined ? named(source, at) : callOf(special.name.toLowerCase(), at, []);
  const open = special === undefined ? source.at : special.open;
  const isRead = special === undefined ? readArguments(source, call) : readMore(source, call, special.first);
  if (isRead) return readSuffix(source, call);
  if (source.isStrict) return unexpected(source, '")"');
  source.at = (source.closes.get(open) ?? syntax(peek(source).start, 'A parenthesis is not closed')) + 1;
  readSuffix(source, call);
  return unread(source, at, `these arguments of ${call.name} are not supported`);
}

/** The name of a call. */
function named(source: Source, at: number): Building {
  const isReserved = peek(source).kind === 'word' && isSymbol(source, '(', 1);
  const parts = isReserved ? [readMember(source)] : readParts(source);
  const isSafe = parts.length > 1 && parts[0]?.name.toUpperCase() === 'SAFE' && has(source, 'safe calls');
  const written = (isSafe ? parts.slice(1) : parts).map(({ name }) => name).join('.');
  // A function of ClickHouse, from a placeholder.
  const name = written.startsWith('clickhouse__') ? written : written.toLowerCase();
  return { ...callOf(name, isSafe ? (parts[1]?.at ?? at) : at, []), isSafe };
}

/** `(…)`; false if something else than arguments follows. */
function readArguments(source: Source, call: Building): boolean {
  expectSymbol(source, '(');
  if (takeSymbol(source, ')')) return true;
  const isStar = isSymbol(source, '*') && (isSymbol(source, ')', 1) || isSymbol(source, ',', 1));
  call.isDistinct = takeWords(source, 'DISTINCT');
  if (!call.isDistinct && isWord(source, 'ALL') && !isSymbol(source, ')', 1)) source.at++; // the default
  if (!isStar) return readMore(source, call, readArgument(source));
  source.at++;
  call.isStar = true;
  return takeSymbol(source, ')');
}

/** The other arguments, and clauses after them. */
function readMore(source: Source, call: Building, first: Expression): boolean {
  const args = [first];
  while (takeSymbol(source, ',')) {
    if (isSymbol(source, ')') && has(source, 'trailing commas')) break;
    args.push(readArgument(source));
  }
  call.args = args;
  while (!takeSymbol(source, ')')) if (!readInnerClause(source, call)) return false;
  return true;
}

function readArgument(source: Source): Expression {
  const { start: at, kind } = peek(source);
  if (kind === 'word' && (isSymbol(source, '=>', 1) || isSymbol(source, ':=', 1))) {
    const name = readName(source);
    source.at++;
    return { kind: 'named_argument', at, name, value: readArgument(source) };
  }
  if (!isQueryAhead(source) || isSymbol(source, '(') || source.isStrict) return readExpression(source);
  return { kind: 'query', at, form: 'value', query: source.rules.query(source) };
}

/** A clause after the arguments, inside the parentheses; each occurs once. */
function readInnerClause(source: Source, call: Building): boolean {
  const { start } = peek(source);
  const once = (isNew: boolean): void => void (isNew || syntax(start, 'This clause is written twice'));
  const nulls = readNulls(source);
  if (nulls !== undefined) {
    once(call.nulls === undefined);
    call.nulls = nulls;
  } else if (takeWords(source, 'ORDER', 'BY')) {
    once(call.orderBy.length === 0);
    call.orderBy = readOrders(source);
  } else if (isWord(source, 'SEPARATOR') && has(source, 'standard calls')) {
    once(call.separator === undefined);
    source.at++;
    call.separator = readExpression(source);
  } else if (isWord(source, 'LIMIT') && peek(source, 1).kind === 'number') {
    once(call.limit === undefined);
    source.at++;
    call.limit = readCount(source);
  } else if (takeWords(source, 'HAVING')) {
    once(call.having === undefined);
    const isMax = takeWords(source, 'MAX');
    if (!isMax) expectWords(source, 'MIN');
    call.having = { extreme: isMax ? 'MAX' : 'MIN', by: readExpression(source) };
  } else return false;
  return true;
}

function readNulls(source: Source): 'IGNORE' | 'RESPECT' | undefined {
  if (takeWords(source, 'IGNORE', 'NULLS')) return 'IGNORE';
  return takeWords(source, 'RESPECT', 'NULLS') ? 'RESPECT' : undefined;
}

/** WITHIN GROUP, FILTER, IGNORE NULLS and OVER. */
function readSuffix(source: Source, call: Building): Expression {
  const { at } = call;
  if (areWords(source, ['WITHIN', 'GROUP'])) {
    requires(source, 'standard calls', 'WITHIN GROUP');
    source.at += 2;
    expectSymbol(source, '(');
    expectWords(source, 'ORDER', 'BY');
    call.withinGroup = readOrders(source);
    expectSymbol(source, ')');
  }
  if (isWord(source, 'FILTER') && isSymbol(source, '(', 1)) {
    requires(source, 'standard calls', 'FILTER', 'Write COUNTIF or IF.');
    source.at += 2;
    expectWords(source, 'WHERE');
    call.filter = readExpression(source);
    expectSymbol(source, ')');
  }
  const isLast = takeWords(source, 'FROM', 'LAST');
  if (!isLast && areWords(source, ['FROM', 'FIRST']) && isAfterFrom(source)) source.at += 2; // the default
  const { start } = peek(source);
  const nulls = readNulls(source);
  if (nulls !== undefined && call.nulls !== undefined) syntax(start, 'This clause is written twice');
  if (nulls !== undefined) call.nulls = nulls;
  const isKept = isWord(source, 'KEEP') && isSymbol(source, '(', 1);
  if (isKept) source.at = (source.closes.get(source.at + 1) ?? source.at) + 1;
  if (takeWords(source, 'OVER')) call.over = readOver(source);
  if (isLast) return unread(source, at, 'FROM LAST is not supported');
  return isKept ? unread(source, at, 'KEEP is not supported') : call;
}

/** `FROM FIRST` is also a table with that name. */
function isAfterFrom(source: Source): boolean {
  return ['OVER', 'IGNORE', 'RESPECT'].includes(peek(source, 2).upper);
}

/** The first argument, if the call turns out to have ordinary arguments: reading it again would take exponential time. */
export interface FirstArgument {
  readonly name: string;
  readonly first: Expression;
  /** The index of the opening parenthesis. */
  readonly open: number;
}

type SpecialReader = (source: Source, at: number) => Expression | { readonly first: Expression } | undefined;

/** Undefined if the call has ordinary arguments, and nothing has been read. */
function readSpecialCall(source: Source): Expression | FirstArgument | undefined {
  const { upper, start: at, text, kind } = peek(source);
  if (kind !== 'word' || !isSymbol(source, '(', 1) || !source.grammar.specialCalls.has(upper))
    return undefined;
  const open = source.at + 1;
  const result = SPECIAL.get(upper)?.(source, at);
  return result !== undefined && 'first' in result ? { ...result, name: text, open } : result;
}

/** A reader that returns undefined has read nothing. */
const SPECIAL: ReadonlyMap<string, SpecialReader> = new Map<string, SpecialReader>([
  ['CAST', (source, at) => readCast(source, { at, isSafe: false })],
  ['TRY_CAST', (source, at) => readCast(source, { at, isSafe: true })],
  ['SAFE_CAST', (source, at) => readCast(source, { at, isSafe: true })],
  ['CONVERT', readConvert],
  ['EXTRACT', readExtract],
  ['TRIM', readTrim],
  ['SUBSTRING', readSubstring],
  ['SUBSTR', readSubstring],
  ['POSITION', readPosition],
  ['STRUCT', readStruct],
  ['MATCH', readMatch],
  ['OVERLAY', readOverlay],
]);

/** A call with plain arguments. */
export function callOf(name: string, at: number, args: readonly Expression[]): Call {
  return { kind: 'call', at, name, args, isStar: false, isSafe: false, isDistinct: false, orderBy: [] };
}

function open(source: Source): void {
  source.at++;
  expectSymbol(source, '(');
}

function readCast(
  source: Source,
  { at, isSafe }: { readonly at: number; readonly isSafe: boolean },
): Expression {
  const from = source.at + 1;
  open(source);
  const value = readExpression(source);
  expectWords(source, 'AS');
  const type = readTypeName(source);
  if (takeSymbol(source, ')')) return castOf(value, type, { at, isSafe });
  const close = source.closes.get(from);
  const { start } = peek(source);
  if (source.isStrict && isWord(source, 'FORMAT'))
    return unread(
      source,
      start,
      'CAST with FORMAT is not supported',
      'Write FORMAT_TIMESTAMP or PARSE_TIMESTAMP.',
    );
  if (source.isStrict || close === undefined) return unexpected(source, '")"');
  source.at = close + 1;
  return unread(source, at, 'casts with a format are not supported');
}

/** MySQL: `CONVERT(x, type)` and `CONVERT(x USING charset)`; elsewhere an ordinary function. */
function readConvert(source: Source, at: number): Expression | undefined {
  if (!has(source, 'extended forms')) return undefined;
  open(source);
  const value = readExpression(source);
  const isText = takeWords(source, 'USING');
  if (isText) readCharacterSet(source);
  else expectSymbol(source, ',');
  const type = isText ? { name: 'CHAR', at } : readTypeName(source);
  expectSymbol(source, ')');
  return castOf(value, type, { at, isSafe: false });
}

function readExtract(source: Source, at: number): Expression {
  open(source);
  const { text, kind, start } = peek(source);
  const isPart = kind === 'word' || (kind === 'string' && has(source, 'standard calls'));
  if (!isPart) unexpected(source, 'a part such as HOUR');
  source.at++;
  const day = kind === 'word' && takeSymbol(source, '(') ? readMember(source).name.toUpperCase() : undefined;
  if (day !== undefined) expectSymbol(source, ')');
  expectWords(source, 'FROM');
  const value = readExpression(source);
  // BigQuery has AT TIME ZONE only here.
  const zone = takeWords(source, 'AT', 'TIME', 'ZONE') ? readExpression(source) : undefined;
  expectSymbol(source, ')');
  const part = { name: text.toUpperCase(), at: start, day };
  if (zone !== undefined) return { kind: 'extract', at, part, value, zone };
  if (value.kind === 'at_zone') return { kind: 'extract', at, part, value: value.value, zone: value.zone };
  return { kind: 'extract', at, part, value };
}

const TRIMS: ReadonlyMap<string, string> = new Map([
  ['BOTH', 'trim'],
  ['LEADING', 'ltrim'],
  ['TRAILING', 'rtrim'],
]);

/** `TRIM([BOTH | LEADING | TRAILING] [characters] FROM x)`. */
function readTrim(source: Source, at: number): Expression | { readonly first: Expression } {
  open(source);
  const name =
    isSymbol(source, ')', 1) || isSymbol(source, ',', 1) ? undefined : TRIMS.get(peek(source).upper);
  if (name !== undefined) source.at++;
  const characters = isWord(source, 'FROM') ? [] : [readExpression(source)];
  const [first] = characters;
  if (takeWords(source, 'FROM')) {
    const value = readExpression(source);
    expectSymbol(source, ')');
    return callOf(name ?? 'trim', at, [value, ...characters]);
  }
  if (name === undefined && first !== undefined) return { first };
  expectSymbol(source, ')');
  return callOf(name ?? 'trim', at, characters);
}

/** `SUBSTRING(x FROM a FOR b)`. */
function readSubstring(source: Source, at: number): Expression | { readonly first: Expression } {
  open(source);
  const value = readExpression(source);
  if (!isWord(source, 'FROM') && !isWord(source, 'FOR')) return { first: value };
  const from: Expression = takeWords(source, 'FROM')
    ? readExpression(source)
    : { kind: 'number', at, text: '1' };
  return callOf('substring', at, [value, from, ...readLength(source)]);
}

function readLength(source: Source): readonly Expression[] {
  const length = takeWords(source, 'FOR') ? [readExpression(source)] : [];
  expectSymbol(source, ')');
  return length;
}

/** `POSITION(part IN x)` is `strpos(x, part)`. */
function readPosition(source: Source, at: number): Expression | { readonly first: Expression } {
  open(source);
  const part = source.rules.above(source, source.grammar.operators.predicate);
  if (!takeWords(source, 'IN')) return { first: part };
  const value = readExpression(source);
  expectSymbol(source, ')');
  return callOf('strpos', at, [value, part]);
}

function readOverlay(source: Source, at: number): Expression | { readonly first: Expression } {
  open(source);
  const value = readExpression(source);
  if (!takeWords(source, 'PLACING')) return { first: value };
  const replacement = readExpression(source);
  expectWords(source, 'FROM');
  const from = readExpression(source);
  return callOf('overlay', at, [value, replacement, from, ...readLength(source)]);
}

/** BigQuery: `STRUCT(x AS a, y)`. */
function readStruct(source: Source, at: number): Expression | undefined {
  if (!has(source, 'structs')) return undefined;
  open(source);
  const fields: readonly Field[] = isSymbol(source, ')') ? [] : readItems(source, () => readField(source));
  expectSymbol(source, ')');
  return { kind: 'struct', at, fields };
}

function readField(source: Source): Field {
  const value = readExpression(source);
  return takeWords(source, 'AS') ? { value, alias: readName(source) } : { value };
}

/** MySQL: `MATCH (a) AGAINST ('…')`. */
function readMatch(source: Source, at: number): Expression | undefined {
  const close = source.closes.get(source.at + 1) ?? -1;
  const { upper } = source.tokens[close + 1] ?? {};
  const end = source.closes.get(close + 2);
  if (!has(source, 'extended forms') || upper !== 'AGAINST' || end === undefined) return undefined;
  source.at = end + 1;
  return unread(source, at, 'full-text search is not supported');
}
