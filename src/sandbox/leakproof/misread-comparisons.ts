// Comparisons that an index or a sort key reads differently from the rows: of floats with zero, whole arrays, texts of fixed length, enums in
// lists, times with fractional seconds. The caller's rows may then be missing beside certain entries of other tenants.
import type { Cursor } from '../../sql/cursor.ts';
import { parseType } from '../../sql/types/type.ts';
import { stringValue } from '../../sql/string-literal.ts';
import { subcolumnType } from '../../sql/types/subcolumn-type.ts';
import type { LeakproofContext } from './context.ts';
import { afterPath, BOUNDARIES, enclosing, isCall, negatedRange, operandsOf, WORDS } from './operands.ts';

type Context = Pick<LeakproofContext, 'types'> & Partial<Pick<LeakproofContext, 'names'>>;

/** What is known of the names in a query. */
interface Reading {
  readonly cursor: Cursor;
  /** Index of each closing bracket to that of its opening bracket. */
  readonly openers: ReadonlyMap<number, number>;
  readonly types: ReadonlyMap<string, readonly string[]>;
  /** Types of the column or the path that is named at a token, as one text. */
  readonly typeAt: (at: number) => string;
}

/** Whether the operator, the call or the column at a token is misread. `openers` has the opening bracket of each closing one. */
export function createMisread(
  cursor: Cursor,
  context: Context,
  openers: ReadonlyMap<number, number>,
): (at: number) => boolean {
  // Most tables have none of these, and most queries no name of such a column.
  const types = [...context.types.values()].flat();
  const isNeeded = types.some((type) => MISREAD.test(type));
  const hasDocuments = types.some((type) => /\bJSON\b/.test(type));
  const reading = { cursor, openers, types: context.types, typeAt: createTypeAt(cursor, context, openers) };
  return (at) => {
    const operator = cursor.word(at) ?? cursor.kind(at) ?? '';
    if (operator === 'IN' && hasTupleOfNull(cursor, at, operandsOf(cursor, openers, at)[1])) return true;
    // Of `IS DISTINCT FROM`, numbers beside Bool are read as truths.
    if (operator === 'DISTINCT' && ['IS', 'NOT'].includes(cursor.word(at - 1) ?? '')) return true;
    if (COMPARISONS.has(operator) && operator !== 'IS') {
      const [from, to] = operandsOf(cursor, openers, at);
      if (comparesWithTruth(cursor, from, to) || (hasDocuments && testsNull(cursor, from, to))) return true;
    }
    const isCallAt = isCall(cursor, at);
    if (!isNeeded) return isCallAt && HAS.test(cursor.name(at) ?? '') && isListOfConstants(reading, at);
    if (isNegatedSearch(reading, at) || comparesTruthOfSearch(reading, at)) return true;
    const isFunction = operator === 'IN' && cursor.kind(at - 1) === '(';
    if (COMPARISONS.has(operator) && !isFunction && isMisreadComparison(reading, at, operator)) return true;
    return isCallAt ? isMisreadCall(reading, at) : isTruth(reading, at);
  };
}

/** `toQuarter(ts) = true`: indexes take other numbers for true. */
function comparesWithTruth(cursor: Cursor, from: number, to: number): boolean {
  let [hasCall, hasTruth] = [false, false];
  for (let at = from; at < to; at++) {
    hasCall ||= isCall(cursor, at);
    hasTruth ||= /^(?:true|false)$/i.test(cursor.text(at));
  }
  return hasCall && hasTruth;
}

/** `isNotNull(doc.a) != 1`: an index of the paths of documents reads the test alone. */
function testsNull(cursor: Cursor, from: number, to: number): boolean {
  for (let at = from; at < to; at++)
    if (cursor.word(at) === 'IS' || /^is(?:not)?null$/i.test(cursor.name(at) ?? '')) return true;
  return false;
}

function createTypeAt(
  cursor: Cursor,
  { types, names }: Context,
  openers: ReadonlyMap<number, number>,
): Reading['typeAt'] {
  const known = new Map<number, string>();
  const differences = new Map<string, boolean>();
  const isNumber = (name: string): boolean => {
    const is = differences.get(name) ?? isDifference(cursor, name, openers);
    differences.set(name, is);
    return is;
  };
  const all = [...new Set([...types.values()].flat())].join(' ');
  const columnType = (at: number, name: string): string =>
    (types.get(name) ?? []).map((type) => pathType(cursor, at, type)).join(' ');
  const read = (at: number): string => {
    const name = cursor.name(at) ?? '';
    if (cursor.kind(at + 1) === '(' || cursor.kind(at - 1) === '::') return '';
    // A column of a table, or a part of the path that the column begins.
    if (cursor.kind(at - 1) === '.') return types.has(cursor.name(at - 2) ?? '') ? '' : columnType(at, name);
    if (names?.has(name) !== true) return columnType(at, name);
    // What the query defines may be any value.
    return cursor.kind(at + 1) === '.' || isNumber(name) ? '' : all;
  };
  return (at) => {
    const text = known.get(at) ?? read(at);
    known.set(at, text);
    return text;
  };
}

function mentions({ typeAt }: Reading, from: number, to: number, type: RegExp): boolean {
  for (let at = from; at < to; at++) if (type.test(typeAt(at))) return true;
  return false;
}

function isMisreadComparison(reading: Reading, at: number, operator: string): boolean {
  const { cursor, openers } = reading;
  const [from, to] = operandsOf(cursor, openers, at);
  if (operator !== 'IS') {
    const isEquality = EQUALITIES.has(operator);
    const isFloat = isEquality && mentionsOutside(reading, TEXTS, FLOAT, [from, to]);
    if (isFloat && !comparesNonZero(cursor, from, to)) return true;
    if (mentionsOutside(reading, NUMBERS, /\bBool\b/, [from, to]) && !comparesTruths(cursor, from, to))
      return true;
    if (isEquality && mentions(reading, from, to, FIXED) && !comparesLength(reading, from, to)) return true;
    if (
      ORDERS.has(operator) &&
      mentionsOutside(reading, PARTS, /DateTime64/, [from, to]) &&
      !comparesMoments(reading, at, from, to)
    )
      return true;
  }
  return comparesArray(reading, from, to);
}

/** A text index does not pad a literal. */
function comparesLength(reading: Reading, from: number, to: number): boolean {
  const { cursor } = reading;
  for (let at = from; at < to; at++) {
    const kind = cursor.kind(at);
    if (kind === '::' || isCall(cursor, at)) return false;
    if (kind !== 'string') continue;
    const length = Buffer.byteLength(stringValue(cursor.text(at)) ?? '');
    if (
      mentions(reading, from, to, FIXED) &&
      !mentions(reading, from, to, new RegExp(`FixedString\\(${length}\\)`))
    )
      return false;
  }
  return true;
}

function comparesArray(reading: Reading, from: number, to: number): boolean {
  const { cursor, typeAt } = reading;
  for (let at = from; at < to; at++) {
    if (isCall(cursor, at) && !/^(?:tuple|coalesce|ifnull|if|array)$/i.test(cursor.name(at) ?? '')) {
      at = cursor.closing(at + 1);
      continue;
    }
    const next = afterPath(cursor, at);
    if (/^(?:Nullable\()?Array\(/.test(typeAt(at)) && cursor.kind(next) !== '[') return true;
  }
  return false;
}

/** A column of a type, except in calls that return numbers and texts. */
function mentionsOutside(
  reading: Reading,
  calls: RegExp,
  type: RegExp,
  [from, to]: readonly [number, number],
): boolean {
  const { cursor, typeAt } = reading;
  for (let at = from; at < to; at++) {
    if (isCall(cursor, at) && calls.test(cursor.name(at) ?? '')) at = cursor.closing(at + 1);
    else if (type.test(typeAt(at))) return true;
  }
  return false;
}

/** Indexes compare whole seconds unless the other side has a scale, or is a string or a date. */
function comparesMoments(reading: Reading, operator: number, from: number, to: number): boolean {
  const { cursor, typeAt, types } = reading;
  const starts = [from, operator + 1];
  if (cursor.word(operator) === 'BETWEEN') {
    let and = operator + 1;
    while (and < to && cursor.word(and) !== 'AND') and = cursor.after(and);
    starts.push(and + 1);
  }
  return starts.every((start) => {
    const name = cursor.name(start) ?? '';
    if (cursor.kind(start) === 'string') return cursor.kind(start + 1) !== '::';
    if (isCall(cursor, start)) return MOMENTS.test(name);
    const column = cursor.kind(start + 1) === '.' && !types.has(name) ? start + 2 : start;
    return /DateTime64/.test(typeAt(column));
  });
}

/** `WHERE ratio`: NaN is true. */
function isTruth(reading: Reading, at: number): boolean {
  const { cursor, openers, typeAt } = reading;
  if (!FLOAT.test(typeAt(at))) return false;
  let start = at;
  while (cursor.kind(start - 1) === '.') start -= 2;
  let end = afterPath(cursor, at);
  while (cursor.kind(end) === '[') end = cursor.after(end);
  for (;;) {
    const before = cursor.kind(start - 1);
    if (before !== '(' && before !== ',') break;
    const open = before === '(' ? start - 1 : enclosing(openers, start);
    if (open === undefined) return false;
    const call = isCall(cursor, open - 1) ? (cursor.name(open - 1) ?? '') : '';
    const isWhole = cursor.kind(end) === ')' || cursor.kind(end) === ',';
    if (LOGICAL.test(call)) return isWhole;
    if (call !== '' && !TRANSPARENT.test(call)) return false;
    if (call === '' && cursor.kind(end) !== ')') break;
    start = call === '' ? open : open - 1;
    end = cursor.closing(open) + 1;
  }
  return (
    TRUTH_BEFORE.has(cursor.word(start - 1)) &&
    !CONTINUES.has(cursor.kind(end)) &&
    !WORDS.has(cursor.word(end))
  );
}

/** Indexes read a list of constants as that of IN, with conversions. */
function isListOfConstants(reading: Reading, at: number): boolean {
  const { cursor } = reading;
  const kind = cursor.kind(at + 2);
  return kind === '[' || kind === '{' || /^(?:array|cast)$/i.test(cursor.name(at + 2) ?? '');
}

function isMisreadCall(reading: Reading, at: number): boolean {
  const { cursor } = reading;
  const name = cursor.name(at) ?? '';
  if (HAS.test(name)) {
    const [from, to] = [at + 2, cursor.closing(at + 1)];
    if (isListOfConstants(reading, at)) return true;
    return mentions(reading, from, to, FLOAT) && !comparesNonZero(cursor, from, to);
  }
  // The same comparisons as functions have no form that is checked.
  return COMPARING_CALL.test(name) && mentions(reading, at + 2, cursor.closing(at + 1), MISREAD);
}

/** Texts that may be NULL: a text index finds NULL for a negated search. */
function isNegatedSearch(reading: Reading, at: number): boolean {
  const { cursor, openers } = reading;
  const isNot = cursor.word(at) === 'NOT' && cursor.word(at - 1) !== 'IS';
  const isCallOf = isCall(cursor, at) && /^not(?:i?like)?$|^xor$/i.test(cursor.name(at) ?? '');
  if (!isNot && !isCallOf) return false;
  const [from, to] = isCallOf ? [at + 2, cursor.closing(at + 1)] : negatedRange(cursor, openers, at);
  return mentions(reading, from, to, /Nullable\((?:Fixed)?String/) && (isCallOf || hasSearch(cursor, at, to));
}

/** `(text LIKE 'a') = 0` is a negation as well. */
function comparesTruthOfSearch(reading: Reading, at: number): boolean {
  const { cursor, openers } = reading;
  if (!EQUALITIES.has(cursor.word(at) ?? cursor.kind(at) ?? '') && !ORDERS.has(cursor.kind(at) ?? ''))
    return false;
  const [from, to] = operandsOf(cursor, openers, at);
  return mentions(reading, from, to, /Nullable\((?:Fixed)?String/) && hasSearch(cursor, from, to);
}

const MISREAD = /Float|Array\(|FixedString|DateTime64|\bBool\b|Nullable\(String/;
const FLOAT = /Float/;
const HAS = /^has(?:any|all)?$/i;
const FIXED = /FixedString/;
const EQUALITIES: ReadonlySet<string> = new Set(['=', '!=', '<=>', 'IN', 'IS']);
const ORDERS: ReadonlySet<string> = new Set(['<', '>', '<=', '>=', 'BETWEEN']);
const COMPARISONS: ReadonlySet<string> = new Set([...EQUALITIES, ...ORDERS]);
const COMPARING_CALL = /^(?:(?:not)?equals|less(?:orequals)?|greater(?:orequals)?|in|notin)$/i;
const PARTS =
  /^(?:to(?:month|quarter|year|yyyymm|yyyymmdd|string)|formatdatetime|length|empty|notempty|is(?:not)?null)$/i;
const TEXTS =
  /^(?:(?:lower|upper)(?:utf8)?|substring|left|right|reverse|concat|trim\w*|domain|path|protocol|cutquerystring|querystring|extract|jsonextract(?:string|raw)|formatdatetime|tostring)$/i;
const NUMBERS = /^(?:to(?:int64|float64)|is(?:not)?null)$/i;
const MOMENTS = /^(?:toDateTime64|now64|toDate|toDate32|today|parseDateTime64\w*)$/i;
const LOGICAL = /^(?:and|or|not|xor)$/i;
const TRANSPARENT = /^(?:coalesce|ifnull|if|multiif|nullif|tuple|arrayelement)$/i;
const SEARCH = /^(?:i?like|match|startswith|endswith|multisearchany\w*|has\w*|position\w*)$/i;
const TRUTH_BEFORE: ReadonlySet<string | undefined> = new Set(['WHERE', 'PREWHERE', 'HAVING', 'QUALIFY', 'AND', 'OR', 'NOT', 'ON']); // prettier-ignore
const CONTINUES: ReadonlySet<string | undefined> = new Set(['=', '!=', '<', '>', '<=', '>=', '<=>', '+', '-', '*', '/', '%', '||', '::', '?']); // prettier-ignore

/** Whether the query defines a name as the difference of two values, a number. */
function isDifference(cursor: Cursor, name: string, openers: ReadonlyMap<number, number>): boolean {
  const sites = cursor.tokens.flatMap((_, at) => (cursor.name(at) === name ? [at] : []));
  const isDefined = sites.some((at) => cursor.word(at - 1) === 'AS');
  return (
    isDefined &&
    sites.every((at) => {
      if (cursor.word(at - 1) !== 'AS')
        return [undefined, 'word'].includes(cursor.kind(at - 1))
          ? BOUNDARIES.has(cursor.word(at - 1))
          : !VALUE_ENDS.has(cursor.kind(at - 1));
      const [from] = operandsOf(cursor, openers, at - 1);
      return cursor.tokens.some((token, each) => each > from && each < at && token.kind === '-');
    })
  );
}

const VALUE_ENDS: ReadonlySet<string | undefined> = new Set([')', ']', 'number', 'string', 'quoted', '.']);

function pathType(cursor: Cursor, at: number, type: string): string {
  if (cursor.kind(at + 1) !== '.' || !/^(?:JSON|Tuple|Nullable\(JSON)/.test(type)) return type;
  const path: string[] = [];
  for (let next = at + 1; cursor.kind(next) === '.'; next += 2)
    path.push(cursor.name(next + 1) ?? cursor.text(next + 1));
  const inner = subcolumnType(parseType(type), path.join('.'));
  return inner === undefined
    ? type
    : `${inner.name}(${inner.name === 'Dynamic' ? '' : JSON.stringify(inner)})`;
}

/** The index of a hash does not find -0.0 for 0. Other expressions may be zero. */
function comparesNonZero(cursor: Cursor, from: number, to: number): boolean {
  for (let at = from; at < to; at++) {
    const kind = cursor.kind(at);
    if (kind === 'number' && cursor.kind(at - 1) !== '.' && !(Math.abs(Number(cursor.text(at))) > 1e-37))
      return false;
    const isKey = kind === 'string' && cursor.kind(at - 1) === '[' && cursor.kind(at + 1) === ']';
    if (kind === '::' || (kind === 'string' && !isKey && isNumeric(cursor.text(at)))) return false;
    if (/^(?:true|false)$/i.test(cursor.text(at))) return false;
    if (
      isCall(cursor, at) &&
      !/^(?:mapvalues|tuple|has\w*)$/i.test(cursor.name(at) ?? '') &&
      !TEXTS.test(cursor.name(at) ?? '')
    )
      return false;
    if (['+', '*', '/', '%'].includes(kind ?? '')) return false;
    if (kind === '-' && !BEFORE_SIGN.has(cursor.kind(at - 1))) return false;
  }
  return true;
}

/** Of a string: another one cannot be compared with a number. */
function isNumeric(literal: string): boolean {
  return !Number.isNaN(Number(literal.slice(1, -1))) || /nan|inf|\\/i.test(literal);
}

const BEFORE_SIGN: ReadonlySet<string | undefined> = new Set(['(', '[', ',', '=', '!=', '<=>']);

/** Numbers other than 0 and 1 become true in an index. */
function comparesTruths(cursor: Cursor, from: number, to: number): boolean {
  for (let at = from; at < to; at++) {
    const kind = cursor.kind(at);
    if (kind === '::' || isCall(cursor, at) || kind === '+' || kind === '-') return false;
    if (kind === 'number' && !/^[01]$/.test(cursor.text(at))) return false;
  }
  return true;
}

/** `(a, b) IN ((1, NULL))`. */
function hasTupleOfNull(cursor: Cursor, at: number, to: number): boolean {
  if (cursor.kind(at - 1) !== ')') return false;
  for (let each = at; each < to; each++) if (cursor.word(each) === 'NULL') return true;
  return false;
}

function hasSearch(cursor: Cursor, from: number, to: number): boolean {
  for (let at = from; at < to; at++) {
    const name = cursor.name(at) ?? '';
    if (SEARCH.test(name) || cursor.word(at) === 'REGEXP') return true;
  }
  return false;
}
