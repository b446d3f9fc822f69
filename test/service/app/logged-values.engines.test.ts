// Nothing that operators see has callers' queries, bound values or stored rows: not the log, the metrics, the traces, or
// `/config`, whatever fails, through every entry point.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { after } from '../../../src/sql/base/clock.ts';
import { createLog } from '../../../src/service/observe/log.ts';
import { createMetrics } from '../../../src/service/observe/metrics.ts';
import { REQUEST_FIELDS } from '../../../src/service/observe/request-fields.ts';
import { createSender } from '../fronts/mcp/http-client.ts';
import { BIRDS, FAILING, plantedIn } from '../../support/failing-statements.ts';
import { eventually } from '../../support/eventually.ts';
import { KEY, startService, writeEndpoint, type TestService } from '../../support/service.ts';

let service: TestService;
const QUERY = '/api/endpoints/query';

const id = (n: number): string => `id: 00000000-0000-4000-8000-${String(n).padStart(12, '0')}\n`;
const SAVED = [
  'SELECT toInt32(name) AS x FROM aviary.birds WHERE id < @most',
  'SELECT toDate(day) AS x FROM aviary.birds WHERE id < @most',
  'SELECT CAST(doc AS JSON) AS x FROM aviary.birds WHERE id < @most',
  'SELECT toInt32(@bird) AS x FROM aviary.birds WHERE id < @most',
  "SELECT match(name, concat('(', @bird)) AS x FROM aviary.birds WHERE id < @most",
  'SELECT arrayMap(x -> toUUID(x), tags) AS x FROM aviary.birds WHERE id < @most',
  'SELECT toDecimal32(number, 5) AS x FROM aviary.birds WHERE id < @most',
];

beforeAll(async () => {
  service = await startService({ sql: BIRDS, settings: { usage: true } });
  await writeEndpoint(
    service,
    'birds',
    `${id(1)}name: birds\nquery: |\n  WITH birds AS (SELECT * FROM aviary.birds WHERE id < @most) SELECT * FROM birds\n` +
      'parameters: { most: { type: UInt64, default: 10 } }\nsandbox: { enabled: true }\n',
  );
  for (const [index, saved] of SAVED.entries())
    await writeEndpoint(
      service,
      `saved${index}`,
      `${id(10 + index)}name: saved${index}\nquery: |\n  ${saved}\ncache: { ttl: 1 }\n` +
        `parameters: { most: { type: UInt64, default: 10 }${saved.includes('@bird') ? ', bird: { type: String, default: a }' : ''} }\nlive: { every: 1 }\n`,
    );
  await service.service.reload();
});
afterAll(() => service.stop());

let shown = 0;

/** What operators see of the observations that were not shown yet, and of the admin listener. */
async function seen(): Promise<string> {
  const observed = service.observed.slice(shown);
  shown += observed.length;
  const lines: string[] = [];
  const log = createLog({
    level: 'trace',
    stream: { write: (line) => void lines.push(line) },
    epoch: Date.now,
    after,
    random: Math.random,
  });
  const metrics = createMetrics({ version: '0', engine: 'embedded', node: '20' });
  for (const each of observed) {
    log(each);
    metrics.observe(each);
    if (each.kind !== 'request.finished') continue;
    for (const { attribute, value } of Object.values(REQUEST_FIELDS))
      if (attribute !== undefined) lines.push(JSON.stringify(value(each) ?? ''));
  }
  const { admin } = service.service;
  const pages = ['/metrics', '/config'].map(async (path) => (await fetch(`${admin}${path}`)).text());
  return [...lines, (await metrics.text()).text, ...(await Promise.all(pages))].join('\n');
}

const query = (values: Record<string, string>): string => new URLSearchParams(values).toString();
const sql = (text: string): string => text.replaceAll('{from}', 'birds');

/** Sends one statement through an entry point; the status, or another sign of failure. */
type Entry = (text: string) => Promise<unknown>;

const post = (path: string, body: string, headers: Record<string, string> = {}): Promise<Response> =>
  service.call(path, { method: 'POST', body, headers });

const ENTRIES: Readonly<Record<string, Entry>> = {
  'sql of a call': async (text) => (await service.call(`${QUERY}/birds?${query({ sql: sql(text) })}`)).status,
  'a body': async (text) =>
    (await post(`${QUERY}/birds`, JSON.stringify({ sql: sql(text) }), { 'Content-Type': 'application/json' }))
      .status,
  'another dialect': async (text) =>
    (await service.call(`${QUERY}/birds?${query({ sql: sql(text), dialect: 'bigquery' })}`)).status,
  'a check': async (text) =>
    (
      await post('/api/endpoints/explain/birds', JSON.stringify({ sql: sql(text) }), {
        'Content-Type': 'application/json',
      })
    ).status,
  'the ClickHouse interface': async (text) =>
    (await post('/clickhouse/?database=birds', sql(text), { 'X-ClickHouse-Key': KEY })).status,
  MCP: async (text) => {
    const send = createSender(service.service.address);
    const call = { name: 'query', arguments: { endpoint: 'birds', sql: sql(text) } };
    return (await send({ method: 'tools/call', params: call })).status;
  },
  'LQL and parameters': async (text) =>
    (await service.call(`${QUERY}/birds?${query({ lql: sql(text), most: 'Kanarienvogel' })}`)).status,
};

const SHARES = 4;

describe('a failing query', () => {
  // Each entry point gets another share; `test/service/engine/logged-errors.corpus.test.ts` runs all of them.
  test.each([...Object.keys(ENTRIES).entries()])('%i: through %s', async (share, name) => {
    const before = service.observed.length;
    const texts = FAILING.filter((_, index) => index % SHARES === share % SHARES);
    const statuses = new Map<unknown, number>();
    for (const text of texts) {
      const status = await ENTRIES[name]?.(text);
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
    await eventually(() => expect(finishedSince(before)).toBeGreaterThanOrEqual(texts.length));
    expect(plantedIn(await seen())).toEqual([]);
    expect(statuses.get(404) ?? 0).toBeLessThan(texts.length / 2);
  });

  test.each(SAVED.map((query, index) => ({ query, index })))('of a file: $query', async ({ index }) => {
    const before = service.observed.length;
    const { status } = await service.call(
      `${QUERY}/saved${index}${SAVED[index]?.includes('@bird') === true ? '?bird=Kanarienvogel' : ''}`,
    );
    expect(status).toBe(500);
    await eventually(() => expect(finishedSince(before)).toBe(1));
    expect(plantedIn(await seen())).toEqual([]);
  });

  test('that is followed', async () => {
    const before = service.observed.length;
    const headers = { Accept: 'text/event-stream' };
    const response = await service.call(`${QUERY}/saved3?live=true&bird=Kanarienvogel`, { headers });
    await response.body?.cancel();
    await eventually(() => expect(finishedSince(before)).toBe(1));
    expect(plantedIn(await seen())).toEqual([]);
  });
});

test('a query that fails is logged with its position', async () => {
  const headers = { 'X-Request-Id': 'positioned' };
  const text = 'SELECT id,\n  kanarienvogel\nFROM birds';
  expect((await service.call(`${QUERY}/birds?${query({ sql: text })}`, { headers })).status).toBe(422);
  const finished = await eventually(() => {
    const found = service.observed.find((each) => 'requestId' in each && each.requestId === 'positioned');
    expect(found).toBeDefined();
    return found;
  });
  expect(finished).toMatchObject({ code: 'query.failed', position: '2:3' });
});

const finishedSince = (index: number): number =>
  service.observed.slice(index).filter(({ kind }) => kind === 'request.finished').length;
