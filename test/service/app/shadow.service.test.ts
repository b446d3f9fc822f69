// Shadow runs: planted differences between versions are found, equal results are not reported, and callers notice nothing.
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { hashKey } from '../../../src/service/auth/keyring.ts';
import type { ShadowCompared } from '../../../src/sql/base/observation.ts';
import { readRows } from '../../../src/service/engine/rows.ts';
import { eventually } from '../../support/eventually.ts';
import { startGate, type Gate } from '../../support/gate.ts';
import { some } from '../../support/runs.ts';
import { KEY, startService, writeEndpoint, type TestService } from '../../support/service.ts';

const LOCKED = 'key-of-one-tenant';

let service: TestService;
beforeAll(async () => {
  service = await startService({
    settings: { usage: true, connections: 3, shares: { consumers: 2, perKey: 1 } },
    tokens: [{ name: 'one', sha256: hashKey(LOCKED), endpoints: ['*'], parameters: { tenant: 'a' } }],
    sql: [
      'CREATE DATABASE shop',
      'CREATE TABLE shop.orders (id UInt32, tenant String, email String) ENGINE = MergeTree ORDER BY id',
      "INSERT INTO shop.orders VALUES (1, 'a', 'ann@example.com'), (2, 'b', 'bob@example.com')",
    ],
  });
});
afterAll(() => service.stop());

let number = 0;
const idOf = (): string => `00000000-0000-4000-8000-${String(++number).padStart(12, '0')}`;

/** Serves the queries as versions 1 and 2 of a new endpoint, which is called once; all its comparisons. */
async function compared(
  queries: readonly [string, string],
  {
    rest = ['', ''],
    path = '',
    key = KEY,
  }: { rest?: readonly [string, string]; path?: string; key?: string } = {},
): Promise<ShadowCompared> {
  const name = `pair${++number}`;
  const rollout = 'rollout: { shadow: 100% }\n';
  for (const [index, query] of queries.entries()) {
    const text = `id: ${idOf()}\nname: ${name}\nversion: ${index + 1}\n${index === 1 ? rollout : 'default: true\n'}query: |\n  ${query}\n${rest[index]}`;
    await writeEndpoint(service, `${name}-${index}`, text);
  }
  await service.service.reload();
  for (;;) {
    const before = comparisons(name).length;
    const response = await service.call(`/api/endpoints/query/${name}${path}`, {
      headers: { 'X-API-KEY': key },
    });
    expect([response.status, response.headers.get('millrace-version')]).toEqual([200, '1']);
    const found = await eventually(
      () => comparisons(name)[before] ?? Promise.reject(new Error('not compared yet')),
    );
    if (found.outcome !== 'dropped') return found; // a busy machine
  }
}

const comparisons = (name: string): readonly ShadowCompared[] =>
  service.observed.flatMap((each) => (each.kind === 'shadow.compared' && each.endpoint === name ? each : []));

const rows = (expression: string, of = 'numbers(50)'): string =>
  `SELECT number AS n, ${expression} AS v FROM ${of} ORDER BY n`;
const alone = (expression: string): string => `SELECT ${expression} AS v`;

const FOUND: readonly (readonly [why: string, before: string, after: string, found: readonly string[]])[] = [
  ['a value in one of many rows', rows('n * 2'), rows('n * 2 + (n = 37)'), ['v value 1']],
  [
    'the last digit of a large number',
    alone('18446744073709551615'),
    alone('18446744073709551614'),
    ['v value 1'],
  ],
  [
    'the last digit of a decimal',
    alone("toDecimal128('0.12345678901234567890', 20)"),
    alone("toDecimal128('0.12345678901234567891', 20)"),
    ['v value 1'],
  ],
  ['a sum outside the tolerance', alone('toFloat64(1000000)'), alone('toFloat64(1000000.01)'), ['v value 1']],
  ['NULL instead of 0', alone('toNullable(0)'), alone("CAST(NULL, 'Nullable(UInt8)')"), ['v null 1']],
  [
    'NULL instead of an empty string',
    alone("toNullable('')"),
    alone("CAST(NULL, 'Nullable(String)')"),
    ['v null 1'],
  ],
  ['NaN instead of NULL', alone("CAST(NULL, 'Nullable(Float64)')"), alone('toNullable(nan)'), ['v null 1']],
  ['NaN instead of 0', alone('toFloat64(0)'), alone('0 / 0'), ['v value 1']],
  ['another infinity', alone('1 / 0'), alone('-1 / 0'), ['v value 1']],
  ['the order of rows', rows('n'), `${rows('n')} DESC`, ['* order 50']],
  [
    'two rows exchanged',
    rows('n'),
    'SELECT number AS n, number AS v FROM numbers(50) ORDER BY multiIf(n = 3, 4, n = 4, 3, n)',
    ['* order 2'],
  ],
  ['the first row missing', rows('n'), rows('n', 'numbers(1, 49)'), ['* rows 1']],
  ['one row more at the end', rows('n'), rows('n', 'numbers(51)'), ['* rows 1']],
  ['no rows', rows('n'), rows('n', 'numbers(50) WHERE number > 99'), ['* rows 50']],
  [
    'a duplicate instead of another row',
    rows('n'),
    rows('n', '(SELECT if(number = 7, 6, number) AS number FROM numbers(50))'),
    ['n value 1', 'v value 1'],
  ],
  ['a column missing', rows('n'), 'SELECT number AS n FROM numbers(50) ORDER BY n', ['v missing 50']],
  ['a column added', alone('1'), 'SELECT 1 AS v, 2 AS w', ['w added 1']],
  ['a column renamed', alone('1'), 'SELECT 1 AS w', ['v missing 1', 'w added 1']],
  ['columns in another order', 'SELECT 1 AS v, 2 AS w', 'SELECT 2 AS w, 1 AS v', ['w moved 1']],
  ['a number as a string', alone('toUInt32(5)'), alone("'5'"), ['v type 2']],
  ['a wider type with equal values', alone('toUInt8(5)'), alone('toInt64(5)'), ['v type 1']],
  ['an element of an array', alone('[1, 2, 3]'), alone('[1, 3, 2]'), ['v value 1']],
  [
    'a value in a map in a tuple',
    alone("tuple(map('a', [1.5]))"),
    alone("tuple(map('a', [1.6]))"),
    ['v value 1'],
  ],
  ['a key of a map', alone("map('a', 1)"), alone("map('b', 1)"), ['v value 1']],
  ['a path of a document', alone(`'{"a":{"b":1}}'::JSON`), alone(`'{"a":{"b":2}}'::JSON`), ['v value 1']],
  ['a space at the end', alone("'a'"), alone("'a '"), ['v value 1']],
  [
    'a second',
    alone("toDateTime('2024-01-01 00:00:00', 'UTC')"),
    alone("toDateTime('2024-01-01 00:00:01', 'UTC')"),
    ['v value 1'],
  ],
];

test.each(some(FOUND, 2))('found: %s', async (_why, before, after, found) => {
  const { outcome, differences } = await compared([before, after]);
  expect(outcome).toBe('different');
  expect(
    differences.map(({ column = '*', difference, rows: count }) => `${column} ${difference} ${count}`),
  ).toEqual(found);
});

test.each<[why: string, before: string, after: string, outcome: ShadowCompared['outcome']]>([
  ['another query with the same rows', rows('n * 2'), rows('n + n'), 'equal'],
  ['floating-point noise', alone('0.1 + 0.2'), alone('0.3'), 'equal'],
  ['noise in large sums', alone('toFloat64(123456789012)'), alone('toFloat64(123456789012.00001)'), 'equal'],
  ['NaN in both', alone('nan'), alone('0 / 0'), 'equal'],
  ['no rows in both', rows('n', 'numbers(0)'), rows('n', 'numbers(50) WHERE number > 99'), 'equal'],
  ['values that differ in each run', alone('generateUUIDv4()'), alone('generateUUIDv4()'), 'unstable'],
  ['a version that fails', alone('1'), alone("throwIf(materialize(1), 'no')"), 'failed'],
])('%s', async (_why, before, after, outcome) => {
  expect(await compared([before, after])).toMatchObject({ outcome, differences: [] });
});

test('a parameter that the next version lacks', async () => {
  const rest = ['parameters: { p: { type: String, default: a } }\n', ''] as const;
  expect(await compared([alone('@p'), alone("'a'")], { rest, path: '?p=a' })).toMatchObject({
    outcome: 'failed',
  });
});

test('locked parameters apply, and redaction comes before the comparison', async () => {
  const parameters = 'parameters: { tenant: { type: String, required: true } }\n';
  const query = (email: string): string =>
    `SELECT id, ${email} AS email FROM shop.orders WHERE tenant = @tenant`;
  const pii = `${parameters}pii: { redact: true }\n`;
  const queries = [query('email'), query("replace(email, 'ann', 'eve')")] as const;
  expect(await compared(queries, { rest: [pii, pii], key: LOCKED })).toMatchObject({ outcome: 'equal' });
  const plain = await compared(queries, { rest: [parameters, parameters], key: LOCKED });
  expect(plain.differences).toEqual([{ column: 'email', difference: 'value', rows: 1 }]);
  expect(JSON.stringify(plain)).not.toContain('example.com');
});

test('only calls of the version before, without a consumer query and not from the cache', async () => {
  const name = 'eligible';
  const file = (version: number, more: string): string =>
    `id: ${idOf()}\nname: ${name}\nversion: ${version}\nsandbox: { enabled: true }\n${more}query: WITH t AS (SELECT 1 AS a) SELECT * FROM t\n`;
  await writeEndpoint(service, 'eligible-1', file(1, ''));
  await writeEndpoint(service, 'eligible-2', file(2, 'default: true\ncache: { ttl: 60 }\n'));
  await writeEndpoint(service, 'eligible-3', file(3, 'rollout: { shadow: 100% }\n'));
  await service.service.reload();
  const call = async (path: string): Promise<void> => {
    expect((await service.call(`/api/endpoints/query/${path}`)).status).toBe(200);
    await sleep(200);
  };
  await call(`${name}@1`);
  await call(`${name}@3`);
  await call(`${name}?sql=SELECT%20a%20FROM%20t`);
  expect(comparisons(name)).toEqual([]);
  await call(name);
  await call(name);
  await eventually(() => expect(comparisons(name)).toHaveLength(1));
});

test('it counts against no rate limit, and is counted in metrics and by column in the table of calls', async () => {
  const rate = 'limits: { rate: 1000/h, concurrency: 1, queue: 1 }\n';
  const { endpoint } = await compared([rows('n'), rows('n + 1')], { rest: [rate, rate] });
  const left = async (): Promise<number> => {
    const response = await service.call(`/api/endpoints/query/${endpoint}`);
    return Number(/"endpoint";r=(\d+)/.exec(response.headers.get('ratelimit') ?? '')?.[1]);
  };
  const before = await left();
  await eventually(() => expect(comparisons(endpoint).length).toBeGreaterThan(1));
  expect(await left()).toBe(before - 1);
  const admin = service.service.admin;
  const metrics = await (await fetch(`${admin}/metrics`)).text();
  expect(metrics).toContain(
    `millrace_shadow_runs_total{endpoint="${endpoint}",version="2",outcome="different"}`,
  );
  expect(metrics).toContain(
    `millrace_shadow_differences_total{endpoint="${endpoint}",version="2",column="v",difference="value"}`,
  );
  const select = `SELECT DISTINCT method, endpoint, version, status, principal, shadow_rows, shadow_differences FROM millrace.calls WHERE endpoint = '${endpoint}' AND method = 'SHADOW'`;
  await eventually(async () =>
    expect(await readRows(service.engine, select)).toEqual([
      ['SHADOW', endpoint, 2, 0, '', { v: 50 }, { v: 'value' }],
    ]),
  );
});

/** A query that runs until the gate is opened. */
const waiting = ({ table }: Gate): string => `SELECT passed AS v FROM ${table}`;

test('it does not start while the engine has other work', async () => {
  const gate = await startGate();
  const name = 'busy';
  const file = (version: number, more: string): string =>
    `id: ${idOf()}\nname: ${name}\nversion: ${version}\n${more}\nquery: SELECT 1 AS v\n`;
  await writeEndpoint(service, 'slow', `id: ${idOf()}\nname: slow\nquery: ${waiting(gate)}\n`);
  await writeEndpoint(service, 'busy-1', file(1, 'default: true'));
  await writeEndpoint(service, 'busy-2', file(2, 'rollout: { shadow: 100% }'));
  await service.service.reload();
  const slow = service.call('/api/endpoints/query/slow');
  await gate.reached(1);
  for (let calls = 0; calls < 3; calls++)
    expect((await service.call(`/api/endpoints/query/${name}`)).status).toBe(200);
  await eventually(() => expect(comparisons(name)).toHaveLength(3));
  expect(new Set(comparisons(name).map(({ outcome }) => outcome))).toEqual(new Set(['dropped']));
  gate.open();
  expect((await slow).status).toBe(200);
  await gate.close();
});

test('it is cancelled as soon as callers need the engine', async () => {
  const gate = await startGate();
  const name = 'cancelled';
  const file = (version: number, more: string, query: string): string =>
    `id: ${idOf()}\nname: ${name}\nversion: ${version}\n${more}\nquery: ${query}\n`;
  await writeEndpoint(service, 'called', `id: ${idOf()}\nname: called\nquery: ${waiting(gate)}\n`);
  await writeEndpoint(service, 'cancelled-1', file(1, 'default: true', 'SELECT 1 AS v'));
  await writeEndpoint(service, 'cancelled-2', file(2, 'rollout: { shadow: 100% }', waiting(gate)));
  await service.service.reload();
  const dropped = (): number => comparisons(name).length; // also before it starts, on a busy machine
  for (let before = 0; gate.arrived() === 0; before = dropped()) {
    await service.call(`/api/endpoints/query/${name}`);
    await eventually(() => expect(gate.arrived() + dropped()).toBeGreaterThan(before));
  }
  const before = dropped();
  const callers = Array.from({ length: 3 }, () => service.call('/api/endpoints/query/called'));
  await eventually(() => expect(dropped()).toBe(before + 1));
  expect(comparisons(name).at(-1)).toMatchObject({ outcome: 'dropped', differences: [] });
  gate.open();
  const statuses = (await Promise.all(callers)).map(({ status }) => status);
  expect(new Set(statuses)).toEqual(new Set([200]));
  await gate.close();
});
