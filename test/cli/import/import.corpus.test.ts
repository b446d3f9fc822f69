// `millrace import` without the process: the queries of each tool's export, and exports that are hostile or malformed.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { CommandError } from '../../../src/cli/kit/command-error.ts';
import { MAX_FILE_BYTES, MAX_FILES } from '../../../src/cli/commands/import/bounds.ts';
import { importExport } from '../../../src/cli/commands/import/import.ts';
import type { ImportOptions } from '../../../src/cli/commands/import/options.ts';
import { printJson, printMarkdown, printTable } from '../../../src/cli/commands/import/print.ts';
import { isPart, type ImportReport } from '../../../src/cli/commands/import/report.ts';
import type { Terminal } from '../../../src/cli/kit/terminal.ts';
import { openImportEngine, type ImportEngine } from '../../support/import-engine.ts';
import { zipArchive } from '../../support/zip-archive.ts';

const FIXTURES = join(import.meta.dirname, '../../fixtures/import');

let engine: ImportEngine;
beforeAll(async () => {
  engine = await openImportEngine();
});
afterAll(() => engine.close());

interface Result {
  readonly code: number;
  readonly report: ImportReport;
  readonly folder: string;
  readonly notes: readonly string[];
}

async function run(
  path: string,
  options: Partial<ImportOptions> & { readonly folder?: string } = {},
): Promise<Result> {
  const folder = options.folder ?? mkdtempSync(join(tmpdir(), 'import-'));
  const notes: string[] = [];
  let report: ImportReport | undefined;
  const code = await importExport(
    {
      path,
      from: undefined,
      dialect: undefined,
      endpoints: join(folder, 'endpoints'),
      schema: join(folder, 'schema'),
      database: undefined,
      isForced: false,
      isDry: false,
      tenancy: undefined,
      engineSources: [],
      ...engine,
      print: async (given) => {
        report = given;
      },
      ...options,
    },
    terminalOf(notes),
  );
  if (report === undefined) throw new Error('no report');
  return { code, report, folder, notes };
}

const known = new Map<string, Promise<Result>>();

/** The export of a tool, imported with the usual options: once for all tests, which read the result only. */
function imported(tool: string): Promise<Result> {
  const result = known.get(tool) ?? run(join(FIXTURES, tool));
  known.set(tool, result);
  return result;
}

function terminalOf(lines: string[]): Terminal {
  const add = (line: string): void => void lines.push(line);
  return {
    print: add,
    write: add,
    note: add,
    progress: () => undefined,
    clear: () => undefined,
    paint: (_, text) => text,
  };
}

/** Of items without parts of endpoints: `name: status`, and the places of what is not converted. */
function outcomes({ items }: ImportReport): readonly string[] {
  const whole = items.filter((item) => !isPart(item));
  return whole.map(({ endpoint, relation, title, status, notes }) => {
    const places = notes
      .filter(({ severity }) => severity !== 'note')
      .map(({ place }) => `${place.line}:${place.column}`);
    return `${endpoint ?? relation ?? title}: ${status}${places.length === 0 ? '' : ` at ${places.join(', ')}`}`;
  });
}

/** The files that were not read; all other items are converted. */
function unread({ items }: ImportReport): readonly string[] {
  const files = items.filter(({ kind }) => kind === 'file');
  const others = items.filter(({ kind }) => kind !== 'file').map(({ status }) => status);
  expect(others).toEqual(['converted']);
  return files.map(({ file, status }) => (status === 'not' ? file : status));
}

const read = (folder: string, name: string): Record<string, unknown> =>
  parse(readFileSync(join(folder, 'endpoints', `${name}.yaml`), 'utf8')) as Record<string, unknown>;

const folderWith = (files: Readonly<Record<string, string | Buffer>>): string => {
  const folder = mkdtempSync(join(tmpdir(), 'import-'));
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(join(folder, name, '..'), { recursive: true });
    writeFileSync(join(folder, name), content);
  }
  return folder;
};

describe('the exports of each tool', () => {
  test.each([
    {
      tool: 'metabase',
      expected: [
        'orders-since-2024: converted',
        'Made in the query builder: not at 1:1',
        'customers-of-a-segment: converted',
        'revenue-by-country: converted',
        'sorted-by-choice: partly at 10:16',
      ],
    },
    {
      tool: 'superset',
      expected: [
        'Forecast: not at 1:13',
        'top-countries: converted',
        'orders: none',
        'recent-orders: converted',
      ],
    },
    {
      tool: 'grafana',
      expected: [
        'host: not at 7:18',
        'service-latency.latency-by-host: converted',
        'service-latency.slowest-a: converted',
        'Slowest B: not at 42:38',
        'service-latency.slowest-c: partly at 45:33',
        'service-latency.on-clickhouse: converted',
        'Elsewhere: not at 63:32',
      ],
    },
    {
      tool: 'redash',
      expected: ['orders-of-a-customer: converted', 'any-table: partly at 28:38', 'any-table-2: converted'],
    },
    {
      tool: 'tinybird',
      expected: [
        'import.hits: converted',
        'daily.daily: converted',
        'import.daily_views: converted',
        'pages_today: converted',
        'sorted: partly at 7:14',
        'top_pages: converted',
      ],
    },
    {
      tool: 'dbt',
      expected: ['big_orders: converted', 'pivot: converted', 'customer_orders: converted'],
    },
  ])('$tool', async ({ tool, expected }) => {
    const { code, report, folder } = await imported(tool);
    expect(outcomes(report)).toEqual(expected);
    expect(code).toBe(expected.every((each) => each.endsWith(': converted')) ? 0 : 1);
    expect(new Set(report.items.map((item) => item.tool))).toEqual(new Set([tool]));
    const files = report.items.flatMap(({ endpoint, rollup }) => [
      ...(endpoint === undefined ? [] : [`${endpoint}.yaml`]),
      ...(rollup === undefined ? [] : [`${rollup}.rollup.yaml`]),
    ]);
    expect(new Set(readdirSync(join(folder, 'endpoints')))).toEqual(new Set(files));
  });

  test('names, descriptions, parameters and the query are in the endpoint file', async () => {
    const { folder } = await imported('redash');
    expect(read(folder, 'orders-of-a-customer')).toMatchObject({
      name: 'orders-of-a-customer',
      description: 'Newest first.',
      query: expect.stringMatching(/customer = @customer[^]*created_at >= @range_start[^]*IN \(?@status\)?/),
      parameters: {
        customer: { type: 'String', required: true, description: 'Customer' },
        range_start: { type: 'Date', required: true, description: 'Time range: start' },
        status: { type: 'Array(String)', default: ['paid'], enum: ['new', 'paid', 'shipped'] },
        rows: { type: 'UInt64', default: 50 },
      },
    });
  });

  test('a part that is not converted is a parameter that is not declared', async () => {
    const { folder } = await imported('metabase');
    const { query, parameters } = read(folder, 'sorted-by-choice');
    expect([query, parameters]).toEqual([expect.stringContaining('@not_converted_1'), undefined]);
  });

  test('nodes of a pipe become a WITH clause, other pipes are included, data sources and views are definitions', async () => {
    const { folder } = await imported('tinybird');
    expect(read(folder, 'top_pages')['query']).toMatch(/^WITH filtered AS \([^]*FROM import\.hits/);
    expect(read(folder, 'pages_today')).toMatchObject({
      include: [{ endpoint: 'top_pages', result: 'top_pages' }],
      query: expect.stringMatching(/^SELECT sum\(views\) AS views FROM top_pages /),
    });
    const definition = (name: string): string =>
      readFileSync(join(folder, `schema/import/${name}.sql`), 'utf8');
    expect(definition('hits')).toMatch(
      /^CREATE TABLE import\.hits \(\n {2}`timestamp` DateTime,[^]*PARTITION BY toYYYYMM\(timestamp\)\nORDER BY \(timestamp, path\)\n/,
    );
    expect(definition('daily_views')).toMatch(
      /^CREATE MATERIALIZED VIEW import\.daily_views\nENGINE = SummingMergeTree\n[^]*AS\nSELECT [^]*FROM import\.hits /,
    );
  });

  test('a zip archive is read like its folder', async () => {
    const base = join(FIXTURES, 'superset');
    const files = readdirSync(base, { recursive: true, encoding: 'utf8' }).filter((name) =>
      name.endsWith('.yaml'),
    );
    const archive = join(mkdtempSync(join(tmpdir(), 'import-')), 'export.zip');
    writeFileSync(
      archive,
      zipArchive(files.map((name) => ({ name: `export/${name}`, content: readFileSync(join(base, name)) }))),
    );
    const { report } = await run(archive);
    expect(outcomes(report).toSorted()).toEqual(outcomes((await imported('superset')).report).toSorted());
    expect(report.items[0]?.file).toMatch(/export\.zip:export\//);
  });

  test('--database qualifies tables, and not names of WITH clauses', async () => {
    const { folder } = await run(join(FIXTURES, 'tinybird'), { database: 'web' });
    const { query } = read(folder, 'top_pages');
    expect(query).toMatch(/FROM web\.hits[^]*FROM filtered/);
  });

  test('--from reads one tool only, and --dialect decides if the export does not say', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'import-'));
    writeFileSync(
      join(folder, 'q.json'),
      JSON.stringify([{ name: 'x', query: 'SELECT now()', options: {} }]),
    );
    await expect(run(folder, { from: 'grafana' })).rejects.toMatchObject({ exitCode: 2 });
    expect(outcomes((await run(folder)).report)).toEqual(['x: not at 1:23']);
    expect(outcomes((await run(folder, { dialect: 'mysql' })).report)).toEqual(['x: converted']);
  });
});

describe('a dbt project', () => {
  const project = {
    'dbt_project.yml': 'name: shop\nprofile: shop\nmodels:\n  shop:\n    marts:\n      +schema: marts\n',
    'profiles.yml':
      "shop:\n  target: prod\n  outputs:\n    dev: { type: clickhouse, schema: dev }\n    prod: { type: clickhouse, schema: \"{{ env_var('DB', 'sales') }}\" }\n",
    'seeds/rates.csv': 'currency,rate,since\nEUR,1.1,2024-01-01\n"US,D",1,\n',
    'macros/cents.sql': '{% macro cents(x) %}{{ x }} / 100{% endmacro %}\n',
    'models/staging/stg_rates.sql': "SELECT currency, rate FROM {{ ref('rates') }}",
    'models/marts/dear.sql':
      "{{ config(tags=['x'], alias='expensive') }} SELECT currency FROM {{ ref('stg_rates') }} WHERE rate > 1",
    'models/marts/names.sql': "SELECT upper(currency) AS name FROM {{ ref('dear') }}",
  };

  test('references have the schema of the profile, and the definitions that they need', async () => {
    const { report, folder } = await run(folderWith(project));
    expect(outcomes(report)).toEqual([
      'cents: none',
      'dear: converted',
      'names: converted',
      'stg_rates: converted',
      'sales.rates: converted',
    ]);
    expect(report.items.flatMap(({ rows }) => rows ?? [])).toEqual([1, 1, 2]);
    expect(read(folder, 'names')['query']).toContain('FROM sales_marts.expensive');
    const files = readdirSync(join(folder, 'schema'), { recursive: true, encoding: 'utf8' });
    expect(files.filter((name) => name.endsWith('.sql')).toSorted()).toEqual([
      'sales/rates.sql',
      'sales/stg_rates.sql',
      'sales_marts/expensive.sql',
    ]);
  });
});

test('a dbt project with folders of its own, and a macro that names schemas', async () => {
  const named = (config: string): string => `{{ config(${config}) }}SELECT rate FROM {{ ref('rates') }}`;
  const { report, folder } = await run(
    folderWith({
      'dbt_project.yml':
        'name: shop\nprofile: shop\nmodel-paths: [queries]\ndata-paths: [data]\nseeds:\n  +schema: raw\nmodels:\n  shop:\n    marts:\n      +schema: marts\n',
      'profiles.yml': 'shop:\n  target: prod\n  outputs:\n    prod: { type: clickhouse, schema: sales }\n',
      'data/money/rates.csv': 'currency,rate\nEUR,1.1\n',
      'macros/names.sql':
        "{% macro generate_schema_name(custom_schema_name, node) -%}\n{%- if custom_schema_name is none -%} {{ target.schema }}\n{%- elif node.resource_type == 'seed' or target.name == 'prod' -%} {{ custom_schema_name | trim }}\n{%- else -%} {{ target.schema }}_{{ custom_schema_name }} {%- endif -%}\n{%- endmacro %}\n",
      'queries/marts/dear.sql': "SELECT rate FROM {{ ref('own') }}",
      'queries/own.sql': named("schema=env_var('OWN', 'private')"),
      'queries/plain.sql': "WITH own AS (SELECT * FROM {{ ref('own') }}) SELECT * FROM own",
      'queries/last.sql': "SELECT * FROM {{ ref('dear') }} UNION ALL SELECT * FROM {{ ref('plain') }}",
    }),
  );
  expect(outcomes(report).toSorted()).toEqual([
    'dear: converted',
    'generate_schema_name: none',
    'last: converted',
    'own: converted',
    'plain: converted',
    'raw.rates: converted',
  ]);
  const files = readdirSync(join(folder, 'schema'), { recursive: true, encoding: 'utf8' });
  expect(files.filter((name) => name.endsWith('.sql')).toSorted()).toEqual([
    'marts/dear.sql',
    'private/own.sql',
    'raw/rates.sql',
    'sales/plain.sql',
  ]);
});

test('a division of integers is another in DuckDB than in PostgreSQL', async () => {
  const project = (type: string): Readonly<Record<string, string>> => ({
    'dbt_project.yml': 'name: shop\nprofile: shop\n',
    'profiles.yml': `shop:\n  outputs:\n    dev: { type: ${type}, schema: sales }\n`,
    'seeds/payments.csv': 'amount\n150\n',
    'models/halves.sql': "SELECT amount / 100 AS dollars FROM {{ ref('payments') }}",
  });
  expect(outcomes((await run(folderWith(project('duckdb')))).report)[0]).toMatch(/^halves: partly/);
  expect(outcomes((await run(folderWith(project('postgres')))).report)[0]).toBe('halves: converted');
});

test('a Tinybird project with versions, comments, a shared data source, and values that are compared with numbers', async () => {
  const columns =
    'SCHEMA >\n    # When; in UTC.\n    `at` DateTime, -- the day\n    `code` LowCardinality(UInt16) `json:$.code`\n';
  const { report, folder } = await run(
    folderWith({
      'packages/tinybird/datasources/hits.datasource': `# All; hits.\nVERSION 3\n\n${columns}\nENGINE "MergeTree"\nENGINE_SORTING_KEY "at"\n`,
      'packages/tinybird/datasources/old_hits.datasource': columns,
      'packages/tinybird/datasources/Other.days.datasource': 'SCHEMA >\n    `day` Date\n',
      'packages/tinybird/pipes/codes.pipe':
        'NODE some\nSQL >\n    %\n    SELECT code,\n        at\n    FROM\n        {% if defined(old) %} old_hits\n        {% else %} hits__v3\n        {% end %}\n    WHERE 1\n        {% if defined(codes) %} AND code NOT IN {{ Array(codes) }} {% end %}\n\nNODE endpoint\nSQL >\n    SELECT code\n    FROM some\n',
      'packages/tinybird/pipes/days.pipe': 'NODE endpoint\nSQL >\n    SELECT day FROM Other.days\n',
    }),
  );
  expect(report.items.filter(({ status }) => status !== 'converted')).toEqual([]);
  expect(report.items.flatMap(({ relation }) => relation ?? [])).toEqual([
    'Other.days',
    expect.stringMatching(/^import_\w+\.hits$/),
    expect.stringMatching(/^import_\w+\.old_hits$/),
  ]);
  expect(read(folder, 'codes')).toMatchObject({
    query: expect.stringMatching(
      /^WITH some AS \(\nSELECT code,\n {4}at\nFROM\n {4}\/\* if @old \*\/ import_\w+\.old_hits\n[^]*if not @old \*\/ import_\w+\.hits\n[^]*\nSELECT code\nFROM some\n$/,
    ),
    parameters: { codes: { type: 'Array(UInt16)' } },
  });
});

test('nothing is called converted that could not be run: no value is known that the query accepts', async () => {
  const sql = "SELECT throwIf('{{ word }}' != 'magic', 'unknown') AS a";
  const text = JSON.stringify({ name: 'a', query: sql, options: {}, data_source: { type: 'clickhouse' } });
  const { code, report } = await run(folderWith({ 'a.json': text }));
  expect([code, outcomes(report)]).toEqual([1, ['a: partly at 1:22']]);
  expect(report.items[0]?.notes.map((each) => each.code)).toContain('not_run');
});

test.each([
  ['', [], ['function 1:54', 'engine.unknown_table 1:35'], 'FROM web.t LIMIT 1'],
  [
    'if other servers are allowed',
    ['remote'],
    ['engine.rejected 1:74'],
    "FROM clusterAllReplicas('c', web, t)",
  ],
] as const)(
  'the tables of a cluster are partly those of one server %s',
  async (_, engineSources, expected, query) => {
    const datasource = { type: 'grafana-clickhouse-datasource' };
    const rawSql = "SELECT 1 AS a FROM clusterAllReplicas('c', web, t) LIMIT 1";
    const text = JSON.stringify({ panels: [{ targets: [{ rawSql }], title: 'Q', datasource }], title: 'D' });
    const { report, folder, code } = await run(folderWith({ 'd.json': text }), { engineSources });
    const [item] = report.items;
    const notes = item?.notes.map((note) => `${note.code} ${note.place.line}:${note.place.column}`);
    expect([item?.status, notes, code]).toEqual(['partly', expected, 1]);
    expect(read(folder, 'd.q')['query']).toContain(query);
  },
);

test('items without a query of their own have a line', async () => {
  const { report, code } = await run(
    folderWith({
      'dashboard.json': JSON.stringify({
        title: 'D',
        annotations: {
          list: [
            { name: 'Built in', builtIn: 1 },
            {
              name: 'Deploys',
              datasource: { type: 'grafana-clickhouse-datasource' },
              target: { rawSql: 'SELECT 1 AS time' },
            },
          ],
        },
        templating: {
          list: [
            {
              name: 'values',
              type: 'query',
              datasource: { type: 'grafana-clickhouse-datasource' },
              query: 'SELECT 1 AS v',
            },
            {
              name: 'labels',
              type: 'query',
              datasource: { type: 'prometheus' },
              query: 'label_values(up, job)',
            },
          ],
        },
        panels: [
          { type: 'text', title: 'About' },
          { type: 'row', title: 'Row', panels: [] },
          { title: 'Load', datasource: { type: 'prometheus' }, targets: [{ expr: 'up' }] },
          {
            title: 'Builder',
            datasource: { type: 'grafana-clickhouse-datasource' },
            targets: [{ refId: 'A' }],
          },
        ],
      }),
      'p.pipe':
        'INCLUDE "x.incl"\n\nNODE used\nSQL >\n  %SELECT 1 AS a\n\nNODE unused\nSQL >\n  SELECT 2 AS a\n\nNODE last\nSQL >\n  SELECT a FROM used\nTYPE endpoint\n',
      'empty.pipe': 'DESCRIPTION >\n  Nothing\n',
      'copy.pipe':
        'NODE a\nSQL >\n  SELECT 1 AS a\nNODE b\nSQL >\n  SELECT a FROM a\nTYPE copy\nTARGET_DATASOURCE t\nCOPY_SCHEDULE 0 * * * *\n',
    }),
  );
  expect(code).toBe(1);
  expect(report.items.map(({ kind, title, status }) => `${kind} ${title}: ${status}`).toSorted()).toEqual([
    'annotation Deploys: converted',
    'include "x.incl": not',
    'node copy.a: not',
    'node copy.b: not',
    'node p.last: converted',
    'node p.unused: not',
    'node p.used: converted',
    'panel About: none',
    'panel Builder: not',
    'panel Load: not',
    'pipe empty: not',
    'variable labels: not',
    'variable values: converted',
  ]);
  for (const { status, notes } of report.items) expect(notes.length > 0).toBe(status !== 'converted');
});

describe('what the engine says', () => {
  const card = (sql: string): string =>
    JSON.stringify({ name: 'q', query: sql, options: {}, data_source: { type: 'clickhouse' } });

  test.each([
    ['a table that is known', 'SELECT id FROM orders', 'q: converted'],
    ['a table of the schema by its database', 'SELECT id FROM public.orders', 'q: converted'],
    ['a table that is not', 'SELECT id FROM nowhere', 'q: partly at 1:37'],
    ['a column that is not', 'SELECT missing FROM orders', 'q: not at 1:29'],
    ['a function that is not', 'SELECT nofun(id) FROM orders', 'q: not at 1:29'],
    ['a query that fails', "SELECT throwIf(1, 'x') AS x", 'q: not at 1:22'],
    [
      'a source outside of the tables',
      "SELECT * FROM url('http://127.0.0.1:1/', CSV, 'a String')",
      'q: not at 1:36',
    ],
  ])('%s', async (_, sql, expected) => {
    const { report, code, folder } = await run(folderWith({ 'q.json': card(sql) }));
    expect([outcomes(report), code]).toEqual([[expected], expected.endsWith('converted') ? 0 : 1]);
    if (expected.endsWith('converted')) expect(read(folder, 'q')['query']).toContain('public.orders');
  });
});

test('settings that servers of Tinybird and Grafana have are written where the engine asks for them, also when it runs the query', async () => {
  const { report, folder } = await run(
    folderWith({
      'events.datasource':
        'SCHEMA >\n  `id` Int32,\n  `data` JSON\n\nENGINE MergeTree\nENGINE_SORTING_KEY id\n',
      'fixtures/events.ndjson': '{"id":1,"data":{"key":"a"}}\n{"id":2,"data":{"key":"a"}}\n',
      'joined.pipe':
        'NODE x\nSQL >\n  SELECT a.id AS one, b.id AS other FROM events AS a JOIN events AS b ON a.data.key = b.data.key WHERE a.id < b.id\nTYPE endpoint\n',
      'grouped.pipe':
        'NODE x\nSQL >\n  SELECT data.key AS k, count() AS n FROM events GROUP BY k ORDER BY k SETTINGS max_threads = 1\nTYPE endpoint\n',
      'per_day.pipe':
        "NODE days\nSQL >\n  % {% if defined(f) and day_diff(f, t) == 0 %} SELECT toDateTime({{Date(f)}}) AS day {% else %} SELECT toDate('2024-01-02') AS day {% end %}\nNODE found\nSQL >\n  SELECT day, count() AS n FROM days GROUP BY day\nNODE endpoint\nSQL >\n  SELECT a.day, b.n FROM days a LEFT JOIN found b USING day\n",
      'tests/per_day.yaml':
        '- name: days\n  parameters: \'\'\n  expected_result: |\n    {"day":"2024-01-02","n":1}\n- name: hours\n  parameters: f=2024-01-01&t=2024-01-01\n  expected_result: |\n    {"day":"2024-01-01 00:00:00","n":1}\n',
      'differences.pipe':
        'NODE x\nSQL >\n  SELECT id, runningDifference(id) AS d FROM events ORDER BY id\nTYPE endpoint\n',
    }),
    { database: 'web' },
  );
  expect(outcomes(report)).toEqual(Array.from({ length: 5 }, () => expect.stringMatching(/: converted$/)));
  expect(report.items.flatMap(({ rows }) => rows ?? [])).toEqual([2, 1, 1, 2]);
  expect(read(folder, 'grouped')['query']).toMatch(/SETTINGS max_threads = 1, allow_suspicious_types/);
});

test('alternatives are optional parts where their columns exist in one of them only, and values without an alternative are rejected', async () => {
  const { report, folder } = await run(
    folderWith({
      'clicks.datasource':
        'SCHEMA >\n  `id` Int32,\n  `domain` String\n\nENGINE MergeTree\nENGINE_SORTING_KEY id\n',
      'links.datasource':
        'SCHEMA >\n  `id` Int32,\n  `folder` String\n\nENGINE MergeTree\nENGINE_SORTING_KEY id\n',
      'orders.datasource':
        "SCHEMA >\n  `id` Int32\n\nENGINE MergeTree\nENGINE_PARTITION_KEY toYYYYMM(__timestamp)\nENGINE_SORTING_KEY id, __offset\n\nKAFKA_CONNECTION_NAME 'c'\nKAFKA_STORE_HEADERS 'True'\n",
      'fixtures/clicks.ndjson': '{"id":1,"domain":"a.org"}\n{"id":2,"domain":"a.org"}\n',
      'fixtures/links.ndjson': '{"id":1,"folder":"f"}\n{"id":2,"folder":"g"}\n',
      'usage.pipe':
        "NODE found\nSQL >\n  %\n  SELECT {% if by == 'folder' %} l.folder {% else %} c.domain {% end %}, c.id FROM clicks c {% if by == 'folder' %} JOIN links l ON l.id = c.id {% end %}\nNODE x\nSQL >\n  %\n  SELECT {% if by == 'folder' %} folder {% else %} domain {% end %}, count() AS n FROM found GROUP BY ALL ORDER BY 1\nTYPE endpoint\n",
      'tests/usage.yaml':
        '- name: folders\n  parameters: by=folder\n  expected_result: |\n    {"folder":"f","n":1}\n    {"folder":"g","n":1}\n- name: domains\n  parameters: \'\'\n  expected_result: |\n    {"domain":"a.org","n":2}\n',
      'totals.pipe':
        "NODE x\nSQL >\n  %\n  SELECT {% if defined(by) %} {% if by == 'parity' %} id % 2 AS p {% elif by == 'sign' %} sign(id) AS p {% end %} {% else %} id AS p {% end %}, count() AS n FROM clicks GROUP BY p\nTYPE endpoint\n",
      'late.pipe':
        'NODE x\nSQL >\n  SELECT id, __headers FROM orders WHERE __timestamp < now()\nTYPE endpoint\n',
      'either.pipe':
        "NODE x\nSQL >\n  %\n  {% if at == 'a' %} WITH r AS (SELECT id FROM clicks) SELECT id FROM r WHERE id = 1 OR id = 2 ORDER BY id {% else %} WITH r AS (SELECT folder FROM links) SELECT folder FROM r WHERE folder = 'f' OR folder = 'h' ORDER BY folder {% end %}\nTYPE endpoint\n",
    }),
    { database: 'web' },
  );
  expect(outcomes(report)).toEqual(Array.from({ length: 7 }, () => expect.stringMatching(/: converted$/)));
  expect(read(folder, 'totals')['parameters']).toEqual({ by: { type: 'String', enum: ['parity', 'sign'] } });
});

test('each panel, chart and dashboard has a line, also library panels, texts, and those without a title', async () => {
  const datasource = { type: 'grafana-clickhouse-datasource' };
  const panel = (n: number) => ({ type: 'stat', datasource, targets: [{ rawSql: `SELECT ${n} AS n` }] });
  const library = (uid: string) => ({ libraryPanel: { uid, name: `of the library: ${uid}` } });
  const grafana = await run(
    folderWith({
      'd.json': JSON.stringify({
        title: 'Shop',
        schemaVersion: 39,
        __elements: { here: { name: 'of the library: here', uid: 'here', kind: 1, model: panel(1) } },
        panels: [
          { type: 'text' },
          { type: 'text' },
          { type: 'row', title: 'Row', collapsed: true, panels: [panel(2)] },
          library('here'),
          library('elsewhere'),
          { libraryPanel: { uid: 'inside', name: 'inside', model: { ...panel(3), title: 'Inside' } } },
        ],
      }),
    }),
  );
  expect(outcomes(grafana.report)).toEqual([
    'shop.of-the-library-here: converted',
    'text: none',
    'text: none',
    'shop.panel: converted',
    'of the library: elsewhere: not at 1:542',
    'shop.inside: converted',
  ]);
  const superset = await run(
    folderWith({
      'dashboards/sales.yaml':
        'dashboard_title: Sales\nposition: {}\nmetadata: { native_filter_configuration: [{}] }\n',
      'charts/notes.yaml': 'slice_name: Notes\nviz_type: markup\nparams: {}\n',
    }),
  );
  expect(outcomes(superset.report)).toEqual(['Notes: none', 'Sales: none']);
  expect(superset.code).toBe(0);
});

test('dashboards of Metabase and Redash, and cards of the first serialization format, are read as their cards and queries', async () => {
  const native = (query: string, more: object = {}) => ({
    type: 'native',
    database: '/databases/shop',
    native: { query, 'template-tags': more },
  });
  const filter = {
    type: 'dimension',
    'widget-type': 'string/=',
    dimension: ['field', '/databases/shop/schemas/public/tables/orders/fields/status', null],
  };
  const metabase = await run(
    folderWith({
      'databases/shop/shop.yaml': 'name: shop\nengine: clickhouse\n',
      'dashboard.json': JSON.stringify({
        name: 'Sales',
        dashcards: [
          { card: null, visualization_settings: { text: 'a title' } },
          {
            card: {
              name: 'Paid',
              dataset_query: native('SELECT id FROM public.orders WHERE {{status}}', {
                status: { name: 'status', ...filter },
              }),
            },
          },
        ],
      }),
      'older.json': JSON.stringify({
        ordered_cards: [
          { card: { name: 'All', dataset_query: native('SELECT count() AS n FROM public.orders') } },
        ],
      }),
    }),
  );
  expect(outcomes(metabase.report)).toEqual(['Sales: none', 'paid: converted', 'all: converted']);
  expect(metabase.report.items[0]?.notes[0]?.message).toMatch(/one card is a text/);
  expect(read(metabase.folder, 'paid')['query']).toMatch(/orders\.status IN/);
  const query = {
    id: 7,
    name: 'Orders',
    query: 'SELECT count() AS n FROM public.orders',
    data_source: { type: 'clickhouse' },
  };
  const redash = await run(
    folderWith({
      'd.json': JSON.stringify({
        widgets: [
          { text: 'a title' },
          { visualization: { type: 'TABLE', query } },
          { visualization: { type: 'CHART', query } },
        ],
      }),
    }),
  );
  expect(outcomes(redash.report)).toEqual(['orders: converted']);
});

describe('existing files', () => {
  test('are kept, and overwritten with --force under their id', async () => {
    const path = join(FIXTURES, 'redash');
    const first = await run(path);
    const { folder } = first;
    const before = read(folder, 'any-table-2');
    const again = await run(path, { folder });
    expect(again.report.items.map(({ written }) => written?.how)).toEqual(['kept', 'kept', 'kept']);
    expect(again.notes).toHaveLength(3);
    const forced = await run(path, { folder, isForced: true });
    expect(forced.report.items.map(({ written }) => written?.how)).toEqual([
      'overwritten',
      'overwritten',
      'overwritten',
    ]);
    expect(read(folder, 'any-table-2')['id']).toBe(before['id']);
  });

  test('a dry run writes nothing', async () => {
    const { folder } = await run(join(FIXTURES, 'tinybird'), { isDry: true });
    expect(readdirSync(folder)).toEqual([]);
  });
});

describe('reports', () => {
  test.each([
    [
      'table',
      printTable,
      /revenue-by-country +converted +card Revenue by country[^]*5 items: 3 converted, 1 partly, 1 not converted; 3 endpoints were run, 0 returned rows/,
    ],
    [
      'Markdown',
      printMarkdown,
      /# Import of [^]*## Not converted[^]*\| card Made in the query builder[^]*## Converted partly[^]*\*\*not converted\*\* \(10:16, line 3 of the query\)/,
    ],
    ['JSON', printJson, /"counts": \{\n {4}"items": 5,\n {4}"converted": 3/],
  ])('%s', async (_, print, expected) => {
    const { report } = await imported('metabase');
    const lines: string[] = [];
    print(report, terminalOf(lines));
    expect(lines.join('\n')).toMatch(expected);
  });
});

describe('hostile exports', () => {
  const query = (name: string, sql: string): string =>
    JSON.stringify({ name, query: sql, options: {}, data_source: { type: 'clickhouse' } });

  test('names never leave the folder', async () => {
    const titles = [
      '../../etc/passwd',
      '/abs',
      '..',
      '',
      'a\u0000b',
      'ünïcode ß',
      '\u202Eevil',
      'x'.repeat(5000),
      'CON',
      '-',
      '🙂',
    ];
    const files = Object.fromEntries(titles.map((title, at) => [`${at}.json`, query(title, 'SELECT 1')]));
    const { report, folder } = await run(folderWith(files));
    expect(report.items).toHaveLength(titles.length);
    for (const { endpoint } of report.items) expect(endpoint).toMatch(/^[a-z][a-z0-9_-]*(\.[a-z0-9_-]+)*$/);
    expect(readdirSync(join(folder, 'endpoints'))).toHaveLength(titles.length);
    expect(readdirSync(folder)).toEqual(['endpoints']);
  });

  test.each([
    ['a path that leaves the archive', zipArchive([{ name: '../evil.yaml', content: 'x: 1' }])],
    ['an absolute path', zipArchive([{ name: '/etc/evil.yaml', content: 'x: 1' }])],
    ['a large entry', zipArchive([{ name: 'large.json', content: 'x', stated: MAX_FILE_BYTES + 1 }])],
    ['a bomb', zipArchive([{ name: 'bomb.json', content: Buffer.alloc(2 * 1024 * 1024, 32) }])],
    [
      'a bomb that states a small size',
      zipArchive([{ name: 'bomb.json', content: Buffer.alloc(2 * 1024 * 1024, 32), stated: 100 }]),
    ],
    ['an archive in it', zipArchive([{ name: 'more.zip', content: 'x' }])],
    ['no archive', Buffer.from('not a zip file')],
    ['half an archive', zipArchive([{ name: 'a.json', content: query('a', 'SELECT 1') }]).subarray(0, 60)],
  ])('%s', async (_, bytes) => {
    const folder = folderWith({ 'export.zip': bytes, 'q.json': query('q', 'SELECT 1') });
    const { report, code } = await run(folder);
    expect([unread(report), code]).toEqual([[expect.stringMatching(/export\.zip$/)], 1]);
  });

  test('too many entries', async () => {
    // Of no known extension: they count, and need not be read.
    const members = Array.from({ length: MAX_FILES + 1 }, (_, at) => ({ name: `${at}.txt`, content: '' }));
    const { report } = await run(
      folderWith({ 'export.zip': zipArchive(members), 'q.json': query('q', 'SELECT 1') }),
    );
    expect(unread(report)).toHaveLength(1);
  });

  test.each([
    [
      'aliases that expand',
      `a: &a [x, x, x, x, x, x, x, x, x]\n${Array.from({ length: 9 }, (_, at) => `${'bcdefghij'[at]}: &${'bcdefghij'[at]} [${`*${'abcdefghi'[at]}, `.repeat(9)}x]`).join('\n')}\n`,
    ],
    ['invalid UTF-8', Buffer.from([0x61, 0x3a, 0x20, 0xff, 0xfe, 0x0a])],
    ['binary data', Buffer.from([0, 1, 2, 3, 4, 5])],
    ['nesting', `a: ${'['.repeat(100_000)}`],
    ['no YAML', 'a: [b\nc: }'],
  ])('%s in YAML', async (_, content) => {
    const { report } = await run(folderWith({ 'x.yaml': content, 'q.json': query('q', 'SELECT 1') }));
    expect(unread(report)).toHaveLength(1);
  });

  test.each([
    ['nested arrays', `${'['.repeat(50_000)}${']'.repeat(50_000)}`],
    ['nested panels', `{"panels":[`.repeat(2000) + `]}`.repeat(2000)],
    ['no JSON', '{"panels": [}'],
    [
      'other values',
      JSON.stringify({
        panels: [null, 1, { targets: [null, 1, { rawSql: 5 }] }],
        templating: { list: [null, 3] },
      }),
    ],
    ['keys of prototypes', '{"__proto__": {"panels": []}, "constructor": {"dataset_query": 1}}'],
  ])('%s in JSON', async (_, content) => {
    const { report } = await run(folderWith({ 'x.json': content, 'q.json': query('q', 'SELECT 1') }));
    expect(outcomes(report).filter((each) => each.endsWith(': converted'))).toEqual(['q: converted']);
  });

  test.each([
    'SELECT 1 AS n {{#n}} LIMIT {{ n }} {{/n}}',
    'SELECT 1 AS n {{#n}} LIMIT {{ n }} {{/n}} ; -- done',
    'SELECT 1 AS n {{#n}} LIMIT {{ n }} {{/n}} FORMAT JSON',
  ])('an optional part at the end of %s', async (sql) => {
    const { report, folder } = await run(folderWith({ 'q.json': query('q', sql) }));
    expect(outcomes(report)).toEqual(['q: converted']);
    expect(read(folder, 'q')['query']).toMatch(
      /^SELECT 1 AS n \/\* if @n \*\/ LIMIT @n \/\* end \*\/\s*(-- done\s*)?$/,
    );
  });

  test('SQL with control characters is valid YAML', async () => {
    const { folder } = await run(
      folderWith({ 'q.json': query('q', `SELECT\t'\u0007\u2028' AS a,\r\n  '\\n' AS b`) }),
    );
    expect(read(folder, 'q')['query']).toBe(`SELECT  '\\x07\\xe2\\x80\\xa8' AS a,\n  '\\n' AS b\n`);
  });

  test('cards that refer to each other', async () => {
    const card = (id: string, other: string): string =>
      JSON.stringify({
        entity_id: id,
        name: id,
        dataset_query: {
          native: {
            query: `SELECT * FROM {{#${other}}}`,
            'template-tags': { x: { name: `#${other}`, type: 'card', 'card-id': other } },
          },
        },
      });
    const { report } = await run(folderWith({ 'a.json': card('a', 'b'), 'b.json': card('b', 'a') }), {
      dialect: 'clickhouse',
    });
    expect(report.items.map(({ status }) => status)).toEqual(['partly', 'partly']);
  });

  test.each([
    ['a link to a file', (folder: string) => symlinkSync('/dev/null', join(folder, 'endpoints/q.yaml'))],
    [
      'a link to nothing',
      (folder: string) => symlinkSync('/nonexistent/q', join(folder, 'endpoints/q.yaml')),
    ],
  ])('%s in the target is not written through', async (_, place) => {
    const folder = mkdtempSync(join(tmpdir(), 'import-'));
    mkdirSync(join(folder, 'endpoints'));
    place(folder);
    const importing = run(folderWith({ 'q.json': query('q', 'SELECT 1') }), { folder, isForced: true });
    await expect(importing).rejects.toMatchObject({ exitCode: 1, message: expect.stringContaining('link') });
  });

  test('names of tables in an export are no paths and no statements', async () => {
    const nodes = {
      'model.p.a': {
        name: 'a',
        schema: '../../evil',
        alias: 'x; DROP TABLE public.orders',
        resource_type: 'model',
        raw_code: "SELECT * FROM {{ ref('a') }}",
      },
    };
    const metadata = {
      dbt_schema_version: 'https://schemas.getdbt.com/dbt/manifest/v12.json',
      adapter_type: 'clickhouse',
    };
    const exported = folderWith({
      'manifest.json': JSON.stringify({ metadata, nodes }),
      'pipes/../pipes/a b;c.pipe':
        'NODE x\nSQL >\n  SELECT 1 AS a\nTYPE materialized\nENGINE MergeTree\nDATASOURCE y\n',
      'd.datasource': 'SCHEMA >\n  `a` Int8\n\nENGINE MergeTree\nENGINE_TTL a; DROP TABLE public.orders\n',
      'system.users.datasource': 'SCHEMA >\n  `a` Int8\n',
    });
    const { report, folder } = await run(exported);
    expect(report.items.map(({ kind, status }) => `${kind} ${status}`)).toEqual([
      'file not',
      'model not',
      'node converted',
      'file not',
    ]);
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
    expect(files.filter((name) => name.endsWith('.sql')).map((name) => name.replace(/^.*\//, ''))).toEqual([
      'y.sql',
    ]);
  });

  test('files that are not UTF-8 are named, and not read with other characters', async () => {
    const { report } = await run(
      folderWith({
        'a.json': Buffer.from('[{"name":"\xe9","query":"SELECT 1","options":{}}]', 'latin1'),
        'b.json': Buffer.from(query('b', 'SELECT 1'), 'utf16le'),
        'models/c.sql': Buffer.from("select 1,\n  '\xff' as x", 'latin1'),
        'export.zip': zipArchive([{ name: 'd.json', content: Buffer.from('"\xe9"', 'latin1') }]),
        'q.json': query('q', 'SELECT 1'),
      }),
    );
    expect(outcomes(report).toSorted()).toEqual([
      'a.json: not at 1:1',
      'b.json: not at 1:1',
      'c.sql: not at 2:1',
      'export.zip:d.json: not at 1:1',
      'q: converted',
    ]);
  });

  test('tables whose names differ in case have files of their own', async () => {
    const table = (column: string): string => `SCHEMA >\n  \`${column}\` Int8\n\nENGINE MergeTree\n`;
    const { report, folder } = await run(
      folderWith({
        'T.datasource': table('a'),
        't.datasource': table('b'),
        'x.pipe': 'NODE x\nSQL >\n  SELECT a, b FROM T, t\nTYPE endpoint\n',
      }),
      { database: 'web' },
    );
    expect(report.items.map(({ status }) => status)).toEqual(['converted', 'converted', 'converted']);
    expect(readdirSync(join(folder, 'schema/web')).toSorted()).toEqual(['T.sql', 't_2.sql']);
  });

  test('symbolic links are not followed, and named', async () => {
    const folder = folderWith({ 'q.json': query('q', 'SELECT 1') });
    symlinkSync('/etc', join(folder, 'etc'));
    symlinkSync(folder, join(folder, 'loop'));
    symlinkSync('/etc/passwd', join(folder, 'passwd.pipe'));
    symlinkSync('/etc/passwd', join(folder, 'README.md'));
    const { report } = await run(folder);
    expect(report.items.map(({ title, status }) => `${title}: ${status}`).toSorted()).toEqual([
      'etc: not',
      'loop: not',
      'passwd.pipe: not',
      'q: converted',
    ]);
  });

  test.each([
    ['a folder without an export', () => folderWith({ 'readme.json': '{}' })],
    ['nothing', () => '/nonexistent'],
  ])('%s exits 2', async (_, path) => {
    await expect(run(path())).rejects.toBeInstanceOf(CommandError);
    await expect(run(path())).rejects.toMatchObject({ exitCode: 2 });
  });
});
