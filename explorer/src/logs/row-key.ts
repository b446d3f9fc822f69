// The key of a row, for links and for telling rows apart: its time, and a hash of all of its values.
import { isNested, type Json, type Row } from '../service/json.ts';

const hashes = new WeakMap<Row, string>();

/** The same for equal rows, whatever the order of their fields; 106 bits. Texts of the rows would take as much memory as the rows. */
export function hashOf(row: Row): string {
  const known = hashes.get(row);
  if (known !== undefined) return known;
  const mixed = { low: 0xdeadbeef, high: 0x41c6ce57, third: 0x9e3779b9, fourth: 0x85ebca6b };
  mixValue(mixed, row);
  const hash = `${finish(mixed.low, mixed.high)}${finish(mixed.third, mixed.fourth)}`;
  hashes.set(row, hash);
  return hash;
}

/** `2024-05-01T00:00:00.000001Z~0k2…`: as the address of the page has it. */
export function keyOf(row: Row, time: string): string {
  return `${timeText(row, time)}~${hashOf(row)}`;
}

/** The row of a key. Only rows of its time are compared. */
export function findRow(rows: readonly Row[], key: string, time: string): Row | undefined {
  const at = timeOfKey(key);
  return rows.find((row) => timeText(row, time) === at && keyOf(row, time) === key);
}

/** The time in a key, as the row has it. */
export function timeOfKey(key: string): string {
  return key.slice(0, Math.max(0, key.lastIndexOf('~')));
}

function timeText(row: Row, time: string): string {
  const value = row[time];
  return typeof value === 'string' ? value : '';
}

interface Mixed {
  low: number;
  high: number;
  third: number;
  fourth: number;
}

function mixValue(mixed: Mixed, value: Json): void {
  if (!isNested(value)) return mixText(mixed, `${typeof value} ${String(value)}`);
  if (isList(value)) {
    mixText(mixed, `[${value.length}`);
    for (const item of value) mixValue(mixed, item);
    return;
  }
  const names = Object.keys(value).toSorted();
  mixText(mixed, `{${names.length}`);
  for (const name of names) {
    mixText(mixed, `${name.length} ${name}`);
    mixValue(mixed, value[name] ?? null);
  }
}

function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}

/** This is cyrb53 (public domain), run twice. */
function mixText(mixed: Mixed, text: string): void {
  let { low, high, third, fourth } = mixed;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    low = Math.imul(low ^ code, 2_654_435_761);
    high = Math.imul(high ^ code, 1_597_334_677);
    third = Math.imul(third ^ code, 2_246_822_519);
    fourth = Math.imul(fourth ^ code, 3_266_489_917);
  }
  mixed.low = Math.imul(low ^ (low >>> 15), 0x735a2d97);
  mixed.high = Math.imul(high ^ (high >>> 15), 0x2c1b3c6d);
  mixed.third = Math.imul(third ^ (third >>> 13), 0x297a2d39);
  mixed.fourth = Math.imul(fourth ^ (fourth >>> 13), 0x1b873593);
}

function finish(low: number, high: number): string {
  const first = Math.imul(low ^ (low >>> 16), 2_246_822_507) ^ Math.imul(high ^ (high >>> 13), 3_266_489_909);
  const second =
    Math.imul(high ^ (high >>> 16), 2_246_822_507) ^ Math.imul(low ^ (low >>> 13), 3_266_489_909);
  return (4_294_967_296 * (2_097_151 & second) + (first >>> 0)).toString(36).padStart(11, '0');
}
