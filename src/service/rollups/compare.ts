// Compares a rollup with its source, by the numbers of rows of each bucket, and in samples by every measure.
import { COUNT_OF_ROWS } from '../../guard/rollups/aggregates.ts';
import { bucketSql } from '../../guard/rollups/bucket.ts';
import type { Rollup, RollupMeasure, RollupTable } from '../../guard/rollups/model.ts';
import { quoteIdentifier } from '../../sql/clickhouse/literal.ts';
import type { Engine } from '../engine/engine.ts';
import { askRows } from './ask.ts';
import {
  daySql,
  isInRangeSql,
  measureSql,
  quoteName,
  type RollupPlan,
  type TimeCondition,
} from './statements.ts';

/** A day is in UTC, as `2026-11-28`. */
export type Day = string;

export interface ComparedDay {
  readonly day: Day;
  /** Rows of the source. */
  readonly rows: number;
  /** Rows that the rollup has counted. */
  readonly counted: number;
  /** Buckets of the finest table whose numbers differ from the source, and of the others whose numbers differ from a finer one. */
  readonly unequal: number;
}

/** Days that have rows in the source or in the rollup, in order. Buckets that end after `edge` (seconds since 1970) are left out. */
export async function compareDays(
  engine: Engine,
  rollup: Rollup,
  { edge, isTime }: { readonly edge: number; readonly isTime: TimeCondition },
): Promise<readonly ComparedDay[]> {
  const time = quoteIdentifier(rollup.time);
  const count = measureSql(countOf(rollup)).ofFiner;
  const days = new Map<Day, ComparedDay>();
  for (const [index, table] of rollup.tables.entries()) {
    const finer = rollup.tables[index - 1];
    const before = finer === undefined ? 'count()' : count;
    const from = quoteName(finer ?? rollup.source);
    const where = `${finer === undefined ? isInRangeSql(time) : 'true'} AND ${isTime(time)} AND ${time} < toDateTime(${edge - (edge % table.every)}, 'UTC')`;
    const bucket = bucketSql(rollup, time, table.every);
    const rows = await askRows(
      engine,
      `SELECT toString(${daySql('bucket')}) AS day, sum(one), sum(other), countIf(one != other) FROM (SELECT bucket, sum(n) AS one, sum(r) AS other FROM (SELECT ${bucket} AS bucket, ${before} AS n, 0 AS r FROM ${from} WHERE ${where} GROUP BY bucket UNION ALL SELECT ${time} AS bucket, 0 AS n, ${count} AS r FROM ${quoteName(table)} WHERE ${isTime(time)} AND ${time} < toDateTime(${edge - (edge % table.every)}, 'UTC') GROUP BY bucket) GROUP BY bucket) GROUP BY day ORDER BY day`,
    );
    for (const [day = '', n, counted, unequal] of rows) {
      const known = days.get(day);
      const own = { day, rows: Number(n), counted: Number(counted), unequal: Number(unequal) };
      days.set(day, known === undefined ? own : { ...known, unequal: known.unequal + own.unequal });
    }
  }
  return [...days.values()].toSorted((a, b) => (a.day < b.day ? -1 : 1));
}

function countOf({ measures }: Rollup): RollupMeasure {
  const count = measures.find(({ name }) => name === COUNT_OF_ROWS);
  if (count === undefined) throw new Error('every rollup counts its rows');
  return count;
}

/** Buckets of each table that are compared as a whole. */
const SAMPLES = 3;

/** Days with a bucket whose groups or measures differ from its rows, of some buckets of each table between two times in seconds. */
export async function compareSamples(
  engine: Engine,
  plan: RollupPlan,
  { from, until }: { readonly from: number; readonly until: number },
): Promise<readonly Day[]> {
  const time = quoteIdentifier(plan.rollup.time);
  const unequal = new Set<Day>();
  for (const table of plan.rollup.tables) {
    const last = until - (until % table.every);
    const sampled = await askRows(
      engine,
      `SELECT DISTINCT toUnixTimestamp(toDateTime(${time}, 'UTC')) AS bucket FROM ${quoteName(table)} WHERE ${time} >= toDateTime(${from}, 'UTC') AND ${time} < toDateTime(${last}, 'UTC') ORDER BY rand() LIMIT ${SAMPLES}`,
    );
    for (const [bucket] of sampled) {
      const found = await askRows(engine, differenceSql(plan, table, Number(bucket)));
      for (const [day = ''] of found) unequal.add(day);
    }
  }
  return [...unequal];
}

/** The day of a bucket if its groups differ from its rows; otherwise no row. */
function differenceSql({ rollup }: RollupPlan, table: RollupTable, start: number): string {
  const time = quoteIdentifier(rollup.time);
  const times = `${time} >= toDateTime(${start}, 'UTC') AND ${time} < toDateTime(${start + table.every}, 'UTC')`;
  const exact = rollup.measures.filter(({ approximate }) => !approximate);
  const groups = (keys: readonly string[], measures: readonly string[], source: string): string => {
    const values = [...keys, ...measures].map((sql, index) => `${sql} AS millrace_${index}`);
    const by = keys.map((_, index) => `millrace_${index}`);
    const all = values.map((_, index) => `toString(tuple(millrace_${index}))`);
    return `SELECT concat(${all.join(`, ' ', `)}, '') AS text FROM (SELECT ${values.join(', ')} FROM ${source} WHERE ${times} GROUP BY ${by.join(', ')})`;
  };
  const ofRows = groups(
    [bucketSql(rollup, time, table.every), ...rollup.dimensions.map(({ expression }) => expression)],
    exact.map(finalOfRows),
    quoteName(rollup.source),
  );
  const ofGroups = groups(
    [time, ...rollup.dimensions.map(({ name }) => quoteIdentifier(name))],
    exact.map((measure) => measureSql(measure).final),
    quoteName(table),
  );
  return `SELECT toString(${daySql(`toDateTime(${start}, 'UTC')`)}) FROM (SELECT text, sum(side) AS sides FROM (SELECT text, 1 AS side FROM (${ofRows}) UNION ALL SELECT text, -1 AS side FROM (${ofGroups})) GROUP BY text HAVING sides != 0) LIMIT 1`;
}

function finalOfRows({ aggregate, parameters, arguments: list }: RollupMeasure): string {
  return `${aggregate}${parameters.length === 0 ? '' : `(${parameters.join(', ')})`}(${list.join(', ')})`;
}
