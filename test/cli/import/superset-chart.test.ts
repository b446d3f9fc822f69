// Charts of Superset as the queries that Superset generates.
import { expect, test } from 'vitest';
import { chartSql } from '../../../src/cli/convert/tools/superset/chart.ts';

const DATASET = {
  table_name: 'orders',
  schema: 'public',
  columns: [
    { column_name: 'country' },
    { column_name: 'size', expression: 'CASE WHEN total > 9 THEN 1 ELSE 0 END' },
  ],
  metrics: [{ metric_name: 'revenue', expression: 'SUM(total)' }],
};

const chart = (
  viz_type: string,
  params: object,
  dataset: object = DATASET,
  dialect: 'postgresql' | 'clickhouse' = 'postgresql',
): string => {
  const found = chartSql({ slice_name: 'x', viz_type, params: JSON.stringify(params) }, dataset, dialect);
  return 'sql' in found ? found.sql.replaceAll('\n', ' ') : `not: ${found.reason}`;
};

test.each([
  [
    'table',
    { groupby: ['country'], metrics: ['revenue'], row_limit: 5 },
    'SELECT "country" AS "country", SUM(total) AS "revenue" FROM public.orders GROUP BY "country" ORDER BY SUM(total) DESC LIMIT 5',
  ],
  [
    'table',
    { query_mode: 'raw', all_columns: ['country', 'size'] },
    'SELECT "country" AS "country", (CASE WHEN total > 9 THEN 1 ELSE 0 END) AS "size" FROM public.orders',
  ],
  [
    'big_number_total',
    { metric: { expressionType: 'SQL', sqlExpression: 'count(*)', label: 'n' } },
    'SELECT count(*) AS "n" FROM public.orders',
  ],
  [
    'echarts_timeseries_line',
    {
      granularity_sqla: 'at',
      time_grain_sqla: 'P1D',
      metrics: ['revenue'],
      time_range: '2024-01-01 : 2024-02-01',
    },
    `SELECT date_trunc('day', "at") AS "at", SUM(total) AS "revenue" FROM public.orders WHERE ("at" >= '2024-01-01' AND "at" < '2024-02-01') GROUP BY date_trunc('day', "at") ORDER BY date_trunc('day', "at")`,
  ],
  [
    'pivot_table_v2',
    { groupbyRows: ['country'], groupbyColumns: ['size'], metrics: ['revenue'] },
    'SELECT "country" AS "country", (CASE WHEN total > 9 THEN 1 ELSE 0 END) AS "size", SUM(total) AS "revenue" FROM public.orders GROUP BY "country", (CASE WHEN total > 9 THEN 1 ELSE 0 END) ORDER BY SUM(total) DESC',
  ],
  [
    'pie',
    {
      groupby: ['country'],
      metric: 'revenue',
      adhoc_filters: [
        { expressionType: 'SIMPLE', clause: 'WHERE', subject: 'country', operator: '==', comparator: `it's` },
        { expressionType: 'SQL', clause: 'HAVING', sqlExpression: 'SUM(total) > 1' },
      ],
    },
    `SELECT "country" AS "country", SUM(total) AS "revenue" FROM public.orders WHERE "country" = 'it''s' GROUP BY "country" HAVING (SUM(total) > 1) ORDER BY SUM(total) DESC`,
  ],
  [
    'table',
    { groupby: ['a"b'], metrics: ['revenue'] },
    'SELECT "a""b" AS "a""b", SUM(total) AS "revenue" FROM public.orders GROUP BY "a""b" ORDER BY SUM(total) DESC',
  ],
  ['table', { groupby: ['country'], metrics: ['unknown'] }, 'not: The metric unknown is not in the dataset'],
  [
    'table',
    { query_mode: 'raw', all_columns: ['country'], order_by_cols: ['["size", false]', '["country", true]'] },
    'SELECT "country" AS "country" FROM public.orders ORDER BY (CASE WHEN total > 9 THEN 1 ELSE 0 END) DESC, "country" ASC',
  ],
  [
    'table',
    { query_mode: 'raw', all_columns: ['country'], order_by_cols: ['country'] },
    'not: An order of the chart is not readable',
  ],
  [
    'table',
    { groupby: ['country'], metrics: ['count'], timeseries_limit_metric: 'revenue', row_limit: 3 },
    'SELECT "country" AS "country", COUNT(*) AS "count" FROM public.orders GROUP BY "country" ORDER BY SUM(total) ASC LIMIT 3',
  ],
  [
    'table',
    { groupby: ['country'], metrics: ['count'], order_desc: false },
    'SELECT "country" AS "country", COUNT(*) AS "count" FROM public.orders GROUP BY "country" ORDER BY COUNT(*) DESC',
  ],
  [
    'word_cloud',
    { series: 'country', metric: 'count', series_limit_metric: 'revenue' },
    'SELECT "country" AS "country", COUNT(*) AS "count" FROM public.orders GROUP BY "country" ORDER BY SUM(total) DESC',
  ],
  [
    'table',
    { groupby: ['country'], metrics: ['count'], percent_metrics: ['revenue'] },
    'not: The chart has percentages, which Superset computes after the query',
  ],
  [
    'table',
    {
      groupby: ['country'],
      adhoc_filters: [
        { expressionType: 'SIMPLE', subject: 'gone', operator: 'TEMPORAL_RANGE', comparator: 'Last week' },
        { expressionType: 'SIMPLE', subject: 'gone', operator: '==', comparator: 1 },
        { expressionType: 'SIMPLE', subject: 'size', operator: '==', comparator: 1 },
      ],
    },
    'SELECT "country" AS "country" FROM public.orders WHERE (CASE WHEN total > 9 THEN 1 ELSE 0 END) = 1',
  ],
  ['table', {}, 'not: The chart has neither metrics nor columns'],
  ['histogram_v2', { metrics: ['revenue'] }, 'not: Charts of the type histogram_v2 are not supported'],
  [
    'echarts_timeseries_bar',
    { x_axis: 'at', metrics: ['revenue'], rolling_type: 'mean' },
    'not: The chart has a rolling window, which Superset computes after the query',
  ],
  ['table', { groupby: [{}], metrics: ['revenue'] }, 'not: A dimension of the chart is not readable'],
])('%s %j', (kind, params, expected) => {
  expect(chart(kind, params)).toBe(expected);
});

test.each([
  [
    {
      x_axis: 'at',
      time_grain_sqla: 'P1D',
      metrics: ['n'],
      time_range: '2024-01-01 : 2024-02-01',
      row_limit: 9,
    },
    "SELECT `at_value` AS `at`, `n_value_` AS `n` FROM ( SELECT date_trunc('day', `at`) AS `at_value`, count() AS `n_value_` FROM orders WHERE (`at` >= '2024-01-01' AND `at` < '2024-02-01') GROUP BY date_trunc('day', `at`) ) ORDER BY `at_value` LIMIT 9",
  ],
  [
    { groupby: ['n_value'], metrics: ['total'], series_limit_metric: 'n' },
    'SELECT `n_value_value` AS `n_value`, `total_value` AS `total` FROM ( SELECT `n_value` AS `n_value_value`, sum(total) AS `total_value`, count() AS `n_value_` FROM orders GROUP BY `n_value` ) ORDER BY `n_value_` DESC',
  ],
  [
    { groupby: ['at'], metrics: ['n'] },
    'SELECT `at` AS `at`, count() AS `n` FROM orders GROUP BY `at` ORDER BY count() DESC',
  ],
])('on ClickHouse, no name of an expression hides a column: %j', (params, expected) => {
  const dataset = {
    table_name: 'orders',
    columns: [{ column_name: 'at' }, { column_name: 'total' }, { column_name: 'n_value' }],
    metrics: [
      { metric_name: 'n', expression: 'count()' },
      { metric_name: 'total', expression: 'sum(total)' },
    ],
  };
  expect(chart('echarts_timeseries_line', params, dataset, 'clickhouse')).toBe(expected);
});

test('a virtual dataset is a subquery', () => {
  expect(
    chart('table', { groupby: ['a'], metrics: ['count'] }, { table_name: 'v', sql: 'SELECT a FROM t;' }),
  ).toBe(
    'SELECT "a" AS "a", COUNT(*) AS "count" FROM ( SELECT a FROM t ) AS virtual_table GROUP BY "a" ORDER BY COUNT(*) DESC',
  );
});
