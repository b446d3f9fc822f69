// Templates of other tools on the engine: the rows for given and absent values are those of the tool's own SQL.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ConvertedParameter } from '../../src/dialects/conversion.ts';
import { convertTemplate } from '../../src/convert/convert-template.ts';
import { createConverter, type Converter } from '../../src/convert/convert.ts';
import { readPlaceholders } from '../../src/convert/placeholders/read-placeholders.ts';
import type { Declaration, TemplateDialect, TemplateTool } from '../../src/convert/placeholders/template.ts';
import { quoteString } from '../../src/sql/literal.ts';
import { openOracle, type Oracle } from '../sql/oracle.ts';

let oracle: Oracle;
let converter: Converter;
beforeAll(async () => {
  oracle = openOracle();
  converter = createConverter();
  await oracle.ask(
    'CREATE TABLE orders (id UInt64, country String, total Float64, at DateTime64(3)) ENGINE = MergeTree ORDER BY id',
  );
  await oracle.ask(
    `INSERT INTO orders VALUES (1, 'DE', 10, '2024-01-01 00:00:00'), (2, 'DE', 20, '2024-01-01 00:07:00'),
     (3, 'FR', 30, '2024-01-02 00:00:00'), (4, 'it''s', 40, '2024-02-01 12:00:00')`,
  );
});
afterAll(async () => {
  oracle.close();
  await converter.close();
});

type Values = Readonly<Record<string, string | number | readonly string[]>>;

/** The query with the values of a call, and the defaults or NULL for the others. */
function bound(sql: string, parameters: readonly ConvertedParameter[], values: Values): string {
  const literal = (name: string): string => {
    const parameter = parameters.find((each) => each.name === name);
    if (parameter === undefined) throw new Error(`${name} is not declared`);
    const value = values[name] ?? parameter.default;
    if (value === undefined && parameter.required) throw new Error(`${name} is required`);
    if (typeof value === 'object')
      return `CAST([${value.map((each) => quoteString(String(each))).join()}] AS ${parameter.type})`;
    const type = value === undefined || !parameter.required ? `Nullable(${parameter.type})` : parameter.type;
    return /^UInt64$/.test(parameter.type)
      ? String(value)
      : `CAST(${value === undefined ? 'NULL' : quoteString(String(value))} AS ${type})`;
  };
  return sql.replace(/@([A-Za-z_]\w*)/g, (_, name: string) => literal(name));
}

interface Case {
  readonly tool: TemplateTool;
  readonly dialect: TemplateDialect;
  readonly text: string;
  readonly declarations?: readonly Declaration[];
  readonly calls: readonly (readonly [values: Values, rows: string])[];
}

const CASES: readonly Case[] = [
  {
    tool: 'metabase',
    dialect: 'postgresql',
    text: 'SELECT id FROM orders WHERE true [[AND country = {{c}}]] [[AND {{day}}]] AND {{among}} ORDER BY id [[LIMIT {{n}}]]',
    declarations: [
      { name: 'day', filter: { column: ['orders', 'at'], kind: 'date/all-options' } },
      { name: 'among', filter: { column: ['country'], kind: 'string/=' } },
    ],
    calls: [
      [{}, '1 2 3 4'],
      [{ c: 'DE' }, '1 2'],
      [{ c: `it's` }, '4'],
      [{ day_from: '2024-01-02' }, '3 4'],
      [{ day_from: '2024-01-01', day_to: '2024-01-01' }, '1 2'],
      [{ among: ['DE', 'FR'], n: 2 }, '1 2'],
    ],
  },
  {
    tool: 'redash',
    dialect: 'mysql',
    text: `SELECT id FROM orders WHERE country LIKE '%{{ part }}%' AND at >= '{{ range.start }}' AND at < '{{ range.end }} 00:00:00' ORDER BY id`,
    declarations: [{ name: 'range', type: 'Date', isRange: true }],
    calls: [
      [{ part: 'E', range_start: '2024-01-01', range_end: '2024-01-02' }, '1 2'],
      [{ part: `'`, range_start: '2024-01-01', range_end: '2025-01-01' }, '4'],
      [{ part: `' OR 1 = 1 -- `, range_start: '2024-01-01', range_end: '2025-01-01' }, ''],
    ],
  },
  {
    tool: 'grafana',
    dialect: 'postgresql',
    text: `SELECT $__timeGroup(at, '5m') AS t, sum(total) AS s FROM orders WHERE $__timeFilter(at) AND country IN ($c) GROUP BY 1 ORDER BY 1`,
    declarations: [{ name: 'c', isList: true }],
    calls: [
      [
        { time_from: '2024-01-01 00:00:00', time_to: '2024-01-01 23:00:00', c: ['DE'] },
        '2024-01-01 00:00:00,10 2024-01-01 00:05:00,20',
      ],
      [
        { time_from: '2024-01-01 00:05:00', time_to: '2024-01-03 00:00:00', c: ['FR', 'DE'] },
        '2024-01-01 00:05:00,20 2024-01-02 00:00:00,30',
      ],
    ],
  },
  {
    tool: 'superset',
    dialect: 'postgresql',
    text: `SELECT id FROM orders WHERE 1 = 1 {% if from_dttm is not none and to_dttm is not none %} AND at BETWEEN '{{ from_dttm }}' AND '{{ to_dttm }}' {% elif from_dttm is not none %} AND at >= '{{ from_dttm }}' {% endif %} {% if filter_values('c') %} AND country IN {{ filter_values('c')|where_in }} {% endif %} ORDER BY id`,
    calls: [
      [{}, '1 2 3 4'],
      [{ from_dttm: '2024-01-02 00:00:00' }, '3 4'],
      [{ from_dttm: '2024-01-02 00:00:00', to_dttm: '2024-01-03 00:00:00' }, '3'],
      [{ c: ['DE'] }, '1 2'],
    ],
  },
  {
    tool: 'tinybird',
    dialect: 'clickhouse',
    text: `%
SELECT {% if unit == 'month' %} toStartOfMonth(at) AS t, {% else %} toDate(at) AS t, {% end %} count() AS n FROM orders
WHERE total >= {{Float64(minimum, 15)}} {% if not defined(all) %} AND country != 'FR' {% end %} GROUP BY t ORDER BY t`,
    calls: [
      [{}, '2024-01-01,1 2024-02-01,1'],
      [{ minimum: 0, unit: 'month' }, '2024-01-01,2 2024-02-01,1'],
      [{ minimum: 0, unit: 'day', all: 'yes' }, '2024-01-01,2 2024-01-02,1 2024-02-01,1'],
    ],
  },
  {
    tool: 'tinybird',
    dialect: 'clickhouse',
    text: `{% if defined(c) %}SELECT id FROM orders WHERE country = {{String(c)}}{% else %}SELECT max(id) AS id FROM orders{% end %}`,
    calls: [
      [{}, '4'],
      [{ c: 'FR' }, '3'],
      [{ c: 'XX' }, ''],
    ],
  },
  {
    tool: 'driver',
    dialect: 'postgresql',
    text: 'SELECT id FROM orders WHERE total > $1 AND total <= $2 OR country = ANY($3) ORDER BY id DESC LIMIT $4 OFFSET $5',
    calls: [[{ total_from: 10, total_to: 20, country: ['FR', `it's`], limit: 2, offset: 1 }, '3 2']],
  },
];

describe.each(CASES)('$tool: $text', ({ tool, dialect, text, declarations = [], calls }) => {
  test.each(calls)('%j', async (values, rows) => {
    const template = readPlaceholders(text, { tool, dialect, declarations });
    const { sql, parameters, notes } =
      dialect === 'clickhouse'
        ? { ...template, sql: template.restore(template.sql) }
        : await convertTemplate(converter, template, { dialect });
    expect(notes.filter(({ severity }) => severity !== 'note')).toEqual([]);
    const answer = await oracle.ask(bound(sql ?? '', parameters, values), 'CSV');
    expect(answer.trim().replaceAll('"', '').split('\n').join(' ')).toBe(rows);
  });
});
