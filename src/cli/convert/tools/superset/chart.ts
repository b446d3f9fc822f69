// The query of a Superset chart, which it generates from the chart's metrics, dimensions and filters.
import { literalOf } from '../../placeholders/source-lexer.ts';
import type { TemplateDialect } from '../../placeholders/template.ts';
import { entriesOf, listOf, member, textOf } from '../../export/document.ts';

type Chart = { readonly sql: string } | { readonly reason: string };

/** Settings that change the result after or around the query; absent or empty in charts that are converted. */
const UNSUPPORTED: readonly (readonly [key: string, what: string])[] = [
  ['rolling_type', 'a rolling window'],
  ['time_compare', 'a time comparison'],
  ['resample_rule', 'resampling'],
  ['contributionMode', 'contributions'],
  ['forecastEnabled', 'a forecast'],
  ['percent_metrics', 'percentages'],
];
/** Without a column for their axis, these have the dataset's time column. */
const TIME_SERIES = /^(line|area|bar|big_number|echarts_(area|timeseries.*))$/;
const SUPPORTED =
  /^(table|ag-grid-table|pie|big_number_total|big_number|dist_bar|bar|line|area|echarts_(area|timeseries.*)|treemap.*|word_cloud|funnel|gauge_chart|radar|sunburst.*|bubble.*|country_map|world_map|heatmap.*|pivot_table_v2|sankey.*)$/;

/** The SQL of the chart in the dialect of its dataset, or why there is none. */
export function chartSql(chart: unknown, dataset: unknown, dialect: TemplateDialect | undefined): Chart {
  const kind = textOf(chart, 'viz_type') ?? '';
  const params = paramsOf(chart);
  if (!SUPPORTED.test(kind)) return { reason: `Charts of the type ${kind} are not supported` };
  const obstacle = UNSUPPORTED.find(([key]) => isSet(member(params, key)));
  const isLimited = listOf(params, 'groupby').length > 0 && Number(member(params, 'limit') ?? 0) > 0;
  if (isLimited) return { reason: 'The chart has a limit of series, for which Superset runs a second query' };
  if (obstacle !== undefined)
    return { reason: `The chart has ${obstacle[1]}, which Superset computes after the query` };
  const writer = createWriter(dataset, dialect ?? 'postgresql');
  try {
    return { sql: writeChart(withAxis(params, kind), dataset, writer) };
  } catch (error) {
    if (error instanceof UnsupportedChart) return { reason: error.message };
    throw error;
  }
}

/** The settings with the type of the chart and the column of its axis. */
function withAxis(params: unknown, kind: string): unknown {
  const time = textOf(params, 'granularity_sqla');
  const typed = { ...Object.fromEntries(entriesOf(params)), viz_type: kind };
  if (!TIME_SERIES.test(kind) || isSet(member(params, 'x_axis')) || time === undefined) return typed;
  return { ...typed, x_axis: time };
}

class UnsupportedChart extends Error {}

function isSet(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0;
  return value !== undefined && value !== null && value !== false && value !== '' && value !== 'None';
}

/** An object in exports, JSON in old ones. */
function paramsOf(chart: unknown): unknown {
  const params = member(chart, 'params');
  if (typeof params !== 'string' || params.length > 1_000_000) return params;
  try {
    return JSON.parse(params);
  } catch {
    return undefined;
  }
}

interface ChartWriter {
  readonly dialect: TemplateDialect;
  /** The columns of the dataset; empty if the export has none. */
  readonly columns: ReadonlySet<string>;
  readonly quote: (name: string) => string;
  readonly literal: (value: unknown) => string;
  /** A column, calculated or not. */
  readonly column: (name: string) => string;
  readonly savedMetric: (name: string) => string | undefined;
}

function createWriter(dataset: unknown, dialect: TemplateDialect): ChartWriter {
  const mark = ['mysql', 'mariadb', 'bigquery', 'clickhouse'].includes(dialect) ? '`' : '"';
  const quote = (name: string): string => `${mark}${name.replaceAll(mark, mark + mark)}${mark}`;
  const columns = new Set<string>();
  const expressions = new Map<string, string>();
  for (const column of listOf(dataset, 'columns')) {
    const [name, expression] = [textOf(column, 'column_name'), textOf(column, 'expression')];
    if (name !== undefined) columns.add(name);
    if (name !== undefined && expression !== undefined) expressions.set(name, `(${expression})`);
  }
  const metrics = new Map<string, string>();
  for (const metric of listOf(dataset, 'metrics')) {
    const [name, expression] = [textOf(metric, 'metric_name'), textOf(metric, 'expression')];
    if (name !== undefined && expression !== undefined) metrics.set(name, expression);
  }
  return {
    dialect,
    columns,
    quote,
    literal: (value) => {
      if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean')
        return literalOf(value, dialect);
      throw new UnsupportedChart('A filter of the chart has a value that is no string, number or boolean');
    },
    column: (name) => expressions.get(name) ?? quote(name),
    savedMetric: (name) => metrics.get(name),
  };
}

function writeChart(params: unknown, dataset: unknown, writer: ChartWriter): string {
  const isRaw = textOf(params, 'query_mode') === 'raw';
  const time = textOf(params, 'granularity_sqla') ?? textOf(params, 'x_axis');
  const dimensions = (isRaw ? listOf(params, 'all_columns') : dimensionsOf(params)).map((each) =>
    dimension(each, params, writer),
  );
  const metrics = isRaw ? [] : metricsOf(params).map((each) => metric(each, writer));
  if (dimensions.length + metrics.length === 0)
    throw new UnsupportedChart('The chart has neither metrics nor columns');
  const where = [...filtersOf(params, 'WHERE', writer), ...timeRange(params, time, writer)];
  const having = filtersOf(params, 'HAVING', writer);
  const limit = member(params, 'row_limit');
  const body = [
    `FROM ${sourceOf(dataset, writer)}`,
    ...(where.length === 0 ? [] : [`WHERE ${where.join(' AND ')}`]),
    ...(metrics.length === 0 || dimensions.length === 0
      ? []
      : [`GROUP BY ${dimensions.map(({ sql }) => sql).join(', ')}`]),
    ...(having.length === 0 ? [] : [`HAVING ${having.join(' AND ')}`]),
  ];
  const order = orderOf(params, { metrics, dimensions }, writer);
  const end = (written: (of: Selected) => string): readonly string[] => [
    ...(order.length === 0
      ? []
      : [`ORDER BY ${order.map((each) => `${written(each)}${each.direction}`).join(', ')}`]),
    ...(isCount(limit) ? [`LIMIT ${String(limit)}`] : []),
  ];
  const selected = [...dimensions, ...metrics];
  if (!selected.some((each) => hidesColumn(each, writer)))
    return [selectOf(selected, writer), ...body, ...end(({ sql }) => sql)].join('\n');
  const inner = new Map([...selected, ...order].map((each) => [ownName(each, writer), each.sql]));
  const outer = (each: Selected): string => writer.quote(ownName(each, writer));
  return [
    selectOf(
      selected.map((each) => ({ ...each, sql: outer(each) })),
      writer,
    ),
    'FROM (',
    selectOf(
      [...inner].map(([name, sql]) => ({ name, sql })),
      writer,
    ),
    ...body,
    ')',
    ...end(outer),
  ].join('\n');
}

function selectOf(selected: readonly Selected[], { quote }: ChartWriter): string {
  return `SELECT ${selected.map(({ sql, name }) => `${sql} AS ${quote(name)}`).join(', ')}`;
}

/** In ClickHouse, the name of an expression means the expression in WHERE and GROUP BY, too, even if a column has it. */
function hidesColumn({ sql, name }: Selected, { dialect, columns, quote }: ChartWriter): boolean {
  return dialect === 'clickhouse' && columns.has(name) && sql !== quote(name);
}

/** A name that no column has. */
function ownName({ name }: Selected, { columns }: ChartWriter): string {
  let own = `${name}_value`;
  while (columns.has(own)) own += '_';
  return own;
}

function isCount(value: unknown): value is number | string {
  return /^\d{1,9}$/.test(String(value)) && Number(value) > 0;
}

function sourceOf(dataset: unknown, { quote }: ChartWriter): string {
  const sql = textOf(dataset, 'sql');
  if (sql !== undefined) return `(\n${sql.trim().replace(/;\s*$/, '')}\n) AS virtual_table`;
  const schema = textOf(dataset, 'schema');
  const plain = (name: string): string => (/^[a-z_]\w*$/.test(name) ? name : quote(name));
  const table = plain(textOf(dataset, 'table_name') ?? '');
  return schema === undefined ? table : `${plain(schema)}.${table}`;
}

interface Selected {
  readonly sql: string;
  readonly name: string;
}

/** Settings that name one column or several, by the type of the chart. */
const DIMENSIONS = [
  'x_axis',
  'entity',
  'series',
  'source',
  'target',
  'groupby',
  'columns',
  'groupbyRows',
  'groupbyColumns',
];

function dimensionsOf(params: unknown): readonly unknown[] {
  const found = new Map<string, unknown>();
  for (const each of DIMENSIONS.flatMap((key) => listed(member(params, key))))
    found.set(JSON.stringify(each), each);
  return [...found.values()];
}

function listed(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value as readonly unknown[];
  return value === undefined || value === null || value === '' ? [] : [value];
}

const GRAINS: ReadonlyMap<string, string> = new Map([
  ['PT1S', 'second'],
  ['PT1M', 'minute'],
  ['PT1H', 'hour'],
  ['P1D', 'day'],
  ['P1W', 'week'],
  ['P1M', 'month'],
  ['P3M', 'quarter'],
  ['P1Y', 'year'],
]);

function dimension(column: unknown, params: unknown, writer: ChartWriter): Selected {
  if (typeof column === 'string') {
    const grain = textOf(params, 'time_grain_sqla');
    const isTime = column === textOf(params, 'x_axis') || column === textOf(params, 'granularity_sqla');
    if (!isTime || grain === undefined) return { sql: writer.column(column), name: column };
    const unit = GRAINS.get(grain);
    if (unit === undefined) throw new UnsupportedChart(`The time grain ${grain} is not supported`);
    return { sql: `date_trunc('${unit}', ${writer.column(column)})`, name: column };
  }
  const [expression, label] = [textOf(column, 'sqlExpression'), textOf(column, 'label')];
  if (expression === undefined) throw new UnsupportedChart('A dimension of the chart is not readable');
  return { sql: `(${expression})`, name: label ?? expression };
}

const METRICS = ['metrics', 'metric', 'x', 'y', 'size', 'secondary_metric'];

function metricsOf(params: unknown): readonly unknown[] {
  const found = new Map<string, unknown>();
  for (const each of METRICS.flatMap((key) => listed(member(params, key)))) found.set(labelOf(each), each);
  return [...found.values()];
}

/** Metrics of one label are one column. */
function labelOf(value: unknown): string {
  return typeof value === 'string' ? value : (textOf(value, 'label') ?? JSON.stringify(value));
}

function metric(value: unknown, writer: ChartWriter): Selected {
  if (typeof value === 'string') {
    const saved = writer.savedMetric(value);
    if (saved !== undefined) return { sql: saved, name: value };
    if (value === 'count') return { sql: 'COUNT(*)', name: value };
    throw new UnsupportedChart(`The metric ${value} is not in the dataset`);
  }
  const name = textOf(value, 'label') ?? 'metric';
  const expression = textOf(value, 'sqlExpression');
  if (textOf(value, 'expressionType') === 'SQL' && expression !== undefined) return { sql: expression, name };
  const column = textOf(member(value, 'column'), 'column_name');
  const aggregate = textOf(value, 'aggregate')?.toUpperCase();
  if (column === undefined || aggregate === undefined)
    throw new UnsupportedChart(`The metric ${name} is not readable`);
  const inner = writer.column(column);
  return {
    sql: aggregate === 'COUNT_DISTINCT' ? `COUNT(DISTINCT ${inner})` : `${aggregate}(${inner})`,
    name,
  };
}

const COMPARISONS: ReadonlyMap<string, string> = new Map([
  ['==', '='], ['EQUALS', '='], ['!=', '<>'], ['NOT_EQUALS', '<>'], ['>', '>'], ['GREATER_THAN', '>'], ['<', '<'], ['LESS_THAN', '<'],
  ['>=', '>='], ['GREATER_THAN_OR_EQUAL', '>='], ['<=', '<='], ['LESS_THAN_OR_EQUAL', '<='], ['LIKE', 'LIKE'], ['ILIKE', 'ILIKE'],
]); // prettier-ignore

function filtersOf(params: unknown, clause: 'WHERE' | 'HAVING', writer: ChartWriter): readonly string[] {
  return listOf(params, 'adhoc_filters').flatMap((filter) => {
    if ((textOf(filter, 'clause') ?? 'WHERE') !== clause) return [];
    const expression = textOf(filter, 'sqlExpression');
    if (textOf(filter, 'expressionType') === 'SQL' && expression !== undefined) return [`(${expression})`];
    const found = simpleFilter(filter, writer);
    return found === undefined ? [] : [found];
  });
}

/** Undefined for a time range without bounds, and for a column that the dataset has not. */
function simpleFilter(filter: unknown, { column, columns, literal }: ChartWriter): string | undefined {
  const [subject, value] = [textOf(filter, 'subject'), member(filter, 'comparator')];
  const operator = (textOf(filter, 'operator') ?? '').toUpperCase();
  if (operator === 'TEMPORAL_RANGE' && /^no filter$/i.test(String(value))) return undefined;
  if (subject === undefined) throw new UnsupportedChart('A filter of the chart has no column');
  if (columns.size > 0 && !columns.has(subject)) return undefined; // Superset leaves it out
  const comparison = COMPARISONS.get(operator);
  const name = column(subject);
  if (comparison !== undefined) return `${name} ${comparison} ${literal(value)}`;
  if (operator === 'IS NULL' || operator === 'IS NOT NULL') return `${name} ${operator}`;
  if (operator === 'IN' || operator === 'NOT IN') {
    const values = Array.isArray(value) ? (value as readonly unknown[]) : [value];
    if (values.length > 0) return `${name} ${operator} (${values.map(literal).join(', ')})`;
  }
  if (operator === 'TEMPORAL_RANGE') return rangeOf(name, String(value));
  throw new UnsupportedChart(`A filter of the chart has the operator ${operator}`);
}

/** `from : to` of dates; ranges relative to the current day become the caller's. */
function rangeOf(name: string, range: string): string {
  const [, from, to] =
    /^\s*(\d{4}-\d\d-\d\d[T\d:.]*)?\s*:\s*(\d{4}-\d\d-\d\d[T\d:.]*)?\s*$/.exec(range) ?? [];
  const low = from === undefined ? undefined : `${name} >= '${from.replace('T', ' ')}'`;
  const high = to === undefined ? undefined : `${name} < '${to.replace('T', ' ')}'`;
  const fixed = [low, high].filter((each) => each !== undefined);
  if (fixed.length > 0) return `(${fixed.join(' AND ')})`;
  return `{% if from_dttm is not none %} ${name} >= '{{ from_dttm }}' {% else %} 1 = 1 {% endif %} AND {% if to_dttm is not none %} ${name} < '{{ to_dttm }}' {% else %} 1 = 1 {% endif %}`;
}

function timeRange(params: unknown, time: string | undefined, { column }: ChartWriter): readonly string[] {
  const range = textOf(params, 'time_range');
  if (time === undefined || range === undefined || /^no filter$/i.test(range)) return [];
  return [rangeOf(column(time), range)];
}

interface Grouping {
  readonly metrics: readonly Selected[];
  readonly dimensions: readonly Selected[];
}

interface Ordered extends Selected {
  readonly direction: '' | ' ASC' | ' DESC';
}

/** Orders by the axis of time, by the metric that is chosen for it, or by the first; rows of a table by the columns that are chosen. */
function orderOf(
  params: unknown,
  { metrics: [first], dimensions: [axis] }: Grouping,
  writer: ChartWriter,
): readonly Ordered[] {
  if (first === undefined && textOf(params, 'query_mode') === 'raw')
    return listOf(params, 'order_by_cols').map((each) => orderedColumn(each, writer));
  if (axis === undefined) return [];
  if (textOf(params, 'x_axis') !== undefined) return [{ ...axis, direction: '' }];
  const isTable = /table/.test(textOf(params, 'viz_type') ?? '');
  const isDown = member(params, 'order_desc');
  const chosen = listed(
    member(params, 'timeseries_limit_metric') ?? member(params, 'series_limit_metric'),
  )[0];
  if (chosen !== undefined)
    return [{ ...metric(chosen, writer), direction: (isDown ?? !isTable) ? ' DESC' : ' ASC' }];
  return first === undefined
    ? []
    : [{ ...first, direction: isDown === false && !isTable ? ' ASC' : ' DESC' }];
}

/** `["column", true]` as JSON: in ascending order. */
function orderedColumn(written: unknown, writer: ChartWriter): Ordered {
  const [, name, isUp] = /^\s*\[\s*"([^"\\]*)"\s*,\s*(true|false)\s*\]\s*$/.exec(String(written)) ?? [];
  if (name === undefined) throw new UnsupportedChart('An order of the chart is not readable');
  return { sql: writer.column(name), name, direction: isUp === 'true' ? ' ASC' : ' DESC' };
}
