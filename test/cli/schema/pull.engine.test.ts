// `millrace schema pull` from a server: what endpoints depend on, without secrets, and how it has changed since.
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { pull, type PullOptions } from '../../../src/cli/commands/schema/pull.ts';
import { estimate, type EstimateDeps } from '../../../src/cli/cost/estimate.ts';
import { MADE_GRANULE, scaleTables, storedSizes } from '../../../src/cli/cost/scaled-tables.ts';
import { readStatistics } from '../../../src/cli/cost/statistics.ts';
import { createTerminal } from '../../../src/cli/kit/terminal.ts';
import { createEmbeddedEngine } from '../../../src/service/engine/embedded/embedded-engine.ts';
import type { Engine } from '../../../src/service/engine/engine.ts';
import { createHttpEngine } from '../../../src/service/engine/http/http-engine.ts';
import { loadSchema } from '../../../src/cli/schema/load-schema.ts';
import { readSchemaFiles } from '../../../src/cli/schema/schema-files.ts';
import { openClickHouseFront, type ClickHouseFront } from '../../support/clickhouse-front/front.ts';
import { statement } from '../../support/engine-statements.ts';
import { REAL_TIME } from '../../support/real-time.ts';

const folder = mkdtempSync(join(tmpdir(), 'millrace-'));
const endpoints = join(folder, 'endpoints');
const out = join(folder, 'schema');
let front: ClickHouseFront;
let engine: Engine;

const TABLES = [
  'CREATE DATABASE shop',
  'CREATE DATABASE other',
  'CREATE TABLE shop.local (id UInt64, n Nested(x UInt8, y String), at DateTime) ENGINE = MergeTree ORDER BY id TTL at + INTERVAL 1 DAY SETTINGS flatten_nested = 0',
  "CREATE TABLE shop.orders ENGINE = Alias('shop', 'local')",
  'CREATE FUNCTION shop_double AS (x) -> x * 2',
  'CREATE VIEW shop.recent AS SELECT id FROM shop.orders',
  "CREATE TABLE shop.customers (id UInt64, name String) ENGINE = PostgreSQL('pg.example:5432', 'crm', 'customers', 'reader', 'top-secret')",
  'CREATE TABLE shop.names (id UInt64, name String) ENGINE = MergeTree ORDER BY id',
  "CREATE DICTIONARY shop.labels (id UInt64, name String) PRIMARY KEY id SOURCE(CLICKHOUSE(USER 'someone' PASSWORD 'top-secret' DB 'shop' TABLE 'names')) LAYOUT(FLAT()) LIFETIME(60)",
  'CREATE TABLE shop.part_a (id UInt64) ENGINE = MergeTree ORDER BY id',
  'CREATE TABLE shop.part_b (id UInt64) ENGINE = Log',
  "CREATE TABLE shop.parts (id UInt64) ENGINE = Merge('shop', '^part_[ab]$')",
  'CREATE TABLE shop.unread (id UInt64) ENGINE = Log',
  'CREATE TABLE other.unread (id UInt64) ENGINE = Log',
  'CREATE MATERIALIZED VIEW shop.counts (id UInt64) ENGINE = MergeTree ORDER BY id AS SELECT id FROM shop.unread',
];

const endpoint = (number: number, query: string): void =>
  writeFileSync(
    join(endpoints, `e${number}.yaml`),
    `id: 00000000-0000-4000-8000-00000000000${number}\nname: e${number}\nquery: ${JSON.stringify(query)}\n`,
  );

beforeAll(async () => {
  mkdirSync(endpoints);
  front = await openClickHouseFront({
    path: join(folder, 'data'),
    users: { default: { password: '', profile: [] } },
  });
  engine = createHttpEngine({
    urls: [front.url],
    user: 'default',
    password: '',
    connections: 2,
    queue: 10,
    pingTimeoutMs: 1500,
    observe: () => undefined,
    ...REAL_TIME,
  });
  for (const each of TABLES) await engine.execute(each);
  endpoint(
    1,
    "SELECT shop_double(r.id) AS id, dictGet('shop.labels', 'name', r.id) AS label, c.name FROM shop.recent AS r, `shop`.customers AS c",
  );
  endpoint(2, 'SELECT id FROM shop.parts');
});
afterAll(async () => {
  await engine.close(0);
  await front.close();
});

async function run(options: Partial<PullOptions> = {}): Promise<{ code: number; out: string; err: string }> {
  let [printed, noted] = ['', ''];
  const terminal = createTerminal(
    { isTTY: false, write: (text: string | Uint8Array) => ((printed += String(text)), true) },
    { isTTY: false, write: (text: string | Uint8Array) => ((noted += String(text)), true) },
    {},
  );
  const code = await pull(
    engine,
    { endpoints, out, isCheck: false, all: undefined, measured: undefined, ...options },
    { terminal, env: { PATH: process.env['PATH'] } },
  );
  return { code, out: printed, err: noted };
}

const written = (): string[] =>
  readdirSync(out, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.sql'))
    .toSorted();

test('what the endpoints read, and what that reads; never passwords', async () => {
  expect((await run()).code).toBe(0);
  expect(written()).toEqual([
    '_functions/shop_double.sql',
    'shop/customers.sql',
    'shop/labels.sql',
    'shop/local.sql',
    'shop/names.sql',
    'shop/orders.sql',
    'shop/part_a.sql',
    'shop/part_b.sql',
    'shop/parts.sql',
    'shop/recent.sql',
  ]);
  const all = written().map((name) => readFileSync(join(out, name), 'utf8'));
  expect(all.join()).not.toMatch(/top-secret|someone/);
  expect(all[1]).toContain('CREATE TABLE shop.customers\n(\n    `id` UInt64');
});

test('it gives the endpoints the columns that they have on the server', async () => {
  const options = { connections: 1, queue: 10, memory: 2 ** 30, observe: () => undefined };
  const copy = await createEmbeddedEngine({ ...REAL_TIME, path: join(folder, 'copy'), ...options });
  const { findings } = await loadSchema(copy, await readSchemaFiles(out));
  expect(findings).toEqual([]);
  for (const table of ['local', 'orders', 'recent', 'customers', 'names', 'parts']) {
    const query = statement(`SELECT * FROM shop.${table}`);
    expect(await copy.describe(query)).toEqual(await engine.describe(query));
  }
  await copy.close(0);
});

test('--check passes without changes, and prints how the server differs', async () => {
  expect(await run({ isCheck: true })).toMatchObject({ code: 0, out: '' });
  await engine.execute('ALTER TABLE shop.part_a ADD COLUMN note String');
  const drifted = await run({ isCheck: true });
  expect(drifted.code).toBe(1);
  expect(drifted.out).toContain(`--- ${join(out, 'shop/part_a.sql')}`);
  expect(drifted.out).toMatch(/^\+ +`note` String$/m);
  expect(readFileSync(join(out, 'shop/part_a.sql'), 'utf8')).not.toContain('note');
  expect((await run()).out).toBe(`changed ${join(out, 'shop/part_a.sql')}\n`);
});

test('what is no longer read is removed, files of others are not; a table that the server lacks is reported', async () => {
  writeFileSync(join(out, 'mine.sql'), 'CREATE TABLE shop.mine (id UInt8) ENGINE = Log');
  endpoint(2, 'SELECT id FROM shop.gone');
  const { code, out: printed, err } = await run();
  expect(code).toBe(1);
  expect(printed.match(/^removed \S+/gm)).toEqual(
    ['part_a', 'part_b', 'parts'].map((name) => `removed ${join(out, `shop/${name}.sql:`)}`),
  );
  expect(err).toContain('shop.gone is read by an endpoint');
  expect(existsSync(join(out, 'mine.sql'))).toBe(true);
});

test('--all, of one database', async () => {
  await run({ all: { database: 'other' } });
  expect(written()).toEqual(['mine.sql', 'other/unread.sql']);
  await run({ all: { database: undefined } });
  expect(written()).toContain('shop/counts.sql');
  expect(written().join()).not.toContain('inner');
});

test('--statistics writes the sizes of tables, and none of personal data or tenants', async () => {
  await engine.execute(
    `CREATE TABLE shop.visits (tenant String, email String, at DateTime, page LowCardinality(String), spent UInt32, place Tuple(city String, bay UInt8), INDEX by_page page TYPE set(9))
    ENGINE = MergeTree PARTITION BY toYYYYMM(at) ORDER BY (tenant, email, place.city, at) SETTINGS min_bytes_for_wide_part = 0, min_rows_for_wide_part = 0`,
  );
  await engine.execute(
    "INSERT INTO shop.visits SELECT number % 5, 'a@example.com', toDateTime('2026-01-01') + number * 60, toString(number % 7), number, (toString(number % 3), 1) FROM numbers(1000)",
  );
  endpoint(2, 'SELECT at FROM shop.visits');
  writeFileSync(
    join(endpoints, 'private.yaml'),
    `id: 00000000-0000-4000-8000-000000000009
name: private
query: SELECT email FROM shop.visits WHERE tenant = @tenant
parameters: { tenant: { type: String, required: true } }
tenancy: { parameter: tenant }
pii: { redact: true, columns: { email: mask } }
`,
  );
  const { code, out: printed, err: noted } = await run({ measured: { tenancy: undefined } });
  expect(code).toBe(0);
  const path = join(out, 'statistics.yaml');
  expect(printed).toContain(`written ${path}: the sizes of`);
  const read = readStatistics(path, readFileSync(path, 'utf8'));
  const { rows, columns } = ('statistics' in read ? read.statistics.get('shop.visits') : undefined) ?? {};
  expect(rows).toBe(1000);
  expect([...(columns ?? [])].map(([name, { distinct, seconds }]) => [name, distinct ?? seconds])).toEqual([
    ['at', 999 * 60],
    ['page', 7],
    ['spent', undefined],
    ['place', undefined],
    ['place.city', 3],
  ]);
  expect(noted).toContain('The values of tenant, email in shop.visits are not counted');
  expect(columns?.get('spent')?.bytes).toBeGreaterThan(0);
  expect((await run({ isCheck: true })).code).toBe(0);
});

/** Reads of few and of many granules: by all columns of the key, by its first one, by the partition, by none. */
const READS: readonly string[] = [
  "SELECT v FROM shop.views WHERE host = 'host 3' AND at > '2026-01-20 00:00:00'",
  "SELECT v FROM shop.views WHERE host = 'host 3'",
  "SELECT v FROM shop.views WHERE at > '2026-02-01 00:00:00'",
  "SELECT v FROM shop.views WHERE toDate(at) = '2026-01-10'",
  "SELECT v FROM shop.views WHERE lower(host) = 'host 3'",
  'SELECT sum(v) FROM shop.views',
];

test('tables made to the size of others are read as these are', async () => {
  const definition = 'ENGINE = MergeTree PARTITION BY toYYYYMM(at) ORDER BY (host, at)';
  await engine.execute(
    `CREATE TABLE shop.views (host LowCardinality(String), at DateTime, v UInt32) ${definition}`,
  );
  await engine.execute(
    "INSERT INTO shop.views SELECT 'host ' || toString(sipHash64(number) % 20), toDateTime('2026-01-01') + number * 6, number FROM numbers(600000)",
  );
  endpoint(2, 'SELECT v FROM shop.views');
  expect((await run({ measured: { tenancy: undefined } })).code).toBe(0);
  const read = readStatistics('', readFileSync(join(out, 'statistics.yaml'), 'utf8'));
  const sizes = 'statistics' in read ? read.statistics : new Map<string, never>();
  const sharesOf = async (deps: Omit<EstimateDeps, 'engine'>): Promise<readonly number[]> => {
    const found = await Promise.all(READS.map((sql) => estimate({ engine, ...deps }, statement(sql))));
    return found.map(({ reads: [first] }) => (first === undefined ? 0 : first.rows / 600_000));
  };
  const actual = await sharesOf({ ...(await storedSizes(engine)), madeGranule: undefined });
  await engine.execute("ALTER TABLE shop.views DELETE WHERE at < '2026-02-11' SETTINGS mutations_sync = 2");
  const options = {
    sizes,
    indexes: new Map(),
    reduced: new Set<string>(),
    texts: ['host 3'],
    now: Date.parse('2027-01-01') / 1000,
  };
  const scaled = await scaleTables(engine, options);
  expect(scaled.unmade).toEqual(new Map());
  const estimated = await sharesOf({ ...scaled, madeGranule: MADE_GRANULE });
  const isFar = (share: number, found = 0): boolean => found < share / 2 - 0.005 || found > share * 2 + 0.005;
  expect(READS.filter((_, at) => isFar(actual[at] ?? 0, estimated[at]))).toEqual([]);
  expect(actual.filter((share) => share < 0.2)).toHaveLength(2);
});
