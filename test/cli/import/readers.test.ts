// What the readers of exports make of nodes, pipes, panels and variables, without the engine.
import { describe, expect, test } from 'vitest';
import { readDocument } from '../../../src/cli/convert/export/document.ts';
import type { ForeignQuery } from '../../../src/cli/convert/export/foreign-query.ts';
import { GRAFANA } from '../../../src/cli/convert/tools/grafana/export.ts';
import { databaseName } from '../../../src/cli/commands/import/database-name.ts';
import { TINYBIRD } from '../../../src/cli/convert/tools/tinybird/export.ts';

/** The queries of pipes, each of them written as its nodes. */
function pipesOf(pipes: Readonly<Record<string, Readonly<Record<string, string>>>>): readonly ForeignQuery[] {
  const files = Object.entries(pipes).map(([name, nodes]) => {
    const text = Object.entries(nodes).map(([node, sql]) => `NODE ${node}\nSQL >\n    ${sql}\n`);
    return { path: `${name}.pipe`, shown: `${name}.pipe`, text: text.join('\n') };
  });
  return TINYBIRD.read({ files, documents: [] }).queries ?? [];
}

test.each([
  ['/home/me/shop/packages/tinybird', 'shop'],
  ['/home/me/Web Shop/lib/tinybird/', 'web_shop'],
  ['/srv/shop/apps/server/tb-project', 'shop'],
  ['/srv/shop/dashboards/latency.json', 'latency'],
  ['/packages', 'imported'],
])('the database of %s', (path, expected) => {
  expect(databaseName(path)).toBe(expected);
});

/** The names of the WITH clause, in order. */
function commonTables(sql: string): readonly string[] {
  return [...sql.matchAll(/(\w+) AS \(\n/g)].map(([, name = '']) => name);
}

describe('nodes of a pipe', () => {
  test.each([
    [
      'a column',
      { hits: 'SELECT 1 AS n', endpoint: 'SELECT hits, t.hits FROM t WHERE hits > 1 ORDER BY hits' },
      [],
    ],
    ['an alias', { hits: 'SELECT 1 AS n', endpoint: 'SELECT count() AS hits FROM t ARRAY JOIN hits' }, []],
    ['a function', { hits: 'SELECT 1 AS n', endpoint: 'SELECT * FROM hits(1)' }, []],
    ['a table of a database', { hits: 'SELECT 1 AS n', endpoint: 'SELECT * FROM web.hits' }, []],
    [
      'a name of its WITH clause',
      { hits: 'SELECT 1', endpoint: 'WITH hits AS (SELECT 2) SELECT * FROM hits' },
      [],
    ],
    [
      'a node of the same name as its table',
      { hits: 'SELECT * FROM hits', endpoint: 'SELECT * FROM hits' },
      ['hits'],
    ],
    [
      'a table after JOIN and a comma',
      { a: 'SELECT 1', b: 'SELECT 2', endpoint: 'SELECT * FROM a AS x, t JOIN b USING (id)' },
      ['a', 'b'],
    ],
    ['a table after IN', { a: 'SELECT 1', endpoint: 'SELECT * FROM t WHERE id IN a' }, ['a']],
    [
      'tables of alternatives',
      {
        a: 'SELECT 1',
        b: 'SELECT 2',
        endpoint: '% SELECT * FROM {% if defined(x) %} a {% else %} b {% end %}',
      },
      ['a', 'b'],
    ],
    [
      'nodes that are written after those that read them',
      { b: 'SELECT * FROM a', a: 'SELECT 1', endpoint: 'SELECT * FROM b' },
      ['a', 'b'],
    ],
  ] as const)('%s', (_, nodes, expected) => {
    const [query] = pipesOf({ one: nodes });
    expect(query?.reason).toBeUndefined();
    expect(commonTables(query?.sql ?? '')).toEqual(expected);
  });

  test('that read each other are an error', () => {
    const [query] = pipesOf({
      one: { a: 'SELECT * FROM b', b: 'SELECT * FROM a', endpoint: 'SELECT * FROM a' },
    });
    expect(query?.reason).toMatch(/ a → b → a /);
  });

  test('a template on one line, in a node and in what it reads', () => {
    const [query] = pipesOf({ one: { a: '% SELECT {{Int8(x, 1)}} AS n', endpoint: '% SELECT n FROM a' } });
    expect(query?.sql).toMatch(/^%\nWITH a AS \(\nSELECT \{\{Int8\(x, 1\)\}\} AS n\n\)\nSELECT n FROM a$/);
  });
});

describe('pipes', () => {
  test('that read each other are an error', () => {
    const queries = pipesOf({
      a: { endpoint: 'SELECT * FROM b' },
      b: { endpoint: 'SELECT * FROM c' },
      c: { endpoint: 'SELECT * FROM a' },
    });
    expect(queries.map((query) => query.whole?.().reason)).toEqual([
      expect.stringMatching(/ a → b → c → a /),
      expect.stringMatching(/ b → c → a → b /),
      expect.stringMatching(/ c → a → b → c /),
    ]);
  });

  test('that read several others, which read others, are one query', () => {
    const names = Array.from({ length: 12 }, (_, at) => `p${at}`);
    const pipes = names.map((name, at) => [
      name,
      {
        endpoint: `SELECT * FROM ${at === 0 ? 't' : names[at - 1]} AS a, ${at < 2 ? 't' : names[at - 2]} AS b`,
      },
    ]);
    const queries = pipesOf(Object.fromEntries(pipes) as Record<string, Record<string, string>>);
    expect(queries.at(-1)?.whole?.()).toMatchObject({ sql: expect.stringMatching(/^WITH p10 AS/) });
  });

  test('with a column that has the name of another', () => {
    const [query] = pipesOf({ a: { endpoint: 'SELECT domain FROM t' }, domain: { endpoint: 'SELECT 1' } });
    expect(query).toMatchObject({ sql: 'SELECT domain FROM t' });
    expect(query?.reads).toBeUndefined();
  });
});

/** The queries of a dashboard, by title. */
function panelsOf(dashboard: object): ReadonlyMap<string, ForeignQuery> {
  const document = readDocument({ path: 'd.json', shown: 'd.json', text: JSON.stringify(dashboard) });
  if (document === undefined || 'message' in document) throw new Error('no document');
  const { queries = [] } = GRAFANA.read({ files: [], documents: [document] });
  return new Map(queries.map((query) => [query.title, query]));
}

describe('panels', () => {
  const target = (rawSql: string, more: object = {}) => ({
    datasource: { type: 'grafana-clickhouse-datasource' },
    targets: [{ rawSql, ...more }],
  });
  const variables = [
    { name: 'host', type: 'query', multi: true, includeAll: true, current: { value: ['a', 'b'] } },
    { name: 'part', type: 'query', includeAll: true, allValue: '.*', current: { value: '$__all' } },
  ];

  test('that are repeated, themselves or with their row, have one value of the variable', () => {
    const found = panelsOf({
      templating: { list: variables },
      panels: [
        { title: 'plain', ...target('SELECT 1') },
        { title: 'repeated', repeat: 'host', ...target('SELECT 1') },
        {
          type: 'row',
          title: 'closed',
          repeat: 'host',
          panels: [{ title: 'inside', ...target('SELECT 1') }],
        },
        { type: 'row', title: 'open', repeat: 'host', panels: [] },
        { title: 'after', ...target('SELECT 1') },
        { type: 'row', title: 'other', panels: [] },
        { title: 'last', ...target('SELECT 1') },
      ],
    });
    const isList = (title: string): unknown =>
      found.get(title)?.declarations.find(({ name }) => name === 'host')?.isList;
    expect(['plain', 'repeated', 'inside', 'after', 'last'].map(isList)).toEqual([
      true,
      undefined,
      undefined,
      undefined,
      true,
    ]);
  });

  test('the text of All is the default of a variable that has one', () => {
    const found = panelsOf({
      templating: { list: variables },
      panels: [{ title: 'a', ...target('SELECT 1') }],
    });
    expect(found.get('a')?.declarations).toContainEqual({ name: 'part', default: '.*' });
  });

  test.each([
    '$__columns(t, k, v) FROM x',
    '$__lttb(1, a, b) FROM x',
    '$rateColumns(k, v) FROM x',
    '$anything(k) FROM x',
  ])('of a macro for the whole query: %s', (sql) => {
    expect(panelsOf({ panels: [{ title: 'a', ...target(sql) }] }).get('a')?.sql).toBe(sql);
  });

  test("of Altinity's data source have its columns, whatever the query names", () => {
    const found = panelsOf({
      panels: [
        {
          title: 'a',
          datasource: { type: 'vertamedia-clickhouse-datasource' },
          targets: [
            { query: 'SELECT $timeFilterByColumn(t)', dateTimeType: 'TIMESTAMP', table: 'x', database: 'd' },
          ],
        },
      ],
    });
    expect(found.get('a')?.declarations).toEqual(
      expect.arrayContaining([
        { name: 'dateTimeType', text: 'TIMESTAMP' },
        { name: 'table', text: 'd.x' },
      ]),
    );
  });
});

test('the query of a panel is its template, not what the data source last made of it', () => {
  const target = { refId: 'A', query: 'SELECT $timeSeries', rawQuery: 'SELECT 1700000000' };
  const panels = [{ type: 'table', title: 'P', datasource: 'ClickHouse', targets: [target] }];
  expect(panelsOf({ title: 'D', panels }).get('P')?.sql).toBe(target.query);
});

test('all panels and targets of a dashboard are read', () => {
  const target = { datasource: { type: 'grafana-clickhouse-datasource' }, rawSql: 'SELECT 1' };
  const targets = Array.from({ length: 101 }, (_, index) => ({ ...target, refId: `R${index}` }));
  const panels = Array.from({ length: 2001 }, (_, index) => ({
    type: 'table',
    title: `P${index}`,
    targets: [target],
  }));
  expect(panelsOf({ title: 'D', panels: [...panels, { type: 'table', title: 'Q', targets }] }).size).toBe(
    2102,
  );
});

test('rows are read at any depth, up to a bound that has a line', () => {
  const leaf = {
    title: 'leaf',
    datasource: { type: 'grafana-clickhouse-datasource' },
    targets: [{ rawSql: 'SELECT 1' }],
  };
  const nested = (depth: number): object => ({
    type: 'row',
    title: `row ${depth}`,
    panels: depth === 1 ? [leaf] : [nested(depth - 1)],
  });
  expect([...panelsOf({ title: 'D', panels: [nested(99)] }).keys()]).toEqual(['leaf']);
  const document = readDocument({
    path: 'd.json',
    shown: 'd.json',
    text: JSON.stringify({ title: 'D', panels: [nested(150)] }),
  });
  if (document === undefined || 'message' in document) throw new Error('no document');
  const { queries, others } = GRAFANA.read({ files: [], documents: [document] });
  expect(queries).toEqual([]);
  expect(others).toMatchObject([{ kind: 'row', title: 'row 50' }]);
});
