// Reads times, numbers and labels from the values of rows, and adds numbers without losing digits.
import { isDecimal, isNested, printJson, type Json } from '../service/json.ts';

/** A bigint where a double would lose digits. */
export type Amount = number | bigint;

export interface Series {
  readonly name: string;
  /** One value per time; null if there is none. */
  readonly values: readonly (Amount | null)[];
}

const TIME = /^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?$/;
const NUMBER = /^-?\d{1,77}(?:\.\d{1,77})?$/;

/** Seconds since 1970; undefined if the value is no time. Times without a zone are UTC, as everywhere in the service. */
export function timeOf(value: Json | undefined): number | undefined {
  if (typeof value !== 'string' || !TIME.test(value)) return undefined;
  const text = value.replace(' ', 'T');
  const hasZone = /(?:Z|[+-]\d\d:?\d\d)$/.test(text.slice(10));
  const milliseconds = Date.parse(text.includes('T') && !hasZone ? `${text}Z` : text);
  return Number.isFinite(milliseconds) ? milliseconds / 1000 : undefined;
}

/** A number, or a string of digits, as the service sends 64-bit integers on request; undefined for anything else. */
export function amountOf(value: Json | undefined): Amount | undefined {
  if (typeof value === 'number' || typeof value === 'bigint') return value;
  if (isDecimal(value)) return Number(String(value));
  if (typeof value !== 'string' || !NUMBER.test(value)) return undefined;
  const number = Number(value);
  return value.includes('.') || Number.isSafeInteger(number) ? number : BigInt(value);
}

/** The sum; a bigint if both are integers and a double would lose digits. */
export function add(a: Amount, b: Amount): Amount {
  const sum = Number(a) + Number(b);
  if (Number.isSafeInteger(sum)) return sum;
  return isWhole(a) && isWhole(b) ? BigInt(a) + BigInt(b) : sum;
}

function isWhole(value: Amount): boolean {
  return typeof value === 'bigint' || Number.isSafeInteger(value);
}

export function isInteger(value: Amount): boolean {
  return typeof value === 'bigint' || Number.isInteger(value);
}

/** A label that identifies a series, whole; undefined for objects and arrays. */
export function labelOf(value: Json | undefined): string | undefined {
  if (isNested(value)) return undefined;
  if (typeof value === 'string') return value;
  return value === null || value === undefined ? '(null)' : printJson(value);
}
