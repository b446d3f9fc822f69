// Values of LQL as ClickHouse literals: text, numbers and times.
import { quoteString } from '../sql/literal.ts';
import type { ColumnType } from '../sql/column-type.ts';
import { formatMicros } from './time.ts';

/** Digits before the point that a Float64, and an integer literal, still holds exactly. */
const EXACT_DIGITS = 15;
/** Digits behind the point that text is compared with when it has to be exact. */
const TEXT_SCALE = 18;

interface DecimalText {
  readonly text: string;
  readonly whole: number;
  readonly fraction: number;
}

/** Whether `text` has more digits than a Float64 tells apart. */
function needsDecimal(text: string): boolean {
  return decimalOf(text).whole > EXACT_DIGITS;
}

/** A number (`-?digits[.digits]`, at most 38 digits) to compare with a number of type `type`. */
export function numberLiteral(text: string, type: ColumnType): string {
  const { text: digits, whole, fraction } = decimalOf(text);
  // A Float32 equals no Float64 that has more digits: 0.1 would never be found.
  if (type.kind === 'number' && type.single) return `toFloat32(${digits})`;
  return whole > EXACT_DIGITS ? decimal(digits, fraction) : digits;
}

/** Both sides of comparing `sql`, a string, with a number; the left one is null where it holds no number. */
export function numberInText(sql: string, numbers: readonly string[]): readonly [string, ...string[]] {
  const decimals = numbers.map((text) => decimalOf(text));
  if (!numbers.some(needsDecimal)) return [`toFloat64OrNull(${sql})`, ...decimals.map(({ text }) => text)];
  const scale = Math.max(TEXT_SCALE, ...decimals.map(({ fraction }) => fraction));
  return [`toDecimal256OrNull(${sql}, ${scale})`, ...decimals.map(({ text }) => decimal(text, scale))];
}

/** A text. Control characters are escaped too: a consumer's query holds none, not even in its strings. */
export function textLiteral(text: string): string {
  return quoteString(text).replace(/\p{Cc}/gu, escapeBytes);
}

function escapeBytes(char: string): string {
  return [...Buffer.from(char)].map((byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join('');
}

/** A time, as microseconds since 1970. */
export function timeLiteral(micros: bigint): string {
  return `toDateTime64(${quoteString(formatMicros(micros))}, 6, 'UTC')`;
}

function decimal(digits: string, scale: number): string {
  return `toDecimal256(${quoteString(digits)}, ${scale})`;
}

/** Without leading zeros, which would be digits too many. */
function decimalOf(number: string): DecimalText {
  const [, sign = '', whole = '', fraction = ''] = /^(-?)0*(\d+?)(?:\.(\d+))?$/.exec(number) ?? [];
  const text = `${sign}${whole}${fraction === '' ? '' : `.${fraction}`}`;
  return { text, whole: whole.length, fraction: fraction.length };
}
