// Tenants, personal data and hidden tables stay protected if queries are routed to rollups.
import type { Client } from '@modelcontextprotocol/client';
import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hashKey } from '../../../src/service/auth/keyring.ts';
import type { Token } from '../../../src/service/config/generated/tokens.ts';
import { readRows } from '../../../src/service/engine/rows.ts';
import { DATABASES, startAttacked } from '../../support/attacked-service.ts';
import { eventually } from '../../support/eventually.ts';
import { some, someOfEach } from '../../support/runs.ts';
import { KEY, type TestService } from '../../support/service.ts';
import { ATTACKS, BENIGN } from '../../guard/sandbox/fixture.ts';
import { INDEX_ORACLES } from '../../guard/sandbox/oracles.ts';
import { FILES, KINDS } from './attacked-files.ts';
import { ask as askTool, connected } from '../fronts/mcp/world/world.ts';

const LOCKED = 'a-key-of-mine';
const LOCKED_TOKEN: Token = {
  name: 'locked',
  sha256: hashKey(LOCKED),
  endpoints: ['*'],
  allow: ['sql', 'lql'],
  parameters: { project: 'mine' },
};

let service: TestService;
let client: Client;
let stop: () => Promise<void>;
beforeAll(async () => {
  const started = await startAttacked({
    kinds: KINDS,
    files: FILES,
    tokens: [LOCKED_TOKEN],
    sql: ['CREATE TABLE app.persons AS app.logs', 'INSERT INTO app.persons SELECT * FROM app.logs'],
  });
  const world = connected(started);
  [service, stop] = [started, world.stop];
  client = await world.connect(KEY);
  await untilRouted();
});
afterAll(() => stop());

/** Resolves when the rollup of each kind of table is read. While the keeper compares one, rows are read. */
async function untilRouted(): Promise<void> {
  const routed: readonly (readonly [string, Record<string, string>])[] = [
    ['corpus', { sql: COUNT('edge_logs') }],
    ['of_all', {}],
    ...KINDS.flatMap((kind) =>
      DATABASES.map((database) => [`${kind}.${database}`, { sql: COUNT('t') }] as const),
    ),
  ];
  for (const [endpoint, fields] of routed)
    await eventually(async () => {
      if ((await ask(endpoint, fields)).rollup === undefined) throw new Error(`${endpoint} reads its rows`);
    });
}

const COUNT = (table: string): string => `SELECT count() AS n FROM ${table}`;
const OFF = { 'SVC-Endpoint-Rollups': 'off' };
/** These headers differ from call to call, or name the endpoint. */
const OWN: ReadonlySet<string> = new Set([
  'x-request-id',
  'server-timing',
  'date',
  'millrace-endpoint',
  'age',
]);

interface Asked {
  readonly status: number;
  readonly body: string;
  readonly headers: readonly (readonly [string, string])[];
  /** The route, as Server-Timing has it. */
  readonly rollup: string | undefined;
}

async function ask(
  endpoint: string,
  { project = 'mine', ...fields }: Record<string, string>,
  headers: Record<string, string> = {},
  kind: 'query' | 'explain' = 'query',
): Promise<Asked> {
  const response = await service.call(`/api/endpoints/${kind}/${endpoint}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify(endpoint === 'of_all' ? fields : { project, ...fields }),
  });
  const requestId = response.headers.get('x-request-id') ?? '';
  return {
    status: response.status,
    headers: [...response.headers].filter(([name]) => !OWN.has(name)),
    body: (await response.text()).replaceAll(requestId, ''),
    rollup: /rollup;desc=(\w+)/.exec(response.headers.get('Server-Timing') ?? '')?.[1],
  };
}

async function clickhouse(sql: string, database = 'corpus'): Promise<string> {
  const fields = new URLSearchParams({ database, param_project: 'mine' });
  const response = await service.call(`/clickhouse/?${fields.toString()}`, { method: 'POST', body: sql });
  return `${response.status} ${await response.text()}`;
}

async function stored(): Promise<readonly string[]> {
  const sql = "SELECT name FROM system.tables WHERE database = 'millrace_rollups' ORDER BY name";
  return (await readRows(service.engine, sql)).flat().map(String);
}

describe('the attacks of the corpus', () => {
  const TRIED = someOfEach(ATTACKS, ({ cat }) => cat, { each: 2, from: 1 });
  test('are answered as over rows', { timeout: 600_000 }, async () => {
    for (const { id, sql } of TRIED) {
      const [routed, direct] = [await ask('corpus', { sql }), await ask('corpus', { sql }, OFF)];
      expect([id, { ...routed, rollup: undefined }]).toEqual([id, direct]);
      const shown = routed.body.replaceAll(/CANARY\w*/g, (word) => (sql.includes(word) ? '' : word));
      expect([id, sql, shown]).toEqual([id, sql, expect.not.stringMatching(/CANARY|millrace_rollups/)]);
    }
  });

  test('around aggregates that are routed', { timeout: 600_000 }, async () => {
    for (const { id, sql } of TRIED) {
      const attack = `SELECT status, count() AS n FROM edge_logs WHERE status IN (${sql}) GROUP BY status ORDER BY status`;
      const [routed, direct] = [
        await ask('corpus', { sql: attack }),
        await ask('corpus', { sql: attack }, OFF),
      ];
      expect([id, { ...routed, rollup: undefined }]).toEqual([id, direct]);
    }
  });
});

test('the consumer queries of the corpus have the same answers', { timeout: 600_000 }, async () => {
  for (const { id, sql } of someOfEach(BENIGN, ({ cat }) => cat, { each: 6, from: 1 })) {
    const [routed, direct] = [await ask('corpus', { sql }), await ask('corpus', { sql }, OFF)];
    expect([id, { ...routed, rollup: undefined }]).toEqual([id, direct]);
  }
});

describe('the tables of rollups', () => {
  test('are rejected by all of their names, in all languages', async () => {
    const name = (await stored()).find((each) => each.startsWith('edge_by_minute')) ?? '';
    for (const table of [
      `millrace_rollups.\`${name}\``,
      `\`${name}\``,
      'millrace_rollups.coverage',
      'edge_by_minute',
    ]) {
      for (const sql of [
        `SELECT * FROM ${table}`,
        `SELECT count() AS n FROM edge_logs WHERE status IN (SELECT status FROM ${table})`,
        `SELECT count() AS n FROM edge_logs CROSS JOIN ${table}`,
        `WITH x AS (SELECT * FROM ${table}) SELECT * FROM x`,
      ]) {
        expect([sql, (await ask('corpus', { sql })).status]).toEqual([sql, 400]);
        expect([sql, (await ask('corpus', { sql }, {}, 'explain')).status]).toEqual([sql, 400]);
        expect([sql, (await ask('corpus', { sql, dialect: 'bigquery' })).status]).toEqual([sql, 400]);
        expect([sql, await clickhouse(sql)]).toEqual([sql, expect.stringMatching(/^4\d\d /)]);
        const agent = { endpoint: 'corpus', parameters: { project: 'mine' }, sql };
        expect([sql, (await askTool(client, 'query', agent)).isError]).toEqual([sql, true]);
      }
      for (const sql of [
        `DESCRIBE TABLE ${table}`,
        `SHOW CREATE TABLE ${table}`,
        `EXPLAIN SELECT * FROM ${table}`,
      ])
        expect([sql, await clickhouse(sql)]).toEqual([sql, expect.stringMatching(/^(?:4\d\d|501) /)]);
      expect((await ask('corpus', { lql: `f:${table.replaceAll('`', '')}` })).status).toBe(400);
    }
    for (const sql of [
      `SELECT * FROM merge('millrace_rollups', '.*')`,
      `SELECT * FROM merge(REGEXP('.*'), '.*1m')`,
      `SELECT hasColumnInTable('millrace_rollups', '${name}', 'project') AS has FROM edge_logs`,
      `SELECT * FROM mergeTreeIndex('millrace_rollups', '${name}')`,
    ])
      expect([sql, (await ask('corpus', { sql })).status]).toEqual([sql, 400]);
  });

  test('are seen nowhere', async () => {
    const agent = { endpoint: 'corpus', parameters: { project: 'mine' } };
    const routed = 'SELECT status, count() AS n FROM edge_logs GROUP BY status ORDER BY status';
    const shown = [
      ...(await Promise.all(
        [
          'SHOW TABLES', 'SHOW DATABASES', 'SELECT * FROM system.tables FORMAT JSON',
          'SELECT * FROM system.columns FORMAT JSON', 'SELECT * FROM system.databases FORMAT JSON',
          `${routed} FORMAT JSON`, `EXPLAIN ${routed}`, `EXPLAIN QUERY TREE ${routed}`, `EXPLAIN SYNTAX ${routed}`,
          'SELECT * FROM edge_by_minut',
        ].map((sql) => clickhouse(sql)),
      )),
      ...(await Promise.all(
        [
          'SELECT count() AS n FROM edge_by_minut',
          'SELECT intDiv(1, toUInt8(status = 0)) AS x, count() AS n FROM edge_logs GROUP BY status',
          'SELECT toInt8(concat(method, toString(count()))) AS x FROM edge_logs GROUP BY method',
          'SELECT throwIf(count() > 0) AS x FROM edge_logs', 'SELECT sum(method) AS x, count() AS n FROM edge_logs',
        ].flatMap((sql) => [ask('corpus', { sql }), ask('corpus', { sql }, {}, 'explain')]),
      ).then((all) => all.map(({ body }) => body))),
      (await askTool(client, 'describe_tables', agent)).text,
      (await askTool(client, 'explain', { ...agent, sql: routed })).text,
      (await askTool(client, 'query', { ...agent, sql: routed })).text,
      ...(await Promise.all(
        ['/api/endpoints', '/openapi.json', '/llms.txt', '/api/endpoints/query/corpus.md'].map(async (path) =>
          (await service.call(path)).text(),
        ),
      )),
    ];
    for (const text of shown) expect(text).not.toMatch(/millrace_rollups|edge_by_minute_|`#|CANARY/);
  }); // prettier-ignore

  test.each([
    'SELECT max(`#max(event_message)`) AS m, count() AS n FROM edge_logs',
    'SELECT sum(`#count()`) AS m, count() AS n FROM edge_logs',
    'SELECT `count()` AS m, count() AS n FROM edge_logs GROUP BY m',
    'SELECT `#method` AS m, count() AS n FROM edge_logs GROUP BY m',
    'SELECT edge_logs.`#time` AS m, count() AS n FROM edge_logs GROUP BY m',
    "SELECT COLUMNS('#'), count() AS n FROM edge_logs GROUP BY ALL",
    "SELECT 1 AS `#count()`, 'GET' AS `#method`, method, count() AS n FROM edge_logs GROUP BY method ORDER BY method",
    'SELECT ip AS project, count() AS n FROM edge_logs GROUP BY project ORDER BY project',
    'SELECT project, count() AS n FROM edge_logs GROUP BY project',
  ])('have no columns for consumers: %s', async (sql) => {
    const [routed, direct] = [await ask('corpus', { sql }), await ask('corpus', { sql }, OFF)];
    expect({ ...routed, rollup: undefined }).toEqual(direct);
    expect(routed.body).not.toContain('CANARY');
  });
});

test('why no rollup is used says nothing of hidden tables', async () => {
  const { status, body } = await ask('hidden', { sql: COUNT('logs') }, {}, 'explain');
  expect([status, body]).toEqual([200, expect.stringContaining('edge_by_minute is not used')]);
  expect(body).not.toMatch(/secret_rows|user_id/);
  const sql = COUNT('logs').replace('SELECT ', "SELECT 'secret_rows user_id' AS guessed, ");
  const guessed = await ask('hidden', { sql }, {}, 'explain');
  expect(JSON.parse(guessed.body)).toMatchObject({ result: { rollup: sentenceIn(body) } });
});

const sentenceIn = (body: string): unknown =>
  (JSON.parse(body) as { readonly result: { readonly rollup: unknown } }).result.rollup; // as explain documents

/** Conditions that may fail on values of others, which are in the sorting key of the rollups. */
const OF_DIMENSIONS = INDEX_ORACLES.filter(
  (condition) => !/\b(?:num|ratio|id|tags|doc|attrs|sparse)\b/.test(condition),
);

describe('other tenants’ rows change nothing', () => {
  /** Others have times that no number of these units holds. */
  const PRECISE: readonly Record<string, string>[] = [
    { sql: "SELECT count() AS n FROM t WHERE ts > toDateTime64('2024-01-01 01:00:00', 9)" },
    { sql: 'SELECT toStartOfHour(toDateTime64(ts, 9)) AS h, count() AS n FROM t GROUP BY h ORDER BY h' },
    { sql: "SELECT countIf(ts <= CAST('2024-01-01 20:10:00' AS DateTime64(9))) AS n FROM t" },
    {
      sql: "SELECT count() AS n FROM t WHERE ts > toDateTime('2024-01-01 01:00:00') + INTERVAL 5 NANOSECOND",
    },
  ];
  const QUERIES: readonly Record<string, string>[] = [
    {},
    { sql: COUNT('t') },
    ...PRECISE,
    {
      sql: 'SELECT low, maybe, count() AS n, sum(num) AS s, avg(num) AS a FROM t GROUP BY low, maybe ORDER BY ALL',
    },
    {
      sql: "SELECT toStartOfHour(ts, 'UTC') AS h, min(num) AS a, max(secret) AS b FROM t GROUP BY h ORDER BY h",
    },
    {
      sql: "SELECT uniqExact(id) AS n FROM t WHERE ts > '2024-01-01 10:17:03.5' AND ts <= '2024-01-02 03:00:01'",
    },
    { sql: "SELECT countIf(toUInt64(text) > 5) AS n FROM t WHERE ts < '2024-01-01 20:10:00'" },
    { sql: "SELECT count() AS n FROM t WHERE intDiv(1, low != 'CANARY') = 1" },
    { sql: 'SELECT CAST(text AS Int64) AS v, count() AS n FROM t GROUP BY v ORDER BY v' },
    { sql: "SELECT count() AS n FROM t HAVING intDiv(1, max(secret) NOT LIKE 'CANARY%') = 1" },
    { sql: 'SELECT intDiv(1, count() - 96) AS x FROM t' },
    { sql: 'SELECT intDiv(1, toInt64(text) - 7) AS x, count() AS n FROM t GROUP BY text' },
    {
      sql: "SELECT toDateTime64(concat('2024-01-0', text), 3) AS x, count() AS n FROM t GROUP BY x ORDER BY x",
    },
    {
      sql: 'SELECT CAST(text AS INT64) AS v, COUNT(*) AS n FROM t GROUP BY v ORDER BY v',
      dialect: 'bigquery',
    },
    { lql: 'low:mine c:count(*)' },
    ...some(OF_DIMENSIONS, 4).map((condition) => ({ sql: `SELECT count() AS n FROM t WHERE ${condition}` })),
  ];
  /** Each over all kinds of tables with `npm run fuzz`, and otherwise most of them over one. */
  const CASES = QUERIES.flatMap((fields, index) =>
    KINDS.filter(
      (_, of) =>
        process.env['FUZZ_CASES'] !== undefined || PRECISE.includes(fields) || of === index % KINDS.length,
    ).map((kind) => ({ kind, fields })),
  );
  const seen = (kind: string, fields: Record<string, string>, headers?: Record<string, string>) =>
    Promise.all(
      DATABASES.map(async (database) => {
        const called = await ask(`${kind}.${database}`, fields, headers);
        const { body } = 'sql' in fields ? await ask(`${kind}.${database}`, fields, headers, 'explain') : { body: '' };
        return JSON.parse(JSON.stringify([called, body]).replaceAll(database, '')) as readonly [Asked, string];
      }),
    ); // prettier-ignore
  /** The answers are the same at any moment, and the routes once the keeper has compared both: it reads rows meanwhile. */
  const both = async (kind: string, fields: Record<string, string>): Promise<readonly [Asked, string]> => {
    const [calm, hostile] = await seen(kind, fields);
    const sent = [calm, hostile].map((each) => ({ status: each?.[0].status, body: each?.[0].body }));
    expect([kind, fields, sent[1]]).toEqual([kind, fields, sent[0]]);
    if (calm !== undefined && isDeepStrictEqual(calm, hostile)) return calm;
    return eventually(async () => {
      const [first, second] = await seen(kind, fields);
      expect([kind, fields, second]).toEqual([kind, fields, first]);
      if (first === undefined) throw new Error('there are no databases');
      return first;
    });
  };
  const all = async (): Promise<Map<string, readonly [Asked, string]>> => {
    const answers = new Map<string, readonly [Asked, string]>();
    for (const { kind, fields } of CASES)
      answers.set(JSON.stringify([kind, fields]), await both(kind, fields));
    return answers;
  };
  const bodiesOf = (answers: Awaited<ReturnType<typeof all>>): readonly string[] =>
    Array.from(answers, ([query, [{ status, body }]]) => `${query} ${status} ${body}`);

  const expectSame = async (before: Awaited<ReturnType<typeof all>>): Promise<void> => {
    const now = await all();
    expect(bodiesOf(now)).toEqual(bodiesOf(before));
    if (!isDeepStrictEqual(now, before)) await eventually(async () => expect(await all()).toEqual(before));
  };

  test('in answers, errors, and which route was taken', { timeout: 600_000 }, async () => {
    const before = await eventually(async () => {
      const answers = await all();
      const routes = [...answers.values()].map(([{ rollup }]) => rollup !== undefined);
      expect(routes.filter(Boolean).length).toBeGreaterThan(CASES.length / 4);
      return answers;
    });
    for (const { kind, fields } of CASES) {
      const [direct] = await seen(kind, fields, OFF);
      const routed = before.get(JSON.stringify([kind, fields]));
      expect([fields, routed?.[0].status, routed?.[0].body]).toEqual([
        fields,
        direct?.[0].status,
        direct?.[0].body,
      ]);
    }
    // More rows of others in the same granules, in parts that are not merged, and then are.
    for (const kind of KINDS)
      await service.engine.execute(
        `INSERT INTO hostile.${kind} SELECT * REPLACE (if(num = 77, fromUnixTimestamp64Milli(90000000000000000, 'UTC'), ts + toIntervalMillisecond(1)) AS ts) FROM hostile.rows WHERE project != 'mine'`,
      );
    await expectSame(before);
    for (const name of await stored())
      if (/^(?:compact|by_path|map).*_1h$/.test(name))
        await service.engine.execute(`OPTIMIZE TABLE millrace_rollups.\`${name}\` FINAL`);
    await expectSame(before);
  });
});

describe('answers are those without rollups', () => {
  const QUERIES: readonly Record<string, string>[] = [
    {},
    { sql: 'SELECT ip, count() AS n FROM logs GROUP BY ip ORDER BY ip, n' },
    { sql: 'SELECT source, count() AS n, sum(user_id) AS s FROM logs GROUP BY source ORDER BY source' },
    { sql: "SELECT count() AS n FROM logs WHERE ip = '10.0.0.3'" },
    { sql: "SELECT countIf(ip LIKE '10.0.0.1%') AS n, uniqExact(ip) AS u FROM logs" },
    { sql: 'SELECT max(ip) AS m, min(ip) AS l FROM logs' },
    { sql: 'SELECT status, count() AS n FROM logs GROUP BY status ORDER BY status' },
    { sql: 'SELECT max(event_message) AS m FROM logs' },
    { sql: 'SELECT substring(ip, 1, 8) AS net, count() AS n FROM logs GROUP BY net ORDER BY net', dialect: 'bigquery' },
    { lql: 'status:404 c:count(*) c:group_by(t::hour)' },
  ]; // prettier-ignore
  test.each(['plain', 'at_result', 'at_source', 'in_groups', 'of_persons'])('%s', async (endpoint) => {
    await untilRouted();
    let used = 0;
    for (const fields of QUERIES)
      for (const headers of [{}, { 'SVC-Endpoint-Redact-PII': 'true' }]) {
        const routed = await ask(endpoint, fields, headers);
        const direct = await ask(endpoint, fields, { ...headers, ...OFF });
        expect([fields, { ...routed, rollup: undefined }]).toEqual([fields, direct]);
        expect([fields, routed.body]).toEqual([fields, expect.not.stringContaining('CANARY')]);
        if (/^at_|^in_/.test(endpoint)) expect(routed.body).not.toMatch(/10\.0\.0\.\d/);
        if (routed.rollup !== undefined) used += 1;
      }
    if (endpoint === 'plain') expect(used).toBeGreaterThan(QUERIES.length);
    if (endpoint === 'of_persons') expect(used).toBe(0);
  });

  test('a rollup without the tenant is in use, and not for those who have one', async () => {
    const { body } = await ask('of_persons', { sql: COUNT('logs') }, {}, 'explain');
    expect(body).toContain('all_rows is not used: the tables of the endpoint need rows');
    const all = await service.call('/api/endpoints/query/of_all');
    expect(all.headers.get('Server-Timing')).toContain('rollup;desc=all_rows');
  });

  test('of a key whose parameter is locked', async () => {
    const headers = { 'X-API-KEY': LOCKED };
    for (const fields of QUERIES) {
      const routed = await ask('plain', fields, headers);
      expect([fields, { ...routed, rollup: undefined }]).toEqual([fields, await ask('plain', fields, { ...headers, ...OFF })]);
      expect(routed.rollup).toBe((await ask('plain', fields)).rollup);
    }
    const [routed, direct] = [await ask('plain', { project: 'other' }, headers), await ask('plain', { project: 'other' }, { ...headers, ...OFF })];
    expect(routed).toEqual(direct);
    expect(routed.body).not.toContain('CANARY');
  }); // prettier-ignore
});
