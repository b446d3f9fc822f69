// What the explorer charts: the columns it chooses, rows that share a time, series beyond eight, missing buckets.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { bucketOf, formatBucket, fill } from '../../explorer/src/chart/buckets.ts';
import { measureOf } from '../../explorer/src/chart/measure.ts';
import {
  readChart,
  stacked,
  totalOf,
  type Chartable,
  type ChartOptions,
} from '../../explorer/src/chart/series.ts';
import { add } from '../../explorer/src/chart/values.ts';
import type { Row } from '../../explorer/src/service/json.ts';

const HOUR = 3600;
const START = 1_704_067_200; // 2024-01-01T00:00:00Z

/** The chart of rows that have one. */
function chartOf(rows: readonly Row[], options: ChartOptions = {}): Chartable {
  const reading = readChart(rows, options);
  if (reading.kind !== 'chart') throw new Error(reading.kind);
  return reading.chart;
}

const namesOf = ({ series }: Chartable) => series.map(({ name }) => name);
const valuesOf = ({ series }: Chartable) =>
  Object.fromEntries(series.map(({ name, values }) => [name, values]));
const at = (hour: number) => `2024-01-01T${String(hour).padStart(2, '0')}:00:00Z`;

describe('a chart', () => {
  test.each([
    {
      why: 'counts by bucket are stacked bars, in the order of time',
      rows: [
        { at: '2024-01-01T01:00:00Z', a: 2, b: 1 },
        { at: '2024-01-01T00:00:00Z', a: 1, b: 0 },
      ],
      expected: { shape: 'bars', isWhole: true, times: [START, START + HOUR], names: ['a', 'b'] },
    },
    {
      why: 'a label makes series, the greatest first',
      rows: [
        { at: '2024-01-01', status: '200', n: 1 },
        { at: '2024-01-01', status: '404', n: 5 },
        { at: '2024-01-02', status: '200', n: 2 },
      ],
      expected: { shape: 'bars', isWhole: true, times: [START, START + 86_400], names: ['404', '200'] },
    },
    {
      why: 'a numeric label is a series, not a measure',
      rows: [
        { hour: at(0), status_code: 200, requests: 10 },
        { hour: at(0), status_code: 500, requests: 1 },
        { hour: at(1), status_code: 200, requests: 11 },
        { hour: at(1), status_code: 500, requests: 2 },
      ],
      expected: { shape: 'bars', isWhole: true, times: [START, START + HOUR], names: ['200', '500'] },
    },
    {
      why: 'a numeric label without a telling name, as part of the key',
      rows: [
        { hour: at(0), region: 1, requests: 10 },
        { hour: at(0), region: 2, requests: 1 },
        { hour: at(1), region: 1, requests: 11 },
        { hour: at(1), region: 2, requests: 2 },
      ],
      expected: { shape: 'bars', isWhole: true, times: [START, START + HOUR], names: ['1', '2'] },
    },
    {
      why: 'measurements are lines; times without a zone are UTC',
      rows: [
        { at: '2024-01-01 00:00:00', p95: 1.5, note: null },
        { at: '2024-01-01 00:00:01', p95: null, note: null },
        { at: '2024-01-01 00:00:02', p95: 'nan', note: null },
      ],
      expected: { shape: 'lines', isWhole: false, times: [START, START + 1, START + 2], names: ['p95'] },
    },
    {
      why: 'measurements that are whole numbers are not stacked',
      rows: [
        { hour: at(0), max_ms: 5, min_ms: 1 },
        { hour: at(1), max_ms: 6, min_ms: 2 },
      ],
      expected: { shape: 'lines', isWhole: true, times: [START, START + HOUR], names: ['max_ms', 'min_ms'] },
    },
    {
      why: 'messages that hardly repeat are no series',
      rows: Array.from({ length: 20 }, (_, i) => ({
        timestamp: `2024-01-01T00:00:00.${100 + i}Z`,
        ms: i + 0.5,
        event_message: `message ${i}`,
      })),
      expected: { shape: 'lines', isWhole: false, names: ['ms'] },
    },
    {
      why: '64-bit integers that come as strings are numbers',
      rows: [
        { hour: at(0), n: '18446744073709551615' },
        { hour: at(1), n: '1' },
      ],
      expected: { shape: 'bars', isWhole: true, times: [START, START + HOUR], names: ['n'] },
    },
  ])('$why', ({ rows, expected }) => {
    const chart = chartOf(rows);
    expect({ ...chart, names: namesOf(chart) }).toMatchObject(expected);
  });

  test.each([
    { why: 'no rows', rows: [] },
    { why: 'no time', rows: [{ n: 1 }] },
    { why: 'no number', rows: [{ at: '2024-01-01' }] },
    { why: 'days that do not exist', rows: [{ at: '2024-13-45', n: 1 }] },
    {
      why: 'a time that is not always one',
      rows: [
        { at: '2024-01-01', n: 1 },
        { at: 'never', n: 1 },
      ],
    },
  ])('is none with $why', ({ rows }) => {
    expect(readChart(rows as readonly Row[]).kind).toBe('none'); // rows of different tables
  });

  test('follows the choice of columns, and ignores a choice of columns that are not there', () => {
    const rows = [
      { hour: at(0), method: 'GET', country: 'FR', n: 1, bytes: 10 },
      { hour: at(0), method: 'POST', country: 'DE', n: 2, bytes: 20 },
      { hour: at(1), method: 'GET', country: 'DE', n: 3, bytes: 30 },
    ];
    const valuesWith = (choice: NonNullable<ChartOptions['choice']>) => valuesOf(chartOf(rows, { choice }));
    expect(valuesWith({ series: 'country', value: 'bytes' })).toEqual({ DE: [20, 30], FR: [10, 0] });
    expect(valuesWith({ series: '', value: 'n' })).toEqual({ n: [3, 3] });
    expect(valuesWith({ series: '', value: '' })).toEqual({ n: [3, 3], bytes: [30, 30] });
    expect(valuesWith({ time: 'gone', series: 'gone', value: 'gone' })).toEqual(valuesOf(chartOf(rows)));
  });

  test('leaves out rows without a time, and says so', () => {
    const chart = chartOf([
      { hour: at(0), n: 1 },
      { hour: null, n: 9 },
    ]);
    expect(valuesOf(chart)).toEqual({ n: [1] });
    expect(chart.notes.join()).toMatch(/1 row without a time/);
  });
});

describe('rows that share a time and a series', () => {
  const rows = ['FR', 'DE', 'US'].flatMap((country, i) => [
    { day: '2024-01-01', method: 'GET', country, count: 10_000 * (i + 1), p95: 1.5 },
    { day: '2024-01-02', method: 'GET', country, count: 1, p95: 2.5 },
    { day: '2024-01-01', method: 'POST', country, count: 5, p95: 3.5 },
  ]);

  test('are added if the measure is a count, and the note says so', () => {
    const chart = chartOf(rows, { choice: { series: 'method', value: 'count' } });
    expect(valuesOf(chart)).toEqual({ GET: [60_000, 3], POST: [15, 0] });
    expect(chart.notes.join()).toMatch(/same day and method are added: count/);
    expect(chart.isWhole).toBe(false);
  });

  test('are rejected if the measure cannot be added', () => {
    const reading = readChart(rows, { choice: { series: 'method', value: 'p95' } });
    expect(reading).toMatchObject({ kind: 'rejected', columns: { times: ['day'] } });
    expect(reading.kind === 'rejected' && reading.reason).toMatch(
      /same day and method, and p95 cannot be added/,
    );
  });

  test('are points of their own at irregular times', () => {
    const events = [0, 0, 1].map((i) => ({ timestamp: `2024-01-01T00:00:00.${i}0001Z`, ms: i + 0.5 }));
    expect(chartOf(events)).toMatchObject({ shape: 'points', series: [{ values: [0.5, 0.5, 1.5] }] });
  });

  test('keep all digits', () => {
    const big = 9_007_199_254_740_993n;
    const chart = chartOf([
      { hour: at(0), host: 'a', n: big },
      { hour: at(0), host: 'a', n: 2 },
      { hour: at(1), host: 'a', n: 1 },
    ]);
    expect(valuesOf(chart)).toEqual({ a: [big + 2n, 1] });
    expect(chart.series.map(totalOf)).toEqual([big + 3n]);
    expect(add(1.5, big)).toBe(Number(big) + 1.5);
  });

  test('with labels that differ after their beginning stay apart', () => {
    const path = '/'.padEnd(80, 'x');
    const chart = chartOf([
      { hour: at(0), path: `${path}1`, n: 1 },
      { hour: at(0), path: `${path}2`, n: 2 },
    ]);
    expect(chart.series.map(({ values }) => values)).toEqual([[2], [1]]);
  });
});

describe('more than eight series', () => {
  const rows = (value: string) =>
    Array.from({ length: 24 }, (_, i) => ({ hour: at(i % 2), country: `c${i >> 1}`, [value]: i + 1 }));

  test('of counts end in the sum of the others, so that nothing is lost', () => {
    const chart = chartOf(rows('count'));
    expect(namesOf(chart)).toHaveLength(8);
    expect(namesOf(chart).at(-1)).toBe('others (5)');
    expect(chart.notes.join()).toMatch(/7 largest of 12 series of country/);
    expect(chart.series.map(totalOf).reduce(add)).toBe((24 * 25) / 2);
  });

  test('of other measures are named', () => {
    const chart = chartOf(rows('p95'));
    expect(namesOf(chart)).toHaveLength(8);
    expect(chart.notes.join()).toMatch(/8 of 12 series of country are drawn. Not drawn: c3, c2, c1, c0\./);
    expect(chart.isWhole).toBe(false);
  });

  test('as columns are named', () => {
    const wide = [0, 1].map((hour) => ({
      hour: at(hour),
      ...Object.fromEntries(Array.from({ length: 10 }, (_, i) => [`n${i}`, i])),
    }));
    expect(chartOf(wide).notes.join()).toMatch(/8 of 10 columns are drawn. Not drawn: n8, n9\./);
  });

  test('add up to the sum of the rows, whatever the rows', () => {
    const row = fc.record({
      hour: fc.nat(23).map(at),
      label: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j', 'others (3)', '', null),
      count: fc.nat(),
    });
    fc.assert(
      fc.property(fc.array(row, { minLength: 1 }), (rows) => {
        const chart = chartOf(rows, { choice: { series: 'label', value: 'count' } });
        const sum = rows.reduce((sum, { count }) => sum + count, 0);
        expect(chart.series.map(totalOf).reduce(add)).toBe(sum);
        expect(chart.series.length).toBeLessThanOrEqual(8);
      }),
      { seed: 1 },
    );
  });
});

describe('missing buckets', () => {
  test('of counts are zero, of other measures a gap', () => {
    const rows = [0, 1, 4].map((hour) => ({ hour: at(hour), n: 7, p95: 1.5 }));
    const counts = chartOf(rows, { choice: { value: 'n' } });
    expect(counts.times).toEqual([0, 1, 2, 3, 4].map((hour) => START + hour * HOUR));
    expect(valuesOf(counts)).toEqual({ n: [7, 7, 0, 0, 7] });
    expect(counts.notes.join()).toMatch(/2 buckets of 1 h without rows: drawn as zero/);
    expect(valuesOf(chartOf(rows, { choice: { value: 'p95' } }))).toEqual({
      p95: [1.5, 1.5, null, null, 1.5],
    });
  });

  test.each([
    { why: 'the distance', column: 'at', hours: [0, 2, 6], expected: '2 h' },
    { why: "the column's name", column: 'hour', hours: [0, 2, 6], expected: '1 h' },
    { why: 'irregular times', column: 'at', hours: [0, 0.0001], expected: undefined },
    { why: 'one time', column: 'hour', hours: [0], expected: undefined },
  ])('are found by $why', ({ column, hours, expected }) => {
    const bucket = bucketOf(
      hours.map((hour) => START + hour * HOUR),
      column,
    );
    expect(bucket && formatBucket(bucket)).toBe(expected);
  });

  test('follow the calendar', () => {
    const times = ['2024-01-01', '2024-02-01', '2024-05-01'].map((day) => Date.parse(day) / 1000);
    const bucket = bucketOf(times, 'month') ?? { unit: 'second', step: 1 };
    const filled = fill(times, bucket);
    expect(filled.missing).toBe(2);
    expect(filled.times.map((each) => new Date(each * 1000).toISOString().slice(0, 7))).toEqual([
      '2024-01',
      '2024-02',
      '2024-03',
      '2024-04',
      '2024-05',
    ]);
  });

  test('are bounded, and still neither skipped nor out of order', () => {
    const chart = chartOf([
      { second: '1970-01-01T00:00:00Z', n: 1 },
      { second: '2024-01-01T00:00:00Z', n: 2 },
    ]);
    expect(valuesOf(chart)).toEqual({ n: [1, 0, 0, 2] });
    expect(chart.times).toEqual([0, 1, START - 1, START]);
  });
});

describe('a measure', () => {
  test.each([
    { column: 'count', query: '', expected: 'sum' },
    { column: 'total_rest_requests', query: '', expected: 'sum' },
    { column: 'countIf(status = 500)', query: '', expected: 'sum' },
    { column: 'sum(bytes)', query: '', expected: 'sum' },
    { column: 'avg(bytes)', query: '', expected: 'other' },
    { column: 'quantile(0.95)(ms)', query: '', expected: 'other' },
    { column: 'count(DISTINCT user)', query: '', expected: 'other' },
    { column: 'avg_bytes', query: '', expected: 'other' },
    { column: 'error_rate', query: '', expected: 'other' },
    { column: 'ms', query: '', expected: 'unknown' },
    { column: 'x', query: 'SELECT hour, count() AS x FROM t', expected: 'sum' },
    { column: 'x', query: 'SELECT sumIf(bytes, status IN (200, 204)) as `x`, hour FROM t', expected: 'sum' },
    { column: 'count', query: 'SELECT uniq(user) AS count FROM t', expected: 'other' },
    { column: 'total', query: 'SELECT sum(a) / sum(b) AS total FROM t', expected: 'other' },
    { column: 'total', query: 'SELECT quantile(0.5)(ms) AS total FROM t', expected: 'other' },
    { column: 'n', query: 'SELECT toUInt64(count()) AS n FROM t', expected: 'sum' },
    { column: 'n', query: 'SELECT count() AS n FROM (SELECT max(a) AS n FROM t)', expected: 'sum' },
    { column: 'n', query: "SELECT countIf(a = ')') AS n FROM t", expected: 'sum' },
    {
      column: 'n',
      query: 'WITH t AS (SELECT count() AS n FROM a) SELECT max(n) AS n FROM t',
      expected: 'other',
    },
  ])('$column of "$query": $expected', ({ column, query, expected }) => {
    expect(measureOf(column, query)).toBe(expected);
  });

  test('is found in any text', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (column, query) => {
        expect(['sum', 'other', 'unknown']).toContain(measureOf(column, `${query} AS ${column}`));
      }),
      { seed: 1 },
    );
  });
});

test('stacked values stand on those below', () => {
  expect(
    stacked([
      { name: 'a', values: [1, null] },
      { name: 'b', values: [2, 3n] },
    ]),
  ).toEqual([
    [1, 0],
    [3, 3],
  ]);
});
