// Forms that older converters wrote for constructs of other systems, and that return other rows than these.
import { createCursor, type Cursor } from '../../sql/cursor.ts';
import type { TokenKind } from '../../sql/lexer.ts';
import { stringValue } from '../../sql/string-literal.ts';

/** A form at a token of a saved query, in its order of tokens. */
export interface FoundForm {
  readonly form: KnownForm;
  /** In UTF-16 code units. */
  readonly start: number;
}

export interface KnownForm {
  /** The last segment of the finding's code. */
  readonly code: string;
  readonly message: string;
  /** The hint says which SQL replaces the form. */
  readonly hint: string;
  /** Whether the form begins at this token. */
  readonly isAt: (query: Cursor, index: number) => boolean;
}

export const KNOWN_FORMS: readonly KnownForm[] = [
  {
    code: 'early_time',
    message:
      'the engine cuts this time to the range of the type: Date is 1970 to 2149, DateTime 1970 to 2106',
    hint: "Write toDate32('…') or toDateTime64('…', 3, 'UTC')",
    isAt: isEarlyTime,
  },
  {
    code: 'early_bucket',
    message:
      'this function returns the narrow types Date and DateTime, which begin in 1970, also for an earlier time',
    hint: 'Write dateTrunc(…) of a Date32 or DateTime64 value',
    isAt: isEarlyBucket,
  },
  {
    code: 'null_in_list',
    message: 'NULL in the list of NOT IN is ignored; in the source, no row satisfies the condition',
    hint: 'Leave out NULL and write AND NULL, or remove it from the list',
    isAt: isNullInList,
  },
  {
    code: 'not_of_in',
    message: 'NULL in this subquery is ignored; in the source, NOT (x IN …) is then true for no row',
    hint: 'Write the condition as the conversion of x NOT IN (SELECT …), which counts NULL values first',
    isAt: isNotOfIn,
  },
  {
    code: 'rounding_factor',
    message: 'the factor 1.000000000000002 rounds halves away from zero, and changes other values',
    hint: 'Write round(toDecimal64(x, n), n) for exact numbers, and round(x, n) for floats',
    isAt: (query, index) => query.text(index) === '1.000000000000002',
  },
  {
    code: 'empty_frame',
    message:
      'over an empty frame, this window function returns a default such as 0 or an empty string instead of NULL',
    hint: 'Write if(count() OVER (…) = 0, NULL, …) with the same window',
    isAt: isEmptyFrame,
  },
  {
    code: 'empty_group',
    message: 'over no rows, this aggregate returns a default such as an empty string instead of NULL',
    hint: 'Write the aggregate with OrNull: argMaxOrNull, argMinOrNull, anyOrNull, groupConcatOrNull',
    isAt: isEmptyGroup,
  },
  {
    code: 'negative_index',
    message:
      'a negative index counts from the end; in PostgreSQL there is no such element, and the value is NULL',
    hint: 'Write NULL, or a positive index',
    isAt: isNegativeIndex,
  },
  {
    code: 'split_into_bytes',
    message: 'an empty separator splits into bytes; in the source, into characters',
    hint: "Write extractAll(x, '(?s).')",
    isAt: (query, index) =>
      isCall(query, index, /^splitBy(?:String|Char)$/i) && stringValue(query.text(index + 2)) === '',
  },
  {
    code: 'occurrence_as_offset',
    message: 'the third argument is where to start; in the source, it is which occurrence to find',
    hint: 'Convert the call again, or find the occurrence with arrayElement and extractAllGroups',
    isAt: (query, index) => isCall(query, index, /^positionUTF8$/) && argumentsOf(query, index).length > 2,
  },
  {
    code: 'type_of_missing_key',
    message: 'for a missing key, this is an empty string; in PostgreSQL, the type of it is NULL',
    hint: "Write nullIf(transform(…), '')",
    isAt: isTypeOfMissingKey,
  },
];

/** All known forms in a query. */
export function findKnownForms(sql: string): readonly FoundForm[] {
  const query = createCursor(sql);
  return query.tokens.flatMap(({ start }, index) => {
    const form = KNOWN_FORMS.find((each) => each.isAt(query, index));
    return form === undefined ? [] : [{ form, start }];
  });
}

function isCall(query: Cursor, index: number, name: RegExp): boolean {
  return query.kind(index) === 'word' && query.kind(index + 1) === '(' && name.test(query.text(index));
}

/** Index of the first token of each argument of a call. */
function argumentsOf(query: Cursor, call: number): readonly number[] {
  const end = query.closing(call + 1);
  const starts = call + 2 < end ? [call + 2] : [];
  for (let at = call + 2; at < end; at = query.after(at)) if (query.kind(at) === ',') starts.push(at + 1);
  return starts;
}

const LAST_DATE = '2149-06-06';
const LAST_DATE_TIME = '2106-02-07';

/** A literal of a date before 1970, or after what the narrow type holds. */
function isOutside(query: Cursor, index: number, last: string): boolean {
  const [day] = /^\d{4}-\d\d-\d\d(?=$|[ T])/.exec(stringValue(query.text(index)) ?? '') ?? [];
  return day !== undefined && (day < '1970-01-01' || day > last);
}

function isEarlyTime(query: Cursor, index: number): boolean {
  const word = query.word(index);
  if (isCall(query, index, /^toDate$/i)) return isOutside(query, index + 2, LAST_DATE);
  if (isCall(query, index, /^toDateTime$/i)) return isOutside(query, index + 2, LAST_DATE_TIME);
  if (word === 'DATE') return isOutside(query, index + 1, LAST_DATE);
  if (word === 'TIMESTAMP') return isOutside(query, index + 1, LAST_DATE_TIME);
  const isCast =
    query.kind(index + 1) === '::' || query.word(index + 1) === 'AS' || query.kind(index + 1) === ',';
  if (query.kind(index) !== 'string' || !isCast) return false;
  const type = (stringValue(query.text(index + 2)) ?? query.text(index + 2)).toLowerCase();
  if (query.kind(index + 1) === ',' && query.word(index - 2) !== 'CAST') return false;
  return (
    (type === 'date' && isOutside(query, index, LAST_DATE)) ||
    (type === 'datetime' && isOutside(query, index, LAST_DATE_TIME))
  );
}

function isEarlyBucket(query: Cursor, index: number): boolean {
  if (!isCall(query, index, /^(?:toStartOf\w+|toMonday)$/)) return false;
  const end = query.closing(index + 1);
  for (let at = index + 2; at < end; at++) if (isOutside(query, at, LAST_DATE_TIME)) return true;
  return false;
}

function isNullInList(query: Cursor, index: number): boolean {
  if (query.word(index) !== 'IN' || query.kind(index + 1) !== '(') return false;
  const before = query.word(index - 1) === 'NOT' || isNegated(query, index);
  return before && argumentsOf(query, index).some((at) => query.word(at) === 'NULL');
}

/** Whether the parenthesis around an IN follows NOT, with nothing but its operand before it. */
function isNegated(query: Cursor, index: number): boolean {
  for (let at = index - 1; at >= 0; at--) {
    const kind = query.kind(at);
    if (kind === '(') return query.word(at - 1) === 'NOT';
    if (kind !== 'word' && kind !== 'quoted' && kind !== '.' && kind !== 'number' && kind !== 'string')
      return false;
    if (BOUNDARIES.has(query.word(at))) return false;
  }
  return false;
}

const BOUNDARIES: ReadonlySet<string | undefined> = new Set([
  'AND',
  'OR',
  'WHERE',
  'SELECT',
  'ON',
  'HAVING',
  'NOT',
  'IN',
]);

function isNotOfIn(query: Cursor, index: number): boolean {
  const isSubquery =
    query.word(index) === 'IN' && query.kind(index + 1) === '(' && query.word(index + 2) === 'SELECT';
  return isSubquery && query.word(index - 1) !== 'NOT' && isNegated(query, index);
}

const WITH_DEFAULT = /^(?:first_value|last_value|nth_value|min|max|sum|avg|any|anyLast|argMin|argMax)$/i;

/** A frame that ends before the current row, or begins after it. */
function isEmptyFrame(query: Cursor, index: number): boolean {
  if (!isCall(query, index, WITH_DEFAULT)) return false;
  let at = query.after(index + 1);
  if (/^(?:RESPECT|IGNORE)$/.test(query.word(at) ?? '')) at += 2;
  if (query.word(at) !== 'OVER' || query.kind(at + 1) !== '(') return false;
  const end = query.closing(at + 1);
  for (let frame = at + 2; frame < end; frame++) {
    if (
      query.word(frame) === 'AND' &&
      query.kind(frame + 1) === 'number' &&
      query.word(frame + 2) === 'PRECEDING'
    )
      return query.text(frame + 1) !== '0';
    if (
      query.word(frame) === 'BETWEEN' &&
      query.kind(frame + 1) === 'number' &&
      query.word(frame + 2) === 'FOLLOWING'
    )
      return query.text(frame + 1) !== '0';
  }
  return false;
}

/** `tupleElement(argMax(tuple(a), b), 1)`, and strings that are joined without a look at their number. */
function isEmptyGroup(query: Cursor, index: number): boolean {
  const isExtreme =
    isCall(query, index, /^tupleElement$/) &&
    isCall(query, index + 2, /^arg(?:Max|Min)$/) &&
    isCall(query, index + 4, /^tuple$/);
  const isJoined = isCall(query, index, /^(?:groupConcat|group_concat|string_agg)$/i);
  return isExtreme || isJoined;
}

const ELEMENT = /^arrayElement(?:OrNull)?$/;

function isNegativeIndex(query: Cursor, index: number): boolean {
  if (!isCall(query, index, ELEMENT)) return false;
  const [, second] = argumentsOf(query, index);
  const sign: TokenKind | undefined = second === undefined ? undefined : query.kind(second);
  return sign === '-' && query.kind((second ?? 0) + 1) === 'number';
}

function isTypeOfMissingKey(query: Cursor, index: number): boolean {
  if (!isCall(query, index, /^transform$/)) return false;
  const starts = argumentsOf(query, index);
  const [first = 0, last = 0] = [starts[0], starts.at(-1)];
  const isType = isCall(query, first, /^toString$/) && isCall(query, first + 2, /^JSONType$/);
  return isType && stringValue(query.text(last)) === '' && query.kind(index - 1) !== '(';
}
