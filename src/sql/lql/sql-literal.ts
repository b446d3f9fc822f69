// LQL values as ClickHouse literals: strings, numbers and times.
import { byteString, hexOf } from '../clickhouse/bytes.ts';
import { quoteString } from '../clickhouse/literal.ts';
import type { ColumnType } from '../types/column-type.ts';
import { formatMicros } from './time.ts';

/** Integer digits that a Float64 and an integer literal represent exactly. */
const EXACT_DIGITS = 15;
/** Decimal places used when a string must be compared exactly. */
const TEXT_SCALE = 18;

interface DecimalText {
  readonly text: string;
  readonly whole: number;
  readonly fraction: number;
}

/** Returns whether `text` has more digits than a Float64 can represent. */
function needsDecimal(text: string): boolean {
  return decimalOf(text).whole > EXACT_DIGITS;
}

/** A number (`-?digits[.digits]`, at most 38 digits) for comparison with a value of type `type`. */
export function numberLiteral(text: string, type: ColumnType): string {
  const { text: digits, whole, fraction } = decimalOf(text);
  // A Float32 never equals a Float64 with more digits: 0.1 would not match.
  if (type.kind === 'number' && type.single) return `toFloat32(${digits})`;
  return whole > EXACT_DIGITS ? decimal(digits, fraction) : digits;
}

/** Both sides of a comparison of `sql`, a string, with numbers; the left side is null if the string is not a number. */
export function numberInText(sql: string, numbers: readonly string[]): readonly [string, ...string[]] {
  const decimals = numbers.map((text) => decimalOf(text));
  if (!numbers.some(needsDecimal)) return [`toFloat64OrNull(${sql})`, ...decimals.map(({ text }) => text)];
  const scale = Math.max(TEXT_SCALE, ...decimals.map(({ fraction }) => fraction));
  return [`toDecimal256OrNull(${sql}, ${scale})`, ...decimals.map(({ text }) => decimal(text, scale))];
}

/** A string literal. Control characters are escaped: consumer queries must not contain any, even in strings. */
export function textLiteral(text: string): string {
  return quoteString(text).replace(/\p{Cc}/gu, escapeBytes);
}

function escapeBytes(char: string): string {
  return hexOf(byteString(char)).replaceAll(/../g, String.raw`\x$&`);
}

/** A time, as microseconds since 1970. */
export function timeLiteral(micros: bigint): string {
  return `toDateTime64(${quoteString(formatMicros(micros))}, 6, 'UTC')`;
}

function decimal(digits: string, scale: number): string {
  return `toDecimal256(${quoteString(digits)}, ${scale})`;
}

/** Without leading zeros, which would exceed the digit limit. */
function decimalOf(number: string): DecimalText {
  const [, sign = '', whole = '', fraction = ''] = /^(-?)0*(\d+?)(?:\.(\d+))?$/.exec(number) ?? [];
  const text = `${sign}${whole}${fraction === '' ? '' : `.${fraction}`}`;
  return { text, whole: whole.length, fraction: fraction.length };
}
