// The attack corpus and other tenants' rows through live calls.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ATTACKS, BENIGN } from '../sandbox/fixture.ts';
import { INDEX_ORACLES, oracles } from '../sandbox/oracles.ts';
import {
  DATABASES,
  kindsNamed,
  rotated,
  secretsIn,
  SEED,
  some,
  startAttackWorld,
} from '../support/attack-world.ts';
import { openLive, type LiveClient } from '../support/live-client.ts';
import { runs } from '../support/runs.ts';
import { KEY, type TestService } from '../support/service.ts';

const KINDS = kindsNamed('compact', 'by_path', 'joined', 'indexed', 'map');
const PATIENT = { timeout: 20_000 };

let service: TestService;
beforeAll(async () => {
  service = await startAttackWorld({ kinds: KINDS, more: 'live: { every: 1 }\n' });
}, 600_000);
afterAll(() => service.stop());

type Fields = Readonly<Record<string, unknown>>;

/** Opens a stream; a rejected call as its status and text. */
async function follow(endpoint: string, fields: Fields): Promise<LiveClient | string> {
  return openLive(`${service.service.address}/api/endpoints/query/${endpoint}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'X-API-KEY': KEY },
    body: JSON.stringify({ project: 'mine', ...fields }),
  }).catch((cause: unknown) => (cause instanceof Error ? cause.message : String(cause)));
}

/** What a caller sees of a call: the first event of its stream, or why it was rejected. */
async function seen(endpoint: string, fields: Fields): Promise<unknown> {
  const client = await follow(endpoint, fields);
  if (typeof client === 'string') return client;
  await expect.poll(() => client.events.length, PATIENT).toBe(1);
  client.close();
  return client.events[0];
}

test('the attacks of the corpus', async () => {
  for (const { id, sql } of ATTACKS) {
    const shown = await seen('corpus', { sql });
    expect([id, shown]).toEqual([id, expect.stringMatching(/^4\d\d \{/)]);
    expect([id, shown, secretsIn(JSON.stringify(shown), JSON.stringify(sql).slice(1, -1))]).toEqual([id, shown, []]);
  }
}, 600_000); // prettier-ignore

test('the consumer queries of the corpus have the rows of plain calls', async () => {
  for (const { id, sql } of some(BENIGN, 3)) {
    const plain = await service.call('/api/endpoints/query/corpus', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ project: 'mine', sql }),
    });
    const data: unknown = await plain.json();
    const shown = await seen('corpus', { sql });
    expect([id, shown]).toMatchObject([id, { event: 'result', data }]);
    expect(JSON.stringify(shown)).not.toContain('CANARY');
  }
}, 600_000); // prettier-ignore

describe('other tenants’ rows change nothing', () => {
  /** With the name of the database and the id of the request taken out. */
  const neutral = (shown: unknown, database: string): string =>
    JSON.stringify(shown)
      .replaceAll(database, '')
      .replace(/"?instance\W+[\w-]+/, '');

  test('in the first event', { timeout: 3_600_000 }, async () => {
    const generated = oracles(runs(60), SEED);
    const queries = [...some(INDEX_ORACLES, 5).map((text) => ({ language: 'sql' as const, text })), ...generated];
    let streams = 0;
    for (const [index, query] of queries.entries()) {
      const { language, text } = query;
      const dialect = 'dialect' in query ? query.dialect : undefined;
      const [calm, hostile] = await Promise.all(
        DATABASES.map(async (database) => {
          const shown = await seen(`${rotated(KINDS, index).name}.${database}`, { [language]: text, dialect });
          return neutral(shown, database);
        }),
      );
      expect([query, hostile]).toEqual([query, calm]);
      if (calm?.includes('"event":"result"') === true) streams++;
    }
    // Queries that all fail would prove nothing.
    expect(streams).toBeGreaterThan(queries.length / 4);
  }); // prettier-ignore

  test('in later events, when rows are added', { timeout: 600_000 }, async () => {
    const [kind] = KINDS;
    const generated = oracles(40, SEED + 1).filter(({ language }) => language === 'sql');
    const queries = [...new Map(generated.map((query) => [query.text, query])).values()];
    const followed = await Promise.all(
      queries.map(({ text, dialect }) =>
        Promise.all(DATABASES.map((database) => follow(`${kind?.name}.${database}`, { sql: text, dialect }))),
      ),
    );
    const open = followed.filter((pair): pair is [LiveClient, LiveClient] =>
      pair.every((each) => typeof each !== 'string'),
    );
    expect(open.length).toBeGreaterThan(5);
    for (const client of open.flat()) await expect.poll(() => client.events.length, PATIENT).toBe(1);
    // Rows on which queries would fail, or that match any condition; then some of the tenant's own, which all get to see.
    const table = (database: string): string => `${database}.${kind?.name}`;
    const add = async (database: string, project: string, from: string): Promise<void> => {
      await service.engine.execute(`SYSTEM STOP MERGES ${table(database)}`); // the order of rows is that of parts
      await service.engine.execute(
        `INSERT INTO ${table(database)} SELECT * REPLACE ('${project}' AS project) FROM (SELECT * FROM ${table(database)} WHERE project = '${from}' ORDER BY ts LIMIT 9)`,
      );
    };
    for (const [database, from] of [['hostile', 'another'], ['aaaaaaa', 'other']] as const) {
      await add(database, 'other', from);
      await add(database, 'third', 'other');
    }
    const checked = await follow('compact.hostile', { sql: 'SELECT count() AS n FROM t' });
    if (typeof checked === 'string') throw new Error(checked);
    await expect.poll(() => runsOf('compact.hostile', 'unchanged'), PATIENT).toBeGreaterThanOrEqual(open.length);
    for (const [calm, hostile] of open) {
      expect([hostile.events.length, hostile.isEnded()]).toEqual([1, false]);
      expect(neutral(hostile.events, 'hostile')).toBe(neutral(calm.events, 'aaaaaaa'));
    }
    for (const database of DATABASES) await add(database, 'mine', 'mine');
    await expect.poll(() => checked.events.length, PATIENT).toBe(2);
    for (const [index, [calm, hostile]] of open.entries()) {
      await expect
        .poll(() => [index, hostile.isEnded(), neutral(hostile.events, 'hostile')], PATIENT)
        .toEqual([index, calm.isEnded(), neutral(calm.events, 'aaaaaaa')]);
    }
    for (const each of [checked, ...open.flat()]) each.close();
  }); // prettier-ignore

  const runsOf = (endpoint: string, outcome: string): number =>
    service.observed.filter(
      (each) => each.kind === 'live.ran' && each.endpoint === endpoint && each.outcome === outcome,
    ).length;
});
