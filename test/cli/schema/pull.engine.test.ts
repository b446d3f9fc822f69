// `millrace schema pull` from a server: what endpoints depend on, without secrets, and how it has changed since.
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { pull, type PullOptions } from '../../../src/cli/commands/schema/pull.ts';
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
    { endpoints, out, isCheck: false, all: undefined, ...options },
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
