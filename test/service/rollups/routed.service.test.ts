// Calls of a service whose rollups are in use: each is answered over a rollup as it is over the rows.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readRows } from '../../../src/service/engine/rows.ts';
import { eventually } from '../../support/eventually.ts';
import { startService, type TestService } from '../../support/service.ts';

const EVENTS = `id: 0b6fb5b4-2f3c-4d0f-9f2a-6c8e7a3d1f01
name: events
query: |
  WITH events AS (
    SELECT timestamp, id, event_message, level, host, bytes, ms, metadata FROM logs.events
    WHERE project = @project AND (@since IS NULL OR timestamp > @since)
    ORDER BY timestamp DESC
  )
  SELECT toStartOfHour(timestamp) AS hour, level, count() AS n, avg(bytes) AS mean FROM events GROUP BY hour, level ORDER BY hour, level
parameters:
  project: { type: String, required: true }
  since: { type: DateTime64(6) }
sandbox: { enabled: true, dialects: [clickhouse, bigquery] }
pii: { redact: false }
tenancy: { parameter: project, columns: [project] }
`;
const OVER_ROWS = EVENTS.replace('name: events', 'name: rows').replace('1f01', '1f02') + 'rollups: off\n';
const CACHED =
  EVENTS.replace('name: events', 'name: cached').replace('1f01', '1f03') + 'cache: { ttl: 600 }\n';
const PAGED = `id: 0b6fb5b4-2f3c-4d0f-9f2a-6c8e7a3d1f05
name: paged
query: |
  SELECT toStartOfHour(timestamp) AS hour, level, count() AS n FROM logs.events
  WHERE project = @project AND timestamp > @since GROUP BY hour, level
parameters:
  project: { type: String, required: true }
  since: { type: DateTime64(6), required: true }
page: { by: [hour desc, level], size: 50 }
live: { every: 1 }
pii: { redact: false }
tenancy: { parameter: project, columns: [project] }
`;
const VERIFIED =
  EVENTS.replace('name: events', 'name: verified')
    .replace('1f01', '1f04')
    .replace('logs.events', 'logs.verified') + 'rollups: { verify: 1 }\n';
const ROLLUPS = `rollups:
  - name: events_by_minute
    from: logs.events
    time: { column: timestamp, every: [1m, 1h] }
    dimensions: [project, level, metadata.request.method, { failed: "metadata.status >= 500" }]
    measures: [count(), sum(bytes), max(ms), uniq(host)]
    settle: 5s
  - name: verified_by_minute
    from: logs.verified
    time: { column: timestamp, every: 1m }
    dimensions: [project, level]
    measures: [sum(bytes)]
    settle: 5s
`;
const TABLE = `CREATE TABLE logs.events (timestamp DateTime64(6), project LowCardinality(String), id UInt64, event_message String,
  level LowCardinality(String), host String, bytes UInt32, ms UInt32, metadata JSON(request.method LowCardinality(String), status UInt16))
  ENGINE = MergeTree PARTITION BY toYYYYMM(timestamp) ORDER BY (project, timestamp)`;
const ROWS = `INSERT INTO logs.events SELECT now64(6) - toIntervalSecond(number * 97), ['mine', 'theirs'][1 + number % 2], number, 'm',
  ['info', 'warn', 'error'][1 + number % 3], toString(number % 11), number % 1000, number % 777,
  concat('{"request":{"method":"', if(number % 5 = 0, 'GET', 'POST'), '"},"status":', toString(200 + 100 * (number % 4)), '}') FROM numbers(4000)`;

const OTHERS = [
  'CREATE TABLE logs.verified AS logs.events',
  'INSERT INTO logs.verified SELECT * FROM logs.events',
];

let service: TestService;
beforeAll(async () => {
  service = await startService({
    isDevelopment: true,
    sql: ['CREATE DATABASE logs', TABLE, ROWS, ...OTHERS],
  });
  await writeFile(join(service.endpoints, 'events.rollup.yaml'), ROLLUPS);
  await writeFile(join(service.endpoints, 'events.yaml'), EVENTS);
  await writeFile(join(service.endpoints, 'rows.yaml'), OVER_ROWS);
  await writeFile(join(service.endpoints, 'cached.yaml'), CACHED);
  await writeFile(join(service.endpoints, 'paged.yaml'), PAGED);
  await writeFile(join(service.endpoints, 'verified.yaml'), VERIFIED);
  await service.service.reload();
  await eventually(async () => {
    const { rollup } = await ask({ sql: 'SELECT count() AS n FROM events' });
    if (rollup === undefined) throw new Error('no rollup is in use');
  });
});
afterAll(() => service.stop());

interface Asked {
  readonly status: number;
  readonly body: string;
  /** The header Server-Timing names this rollup. */
  readonly rollup: string | undefined;
}

async function ask(
  fields: Record<string, string>,
  headers: Record<string, string> = {},
  endpoint = 'events',
): Promise<Asked> {
  const query = new URLSearchParams({ project: 'mine', ...fields });
  const response = await service.call(`/api/endpoints/query/${endpoint}?${query.toString()}`, { headers });
  const body = await response.text();
  const rollup = /rollup;desc=(\w+)/.exec(response.headers.get('Server-Timing') ?? '')?.[1];
  return { status: response.status, body, rollup };
}

/** No bucket begins then. */
const SINCE = '2020-01-01T00:00:12.345678Z';
const rowsOf = (body: string): unknown => (JSON.parse(body) as { readonly result: unknown }).result;
const OFF = { 'SVC-Endpoint-Rollups': 'off' };

describe('queries that are routed', () => {
  test.each([
    [{}, 'the saved query'],
    [{ since: '2020-01-01T00:00:00Z' }, 'the saved query with an optional parameter'],
    [
      {
        sql: 'SELECT level, count() AS n, sum(bytes) AS b, uniq(host) AS h FROM events WHERE timestamp > now() - INTERVAL 1 DAY GROUP BY level ORDER BY level',
      },
      'SQL',
    ],
    [
      { sql: 'SELECT metadata.request.method AS m, count() FROM events GROUP BY m ORDER BY m' },
      'a path of JSON',
    ],
    [
      {
        sql: 'SELECT metadata.request.method, countIf(metadata.status >= 500) AS bad FROM events GROUP BY metadata.request.method ORDER BY 1',
      },
      'an expression of the file',
    ],
    [
      {
        sql: "WITH errors AS (SELECT timestamp, bytes FROM events WHERE level = 'error') SELECT toStartOfDay(timestamp, 'UTC') AS day, avg(bytes) AS mean FROM errors GROUP BY day ORDER BY day",
      },
      'a WITH table of the query',
    ],
    [
      {
        sql: 'SELECT TIMESTAMP_TRUNC(timestamp, HOUR) AS hour, COUNT(*) AS n FROM events GROUP BY hour ORDER BY hour',
        dialect: 'bigquery',
      },
      'BigQuery',
    ],
    [{ lql: 'level:error c:count(*) c:group_by(t::hour)' }, 'a chart of LQL'],
  ] as readonly (readonly [Record<string, string>, string])[])('%j', async (fields) => {
    const [routed, direct] = [await ask(fields), await ask(fields, OFF)];
    expect(direct.rollup).toBeUndefined();
    expect(routed.body).toBe(direct.body);
    expect(routed).toMatchObject({ status: 200, rollup: 'events_by_minute' });
  });
});

describe('queries that read the rows', () => {
  test.each([
    [
      'SELECT count() AS n FROM events WHERE ms > 100',
      'events_by_minute is not used: ms > 100 is not a dimension',
    ],
    ['SELECT id FROM events ORDER BY id LIMIT 1', 'events_by_minute is not used: it reads rows, not groups'],
    ['SELECT min(ms) AS m FROM events', 'events_by_minute is not used: min ( ms ) is not a measure'],
    ['SELECT count() AS n FROM events', 'events_by_minute is used'],
  ])('%s', async (sql, sentence) => {
    const response = await service.call(
      `/api/endpoints/explain/events?${new URLSearchParams({ project: 'mine', sql }).toString()}`,
    );
    expect(await response.json()).toMatchObject({ result: { rollup: sentence } });
    expect((await ask({ sql })).rollup).toBe(sentence.endsWith('is used') ? 'events_by_minute' : undefined);
  });
  test('of an endpoint that does not use them', async () => {
    const [off, on] = [await ask({}, {}, 'rows'), await ask({})];
    expect(off).toEqual({ ...on, rollup: undefined });
  });
});

test('the interface of ClickHouse', async () => {
  const ofInterface = async (headers: Record<string, string> = {}): Promise<string> => {
    const response = await service.call('/clickhouse/?database=events&param_project=mine', {
      method: 'POST',
      headers,
      body: 'SELECT level, count() AS n, max(ms) AS m FROM events GROUP BY level ORDER BY level FORMAT TSVWithNamesAndTypes',
    });
    return `${response.status} ${await response.text()}`;
  };
  expect(await ofInterface()).toBe(await ofInterface(OFF));
  expect(await ofInterface()).toMatch(/^200 level\tn\tm\n/);
});

test('each page of a result', async () => {
  const pages = async (headers: Record<string, string> = {}): Promise<readonly string[]> => {
    const bodies: string[] = [];
    const query = new URLSearchParams({ project: 'mine', since: SINCE });
    for (let url: string | undefined = `/api/endpoints/query/paged?${query.toString()}`; url !== undefined;) {
      const response = await service.call(url, { headers });
      const timing = response.headers.get('Server-Timing') ?? '';
      expect([bodies.length, response.status, timing.includes('rollup;desc')]).toEqual([bodies.length, 200, headers !== OFF]);
      bodies.push(await response.text());
      const next = /<([^>]+)>; rel="next"/.exec(response.headers.get('Link') ?? '')?.[1];
      url = next && `/api/endpoints/query/paged${next}`;
    }
    return bodies;
  };
  const [routed, direct] = [await pages(), await pages(OFF)];
  expect(routed.length).toBeGreaterThan(2);
  expect(routed.map(rowsOf)).toEqual(direct.map(rowsOf));
}); // prettier-ignore

test('the events of a live call', async () => {
  const first = async (headers: Record<string, string> = {}): Promise<string> => {
    const leave = new AbortController();
    const query = new URLSearchParams({ project: 'mine', since: SINCE });
    const response = await service.call(`/api/endpoints/query/paged?${query.toString()}`, {
      headers: { Accept: 'text/event-stream', ...headers },
      signal: leave.signal,
    });
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    let text = '';
    while (!/^data: .*\n\n/m.test(text)) text += (await reader?.read())?.value ?? '';
    leave.abort();
    return /^data: (.*)$/m.exec(text)?.[1] ?? '';
  };
  expect(rowsOf(await first())).toEqual(rowsOf(await first(OFF)));
});

test('a caller who asks for rows gets no cached response of a rollup', async () => {
  const statusOf = async (headers: Record<string, string> = {}): Promise<string> => {
    const response = await service.call('/api/endpoints/query/cached?project=mine', { headers });
    await response.arrayBuffer();
    const timing = /rollup;desc=\w+/.exec(response.headers.get('Server-Timing') ?? '')?.[0] ?? 'rows';
    expect(response.headers.get('Vary')).toContain('SVC-ENDPOINT-ROLLUPS');
    return `${/hit|fwd/.exec(response.headers.get('Cache-Status') ?? '')?.[0]} ${timing}`;
  };
  // The cached fast path knows a request after its second response.
  const asked = [];
  for (const headers of [{}, {}, {}, OFF, OFF, OFF, {}]) asked.push(await statusOf(headers));
  expect(asked).toEqual([
    'fwd rollup;desc=events_by_minute',
    'hit rows',
    'hit rows',
    'fwd rows',
    'hit rows',
    'hit rows',
    'hit rows',
  ]);
});

test('rows that arrive, and those of other tenants', async () => {
  const sql = 'SELECT level, count() AS n, sum(bytes) AS b FROM events GROUP BY level ORDER BY level';
  const before = await ask({ sql });
  await service.engine.execute(ROWS.replaceAll("'mine'", "'theirs'"));
  expect(await ask({ sql })).toEqual(before);
  await service.engine.execute(ROWS);
  const [routed, direct] = [await ask({ sql }), await ask({ sql }, OFF)];
  expect(routed.body).toBe(direct.body);
  expect(routed.body).not.toBe(before.body);
});

test('the engine itself filters the rows of a rollup as those of its source', async () => {
  const response = await service.call('/api/endpoints/query/events?project=mine');
  const [, revision = ''] = (response.headers.get('Millrace-Endpoint') ?? '').split('@');
  const table = await rollupTable();
  const seen = (values: Record<string, string>) =>
    readRows(service.engine, `SELECT DISTINCT project FROM millrace_rollups.\`${table}\``, {
      origin: 'consumer',
      rowPolicy: { endpoint: 'events', revision, values },
    });
  expect(await seen({ project: 'mine' })).toEqual([['mine']]);
  expect(await seen({ project: 'other' })).toEqual([]);
});

async function rollupTable(): Promise<string> {
  const tables = await readRows(
    service.engine,
    "SELECT name FROM system.tables WHERE database = 'millrace_rollups' AND name LIKE 'events%1h'",
  );
  return String(tables.flat()[0]);
}

test('a rollup that is gone: the rows are read', async () => {
  const sql = 'SELECT count() AS n, uniq(host) AS h FROM events';
  const before = await ask({ sql }, OFF);
  await service.engine.execute(`DROP TABLE millrace_rollups.\`${await rollupTable()}\``);
  expect(await ask({ sql })).toEqual({ ...before, rollup: undefined });
});

test('calls are repeated over the rows, and a difference switches the rollup off', async () => {
  const outcomes = (): readonly string[] =>
    service.observed.flatMap((each) => (each.kind === 'rollup.verified' ? [each.outcome] : []));
  const answered = await eventually(async () => {
    const found = await ask({}, {}, 'verified');
    expect(found.rollup).toBe('verified_by_minute');
    return found;
  });
  await eventually(async () => {
    await ask({}, {}, 'verified'); // a repetition is dropped while the engine is busy
    expect(outcomes()).toContain('equal');
  });
  const [[table] = []] = (await readRows(
    service.engine,
    "SELECT name FROM system.tables WHERE database = 'millrace_rollups' AND name LIKE 'verified%1m'",
  )) as readonly (readonly string[])[];
  await service.engine.execute(
    `ALTER TABLE millrace_rollups.\`${table ?? ''}\` UPDATE \`count()\` = \`count()\` + 1 WHERE true SETTINGS mutations_sync = 2`,
  );
  await eventually(async () => {
    await ask({}, {}, 'verified');
    expect(outcomes()).toContain('different');
  });
  expect(await ask({}, {}, 'verified')).toEqual({ ...answered, rollup: undefined });
  expect(service.observed).toContainEqual({
    kind: 'rollup.distrusted',
    rollup: expect.stringMatching(/^verified_by_minute@/),
    isWritten: true,
  });
  const metrics = await (await fetch(`${service.service.admin}/metrics`)).text();
  expect(metrics).toMatch(
    /millrace_rollup_verified_total\{rollup="verified_by_minute",outcome="different"\} 1/,
  );
  expect(metrics).toMatch(/millrace_rollup_in_use\{rollup="verified_by_minute"\} 0/);
  const { rollups } = (await (await fetch(`${service.service.admin}/rollups`)).json()) as {
    rollups: readonly Record<string, unknown>[];
  };
  expect(rollups.map(({ name, reason }) => [name, reason])).toContainEqual([
    'verified_by_minute',
    'a call returned other values from it than from the rows',
  ]);
});
