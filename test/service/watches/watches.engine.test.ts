// Watches over rows of an engine: what is sent when, to whom, and what survives a restart.
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { hashKey } from '../../../src/service/auth/keyring.ts';
import type { Token } from '../../../src/service/config/generated/tokens.ts';
import type { Engine } from '../../../src/service/engine/engine.ts';
import { stateOf, type WatchRecord } from '../../../src/service/watches/record.ts';
import { createRandom } from '../../guard/sandbox/mutants.ts';
import { openTestEngine } from '../../support/test-engine.ts';
import { openWatched, type Watched } from './fixture.ts';

const token = (name: string, more: Partial<Token> = {}): Token => ({
  name,
  sha256: hashKey(name),
  endpoints: ['w.*'],
  ...more,
});
const TOKENS = [
  token('alerts'),
  token('locked', { parameters: { project: 'a' } }),
  token('narrow', { endpoints: ['other.*'] }),
  token('ended', { expires: '2020-01-01T00:00:00Z' }),
];
const QUERY =
  "SELECT project, count() AS errors FROM w.rows WHERE project = @project OR @project = '' GROUP BY project ORDER BY project";
const file = (watch: string, rest = ''): string =>
  `id: 00000000-0000-4000-8000-000000000001\nname: w.errors\nquery: ${QUERY}\nparameters: { project: { type: String, default: '' } }\nwatch: ${watch}\n${rest}`;
const watch = (more = '', as = 'alerts'): string =>
  `{ as: ${as}, every: 1m, when: errors > 2, notify: [hook]${more === '' ? '' : `, ${more}`} }`;

let engine: Engine;
let watched: Watched;
beforeAll(async () => {
  engine = await openTestEngine(4);
  await engine.execute('CREATE DATABASE w');
  await engine.execute(
    'CREATE TABLE w.rows (project String, text String) ENGINE = MergeTree ORDER BY project',
  );
});
afterAll(() => engine.close(0));
beforeEach(async () => {
  await engine.execute('TRUNCATE TABLE w.rows');
  watched = await openWatched({ engine, tokens: TOKENS });
});
afterEach(() => watched.close());

const insert = (project: string, rows: number, text = 'x'): Promise<unknown> =>
  engine.execute(`INSERT INTO w.rows SELECT '${project}', '${text}' FROM numbers(${rows})`);
const sent = (): readonly (readonly unknown[])[] =>
  watched.sink.bodies().map(({ type, data }) => {
    const { message } = data as { message: string };
    return [type, message];
  });
const recordOf = async (id: string): Promise<WatchRecord | undefined> =>
  (await watched.watcher.records()).find((each) => each.id === id);
const looks = (outcome: string): number =>
  watched.observed.filter((each) => each.kind === 'watch.looked' && each.outcome === outcome).length;

describe('the life of a condition', () => {
  test('it fires after the time of `for`, once, and resolves; unchanged data is not read again', async () => {
    await watched.write('errors', file(watch(`for: 3m, message: "{errors} errors in {project}"`)));
    await insert('a', 2);
    await watched.pass(120);
    expect(sent()).toEqual([]);
    expect([looks('ran'), looks('unchanged')]).toEqual([1, 1]);
    await insert('a', 3);
    await watched.pass(180);
    expect(sent()).toEqual([]);
    await watched.pass(60);
    expect(sent()).toEqual([['watch.firing', '5 errors in a']]);
    await watched.pass(300);
    expect(sent()).toHaveLength(1);
    expect(looks('ran')).toBe(2);
    await engine.execute('TRUNCATE TABLE w.rows');
    await watched.pass(60);
    expect(sent().slice(1)).toEqual([['watch.resolved', '5 errors in a']]);
    expect(watched.sink.bodies()[0]).toMatchObject({
      data: { watch: 'w.errors/default', group: {}, values: { errors: 5, project: 'a' } },
    });
  });

  test('groups have states and incidents of their own', async () => {
    await watched.write('errors', file(watch('group_by: [project]')));
    await insert('a', 3);
    await insert('b', 4);
    await insert('c', 1);
    await watched.pass(60);
    await insert('c', 5);
    await watched.pass(60);
    expect(sent()).toEqual([
      ['watch.firing', 'w.errors: errors > 2 (project = a, errors = 3)'],
      ['watch.firing', 'w.errors: errors > 2 (project = b, errors = 4)'],
      ['watch.firing', 'w.errors: errors > 2 (project = c, errors = 6)'],
    ]);
    const incidents = watched.sink.bodies().map(({ data }) => (data as { incident: string }).incident);
    expect(new Set(incidents).size).toBe(3);
  });

  test('within the time of `quiet` a group fires once, and no end is sent of what was not', async () => {
    await watched.write('errors', file(watch('quiet: 30m')));
    for (let turn = 0; turn < 3; turn++) {
      await insert('a', 3);
      await watched.pass(60);
      await engine.execute('TRUNCATE TABLE w.rows');
      await watched.pass(60);
    }
    expect(sent().map(([type]) => type)).toEqual(['watch.firing', 'watch.resolved']);
    await insert('a', 3);
    await watched.pass(1800);
    expect(sent().map(([type]) => type)).toEqual(['watch.firing', 'watch.resolved', 'watch.firing']);
  });

  test('a result without rows is a state of its own, and a message if the file asks for it', async () => {
    await watched.write('errors', file(watch('no_data: notify')));
    await watched.pass(60);
    await insert('a', 1);
    await watched.pass(60);
    expect(sent().map(([type]) => type)).toEqual(['watch.no_data', 'watch.recovered']);
  });
});

describe('a look is a call of the key that the file names', () => {
  test('its locks apply', async () => {
    await watched.write('errors', file(watch('group_by: [project]', 'locked')));
    await insert('a', 3);
    await insert('b', 4);
    await watched.pass(60);
    expect(sent()).toEqual([['watch.firing', 'w.errors: errors > 2 (project = a, errors = 3)']]);
  });

  test.each([
    ['narrow', '', 'auth.forbidden'],
    ['ended', '', 'auth.invalid'],
    ['nowhere', '', 'auth.invalid'],
    ['locked', 'params: { project: b }', 'auth.forbidden'],
    ['alerts', 'params: { project: [1] }', 'request.parameters_invalid'],
  ])('as %s with %s it fails: %s, is reported once, and recovers', async (as, more, code) => {
    await watched.write('errors', file(watch(more, as)));
    await insert('a', 3);
    await watched.pass(120);
    expect(sent()).toEqual([]);
    await watched.pass(300);
    const [record] = await watched.watcher.records();
    expect(record && [stateOf(record), record.code]).toEqual(['failing', code]);
    expect(sent().map(([type]) => type)).toEqual(['watch.failing']);
    await watched.write('errors', file(watch()));
    await watched.pass(60);
    expect(sent().map(([type]) => type)).toEqual(['watch.failing', 'watch.recovered', 'watch.firing']);
  });

  test('a result that is cut at max_rows fails: the condition is not known for all rows', async () => {
    await watched.write('errors', file(watch(), 'max_rows: 1\n'));
    await insert('a', 1);
    await insert('b', 3);
    await watched.pass(60);
    const [record] = await watched.watcher.records();
    expect(record?.code).toBe('watch.truncated');
  });
});

describe('what lasts', () => {
  test('a failed look within a time without rows ends no message about it', async () => {
    await watched.write('errors', file(watch('no_data: notify')));
    await watched.pass(60);
    await watched.write('errors', file(watch('no_data: notify', 'nowhere')));
    await watched.pass(60);
    await watched.write('errors', file(watch('no_data: notify')));
    await watched.pass(60);
    expect(sent().map(([type]) => type)).toEqual(['watch.no_data']);
    await insert('a', 1);
    await watched.pass(60);
    expect(sent().map(([type]) => type)).toEqual(['watch.no_data', 'watch.recovered']);
    const incidents = watched.sink.bodies().map(({ data }) => (data as { incident: string }).incident);
    expect(new Set(incidents).size).toBe(1);
  });

  test('a file that was gone for some minutes long ago resolves nothing when it is again', async () => {
    await watched.write('errors', file(watch()));
    await insert('a', 3);
    await watched.pass(60);
    for (const as of ['alerts', 'nowhere']) {
      await rm(join(watched.folder, 'endpoints', 'errors.yaml'));
      await watched.write(
        'other',
        file(watch('', as)).replace('w.errors', 'w.other').replace('000001', '000002'),
      );
      await watched.pass(5);
      expect((await recordOf('w.errors/default'))?.orphaned).toBeDefined();
      await watched.write('errors', file(watch('', as)));
      await watched.pass(60);
      watched.restart();
      await watched.time.advance(20_000);
      await watched.pass(5);
      expect((await recordOf('w.errors/default'))?.orphaned).toBeUndefined();
    }
  });

  test('while a channel is down, what waits for it is bounded, and the newest is kept', async () => {
    await engine.execute(
      "INSERT INTO w.rows SELECT toString(number), 'x' FROM numbers(150) ARRAY JOIN [1, 2, 3]",
    );
    await watched.write('errors', file(watch('group_by: [project]')));
    watched.sink.answers.push(...Array.from({ length: 2000 }, () => 500));
    await watched.pass(60);
    for (const more of ['errors > 3', 'errors > 2', 'errors > 3'])
      await watched.write('errors', file(watch('group_by: [project]').replace('errors > 2', more))).then(() => watched.pass(60)); // prettier-ignore
    const record = await recordOf('w.errors/default');
    expect([record?.outbox.length, record?.dead.length]).toEqual([500, 100]);
    expect(record?.outbox.at(-1)?.message.kind).toBe('resolved');
    for (let step = 0; step < 260; step++) {
      await watched.time.advance(14_000);
      await watched.watcher.tick();
      await watched.watcher.idle();
    }
    const later = await recordOf('w.errors/default');
    const old = later?.outbox.filter(({ attempts }) => attempts > 2) ?? [];
    expect(old.length).toBeLessThan(2);
    expect(later?.outbox.length).toBeLessThan(500);
  });
});

describe('rows that are not what the watch names', () => {
  test('groups that JSON would round to one, and columns that the result has no more, fail', async () => {
    const failsWith = async (): Promise<string | undefined> => {
      await watched.pass(60);
      return (await recordOf('w.errors/default'))?.code;
    };
    const query = (sql: string): string => file(watch('group_by: [id]')).replace(QUERY, sql);
    const parameters = "WHERE @project = ''";
    await watched.write('errors', query(`SELECT toUInt64(9007199254740992) + number AS id, 3 AS errors FROM numbers(2) ${parameters}`)); // prettier-ignore
    expect(await failsWith()).toBe('watch.condition_failed');
    await watched.write('errors', query(`SELECT 1 AS id, 3 AS faults FROM numbers(2) ${parameters}`));
    expect(await failsWith()).toBe('watch.unknown_column');
    expect(sent()).toEqual([]);
  });
});

describe('after a crash', () => {
  test('messages that were not sent are sent with the same ids, and nothing is sent twice', async () => {
    await watched.write('errors', file(watch('group_by: [project]')));
    await insert('a', 3);
    await insert('b', 3);
    watched.sink.answers.push('hang');
    for (let second = 0; second < 60; second++) {
      await watched.time.advance(1000);
      await watched.watcher.tick();
    }
    await expect.poll(() => watched.sink.requests.length).toBeGreaterThan(0);
    watched.restart();
    await watched.time.advance(20_000); // the lease of the process that is gone
    await watched.pass(120);
    const ids = watched.sink.requests.map(({ headers }) => headers['webhook-id']);
    expect(new Set(ids).size).toBe(2);
    watched.restart();
    await watched.time.advance(20_000);
    await watched.pass(120);
    expect(new Set(watched.sink.requests.map(({ headers }) => headers['webhook-id'])).size).toBe(2);
  });

  test('at random moments, each state is reported, and repeats have the same id', async () => {
    await watched.write('errors', file(watch()));
    const random = createRandom(Number(process.env['FUZZ_SEED'] ?? 20_240_101));
    const rounds = 12;
    for (let round = 0; round < rounds; round++) {
      await (round % 2 === 0 ? insert('a', 3) : engine.execute('TRUNCATE TABLE w.rows'));
      for (let second = random(70); second > 0; second--) {
        if (random(10) === 0) watched.sink.answers.push(500);
        await watched.time.advance(1000);
        await watched.watcher.tick();
      }
      watched.restart(); // what the former process is doing goes on, without the right to it
      await watched.time.advance(20_000);
      await watched.pass(90);
    }
    watched.sink.answers.length = 0;
    await watched.pass(900);
    const kinds = new Map(watched.sink.requests.map(({ headers, body }) => [headers['webhook-id'], (JSON.parse(body) as { type: string }).type])); // prettier-ignore
    expect([...kinds.values()]).toEqual(
      Array.from({ length: rounds }, (_, round) => (round % 2 === 0 ? 'watch.firing' : 'watch.resolved')),
    );
    const [record] = await watched.watcher.records();
    expect([record?.outbox, record?.dead]).toEqual([[], []]);
  });
});
