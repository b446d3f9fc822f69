// Values as columns of a query: those of the result in the formats of BigQuery.
import { key, shown as inResult, whole } from '../dialects/operand.ts';
import { columnType } from '../dialects/record.ts';
import { sql } from '../dialects/sql.ts';
import { DYNAMIC, type Value } from '../dialects/value.ts';
import type { Use } from '../dialects/write/context.ts';
import { toText } from './write/cast.ts';

/** A value as a column. */
export function shown(own: Value, { isShown, isPlain }: Use): Value {
  // The group key is a string; the original value is the same for all rows of a group, so any of them can be returned.
  if (own.original !== undefined && !isPlain) return { type: DYNAMIC, sql: sql`any(${own.original})` };
  const kept = isPlain && own.type.kind === 'dynamic' ? key(own) : own;
  const type = columnType(kept);
  if (!isShown) return { type, sql: whole(kept) };
  const { kind } = kept.type;
  if (kind === 'bool') return { type, sql: sql`CAST(${whole(kept)} AS Nullable(Bool))` };
  if (kind === 'datetime') return { type, sql: sql`replaceOne(${toText(kept)}, ' ', 'T')` };
  return { type, sql: kind === 'interval' ? toText(kept) : inResult(kept) };
}
