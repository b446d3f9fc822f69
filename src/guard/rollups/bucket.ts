// The bucket of a time, as tables of rollups have it and as queries compute it of rows.
import { quoteString } from '../../sql/clickhouse/literal.ts';

/** The start of the bucket of a time, of the type of the time column. */
export function bucketSql(
  { timeType }: { readonly timeType: string },
  column: string,
  every: number,
): string {
  return `CAST(toStartOfInterval(${column}, toIntervalSecond(${every}), 'UTC'), ${quoteString(timeType)})`;
}
