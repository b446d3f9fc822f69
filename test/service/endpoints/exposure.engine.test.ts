// What endpoints expose, from the models of their queries.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createInspect } from '../../../src/service/endpoints/compile.ts';
import { flowText, keysFor, readExposure } from '../../../src/cli/compare/exposure.ts';
import type { Token } from '../../../src/service/config/generated/tokens.ts';
import { createEmbeddedEngine } from '../../../src/service/engine/embedded/embedded-engine.ts';
import type { Engine } from '../../../src/service/engine/engine.ts';
import { REAL_TIME } from '../../support/real-time.ts';

const TABLES = `CREATE DATABASE shop;
CREATE TABLE shop.orders (tenant String, id UInt64, buyer UInt64, currency String) ENGINE = MergeTree ORDER BY id;
CREATE TABLE shop.buyers (tenant String, id UInt64, email String) ENGINE = MergeTree ORDER BY id;
CREATE TABLE shop.rates (currency String, rate Float64) ENGINE = MergeTree ORDER BY currency;`;

const FILE = `id: 5c1f7c3e-8a55-4c8e-9d0b-6a1e7c1f2d30
name: shop.orders
query: |
  WITH o AS (
    SELECT id, buyer, currency FROM shop.orders WHERE tenant = @tenant
  )
  SELECT o.id AS id, b.email AS email, hex(SHA256(b.email)) AS visitor, upper(o.currency) AS currency, r.rate AS rate,
    if(o.id = 1, 'first', 'other') AS kind
  FROM o
  LEFT JOIN shop.buyers AS b ON b.id = o.buyer
  LEFT JOIN shop.rates AS r ON r.currency = o.currency
parameters: { tenant: { type: String, required: true } }
tenancy: { parameter: tenant, shared: { shop.rates: the same rates for all } }
pii: { redact: true, detectors: [ip], columns: { email: mask } }
sandbox: { enabled: true, languages: [sql] }
cache: { ttl: 60, until: data, check: 5, stale_while_revalidate: 30 }
max_rows: 50
`;

let engine: Engine;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'millrace-exposure-'));
  const options = { connections: 1, queue: 10, memory: 2 ** 30, observe: () => undefined, ...REAL_TIME };
  engine = await createEmbeddedEngine({ path: join(folder, 'data'), ...options });
  await engine.execute(TABLES);
});
afterAll(async () => {
  await engine.close(0);
  await rm(folder, { recursive: true, force: true });
});

function inspectedOf(text: string) {
  const { inspected, diagnostics } = createInspect({ piiHashKey: undefined })('shop.yaml', text);
  if (inspected === undefined) throw new Error(JSON.stringify(diagnostics));
  return inspected;
}

test('tables, columns, tenants, redaction, caching and languages', async () => {
  const { queries, ...facts } = await readExposure(engine, inspectedOf(FILE), undefined);
  expect(facts).toEqual({
    endpoint: 'shop.orders',
    description: '',
    file: 'shop.yaml',
    tenant: 'tenant',
    noTenants: undefined,
    redaction: {
      always: true,
      at: 'result',
      minGroup: undefined,
      detectors: ['ip'],
      columns: { email: 'mask' },
    },
    cache: { ttl: 60, check: 5, staleWhileRevalidate: 30, staleIfError: 0, isPublic: false },
    languages: ['sql'],
    dialects: ['clickhouse'],
    maxRows: 50,
  });
  expect(queries.map(({ table, fault }) => [table, fault])).toEqual([
    ['o', undefined],
    [undefined, undefined],
  ]);
  const [, saved] = queries;
  expect(saved?.reads).toEqual([
    { name: 'shop.orders', kind: 'table', confinedBy: ['tenant'], isShared: false },
    { name: 'shop.buyers', kind: 'table', confinedBy: [], isShared: false },
    { name: 'shop.rates', kind: 'table', confinedBy: [], isShared: true },
  ]);
  expect(saved?.columns.map(({ name, from, rule }) => [name, from.map(flowText).join(', '), rule])).toEqual([
    ['id', 'shop.orders.id', undefined],
    ['email', 'shop.buyers.email', 'mask'],
    ['visitor', 'hash of shop.buyers.email', undefined],
    ['currency', 'computed from shop.orders.currency', undefined],
    ['rate', 'shop.rates.rate', undefined],
    ['kind', 'depends on shop.orders.id', undefined],
  ]);
});

test('a query that the engine rejects has no columns, but a reason', async () => {
  const file = FILE.replace('shop.buyers', 'shop.missing');
  const { queries } = await readExposure(engine, inspectedOf(file), undefined);
  expect(queries[1]).toMatchObject({ table: undefined, reads: [], columns: [] });
  expect(queries[1]?.fault).toContain('accepts none');
});

test('keys that may call it', () => {
  const key = { sha256: 'a'.repeat(64), endpoints: ['shop.*'] };
  const tokens: Token[] = [
    { name: 'a', ...key },
    { name: 'b', ...key, parameters: { tenant: 'x' } },
    { name: 'c', ...key, parameters: { other: 'x' } },
    { name: 'd', ...key, endpoints: ['logs.*'] },
  ];
  expect(keysFor(inspectedOf(FILE).candidate.endpoint, tokens)).toEqual(['a', 'b']);
});
