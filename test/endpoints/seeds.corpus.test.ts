// The sample data as the shipped endpoints read it, and two loads of a part of it with the same clock, by the real engine.
import { cp, mkdtemp, readFile, readdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createCompile } from '../../src/service/endpoints/compile.ts';
import type { Endpoint } from '../../src/service/endpoints/endpoint.ts';
import { createEmbeddedEngine } from '../../src/service/engine/embedded/embedded-engine.ts';
import type { Engine } from '../../src/service/engine/engine.ts';
import { loadSeeds, runScripts } from '../../src/service/engine/seeds.ts';
import { rows, statement, text } from '../support/engine-statements.ts';
import { REAL_TIME } from '../support/real-time.ts';
import { SHIPPED } from '../support/folder-sources.ts';
import { someOfEach } from '../support/runs.ts';
import { copySampleData, DATA, MINUTES, SHARE } from '../support/sample-data.ts';

const SEEDS = join(import.meta.dirname, '../../seeds');
const ENDPOINTS = join(import.meta.dirname, '../../endpoints');
const CLOCK = "now64(6, 'UTC')";

const SHOP = 'xvzyeivudksfanncdekp';
const PROJECTS = [
  SHOP,
  'songgkuvkkncuqzpmcgs',
  'hbgdcgiwyjjwiftdaiwh',
  'hshbazutjiewuktxoeui',
  'rnffmwdweysnlhdtbqgn',
  'ffcdzjazuzkvxmoqyyxb',
].toSorted();

/** Counts vary with how many weekends the eight days before the load hold. */
const SOURCES = [
  { name: 'edge_logs', carrier: 'project', least: 170_000, most: 240_000 },
  { name: 'database_logs', carrier: 'project', least: 20_000, most: 35_000 },
  { name: 'function_edge_logs', carrier: 'metadata.project_ref', least: 8_000, most: 14_000 },
  { name: 'function_logs', carrier: 'metadata.project_ref', least: 12_000, most: 22_000 },
  { name: 'auth_logs', carrier: 'project', least: 22_000, most: 36_000 },
  { name: 'realtime_logs', carrier: 'metadata.project', least: 28_000, most: 44_000 },
  { name: 'storage_logs', carrier: 'metadata.project', least: 13_000, most: 23_000 },
  { name: 'rest_api_logs', carrier: 'project', least: 17_000, most: 27_000 },
  { name: 'connection_pooler_logs', carrier: 'project', least: 22_000, most: 38_000 },
];

let engine: Engine;
let folder: string;
let logsAll: Endpoint;
let apiCounts: Endpoint;
let otel: Endpoint;
let loadedAt: number;
const TEN_MINUTES = 'numbers(10)';

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'millrace-seeds-'));
  loadedAt = await copySampleData(folder);
  engine = await openEngine(join(folder, DATA, 'engine'));
  logsAll = await compiled('logs.all.yaml');
  apiCounts = await compiled('usage.api-counts.yaml');
  otel = await compiled('logs.all.otel.yaml');
});
afterAll(() => engine.close(0));

function openEngine(path: string): Promise<Engine> {
  const limits = { connections: 2, queue: 100, memory: 2 ** 30 };
  return createEmbeddedEngine({ ...REAL_TIME, path, ...limits, observe: () => {} });
}

/** Of each source: what identifies all its rows. */
const PRINTS = [
  ...SOURCES.map(({ name }) => ({ name, row: 'timestamp, id, event_message, metadata' })),
  {
    name: 'all_logs',
    row: 'project, source, timestamp, id, event_message, severity_text, log_attributes',
  },
].map(
  ({ name, row }) =>
    `SELECT '${name}' AS source, count() AS n, max(timestamp) AS last, toString(sum(sipHash64(${row}))) AS print FROM logs.${name}`,
);

async function compiled(file: string): Promise<Endpoint> {
  const { candidate, diagnostics } = createCompile({ piiHashKey: undefined })(
    file,
    await readFile(join(ENDPOINTS, file), 'utf8'),
    SHIPPED,
  );
  if (candidate === undefined) throw new Error(JSON.stringify(diagnostics));
  return candidate.endpoint;
}

/** A query of a consumer's over the endpoint's own tables. */
async function ask(endpoint: Endpoint, sql: string, sent: Record<string, string> = {}) {
  const raw = Object.entries({ project: SHOP, ...sent }).map(([name, value]) => [name, [value]] as const);
  const { values } = endpoint.binder.bind(new Map(raw), 0);
  const tables = endpoint.query.slice(0, endpoint.outline.mainStart);
  return rows(engine, statement(`${tables}${sql}`, { parameters: values }));
}

describe('the files', () => {
  test('read the time once, and use no randomness', async () => {
    const names = (await readdir(SEEDS)).filter((name) => name.endsWith('.sql'));
    const texts = await Promise.all(names.map((name) => readFile(join(SEEDS, name), 'utf8')));
    const sql = texts.join('\n').replaceAll(/--.*/g, '');
    const asked = /\b(now|now64|today|yesterday|rand\w*|generate\w+)\s*\(/gi;
    expect(sql.match(asked)).toEqual(['now64(']);
    expect(sql).toContain(CLOCK);
    expect(sql).toContain(MINUTES);
  });

  test('give the same rows when loaded again at the same instant', async () => {
    const pinned = join(folder, 'seeds');
    await cp(SEEDS, pinned, { recursive: true });
    const clockFile = join(pinned, '02_sample.sql');
    const sample = await readFile(clockFile, 'utf8');
    const clock = '2026-03-06 14:45:30.123456';
    const pin = `toDateTime64('${clock}', 6, 'UTC')`;
    await writeFile(clockFile, sample.replace(CLOCK, pin).replace(MINUTES, TEN_MINUTES));
    const own = await openEngine(join(folder, 'pinned'));
    const prints: (readonly { readonly n: number; readonly last: string }[])[] = [];
    for (const again of [false, true]) {
      const options = { folder: pinned, dataFolder: folder, engineSources: [], again, onProgress: () => {} };
      expect(await loadSeeds(own, options)).toBe('loaded');
      const sql = `SELECT * FROM (${PRINTS.join(' UNION ALL ')}) ORDER BY source`;
      prints.push((await rows(own, statement(sql))) as { n: number; last: string }[]); // of the SELECT
    }
    await own.close(0);
    expect(prints[1]).toEqual(prints[0]);
    expect(prints[0]).toHaveLength(SOURCES.length + 1);
    for (const { n, last } of prints[0] ?? []) {
      expect(n).toBeGreaterThan(0);
      expect(Date.parse(last)).toBeLessThan(Date.parse(`${clock}Z`));
    }
  });

  test('create only the ten tables', async () => {
    const sql =
      "SELECT database || '.' || name AS table FROM system.tables WHERE lower(database) NOT IN ('system', 'information_schema') ORDER BY table";
    const expected = [...SOURCES.map(({ name }) => name), 'all_logs'].map((name) => ({
      table: `logs.${name}`,
    }));
    expect(await rows(engine, statement(sql))).toEqual(
      expected.toSorted((a, b) => (a.table < b.table ? -1 : 1)),
    );
  });
});

/** Every third source in each of the lists of tests about them, so that each is in one of them. */
const sourcesFrom = (from: number) => someOfEach(SOURCES, () => '', { each: 3, from });

describe.each(sourcesFrom(0))('$name', ({ name, carrier, least, most }) => {
  test('has rows for eight days, each with a unique id', async () => {
    const sql = `SELECT count() AS count, uniqExact(id) AS ids, min(timestamp) AS first, max(timestamp) AS last FROM logs.${name}`;
    const [found] = await rows(engine, statement(sql));
    const { count, ids, first, last } = found as { count: number; ids: number; first: string; last: string }; // of the SELECT
    expect(count).toBeGreaterThan(least / SHARE);
    expect(count).toBeLessThan(SHARE > 1 ? most / 2 : most);
    expect(ids).toBe(count);
    const age = (time: string): number => (loadedAt - Date.parse(time)) / 86_400_000;
    expect(age(first)).toBeLessThan(8.01);
    expect(age(first)).toBeGreaterThan(7.5);
    expect(age(last)).toBeLessThan(0.5);
    expect(Date.parse(last)).toBeLessThanOrEqual(Date.now());
  });

  test('has the project in every row, at its documented path', async () => {
    const sql = `SELECT DISTINCT toString(${carrier}) AS project FROM logs.${name} ORDER BY project`;
    expect(await rows(engine, statement(sql))).toEqual(PROJECTS.map((project) => ({ project })));
  });

  test('is a table of logs.all: one project, four columns, newest first', async () => {
    const counts = await Promise.all(
      PROJECTS.map(async (project) => ask(logsAll, `SELECT count() AS n FROM ${name}`, { project })),
    );
    const total = counts.flat().reduce((sum: number, row) => sum + (row as { n: number }).n, 0); // of the SELECT
    expect([{ n: total }]).toEqual(await rows(engine, statement(`SELECT count() AS n FROM logs.${name}`)));

    const newest = (await ask(logsAll, `SELECT * FROM ${name} LIMIT 50`)) as { timestamp: string }[]; // of the CTE
    expect(Object.keys(newest[0] ?? {})).toEqual(['timestamp', 'id', 'event_message', 'metadata']);
    const times = newest.map((row) => row.timestamp);
    expect(times).toEqual(times.toSorted().toReversed());
    const [last] = await ask(logsAll, `SELECT max(timestamp) AS timestamp FROM ${name}`);
    expect(last).toEqual({ timestamp: times[0] });
  });

  test('respects the window: start exclusive, end inclusive', async () => {
    const sql = `SELECT timestamp FROM ${name} ORDER BY timestamp DESC LIMIT 9`;
    const times = ((await ask(logsAll, sql)) as { timestamp: string }[]).map((row) => row.timestamp); // of the SELECT
    const [end = '', start = ''] = [times[2], times[8]];
    const window = { iso_timestamp_start: start, iso_timestamp_end: end };
    const inside = times.filter((time) => time > start && time <= end).map((timestamp) => ({ timestamp }));
    expect(await ask(logsAll, `SELECT timestamp FROM ${name}`, window)).toEqual(inside);
    expect(inside.length).toBeGreaterThan(0);
  });
});

describe('the time window reaches the primary key', () => {
  /** The primary key's condition in EXPLAIN, and its granules as [read, of]. */
  async function primaryKey(sql: string, parameters: Record<string, string | null>) {
    const explained = await text(engine, statement(`EXPLAIN indexes = 1 ${sql}`, { parameters }));
    const lines = explained.split('\n').map((line) => String(JSON.parse(line || '{}').explain));
    const begin = lines.findIndex((line) => line.includes('PrimaryKey'));
    const section = begin < 0 ? '' : lines.slice(begin, begin + 10).join('\n');
    return /Condition: (.*)/.exec(section)?.[1] ?? '';
  }

  test.each(sourcesFrom(2))('of logs.all in $name', async ({ name }) => {
    const tables = logsAll.query.slice(0, logsAll.outline.mainStart);
    const sql = `${tables}SELECT id, event_message FROM ${name} LIMIT 100`;
    const bounds = { start: '2024-01-01 00:00:00', end: '2024-01-02 00:00:00' };
    const project = SHOP;
    const both = { project, iso_timestamp_start: bounds.start, iso_timestamp_end: bounds.end };
    const condition = await primaryKey(sql, both);
    expect(condition).toMatch(/timestamp in \('1704067200', \+Inf\)/);
    expect(condition).toMatch(/timestamp in \(-Inf, '1704153600'\]/);
    expect(condition).toContain(`['${SHOP}', '${SHOP}']`);

    const open = await primaryKey(sql, { project, iso_timestamp_start: null, iso_timestamp_end: null });
    expect(open).toContain(`['${SHOP}', '${SHOP}']`);
    expect(open).not.toContain('timestamp');
  });

  test.each(['hourly', 'daily', 'minutely'])('of usage.api-counts, %s', async (interval) => {
    expect(await primaryKey(apiCounts.query, { project: SHOP, interval })).toMatch(
      /timestamp in \[\d+, \+Inf\)/,
    );
  });
});

test.each([
  {
    why: 'a burst of failures in the last hour',
    sql: 'SELECT count() AS n FROM edge_logs WHERE metadata.response.status_code >= 500 AND timestamp > (SELECT max(timestamp) FROM edge_logs) - INTERVAL 1 HOUR',
  },
  {
    why: 'the database rejects connections at that time',
    sql: "SELECT count() AS n FROM database_logs WHERE metadata.parsed.error_severity = 'FATAL' AND metadata.parsed.sql_state_code = '53300'",
  },
  {
    why: 'the pooler rejects clients at that time',
    sql: "SELECT count() AS n FROM connection_pooler_logs WHERE event_message LIKE 'Max client connections reached%'",
  },
  {
    why: 'a slow path',
    sql: "SELECT quantile(0.95)(metadata.response.origin_time) > 1000 AS n FROM edge_logs WHERE metadata.request.path = '/rest/v1/rpc/monthly_report'",
  },
  {
    why: 'storage responses from the cache',
    sql: "SELECT countIf(metadata.response.headers.cf_cache_status = 'HIT') AS n FROM edge_logs WHERE metadata.request.path LIKE '/storage/%'",
  },
  {
    why: 'sign-ins, with the address of the user',
    sql: "SELECT count() AS n FROM auth_logs WHERE metadata.auth_event.action = 'login' AND metadata.auth_event.actor_username LIKE '%@%'",
  },
  {
    why: 'password attempts from IPv6 addresses',
    sql: "SELECT count() AS n FROM auth_logs WHERE metadata.error_code = 'invalid_credentials' AND isIPv6String(metadata.remote_addr)",
  },
  {
    why: 'the number of open sockets',
    sql: 'SELECT max(metadata.measurements.connected) AS n FROM realtime_logs',
  },
  {
    why: 'an exception with the call that it aborted',
    sql: "SELECT count() AS n FROM function_logs AS line JOIN function_edge_logs AS call ON line.metadata.execution_id = call.metadata.execution_id WHERE line.metadata.event_type = 'UncaughtException' AND call.metadata.response.status_code = 500",
  },
  {
    why: 'e-mail addresses in messages',
    sql: "SELECT count() AS n FROM function_logs WHERE match(event_message, '[a-z0-9]+@example[.]')",
  },
  {
    why: 'requests that both the edge and the storage server log',
    sql: 'SELECT count() AS n FROM edge_logs AS edge JOIN storage_logs AS storage ON edge.metadata.request.headers.cf_ray = storage.metadata.req.trace_id',
  },
  {
    why: 'the address of the client, as proxies pass it on',
    sql: 'SELECT countIf(isIPv4String(metadata.request.headers.x_real_ip) OR isIPv6String(metadata.request.headers.x_real_ip)) AS n FROM edge_logs',
  },
  {
    why: 'an error code of rejected sign-ins at the edge',
    sql: "SELECT count() AS n FROM edge_logs WHERE metadata.response.headers.x_sb_error_code = 'invalid_credentials'",
  },
  {
    why: 'the user of a request',
    sql: 'SELECT uniqExact(metadata.request.sb.auth_user) AS n FROM edge_logs',
  },
  {
    why: 'the region of a function call',
    sql: "SELECT countIf(metadata.response.headers.x_sb_edge_region = 'eu-central-1') AS n FROM function_edge_logs",
  },
  {
    why: 'a database identifier',
    sql: `SELECT countIf(e.metadata.identifier = '${SHOP}') AS n FROM (SELECT metadata FROM edge_logs LIMIT 9) AS e`,
  },
  {
    why: 'metered sign-ins in the line itself, with method and provider',
    sql: "SELECT count() AS n FROM auth_logs WHERE JSONExtractBool(event_message, 'metering') AND JSONExtractString(event_message, 'login_method') = 'password' AND JSONExtractString(event_message, 'provider') = 'email' AND JSONExtractUInt(event_message, 'duration') > 1000000",
  },
  {
    why: 'active users in the line itself',
    sql: "SELECT uniqExact(JSON_VALUE(event_message, '$.auth_event.actor_id')) AS n FROM auth_logs",
  },
  {
    why: 'an edge request with the sign-in behind it',
    sql: 'SELECT count() AS n FROM auth_logs AS auth JOIN edge_logs AS edge ON auth.metadata.request_id = edge.metadata.response.headers.cf_ray',
  },
  {
    why: 'the lines of a call, by the id of the request',
    sql: 'SELECT count() AS n FROM function_logs AS line JOIN function_edge_logs AS call ON line.metadata.request_id = call.metadata.request_id',
  },
  {
    why: 'a database session',
    sql: "SELECT count() AS n FROM database_logs WHERE metadata.parsed.session_id != '' AND metadata.parsed.hint IS NULL",
  },
])('there is $why', async ({ sql }) => {
  const [found] = await ask(logsAll, sql);
  expect((found as { n: number }).n).toBeGreaterThan(0); // of the SELECT
});

describe('the table of all sources', () => {
  const count = async (sql: string): Promise<number> => {
    const [found] = await rows(engine, statement(sql));
    return (found as { n: number }).n; // of the SELECT
  };

  test.each(sourcesFrom(1))('has every row of $name, under its project', async ({ name, carrier }) => {
    const theirs = `SELECT ${carrier} AS project, timestamp, id, event_message FROM logs.${name}`;
    const ours = `SELECT project, timestamp, id, event_message FROM logs.all_logs WHERE source = '${name}'`;
    const print = (sql: string): Promise<readonly unknown[]> =>
      rows(
        engine,
        statement(
          `SELECT count() AS n, sum(sipHash64(toString(project), timestamp, id, event_message)) AS print FROM (${sql})`,
        ),
      );
    expect(await print(ours)).toEqual(await print(theirs));
  });

  test.each([
    {
      why: 'numbers are plain text',
      source: 'edge_logs',
      sql: "log_attributes['response.status_code'] = toString(metadata.response.status_code) AND log_attributes['request.path'] = metadata.request.path",
    },
    {
      why: 'a null path has no key, another one its text',
      source: 'auth_logs',
      sql: "mapContains(log_attributes, 'auth_event.actor_id') = isNotNull(metadata.auth_event.actor_id) AND log_attributes['auth_event.actor_id'] = ifNull(metadata.auth_event.actor_id, '')",
    },
    {
      why: 'booleans are true and false',
      source: 'auth_logs',
      sql: "log_attributes['metering'] = if(metadata.metering, 'true', '')",
    },
    {
      why: 'fractions are plain text',
      source: 'storage_logs',
      sql: "toFloat64(log_attributes['response_time_ms']) = metadata.response_time_ms",
    },
    {
      why: 'untyped paths are keys too',
      source: 'rest_api_logs',
      sql: "log_attributes['request.remote_address'] = ifNull(metadata.request.remote_address::Nullable(String), '')",
    },
  ])('$why', async ({ source, sql }) => {
    const joined = `FROM logs.all_logs AS a JOIN logs.${source} AS s ON a.id = s.id WHERE a.source = '${source}'`;
    expect(await count(`SELECT countIf(NOT (${sql})) AS n ${joined}`)).toBe(0);
  });

  test('has no key with the text of NULL, and a severity for each row', async () => {
    expect(
      await count("SELECT countIf(has(mapValues(log_attributes), 'ᴺᵁᴸᴸ')) AS n FROM logs.all_logs"),
    ).toBe(0);
    const severities = await rows(
      engine,
      statement('SELECT DISTINCT severity_text AS s FROM logs.all_logs ORDER BY s'),
    );
    expect(severities.map((row) => (row as { s: string }).s)).toEqual([
      'DEBUG',
      'ERROR',
      'FATAL',
      'INFO',
      'LOG',
      'NOTICE',
      'WARN',
    ]);
  });

  test('a source and a window are found in the primary key, and only the columns that are used are read', async () => {
    const tables = otel.query.slice(0, otel.outline.mainStart);
    const sql = `${tables}SELECT severity_text, count() FROM logs WHERE source = 'auth_logs' GROUP BY severity_text`;
    const parameters = {
      project: SHOP,
      iso_timestamp_start: '2024-01-01 00:00:00',
      iso_timestamp_end: '2024-01-02 00:00:00',
    };
    const plan = await text(engine, statement(`EXPLAIN indexes = 1, header = 1 ${sql}`, { parameters }));
    const lines = plan.split('\n').map((line) => String(JSON.parse(line || '{}').explain));
    const condition = lines.find((line) => line.includes('Condition:') && line.includes('project')) ?? '';
    expect(condition).toContain(`project in ['${SHOP}', '${SHOP}']`);
    expect(condition).toContain("source in ['auth_logs', 'auth_logs']");
    expect(condition).toContain('timestamp in');
    expect(plan).not.toMatch(/log_attributes|event_message/);
  });
});

test('in development, the last hour has rows the day after the load, each of them once, and the oldest go', async () => {
  const tables = [...SOURCES.map(({ name }) => name), 'all_logs'];
  const run = (name: string): Promise<void> =>
    runScripts(engine, { folder: join(SEEDS, 'dev', name), engineSources: [] });
  const days = [0, 1].map((ago) => new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 10));
  for (const table of tables) {
    await engine.execute(
      `ALTER TABLE logs.${table} ${days.map((day) => `DROP PARTITION '${day}'`).join(', ')}`,
    );
    // The part of the sample that is loaded here has hours without a row of a quiet source.
    await engine.execute(
      `INSERT INTO logs.${table} SELECT * REPLACE (now64(6, 'UTC') - INTERVAL 10110 MINUTE AS timestamp, 'a week and half an hour ago' AS id) FROM logs.${table} LIMIT 1`,
    );
  }
  await engine.execute(
    'INSERT INTO logs.edge_logs SELECT * REPLACE (timestamp - INTERVAL 30 DAY AS timestamp) FROM logs.edge_logs LIMIT 100',
  );
  await run('minute');
  await run('minute');
  await run('day');
  const facts = tables.map(
    (table) =>
      `SELECT '${table}' AS source, countIf(timestamp > now() - INTERVAL 1 HOUR) > 0 AS isFresh, max(timestamp) <= now() AS isPast, min(timestamp) > now() - INTERVAL 9 DAY AS isRecent, count() = uniqExact(source, id) AS isOnce FROM logs.${table}`,
  );
  const found = await rows(engine, statement(`SELECT * FROM (${facts.join(' UNION ALL ')}) ORDER BY source`));
  const isFine = { isFresh: 1, isPast: 1, isRecent: 1, isOnce: 1 };
  expect(found).toEqual(tables.toSorted().map((source) => ({ source, ...isFine })));
});
