// The values of a row: by path, and all of its leaves.
import { isNested, type Json, type Row } from '../service/json.ts';
import type { Table } from '../service/listing.ts';
import { columnOf } from './fields.ts';
import { microsOf } from './sql.ts';

/** Undefined if the row has no such value. */
export function valueAt(row: Row, table: Table, path: string): Json | undefined {
  const column = columnOf(table, path);
  if (column === undefined) return row[path];
  const rest = path.slice(column.name.length + 1);
  return rest === '' ? row[column.name] : descend(row[column.name], rest);
}

/** Names of Map keys and JSON paths may have dots: the longest name that there is comes first. */
function descend(value: Json | undefined, path: string): Json | undefined {
  if (value === undefined || !isNested(value)) return undefined;
  const fields = value as { readonly [key: string]: Json }; // indexes of lists are names as well
  if (Object.hasOwn(fields, path)) return fields[path];
  for (let end = path.lastIndexOf('.'); end > 0; end = path.lastIndexOf('.', end - 1)) {
    const name = path.slice(0, end);
    if (Object.hasOwn(fields, name)) return descend(fields[name], path.slice(end + 1));
  }
  return undefined;
}

/** Milliseconds since 1970; undefined if there is no row, or its column has no time. */
export function millisOf(row: Row | undefined, time: string): number | undefined {
  const value = row?.[time];
  const micros = typeof value === 'string' ? microsOf(value) : undefined;
  return micros === undefined ? undefined : Number(micros / 1000n);
}

export interface Leaf {
  /** Names of columns and fields; numbers are positions in lists. */
  readonly segments: readonly (string | number)[];
  readonly value: Json;
}

/** The leaves of a row, at most `limit`; empty lists and objects are leaves. */
export function leavesOf(row: Row, limit: number): readonly Leaf[] {
  const leaves: Leaf[] = [];
  const walk = (value: Json, segments: Leaf['segments']): void => {
    if (leaves.length >= limit) return;
    const members = isNested(value) ? membersOf(value) : [];
    if (members.length === 0) leaves.push({ segments, value });
    for (const [name, member] of members) walk(member, [...segments, name]);
  };
  for (const [name, value] of Object.entries(row)) walk(value, [name]);
  return leaves;
}

function membersOf(
  value: readonly Json[] | { readonly [key: string]: Json },
): readonly (readonly [string | number, Json])[] {
  return isList(value) ? value.map((item, index) => [index, item]) : Object.entries(value);
}

function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}
