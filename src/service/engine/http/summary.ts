// Parses X-ClickHouse-Summary, a server's report of the work done
// (https://clickhouse.com/docs/interfaces/http#response-headers).
import type { ReadSummary } from '../../../sql/base/observation.ts';

/** Undefined if the header is missing or malformed. */
export function readSummary(field: unknown): ReadSummary | undefined {
  if (typeof field !== 'string' || field.length > 2000) return undefined;
  const rows = numberIn(field, 'read_rows');
  const bytes = numberIn(field, 'read_bytes');
  return rows === undefined || bytes === undefined ? undefined : { rows, bytes };
}

/** The rows of the result; complete only with `wait_end_of_query`. Undefined if the header is missing or malformed. */
export function resultRowsIn(field: unknown): number | undefined {
  return typeof field === 'string' && field.length <= 2000 ? numberIn(field, 'result_rows') : undefined;
}

/** The numbers are strings, since JSON numbers cannot hold 64-bit integers. */
function numberIn(field: string, name: string): number | undefined {
  const [, digits] = new RegExp(`"${name}": ?"([0-9]{1,20})"`).exec(field) ?? [];
  return digits === undefined ? undefined : Number(digits);
}
