// Divides a saved query into the parts that are analysed one by one: each table of its WITH clause, and the query itself.
import { quoteIdentifier } from '../../../sql/clickhouse/literal.ts';
import type { InspectedFile } from '../../../service/endpoints/compile.ts';
import type { Part } from './failure-place.ts';
import { isTable } from '../../../sql/clickhouse/outline.ts';

export function partsOf({ candidate: { endpoint } }: InspectedFile): readonly Part[] {
  const { query, outline } = endpoint;
  const { elements, withStart, withEnd, settings } = outline;
  const clause = query.slice(withStart, withEnd);
  const ofWhole = settings === undefined ? '' : `\n${query.slice(settings.start, settings.end)}`;
  const tables = elements.filter(isTable).map(({ name, start, end }) => ({
    sql: `${clause}\nSELECT * FROM ${quoteIdentifier(name)}${ofWhole}`,
    shift: withStart,
    start,
    end,
    table: name,
  }));
  return [...tables, { sql: query, shift: 0, start: outline.mainStart, end: query.length, table: undefined }];
}
