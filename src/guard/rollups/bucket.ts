// Computes the bucket of a time, as tables of rollups store it and as queries compute it from rows.
import { quoteString } from '../../sql/clickhouse/literal.ts';

/** Returns the start of the bucket of a time, with the type of the time column. */
export function bucketSql(
  { timeType }: { readonly timeType: string },
  column: string,
  every: number,
): string {
  return `CAST(toStartOfInterval(${column}, toIntervalSecond(${every}), 'UTC'), ${quoteString(timeType)})`;
}
