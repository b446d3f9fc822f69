// The attack corpus, and other tenants' rows, through live calls.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ATTACKS, BENIGN } from '../../guard/sandbox/fixture.ts';
import { INDEX_ORACLES, oracles } from '../../guard/sandbox/oracles.ts';
import { DATABASES, rotated, startAttacked } from '../../support/attacked-service.ts';
import { eventually } from '../../support/eventually.ts';
import { openLive, type LiveClient, type LiveEvent } from '../../support/live-client.ts';
import { runs, some, someOfEach } from '../../support/runs.ts';
import { KEY, type TestService } from '../../support/service.ts';

const KINDS = ['compact', 'by_path', 'joined', 'indexed', 'map'];
const SEED = Number(process.env['FUZZ_SEED'] ?? 20_240_101);

let service: TestService;
beforeAll(async () => {
  service = await startAttacked({ kinds: KINDS, lines: 'live: { every: 1 }\n' });
}, 600_000);
afterAll(() => service.stop());

type Fields = Readonly<Record<string, unknown>>;

const requestOf = (fields: Fields): RequestInit => ({
  method: 'POST',
  headers: [['X-API-KEY', KEY], ['Content-Type', 'application/json']],
  body: JSON.stringify({ project: 'mine', ...fields }),
}); // prettier-ignore

const follow = (endpoint: string, fields: Fields): Promise<LiveClient> =>
  openLive(`${service.service.address}/api/endpoints/query/${endpoint}`, requestOf(fields));

/** The first event, or the status and body of a response that is no stream. */
async function firstOf(endpoint: string, fields: Fields): Promise<LiveEvent | string> {
  const client = await follow(endpoint, fields).catch((error: unknown) => String(error));
  if (typeof client === 'string') return client;
  await expect.poll(() => client.events.length).toBeGreaterThan(0);
  client.close();
  return client.events[0] ?? 'nothing';
}

/** The others are in the tests of other interfaces. */
const TRIED = someOfEach(ATTACKS, ({ cat }) => cat, { each: 9 });

test.each(TRIED.map(({ id, sql }) => [id, sql] as const))('attack %s: %s', async (_id, sql) => {
  const refused = await firstOf('corpus', { sql });
  expect(refused).toMatch(/^Error: (?:400|403|404|413|422) /);
  // A message may quote the query, which names what it looks for.
  expect(JSON.stringify(refused).replaceAll(JSON.stringify(JSON.stringify(sql)).slice(3, -3), '')).not.toMatch(/CANARY|DB::Exception|node_modules/);
}); // prettier-ignore

test('consumer queries of the corpus have the rows of a plain call', async () => {
  for (const { id, sql } of someOfEach(BENIGN, ({ cat }) => cat, { each: 24 })) {
    const plain = await service.call('/api/endpoints/query/corpus', requestOf({ sql }));
    const first = await firstOf('corpus', { sql });
    expect([id, first]).toEqual([id, expect.objectContaining({ event: 'result', data: await plain.json() })]);
    expect(JSON.stringify(first)).not.toContain('CANARY');
  }
}, 600_000);

describe('other tenants’ rows change nothing', () => {
  test('in the first event, or in what is rejected', { timeout: 3_600_000 }, async () => {
    const queries = [
      ...some(INDEX_ORACLES, 16).map((condition) => ({ language: 'sql' as const, text: `SELECT count() AS n FROM t WHERE ${condition}` })),
      ...some(oracles(runs(14, 30), SEED), 2),
    ];
    let results = 0;
    for (const [index, query] of queries.entries()) {
      const kind = rotated(KINDS, index);
      const dialect = 'dialect' in query && query.dialect !== undefined ? { dialect: query.dialect } : {};
      const fields = query.language === 'lql' ? { lql: query.text } : { sql: query.text, ...dialect };
      const [calm, hostile] = await Promise.all(
        DATABASES.map(async (database) => {
          const first = await firstOf(`${kind}.${database}`, fields);
          if (typeof first !== 'string') results++;
          // The tag of a result depends on its endpoint as well.
          const { id: _id, ...seen } = typeof first === 'string' ? { text: first } : { ...first, id: '' };
          return JSON.stringify(seen).replaceAll(database, '').replace(/(?<=instance\W+)[\da-f-]{36}/, '');
        }),
      );
      expect([query, hostile]).toEqual([query, calm]);
    }
    // Queries that all fail would prove nothing.
    expect(results).toBeGreaterThan(queries.length / 2);
  }); // prettier-ignore

  test('while a stream is open: they come and go without an event', async () => {
    const queries = ['SELECT count() AS n FROM t', 'SELECT id, num FROM t ORDER BY id', 'SELECT max(num) AS most FROM t'];
    const streams = await Promise.all(queries.map((sql) => follow('compact.hostile', { sql })));
    // Sees rows of all tenants come, so that the others have been able to.
    const mine = await follow('compact.hostile', { sql: 'SELECT count() AS n FROM t', project: 'other' });
    const all = [...streams, mine];
    for (const each of all) await expect.poll(() => each.events.length).toBe(1);
    const before = await ran('unchanged');
    const rows = (project: string): Promise<unknown> =>
      service.engine.execute(
        `INSERT INTO hostile.compact SELECT * REPLACE ('${project}' AS project, 250 AS num, concat(id, 'x') AS id) FROM (SELECT * FROM hostile.compact WHERE project = '${project}' LIMIT 5)`,
      );
    await rows('other');
    await expect.poll(() => mine.events.length).toBe(2);
    await eventually(async () => expect((await ran('unchanged')) - before).toBeGreaterThanOrEqual(streams.length));
    expect(streams.map(({ events }) => events.length)).toEqual([1, 1, 1]);
    await rows('mine');
    for (const each of streams) await expect.poll(() => each.events.length).toBe(2);
    for (const each of all) each.close();
  }); // prettier-ignore

  test('in later events of generated queries, when rows are added', { timeout: 600_000 }, async () => {
    const patient = { timeout: 30_000 };
    const generated = some(oracles(16, SEED), 2).filter(({ language }) => language === 'sql');
    const queries = [...new Map(generated.map((query) => [query.text, query])).values()];
    const followed = await Promise.all(
      queries.map(({ text, dialect }) =>
        Promise.all(
          DATABASES.map((database) => follow(`indexed.${database}`, { sql: text, dialect }).catch(() => undefined)),
        ),
      ),
    );
    const open = followed.flatMap(([calm, hostile]) => (calm && hostile ? [{ calm, hostile }] : []));
    expect(open.length).toBeGreaterThan(generated.length / 2);
    const clients = open.flatMap(({ calm, hostile }) => [calm, hostile]);
    for (const each of clients) await expect.poll(() => each.events.length, patient).toBe(1);
    const seen = (client: LiveClient, database: string): unknown => [
      client.isEnded(),
      client.events.map(({ event, data }) => JSON.stringify([event, data]).replaceAll(database, '').replace(/(?<=instance\W+)[\da-f-]{36}/, '')),
    ];
    const before = await ran('unchanged');
    const add = async (database: string, project: string, from: string): Promise<void> => {
      const table = `${database}.indexed`;
      await service.engine.execute(`SYSTEM STOP MERGES ${table}`); // rows are read in the order of parts
      await service.engine.execute(
        `INSERT INTO ${table} SELECT * REPLACE ('${project}' AS project) FROM (SELECT * FROM ${table} WHERE project = '${from}' ORDER BY ts LIMIT 9)`,
      );
    };
    // On some of these the queries would fail.
    await add('hostile', 'other', 'another');
    await add('aaaaaaa', 'other', 'other');
    await eventually(async () => expect((await ran('unchanged')) - before).toBeGreaterThanOrEqual(clients.length));
    for (const each of clients) expect([each.isEnded(), each.events.length]).toEqual([false, 1]);
    const runsBefore = await ran('\\w+');
    for (const database of DATABASES) await add(database, 'mine', 'mine');
    await eventually(async () => expect((await ran('\\w+')) - runsBefore).toBeGreaterThanOrEqual(clients.length));
    await expect.poll(() => clients.filter(({ events }) => events.length > 1).length, patient).toBeGreaterThan(open.length / 2);
    // The event of one of the two may come first.
    for (const { calm, hostile } of open)
      await eventually(() => expect(seen(hostile, 'hostile')).toEqual(seen(calm, 'aaaaaaa')));
    for (const each of clients) each.close();
  }); // prettier-ignore
});

/** Runs of live calls with an outcome, by its pattern. */
async function ran(outcome: string): Promise<number> {
  const text = await (await fetch(`${service.service.admin}/metrics`)).text();
  const lines = new RegExp(`^millrace_live_runs_total\\{[^}]*outcome="${outcome}"[^}]*\\} (\\d+)$`, 'gm');
  return [...text.matchAll(lines)].map(([, count]) => Number(count)).reduce((a, b) => a + b, 0);
}
