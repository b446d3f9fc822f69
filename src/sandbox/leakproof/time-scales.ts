// Times with fractional seconds are integers in units of their scale. A time of a smaller scale is multiplied before it is
// compared with one of a larger scale; with more than six digits the year 2299 overflows.
import { significantTokens, type Cursor } from '../../sql/cursor.ts';
import { stringValue } from '../../sql/string-literal.ts';

const LARGE_COLUMN = /DateTime64\([7-9]/;
const SMALL_COLUMN = /\bDate32\b|DateTime64\([0-6]/;

/** Whether some row may hold a time that cannot be compared with a time of another scale. Fails closed. */
export function mixesScales(cursor: Cursor, types: readonly string[]): boolean {
  const at = Array.from({ length: cursor.length }, (_, index) => index);
  if (at.some((index) => hasLargeScale(cursor, index))) return true;
  if (!types.some((type) => LARGE_COLUMN.test(type))) return false;
  return (
    types.some((type) => SMALL_COLUMN.test(type)) ||
    at.some((index) => SMALL_VALUE.test(cursor.text(index)) && !isWholeSeconds(cursor, index))
  );
}

/** Functions and types of values that reach beyond the years of a column of a large scale: 1900 to 2262. */
const SMALL_VALUE = /date32|time64|now64|timestamp64/i;

/** `toDateTime64(now() - INTERVAL 1 DAY, 0)`: at most the year 2106. */
function isWholeSeconds(cursor: Cursor, at: number): boolean {
  if (!/^toDateTime64$/i.test(cursor.text(at)) || cursor.kind(at + 1) !== '(') return false;
  return /^(?:now|toDateTime)$/i.test(cursor.text(at + 2)) && cursor.kind(at + 3) === '(';
}

/** Written as a unit, a type, a function that returns such a type, or a string that contains one. */
function hasLargeScale(cursor: Cursor, at: number): boolean {
  const kind = cursor.kind(at);
  const text = cursor.text(at);
  if (kind === 'string') return isLargeUnit(text) || (/time64/i.test(text) && !SMALL_TYPE.test(text));
  if (kind !== 'word' && kind !== 'quoted') return false;
  if (/nano|parseDateTime64(?!BestEffort)/i.test(text) || cursor.word(at) === 'NS') return true;
  if (!/time64|now64|timestamp64/i.test(text) || cursor.kind(at + 1) !== '(') return false;
  const end = cursor.closing(at + 1);
  if (/^["`]?(?:(?:Date)?Time64|now64)["`]?$/i.test(text))
    return end > at + 2 && !isSmallScale(cursor, at + 2);
  let comma = at + 2;
  while (comma < end && cursor.kind(comma) !== ',') comma = cursor.after(comma);
  return comma < end && !isSmallScale(cursor, comma + 1);
}

const SMALL_TYPE = /^'(?:Nullable\()?DateTime64\([0-6](?:, ?\\'[\w+/-]+\\')?\)\)?'$/;

/** `INTERVAL '1 ns'`: the engine lexes the string, which may have comments and any white space. */
function isLargeUnit(source: string): boolean {
  const value = stringValue(source) ?? '';
  if (!/n(?:s|ano)/i.test(value)) return false;
  const tokens = significantTokens(value);
  const last = tokens.pop();
  const isUnit = last?.kind === 'word' && /^(?:ns|nano\w*)$/i.test(value.slice(last.start, last.end));
  return isUnit && tokens.every(({ kind }) => kind === 'number' || kind === '-' || kind === '+');
}

/** A number of at most six digits, and nothing else. */
function isSmallScale(cursor: Cursor, at: number): boolean {
  const after = cursor.kind(at + 1);
  return /^[0-6]$/.test(cursor.text(at)) && (after === ',' || after === ')');
}
