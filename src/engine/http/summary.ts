// What a server tells of a statement's work in X-ClickHouse-Summary (https://clickhouse.com/docs/interfaces/http#response-headers).
import type { ReadSummary } from '../../core/observation.ts';

/** Undefined for a field that is missing or says something else. */
export function readSummary(field: unknown): ReadSummary | undefined {
  if (typeof field !== 'string' || field.length > 2000) return undefined;
  const rows = numberIn(field, 'read_rows');
  const bytes = numberIn(field, 'read_bytes');
  return rows === undefined || bytes === undefined ? undefined : { rows, bytes };
}

/** Its numbers are texts, as JSON has none of 64 bits. */
function numberIn(field: string, name: string): number | undefined {
  const [, digits] = new RegExp(`"${name}": ?"([0-9]{1,20})"`).exec(field) ?? [];
  return digits === undefined ? undefined : Number(digits);
}
