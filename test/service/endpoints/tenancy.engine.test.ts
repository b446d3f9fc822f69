// The tenancy of endpoint files: each finding under its code, at the line and column marked by «.
import { locateAll } from '../../../src/service/config/locate-finding.ts';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createInspect, type InspectedFile } from '../../../src/service/endpoints/compile.ts';
import { modelsOf } from '../../../src/service/endpoints/query-models.ts';
import { findUnconfined } from '../../../src/service/endpoints/tenancy-check.ts';
import { findDeadKeys } from '../../../src/cli/checks/dead-keys.ts';
import { findUnlockedKeys } from '../../../src/service/endpoints/tenancy-keys.ts';
import { tenancyOf, type TenancySetting } from '../../../src/service/endpoints/tenancy.ts';
import { tenancyFindings } from '../../../src/cli/checks/tenancy.ts';
import type { Token } from '../../../src/service/config/generated/tokens.ts';
import type { Finding, PathFinding } from '../../../src/sql/base/finding.ts';
import { createEmbeddedEngine } from '../../../src/service/engine/embedded/embedded-engine.ts';
import type { Engine } from '../../../src/service/engine/engine.ts';
import { REAL_TIME } from '../../support/real-time.ts';

const TABLES = `CREATE DATABASE shop;
CREATE TABLE shop.orders (tenant String, id UInt64, buyer UInt64, amount Int64, meta Tuple(tenant String), doc JSON) ENGINE = MergeTree ORDER BY id;
CREATE TABLE shop.buyers (tenant String, id UInt64, email String) ENGINE = MergeTree ORDER BY id;
CREATE TABLE shop.rates (currency String, rate Float64) ENGINE = MergeTree ORDER BY currency;
CREATE VIEW shop.totals AS SELECT tenant, sum(amount) OVER () AS total FROM shop.orders;
CREATE DICTIONARY shop.emails (id UInt64, email String) PRIMARY KEY id SOURCE(CLICKHOUSE(DB 'shop' TABLE 'buyers')) LAYOUT(HASHED()) LIFETIME(0);`;

const inspect = createInspect({ piiHashKey: undefined });
let engine: Engine;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'millrace-tenancy-'));
  const options = { connections: 2, queue: 10, memory: 2 ** 30, observe: () => undefined, ...REAL_TIME };
  engine = await createEmbeddedEngine({ path: join(folder, 'data'), ...options });
  await engine.execute(TABLES);
});
afterAll(async () => {
  await engine.close(0);
  await rm(folder, { recursive: true, force: true });
});

function inspectedOf(text: string): InspectedFile {
  const { inspected, diagnostics } = inspect('shop.yaml', text);
  if (inspected === undefined) throw new Error(JSON.stringify(diagnostics));
  return inspected;
}

async function findingsOf(text: string, setting: TenancySetting): Promise<readonly Finding[]> {
  const { inspected, diagnostics } = inspect('shop.yaml', text);
  if (inspected === undefined) return diagnostics;
  const ofFile = [...tenancyFindings(inspected.analysis.file, setting)];
  const tenancy = tenancyOf(inspected.analysis.file, setting);
  const unconfined =
    tenancy === undefined
      ? []
      : findUnconfined(inspected, await modelsOf(engine, inspected, tenancy), tenancy);
  return locateAll(inspected.document, [...ofFile, ...unconfined]);
}

const HEAD = 'id: 5c1f7c3e-8a55-4c8e-9d0b-6a1e7c1f2d30\nname: shop.orders\n';
const TENANT = 'parameters: { tenant: { type: String, required: true } }\ntenancy: { parameter: tenant }\n';
const TABLE = 'query: |\n  WITH o AS (SELECT * FROM ';
const DECLARED = 'parameters: { tenant: { type: String, required: true } }\n';

const ROWS: readonly (readonly [
  why: string,
  body: string,
  codes: readonly string[],
  setting?: TenancySetting,
])[] = [
  ['confined', `query: SELECT id FROM shop.orders WHERE tenant = @tenant\n${TENANT}`, []],
  [
    'a path of JSON with its type',
    `query: SELECT doc.^x, doc.items[].a FROM shop.orders WHERE doc.tenant.:String = @tenant\n${TENANT}`,
    [],
  ],
  [
    'the same column, quoted as the engine prints it',
    `query: SELECT id FROM shop.orders WHERE \`doc\`.\`tenant\`.:\`String\` = @tenant\ntenancy: { parameter: tenant, columns: [doc.tenant] }\n${DECLARED}`,
    [],
  ],
  [
    'a column named with its type',
    `query: SELECT id FROM shop.orders WHERE doc.tenant.:String = @tenant\ntenancy: { parameter: tenant, columns: ['doc.tenant.:String'] }\n${DECLARED}`,
    [],
  ],
  [
    'a path in a subquery',
    `query: SELECT d.items[].a FROM (SELECT doc AS d FROM shop.orders) WHERE d.tenant.:String = @tenant\ntenancy: { parameter: tenant, columns: [doc.tenant] }\n${DECLARED}`,
    [],
  ],
  [
    'another path',
    `query: SELECT doc.^x FROM «shop.orders WHERE doc.other.:String = @tenant\ntenancy: { parameter: tenant, columns: [doc.tenant] }\n${DECLARED}`,
    ['tenancy.not_confined'],
  ],
  ['not confined', `query: SELECT id, @tenant FROM «shop.orders\n${TENANT}`, ['tenancy.not_confined']],
  [
    'one of two, by the name of the database',
    `query: SELECT o.id FROM shop.orders o LEFT JOIN «shop.buyers b ON b.id = o.buyer WHERE o.tenant = @tenant\n${TENANT}`,
    ['tenancy.not_confined'],
  ],
  [
    'the second of the same table',
    `query: SELECT id FROM shop.orders WHERE tenant = @tenant UNION ALL SELECT id FROM «shop.orders\n${TENANT}`,
    ['tenancy.not_confined'],
  ],
  [
    'inside a subquery of a condition',
    `query: SELECT id FROM shop.orders WHERE tenant = @tenant AND buyer IN (SELECT id FROM «shop.buyers)\n${TENANT}`,
    ['tenancy.not_confined'],
  ],
  [
    'quoted names',
    `query: SELECT id, @tenant FROM «\`shop\`.\`orders\`\n${TENANT}`,
    ['tenancy.not_confined'],
  ],
  [
    'a dictionary',
    `query: SELECT dictGet(«'shop.emails', 'email', buyer) FROM shop.orders WHERE tenant = @tenant\n${TENANT}`,
    ['tenancy.not_confined'],
  ],
  [
    'a view',
    `query: SELECT total FROM «shop.totals WHERE tenant = @tenant\n${TENANT}`,
    ['tenancy.not_confined'],
  ],
  [
    'a table of the sandbox that only the saved query filters',
    `${TABLE}«shop.orders)\n  SELECT id FROM o WHERE tenant = @tenant\nsandbox: { enabled: true }\n${TENANT}`,
    ['tenancy.not_confined'],
  ],
  [
    'the same without a sandbox',
    `${TABLE}shop.orders)\n  SELECT id FROM o WHERE tenant = @tenant\n${TENANT}`,
    [],
  ],
  [
    'a table of the sandbox that the saved query does not read',
    `query: |\n  WITH o AS (SELECT * FROM shop.orders WHERE tenant = @tenant), b AS (SELECT id FROM «shop.buyers)\n  SELECT id FROM o\nsandbox: { enabled: true }\n${TENANT}`,
    ['tenancy.not_confined'],
  ],
  [
    'an optional condition',
    `query: SELECT id FROM «shop.orders WHERE @all = 1 OR tenant = @tenant\nparameters: { tenant: { type: String, required: true }, all: { type: UInt8, default: 0 } }\ntenancy: { parameter: tenant }\n`,
    ['tenancy.not_confined'],
  ],
  [
    'a parameter that is never NULL',
    `query: SELECT id FROM shop.orders WHERE @tenant IS NULL OR tenant = @tenant\n${TENANT}`,
    [],
  ],
  [
    'responses for shared caches',
    `query: SELECT id FROM shop.orders WHERE tenant = @tenant\n${TENANT}cache: { ttl: 60, «public: true }\n`,
    ['cache.public_tenants'],
  ],
  [
    'responses for clients only',
    `query: SELECT id FROM shop.orders WHERE tenant = @tenant\n${TENANT}cache: { ttl: 60, public: false }\n`,
    [],
  ],
  [
    'open data for shared caches',
    'query: SELECT currency FROM shop.rates\ntenancy: { none: open data }\ncache: { ttl: 60, public: true }\n',
    [],
  ],
  [
    'an optional parameter',
    `query: SELECT id FROM shop.orders WHERE tenant = @tenant\nparameters:\n  «tenant: { type: String }\ntenancy: { parameter: tenant }\n`,
    ['tenancy.optional_parameter'],
  ],
  [
    'an optional parameter and condition',
    `query: SELECT id FROM «shop.orders WHERE @tenant IS NULL OR tenant = @tenant\nparameters:\n  tenant: { type: String }\ntenancy: { parameter: tenant }\n`,
    ['tenancy.not_confined', 'tenancy.optional_parameter'],
  ],
  [
    'another parameter',
    `query: SELECT id FROM «shop.orders WHERE id = @id AND tenant != @tenant\nparameters: { id: { type: UInt64, required: true }, tenant: { type: String, required: true } }\ntenancy: { parameter: tenant }\n`,
    ['tenancy.not_confined'],
  ],
  [
    'a misspelled parameter',
    `query: SELECT id FROM shop.orders WHERE tenant = @tenant\n${DECLARED}tenancy: { parameter: «tenannt }\n`,
    ['tenancy.unknown_parameter'],
  ],
  [
    'no parameter',
    `query: SELECT id FROM shop.orders WHERE tenant = @tenant\n${DECLARED}«tenancy: { columns: [tenant] }\n`,
    ['tenancy.parameter_missing'],
  ],
  [
    'another column',
    `query: SELECT id FROM «shop.buyers WHERE email = @tenant\n${DECLARED}tenancy: { parameter: tenant, columns: [tenant] }\n`,
    ['tenancy.not_confined'],
  ],
  [
    'a part of a column',
    `query: SELECT id FROM shop.orders WHERE meta.tenant = @tenant\n${DECLARED}tenancy: { parameter: tenant, columns: [meta.tenant] }\n`,
    [],
  ],
  [
    'reference data',
    `query: SELECT id, rate FROM shop.orders, shop.rates WHERE tenant = @tenant\n${DECLARED}tenancy: { parameter: tenant, shared: { shop.rates: public } }\n`,
    [],
  ],
  [
    'reference data of the settings',
    `query: SELECT id, rate FROM shop.orders, shop.rates WHERE tenant = @tenant\n${DECLARED}`,
    [],
    { parameter: 'tenant', shared: { 'shop.rates': 'public' } },
  ],
  [
    'the parameter of the settings',
    `query: SELECT id, @tenant FROM «shop.orders\n${DECLARED}`,
    ['tenancy.not_confined'],
    'tenant',
  ],
  [
    'the columns of the settings',
    `query: SELECT id FROM «shop.buyers WHERE email = @tenant\n${DECLARED}`,
    ['tenancy.not_confined'],
    { parameter: 'tenant', columns: ['tenant'] },
  ],
  ['an endpoint without the parameter of the settings', `name2`, ['tenancy.unknown_parameter'], 'tenant'],
  [
    'none',
    `query: SELECT id, @tenant FROM shop.orders\n${DECLARED}tenancy: { none: for operators }\n`,
    [],
    'tenant',
  ],
  [
    'none and a parameter',
    `query: SELECT id, @tenant FROM shop.orders\n${DECLARED}tenancy: { none: for operators, «parameter: tenant }\n`,
    ['tenancy.contradiction'],
  ],
  [
    'none without a reason',
    `query: SELECT id, @tenant FROM shop.orders\n${DECLARED}tenancy: «none\n`,
    ['schema.wrong_type'],
  ],
  [
    'a name that looks like the engine’s tree',
    `query: |\n  «SELECT id AS "a, column_name: tenant", @tenant FROM shop.orders\n${TENANT}`,
    ['tenancy.not_analysed'],
  ],
  [
    'a tuple like a marked parameter',
    `query: SELECT id, @tenant FROM «shop.orders WHERE tenant = tupleElement(('b', 'millrace:tenant'), 1)\n${TENANT}`,
    ['tenancy.not_confined'],
  ],
  [
    'parameters in LIMIT, IN and INTERVAL',
    `query: SELECT id FROM shop.orders WHERE tenant = @tenant AND id IN @ids AND now() - INTERVAL @days DAY < now() LIMIT @limit\nparameters: { tenant: { type: String, required: true }, ids: { type: Array(UInt64), required: true }, days: { type: UInt8, default: 1 }, limit: { type: UInt8, default: 1 } }\ntenancy: { parameter: tenant }\n`,
    [],
  ],
  ['no tenancy at all', 'query: SELECT id FROM shop.orders\n', []],
  [
    'a sandbox without tenancy',
    `${TABLE}shop.orders) SELECT id FROM o\n«sandbox: { enabled: true }\n`,
    ['tenancy.undeclared'],
  ],
  [
    'a sandbox without tenancy, in block form, with a parameter that looks like a tenant',
    `${TABLE}shop.orders WHERE tenant = @tenant) SELECT id FROM o\n${DECLARED}«sandbox:\n  tables: [o]\n  enabled: true\n`,
    ['tenancy.undeclared'],
  ],
  [
    'a sandbox that is not enabled',
    `${TABLE}shop.orders) SELECT id FROM o\nsandbox: { enabled: false }\n`,
    [],
  ],
  [
    'a sandbox without tenants',
    `${TABLE}shop.rates) SELECT rate FROM o\nsandbox: { enabled: true }\ntenancy: { none: public rates }\n`,
    [],
  ],
  [
    'a sandbox with the tenancy of the settings',
    `${TABLE}shop.orders WHERE tenant = @tenant) SELECT id FROM o\nsandbox: { enabled: true }\n${DECLARED}`,
    [],
    'tenant',
  ],
];

describe('tenancy', () => {
  test.each(ROWS.map(([why, ...row]) => ({ why, row })))('$why', async ({ row: [body, codes, setting] }) => {
    const marked =
      body === 'name2' ? `${HEAD.replace('shop.orders', '«shop.orders')}query: SELECT 1\n` : HEAD + body;
    const found = await findingsOf(marked.replace('«', ''), setting);
    expect(found.map(({ code }) => code).toSorted()).toEqual(codes);
    if (codes.length !== 1) return;
    const before = marked.slice(0, marked.indexOf('«')).split('\n');
    expect(found[0]).toMatchObject({ line: before.length, column: (before.at(-1)?.length ?? 0) + 1 });
  });
});

test('the hint names the column that another table is compared by', async () => {
  const query =
    'SELECT o.id FROM shop.orders AS o JOIN shop.buyers AS b ON b.id = o.buyer WHERE o.tenant = @org';
  const text = `${HEAD}query: ${query}\nparameters: { org: { type: String, required: true } }\ntenancy: { parameter: org }\n`;
  const [found, ...others] = await findingsOf(text, undefined);
  expect([found?.code, others]).toEqual(['tenancy.not_confined', []]);
  expect(found?.hint).toContain('Add AND tenant = @org to the WHERE clause');
});

test.each([
  ['the parameter, if one is required', DECLARED, 'tenancy: { parameter: tenant }'],
  ['no name, if none is', '', 'tenancy: { parameter: … }'],
  [
    'no name, if several are',
    'parameters: { tenant: { type: String, required: true }, id: { type: UInt64, required: true } }\n',
    'tenancy: { parameter: … }',
  ],
])('a sandbox without tenancy is a warning whose hint has %s', async (_, parameters, text) => {
  const used = ['@tenant', '@id'].filter((name) => parameters.includes(name.slice(1))).join(', ') || '1';
  const [found] = await findingsOf(
    `${HEAD}${TABLE}shop.orders) SELECT id, ${used} FROM o\nsandbox: { enabled: true }\n${parameters}`,
    undefined,
  );
  expect(found).toMatchObject({ severity: 'warning', code: 'tenancy.undeclared' });
  expect(found?.hint).toContain(text);
  expect(found?.hint).toContain('tenancy: { none: ');
});

const KEY = { sha256: 'a'.repeat(64), endpoints: ['shop.*'] };
const SANDBOX = `${HEAD}query: |\n  WITH o AS (SELECT id FROM shop.orders WHERE tenant = @tenant AND id = @id) SELECT * FROM o\nsandbox: { enabled: true }\nparameters: { tenant: { type: String, required: true }, id: { type: UInt64, required: true } }\ntenancy: { parameter: tenant }\n`;

test.each<[why: string, key: Partial<Token>, path: readonly (string | number)[] | undefined]>([
  ['locked', { parameters: { tenant: 'a' }, allow: ['sql'] }, undefined],
  ['saved queries for any tenant', {}, ['tokens', 0, 'endpoints']],
  ['any tenant, with a reason', { all_tenants: 'the backend', allow: ['sql'] }, undefined],
  ['a value that is rejected', { parameters: { tenant: '' } }, ['tokens', 0, 'parameters', 'tenant']],
  ['a parameter that the endpoint does not have', { parameters: { other: 'a' } }, undefined],
  ['consumer queries for any tenant', { allow: ['sql'] }, ['tokens', 0, 'allow']],
  ['another parameter locked', { parameters: { id: 1 } }, ['tokens', 0, 'parameters']],
  ['another endpoint', { allow: ['sql'], endpoints: ['other'] }, undefined],
])('keys: %s', (_, key, path) => {
  const tokens: Token[] = [{ name: 'k', ...KEY, ...key }];
  const found = findUnlockedKeys(tokens, [inspectedOf(SANDBOX).candidate.endpoint]);
  const code = path?.length === 4 ? 'tenancy.key_value_rejected' : 'tenancy.key_not_locked';
  expect(found.map((each) => [each.code, each.path])).toEqual(path === undefined ? [] : [[code, path]]);
});

test.each<[why: string, key: Partial<Token>, path: PathFinding['path'] | undefined, hint?: string]>([
  ['what there is', { endpoints: ['shop.*', 'shop.orders'], parameters: { tenant: 'a' } }, undefined],
  ['a misspelled group', { endpoints: ['shop.orders', 'shpo.*'] }, ['tokens', 0, 'endpoints', 1], 'shop.*'],
  ['a misspelled name', { endpoints: ['shop.ordrs'] }, ['tokens', 0, 'endpoints', 0], 'shop.orders'],
  ['everything', { endpoints: ['*'] }, undefined],
  ['a misspelled parameter', { parameters: { tenent: 'a' } }, ['tokens', 0, 'parameters', 'tenent'], 'tenant'],
  ['a parameter of no endpoint of the key', { parameters: { tenant: 'a', region: 'b' } }, ['tokens', 0, 'parameters', 'region']],
])('keys without effect: %s', (_, key, path, hint = '') => {
  const { endpoint } = inspectedOf(SANDBOX).candidate;
  const found = findDeadKeys([{ name: 'k', ...KEY, endpoints: ['shop.*'], ...key }], [endpoint]);
  expect(found.map((each) => each.path)).toEqual(path === undefined ? [] : [path]);
  expect(found[0]?.hint ?? '').toContain(hint);
}); // prettier-ignore

test('keys: of very many, the first ones are checked', () => {
  const { endpoint } = inspectedOf(SANDBOX).candidate;
  const tokens = Array.from({ length: 10 }, (_, index) => ({
    name: `k${index}`,
    ...KEY,
    parameters: { tenant: 'a' },
  }));
  const found = findUnlockedKeys(
    tokens,
    Array.from({ length: 40_000 }, () => endpoint),
  );
  expect(found.map(({ path }) => path)).toEqual([['tokens', 5]]);
});
