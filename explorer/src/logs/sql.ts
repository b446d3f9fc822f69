// Writes names and values as ClickHouse source text.
import type { Table } from '../service/listing.ts';
import { columnOf } from './fields.ts';

const ESCAPES: Readonly<Record<string, string>> = { '\0': '\\0', '\n': '\\n', '\r': '\\r', '\t': '\\t' };

export function sqlString(text: string): string {
  return `'${escaped(text)}'`;
}

/** Returns whether consumer queries may write the name: the service accepts none with quotes, backslashes or line breaks. */
export function isNameable(name: string): boolean {
  return name !== '' && !/["'`“”‘’\\\t\n\r\0]/.test(name);
}

export function sqlName(name: string): string {
  return `\`${escaped(name)}\``;
}

function escaped(text: string): string {
  return text
    .replace(/\p{Surrogate}/gu, '\ufffd')
    .replace(/[\\'`]/g, String.raw`\$&`)
    .replace(/[\0\n\r\t]/g, (char) => ESCAPES[char] ?? char);
}

/** A field of the columns of `table`, as they are named there. */
export function sqlField(table: Table, path: string): string {
  const column = columnOf(table, path);
  if (column === undefined) return sqlName(path);
  const rest = path.slice(column.name.length + 1);
  const name = sqlName(column.name);
  if (rest === '') return name;
  if (!/^(?:LowCardinality\()?Map\(/.test(column.type))
    return [name, ...rest.split('.').map(sqlName)].join('.');
  const key = sqlString(rest);
  return `if(mapContains(${name}, ${key}), ${name}[${key}], NULL)`;
}

/** Microseconds since 1970 as a time. */
export function sqlTime(micros: bigint): string {
  return `toDateTime64(${sqlString(isoOf(micros).replace('T', ' ').replace('Z', ''))}, 6, 'UTC')`;
}

/** ISO 8601 with microseconds, in UTC. */
export function isoOf(micros: bigint): string {
  const rest = ((micros % 1_000_000n) + 1_000_000n) % 1_000_000n;
  const seconds = new Date(Number((micros - rest) / 1000n)).toISOString().slice(0, 19);
  return `${seconds}.${String(rest).padStart(6, '0')}Z`;
}

/** Microseconds since 1970, later digits omitted, of a time as the service writes it; undefined if it is none. */
export function microsOf(text: string): bigint | undefined {
  const [, seconds, fraction = ''] = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d+))?Z$/.exec(text) ?? [];
  const ms = seconds === undefined ? NaN : Date.parse(`${seconds}Z`);
  return Number.isNaN(ms) ? undefined : BigInt(ms) * 1000n + BigInt(fraction.padEnd(6, '0').slice(0, 6));
}
