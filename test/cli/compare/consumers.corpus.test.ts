// Which consumer queries a change breaks: the paths that a change affects, and queries read on the real engine.
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createDescribe } from '../../../src/service/endpoints/describe.ts';
import type { EndpointColumns } from '../../../src/cli/compare/contract.ts';
import type { Side } from '../../../src/cli/compare/compare-pair.ts';
import { changedEndpoints } from '../../../src/cli/compare/consumers/changed-endpoint.ts';
import type { NamedReads } from '../../../src/cli/compare/consumers/foreign-query.ts';
import { createJudge, type Impact } from '../../../src/cli/compare/consumers/impact.ts';
import { affects, pathChanges } from '../../../src/cli/compare/consumers/paths.ts';
import type { ConsumerText } from '../../../src/cli/compare/consumers/query.ts';
import { createEmbeddedEngine } from '../../../src/service/engine/embedded/embedded-engine.ts';
import type { Engine } from '../../../src/service/engine/engine.ts';
import { readRows } from '../../../src/service/engine/rows.ts';
import { createFunctionPolicy } from '../../../src/guard/sandbox/functions/policy.ts';
import { createSandbox, createVerdictCache } from '../../../src/guard/sandbox/sandbox.ts';
import { outlineQuery } from '../../../src/sql/clickhouse/outline.ts';
import { REAL_TIME } from '../../support/real-time.ts';
import { fileOf, ID, sideOf, type Keys } from './fixture.ts';

describe('changes of columns and paths', () => {
  test.each<[why: string, before: string, after: string, changes: readonly string[]]>([
    ['an added column is no change', 'a:Int8', 'a:Int8 b:Int8', []],
    ['a removed column', 'a:Int8 b:String', 'a:Int8', ['removed b']],
    ['the only added column of its type', 'a:Int8 b:String', 'a:Int8 c:String', ['renamed b=c']],
    [
      'two of that type, one at the same position',
      'a:Int8 b:String',
      'a:Int8 c:String d:String',
      ['renamed b=c'],
    ],
    ['none of that type', 'a:Int8 b:String', 'a:Int8 c:Date', ['removed b']],
    ['another type', 'a:Int8', 'a:String', ['retyped a']],
    ['NULL that readers do not expect', 'a:Int8', 'a:Nullable(Int8)', ['retyped a']],
    ['a wider type', 'a:Int8', 'a:Int16', ['widened a']],
    ['an element', 't:Tuple(a|Int8,b|String)', 't:Tuple(a|Int8)', ['removed t.b']],
    [
      'an element of an element, renamed',
      't:Tuple(a|Tuple(b|Int8))',
      't:Tuple(a|Tuple(c|Int8))',
      ['renamed t.a.b=c'],
    ],
    [
      'an element in an array',
      't:Array(Tuple(a|Int8,b|Date))',
      't:Array(Tuple(a|Date,b|Date))',
      ['retyped t.a'],
    ],
    ['an added element', 't:Tuple(a|Int8)', 't:Tuple(a|Int8,b|Int8)', ['retyped t (whole)']],
    ['a tuple that becomes a string', 't:Tuple(a|Int8)', 't:String', ['retyped t']],
    ['a path of JSON without a type can be read', 'j:JSON(a|Int8)', 'j:JSON', ['retyped j.a']],
    ['a path of JSON with a type', 'j:JSON', 'j:JSON(a|Int8)', ['widened j (whole)']],
  ])('%s', (_, before, after, changes) => {
    const columns = (text: string) =>
      text.split(' ').map((each) => {
        const [name = '', type = ''] = each.split(':');
        return { name, type: type.replaceAll('|', ' ') };
      });
    const found = pathChanges(columns(before), columns(after), { int64: 'number' });
    const shown = found.map(
      ({ kind, path, after: name, isOfWhole }) =>
        `${kind} ${path}${kind === 'renamed' ? `=${name}` : ''}${isOfWhole ? ' (whole)' : ''}`,
    );
    expect(shown).toEqual(changes);
  });

  test('a change affects queries that read the path, a part of it, or what contains it', () => {
    const change = { kind: 'retyped', path: 't.a', before: '', after: '', isOfWhole: false } as const;
    expect(['t', 't.a', 't.a.x', 't.ab', 't.b', 'u'].filter((path) => affects(change, path))).toEqual([
      't',
      't.a',
      't.a.x',
    ]);
    const whole = { ...change, isOfWhole: true };
    expect(['t', 't.a', 't.a.x'].filter((path) => affects(whole, path))).toEqual(['t', 't.a']);
  });
});

const TABLES = `CREATE DATABASE shop;
CREATE TABLE shop.orders (tenant String, id UInt64, at DateTime, total Decimal(10, 2), status LowCardinality(String),
  customer Tuple(name String, address Tuple(city String, zip String)), extra JSON(plan String), tags Map(String, String),
  lines Array(Tuple(sku String, qty UInt16))) ENGINE = MergeTree ORDER BY at;
CREATE TABLE shop.visits (tenant String, at DateTime, url String) ENGINE = MergeTree ORDER BY at;`;

const ORDERS = 'id, at, total, status, customer, extra, tags, lines';
const VISITS = ', visits AS (SELECT at, url FROM shop.visits WHERE tenant = @tenant)';
const RESULT = 'SELECT toDate(at) AS day, sum(total) AS revenue FROM orders GROUP BY day';
const queryOf = (orders = ORDERS, rest = VISITS, result = RESULT): string =>
  `WITH orders AS (SELECT ${orders} FROM shop.orders WHERE tenant = @tenant)${rest} ${result}`;
const BASE: Keys = {
  name: 'shop.sales',
  query: queryOf(),
  parameters: '{ tenant: { type: String, required: true } }',
  sandbox: '{ enabled: true, dialects: [clickhouse, bigquery] }',
};

let engine: Engine;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'millrace-consumers-'));
  const options = { connections: 2, queue: 10, memory: 2 ** 30, observe: () => undefined, ...REAL_TIME };
  engine = await createEmbeddedEngine({ path: join(folder, 'data'), ...options });
  await engine.execute(TABLES);
});
afterAll(async () => {
  await engine.close(0);
  await rm(folder, { recursive: true, force: true });
});

async function described(files: Readonly<Record<string, string>>): Promise<Side> {
  const side = sideOf(files);
  const { result, tables } = createDescribe(engine);
  const columns = new Map<Side['served'][number]['endpoint'], EndpointColumns>();
  for (const { endpoint } of side.served) {
    const [own, all] = [await result(endpoint), await tables(endpoint)];
    if (own !== undefined && all !== undefined) columns.set(endpoint, { result: own, tables: all });
  }
  return { ...side, columns };
}

const query = (text: string, more: Partial<ConsumerText> = {}): ConsumerText => ({
  name: 'q', source: 'q.sql', owner: undefined, endpoint: undefined, language: 'sql', text, dialect: undefined, ...more,
}); // prettier-ignore

interface Change {
  readonly keys?: Keys;
  readonly files?: Readonly<Record<string, string>>;
  /** What a query in the SQL of another system names. */
  readonly names?: NamedReads | string;
}

async function judge(text: ConsumerText, { keys = {}, files, names = 'no parser' }: Change) {
  const base = await described({ 'one.yaml': fileOf(BASE) });
  const head = await described(files ?? { 'one.yaml': fileOf({ ...BASE, ...keys }) });
  const deps = {
    engine,
    readForeign: async () => names,
    isEndpoint: (name: string) => ['other', 'shop.sales'].includes(name),
  };
  const { impact, reasons } = await createJudge(changedEndpoints(base, head), deps)(text);
  return [impact, reasons.map(({ message }) => message).join('; ')];
}

/** The impact, and a part of the reasons; '' for none. */
const judged = ([impact, says]: readonly [impact: Impact, says: string]) => [
  impact,
  says === '' ? '' : expect.stringContaining(says),
];

const CODE = { query: queryOf(ORDERS.replace('status', 'status AS code')) };
const TOWN = {
  query: queryOf(
    ORDERS.replace(
      'customer',
      "CAST(customer, 'Tuple(name String, address Tuple(town String, zip String))') AS customer",
    ),
  ),
};
const NUMBER = { query: queryOf(ORDERS.replace('id', 'toString(id) AS id')) };
const WIDER = { query: queryOf(ORDERS.replace('at,', 'toUInt8(1) AS n, at,')) };
const ONE_TABLE = { query: queryOf(ORDERS, '') };

describe('queries in the languages of the service', () => {
  test.each<[why: string, text: string, keys: Keys, impact: Impact, says: string]>([
    [
      'a renamed column',
      'SELECT count() FROM orders WHERE status = 1',
      CODE,
      'breaks',
      'orders.status is called code',
    ],
    [
      'under another name',
      'WITH q AS (SELECT o.status AS s FROM orders AS o) SELECT s FROM q',
      CODE,
      'breaks',
      'is called code',
    ],
    ['of which it reads all columns', 'SELECT * FROM orders', CODE, 'breaks', 'orders.status is called code'],
    [
      'that a subquery selects and nothing uses',
      'SELECT id FROM (SELECT * FROM orders)',
      CODE,
      'unaffected',
      '',
    ],
    ['that it does not read', 'SELECT id FROM orders', CODE, 'unaffected', ''],
    ['the same name as an alias', 'SELECT id AS status FROM orders ORDER BY status', CODE, 'unaffected', ''],
    ['of another table', 'SELECT url FROM visits', CODE, 'unaffected', ''],
    [
      'a path',
      'SELECT customer.address.city FROM orders',
      TOWN,
      'breaks',
      'orders.customer.address.city is called town',
    ],
    [
      'a path by tupleElement',
      "SELECT tupleElement(customer, 'address').city FROM orders",
      TOWN,
      'breaks',
      'is called town',
    ],
    ['a path beside it', 'SELECT customer.address.zip FROM orders', TOWN, 'unaffected', ''],
    ['what contains the path', 'SELECT customer FROM orders', TOWN, 'breaks', 'is called town'],
    ['another type', 'SELECT max(id) FROM orders', NUMBER, 'breaks', 'orders.id is String, was UInt64'],
    [
      'another type, and a function that rejects it',
      'SELECT sum(id) FROM orders',
      NUMBER,
      'breaks',
      'illegal type',
    ],
    ['an added column', 'SELECT * FROM orders', WIDER, 'unaffected', ''],
    [
      'a removed table',
      'SELECT o.id FROM orders o JOIN visits v ON v.at = o.at',
      ONE_TABLE,
      'breaks',
      'the table visits was removed',
    ],
    [
      'a renamed table',
      'SELECT url FROM visits',
      { query: queryOf(ORDERS, VISITS.replace('visits AS', 'views AS')) },
      'breaks',
      'the table visits is called views',
    ],
    [
      'a name that the saved query defines now',
      'WITH q AS (SELECT id FROM orders) SELECT id FROM q',
      { query: queryOf(ORDERS, `${VISITS}, q AS (SELECT 1 AS x)`) },
      'breaks',
      'it is rejected',
    ],
    [
      'a function that is denied',
      'SELECT upper(status) FROM orders',
      { sandbox: '{ enabled: true, functions: { deny: [upper] } }' },
      'breaks',
      'upper',
    ],
    [
      'no consumer queries',
      'SELECT id FROM orders',
      { sandbox: '{ enabled: false }' },
      'breaks',
      'accepts no consumer queries',
    ],
    [
      'BigQuery SQL',
      'SELECT o.status FROM `orders` AS o WHERE EXTRACT(YEAR FROM o.at) = 2024',
      CODE,
      'breaks',
      'is called code',
    ],
    [
      'BigQuery SQL that is no longer accepted',
      'SELECT EXTRACT(YEAR FROM `at`) FROM orders, UNNEST(lines) AS l',
      { sandbox: '{ enabled: true }' },
      'breaks',
      'it is rejected',
    ],
    ['a query that cannot be parsed', 'SELECT FROM WHERE', CODE, 'unknown', 'it cannot be read at the base'],
    ['a column that is unknown before', 'SELECT nothing FROM orders', CODE, 'unknown', 'nothing'],
    ['a query for another endpoint', 'SELECT a FROM elsewhere', CODE, 'unaffected', ''],
    ['a file that is not read', "SELECT * FROM file('/etc/passwd', 'LineAsString')", CODE, 'unaffected', ''],
  ])('%s', async (_, text, keys, ...expected) => {
    expect(await judge(query(text), { keys })).toEqual(judged(expected));
  });

  test('LQL, with and without a table', async () => {
    const lql = (text: string) => query(text, { language: 'lql', endpoint: 'shop.sales' });
    const single = { query: queryOf(ORDERS, VISITS, 'SELECT status FROM orders') };
    expect(await judge(lql('f:orders s:status'), { keys: CODE })).toEqual([
      'breaks',
      'orders.status is called code',
    ]);
    expect(await judge(lql('f:visits s:url'), { keys: CODE })).toEqual(['unaffected', '']);
    expect(
      (
        await judge(lql('s:status'), { keys: { query: queryOf(ORDERS, VISITS, 'SELECT url FROM visits') } })
      )[0],
    ).toBe('breaks');
    expect(await judge(lql('s:status'), { keys: single })).toEqual(['unaffected', '']);
  });
});

describe('endpoints', () => {
  const named = query('SELECT id FROM orders', { endpoint: 'shop.sales' });
  test.each<[why: string, text: ConsumerText, change: Change, impact: Impact, says: string]>([
    ['removed', named, { files: {} }, 'breaks', 'the endpoint shop.sales was removed'],
    [
      'with an invalid file',
      named,
      { files: { 'one.yaml': `id: ${ID}\nname: shop.sales\n` } },
      'breaks',
      'one.yaml has errors',
    ],
    [
      'whose query the engine rejects',
      named,
      { keys: { query: queryOf('nothing') } },
      'breaks',
      'the engine rejects the query',
    ],
    [
      'renamed',
      named,
      { keys: { name: 'shop.orders' } },
      'breaks',
      'the endpoint shop.sales is called shop.orders',
    ],
    [
      'renamed, named by its id',
      { ...named, endpoint: ID },
      { keys: { name: 'shop.orders' } },
      'unaffected',
      '',
    ],
    ['with other policies', named, { keys: { max_rows: '3' } }, 'unaffected', ''],
    ['that is unchanged', { ...named, endpoint: 'other' }, { keys: CODE }, 'unaffected', ''],
    [
      'that does not exist',
      { ...named, endpoint: 'nope' },
      { keys: CODE },
      'unknown',
      'there is no endpoint nope',
    ],
  ])('%s', async (_, text, change, ...expected) => {
    expect(await judge(text, change)).toEqual(judged(expected));
  });
});

describe('queries in the SQL of other systems, by names', () => {
  const foreign = query('…', { dialect: 'postgresql' });
  const INCOME = { query: queryOf(ORDERS, VISITS, RESULT.replace('revenue', 'income')) };
  const reads = (tables: string[][], ...columns: NamedReads['columns'][number][]): NamedReads => ({
    tables,
    columns,
  });
  test.each<[why: string, names: NamedReads | string, keys: Keys, impact: Impact, says: string]>([
    [
      'a column of the table',
      reads([['public', 'Orders']], { path: ['STATUS'] }),
      CODE,
      'breaks',
      'orders.status is called code',
    ],
    [
      'of the other table',
      reads([['orders'], ['visits']], { table: ['visits'], path: ['status'] }),
      CODE,
      'unaffected',
      '',
    ],
    [
      'a path',
      reads([['orders']], { path: ['customer', 'address', 'city'] }),
      TOWN,
      'breaks',
      'is called town',
    ],
    [
      'all columns',
      reads([['orders']], { table: ['orders'], path: ['*'] }),
      CODE,
      'breaks',
      'is called code',
    ],
    ['no column', reads([['orders']]), CODE, 'unaffected', ''],
    [
      'a column of the result',
      reads([['shop', 'sales']], { path: ['revenue'] }),
      INCOME,
      'breaks',
      'the column revenue of the result is called income',
    ],
    [
      'the endpoint as one name',
      reads([['shop_sales']], { path: ['revenue'] }),
      INCOME,
      'breaks',
      'is called income',
    ],
    ['no table of the endpoint', reads([['elsewhere']], { path: ['status'] }), CODE, 'unaffected', ''],
    [
      'a removed table',
      reads([['visits']], { path: ['url'] }),
      ONE_TABLE,
      'breaks',
      'the table visits was removed',
    ],
    [
      'a query that cannot be parsed',
      'syntax error',
      CODE,
      'unknown',
      'it cannot be read at the base: syntax error',
    ],
  ])('%s', async (_, names, keys, ...expected) => {
    expect(await judge(foreign, { keys, names })).toEqual(judged(expected));
  });

  test('a query without a dialect that the endpoint rejects is read by its names, if it can be', async () => {
    const text = query('SELECT o.status::text FROM public.orders AS o');
    const names = reads([['public', 'orders']], { table: ['public', 'orders'], path: ['status'] });
    expect(await judge(text, { keys: CODE, names })).toEqual(['breaks', 'orders.status is called code']);
    expect(await judge({ ...text, dialect: 'clickhouse' }, { keys: CODE, names })).toEqual([
      'unaffected',
      '',
    ]);
    expect((await judge(query('SELECT sleep(1) FROM orders'), { keys: CODE, names }))[0]).toBe('unknown');
  });

  test('an endpoint without consumer queries has only its result, whatever the query calls it', async () => {
    const keys = { ...BASE, sandbox: '{ enabled: false }' };
    const base = await described({ 'one.yaml': fileOf(keys) });
    const head = await described({ 'one.yaml': fileOf({ ...keys, ...INCOME }) });
    const deps = {
      engine,
      readForeign: async () => reads([['t']], { path: ['revenue'] }),
      isEndpoint: () => false,
    };
    const found = await createJudge(
      changedEndpoints(base, head),
      deps,
    )({ ...foreign, endpoint: 'shop.sales' });
    expect(found.impact).toBe('breaks');
  });
});

test('the documented query finds the consumer query in a logged statement', async () => {
  const guide = readFileSync(new URL('../../../docs/author/impact.md', import.meta.url), 'utf8');
  const [, pattern = ''] = /extract\(query, ('.*')\) AS sql/.exec(guide) ?? [];
  const boundSql = 'WITH t AS (SELECT * FROM (\nSELECT 1 AS a\n) LIMIT 3) SELECT a FROM t';
  const outline = outlineQuery(boundSql).outline ?? expect.fail('the query has an outline');
  const functions = createFunctionPolicy({ allow: [], deny: [] });
  const sandbox = createSandbox({
    boundSql,
    outline,
    revision: '',
    functions,
    cache: createVerdictCache(1000),
    explain: undefined,
  });
  const consumer = "SELECT a, ') LIMIT 5' AS s FROM (SELECT a FROM t) LIMIT 2";
  const { sql } = sandbox.assemble(await sandbox.check(consumer), 1001);
  const logged = `${sql}\nFORMAT JSONEachRow`;
  const rows = await readRows(engine, `SELECT extract({q:String}, ${pattern}) AS s`, {
    parameters: { q: logged },
  });
  const [[found] = ['']] = rows as readonly [string][]; // one string column
  expect(found.replaceAll(/\s+/g, '')).toBe(consumer.replaceAll(/\s+/g, ''));
});
