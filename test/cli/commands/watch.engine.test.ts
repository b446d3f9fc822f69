// `millrace watch`: when a watch would have fired, and the queries whose past cannot be known.
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { CommandDeps } from '../../../src/cli/kit/command.ts';
import { runProgram } from '../../../src/cli/program.ts';
import { createTerminal } from '../../../src/cli/kit/terminal.ts';
import { openLocal } from '../../../src/service/app/local.ts';
import { openTestRuntime } from '../../../src/service/app/test-runtime.ts';
import { hashKey } from '../../../src/service/auth/keyring.ts';
import type { Engine } from '../../../src/service/engine/engine.ts';
import { openTestEngine } from '../../support/test-engine.ts';

const ROWS = 'SELECT id, count() AS n FROM app.events';
const GROUPED = `${ROWS} WHERE at >= @to - INTERVAL 5 MINUTE AND at < @to GROUP BY id`;
const TO = 'parameters: { to: { type: DateTime, default: now, round: 10s, description: End. } }';

let engine: Engine;
let folder: string;
let files = 0;
beforeAll(async () => {
  engine = await openTestEngine(4);
  await engine.execute('CREATE DATABASE app');
  await engine.execute('CREATE TABLE app.events (at DateTime, id String) ENGINE = MergeTree ORDER BY at');
  await engine.execute("INSERT INTO app.events SELECT toDateTime('2024-05-01 12:00:00', 'UTC') + number * 10, if(number % 2 = 0, 'a', 'b') FROM numbers(30)"); // prettier-ignore
  await engine.execute(
    'CREATE VIEW app.recent AS SELECT * FROM app.events WHERE at > now() - INTERVAL 1 DAY',
  );
  await engine.execute('CREATE TABLE app.names (id String) ENGINE = MergeTree ORDER BY id');
  folder = mkdtempSync(join(tmpdir(), 'millrace-'));
  mkdirSync(join(folder, 'endpoints'));
  const alerts = { name: 'alerts', sha256: hashKey('alerts'), endpoints: ['*'] };
  const key = {
    name: 'one',
    sha256: hashKey('one'),
    endpoints: ['*'],
    parameters: { id: 'a' },
    rate: '1/h',
  };
  writeFileSync(join(folder, 'tokens.yaml'), JSON.stringify({ tokens: [alerts, key] }));
});
afterAll(() => engine.close(0));

const WATCH = '{ as: alerts, every: 1m, when: n > 5, for: 2m, group_by: [id], notify: [hook], message: "{n} of {id}" }'; // prettier-ignore

function write(name: string, query: string, { watch = WATCH, parameters = TO } = {}): void {
  const id = `00000000-0000-4000-8000-${String(++files).padStart(12, '0')}`;
  writeFileSync(
    join(folder, 'endpoints', `${name}.yaml`),
    `id: ${id}\nname: ${name}\ndescription: d\nquery: ${query}\n${parameters}\nwatch: ${watch}\n`,
  );
}

const RANGE = ['--since', '20m', '--until', '2024-05-01T12:18:00Z'];

async function run(...args: readonly string[]) {
  const tokens = args[0]?.startsWith('errors') === true ? 'missing.yaml' : 'tokens.yaml';
  const texts = { out: '', err: '' };
  const output = (name: 'out' | 'err') => ({
    isTTY: false,
    write: (text: string | Uint8Array) => ((texts[name] += String(text)), true),
  });
  const deps = {
    version: '0',
    env: {},
    terminal: createTerminal(output('out'), output('err'), {}),
    openEngine: async () => ({ ...engine, kind: 'http', close: async () => undefined }),
    openLocal,
    openTestRuntime: async (given: Parameters<typeof openTestRuntime>[0]) => openTestRuntime(given),
    onSignal: () => undefined,
    workers: { index: undefined },
  } as unknown as CommandDeps; // what this command uses of them
  const settings = ['--endpoints', join(folder, 'endpoints'), '--tokens', join(folder, tokens)];
  const code = await runProgram(['node', 'millrace', 'watch', ...args, ...settings], deps);
  return { code, ...texts };
}

test('messages and the timeline, at the moments of the service, as a table and as JSON', async () => {
  write('errors', GROUPED);
  const { code, out, err } = await run('errors', ...RANGE);
  expect([code, err]).toEqual([
    0,
    'There is no tokens file here: the looks have full access, and not the locks of the key alerts.\n',
  ]);
  expect(out).toMatch(
    /^errors\/default: n > 5, for 2m, as alerts\n20 looks every 1m from 2024-05-01T11:58:00Z/,
  );
  expect(out).toMatch(/\n2024-05-01T12:0\d:\d\dZ {2}firing {4}id=a {3}\d+ of a\n/);
  expect(out).toMatch(/\nid=b {3}\.+\++#+\.+\n/);
  const json = JSON.parse((await run('errors/default', ...RANGE, '--json')).out) as Backtest;
  const states = json.messages.map(({ state, group }) => `${state} ${group.id}`);
  expect(states.toSorted()).toEqual(['firing a', 'firing b', 'resolved a', 'resolved b']);
  const { id } = json.messages[0]?.group ?? {};
  const [pending, firing] = json.timeline.filter(({ group }) => group?.id === id);
  expect([pending?.state, firing?.state]).toEqual(['pending', 'firing']);
  // It is true 50 to 60 seconds after the first row at the earliest, and fires two minutes later.
  expect(Date.parse(firing?.from ?? '') - Date.parse(pending?.from ?? '')).toBe(120_000);
  expect(pending?.until).toBe(firing?.from);
  expect(firing?.from).toBe(json.messages[0]?.at);
});

interface Backtest {
  readonly messages: readonly {
    readonly state: string;
    readonly at: string;
    readonly group: { id?: string };
  }[];
  readonly unbounded: readonly string[];
  readonly timeline: readonly {
    readonly state: string;
    readonly from: string;
    readonly until: string;
    readonly group?: { readonly id?: string };
  }[];
}

test('the locks of the key apply, its rate does not; tables without a bound are named', async () => {
  const parameters = TO.replace('{ to', "{ id: { type: String, default: '', description: Id. }, to");
  write('locked', GROUPED.replace('GROUP', 'AND id = @id AND id NOT IN (SELECT id FROM app.names) GROUP'), {
    watch: WATCH.replace('alerts', 'one'),
    parameters,
  });
  const { code, out, err } = await run('locked', ...RANGE, '--json');
  expect([code, err]).toEqual([0, 'The rows of app.names are those of now: no condition on them ends with the time of the look.\n']); // prettier-ignore
  const { messages, unbounded } = JSON.parse(out) as Backtest;
  expect(messages.map(({ state, group }) => [state, group.id])).toEqual([['firing', 'a'], ['resolved', 'a']]); // prettier-ignore
  expect(unbounded).toEqual(['app.names']);
});

test.each([
  ['at < now() AND at > now() - INTERVAL 5 MINUTE', ''],
  ['now() > at', ''],
  ['at BETWEEN @to - 300 AND @to', ''],
  ['at >= @to - 300', 'No condition of the query ends with the time of the look'],
  ['at < @to + INTERVAL 1 HOUR', 'No condition of the query ends'],
  ['at < toStartOfHour(@to) + INTERVAL 1 HOUR', 'No condition of the query ends'],
  ['toDate(at) <= today()', 'No condition of the query ends'],
  ['at <= today()', 'No condition of the query ends'],
  ['at < today()', ''],
  ['NOT (at > now())', 'No condition of the query ends'],
  ['at < now() OR at > now()', 'No condition of the query ends'],
  ['at NOT BETWEEN @to - 300 AND @to', 'No condition of the query ends'],
  ["id < 'b'", 'No condition of the query ends'],
  ['at < @to AND rand() % 2 = 0', 'The query calls rand, whose result at an earlier time is not known'],
  ['at < @to AND at IN (SELECT at FROM app.recent)', 'app.recent reads the clock of the engine (now)'],
])('with the condition %s: %s', async (condition, message) => {
  write('bounds', `${ROWS} WHERE ${condition} GROUP BY id ORDER BY @to::String`);
  const { code, err } = await run('bounds', '--since', '2m', '--until', '2024-05-01T12:04:30Z', '--json');
  expect([code, err]).toEqual([message === '' ? 0 : 1, expect.stringContaining(message)]);
});

test('what cannot be run is an error that says what to do', async () => {
  write('many', GROUPED, { watch: `[${WATCH}, ${WATCH.replace('{ as', '{ name: second, as')}]` });
  write('unkeyed', GROUPED, { watch: WATCH.replace('alerts', 'nowhere') });
  write('failing', GROUPED.replace('SELECT id', "SELECT throwIf(1, 'no')"), {});
  writeFileSync(join(folder, 'endpoints', 'none.yaml'), 'id: 00000000-0000-4000-8000-0000000000aa\nname: none\nquery: SELECT 1\n'); // prettier-ignore
  const outcome = async (...args: string[]) => {
    const { code, err } = await run(...args);
    return [code, err];
  };
  expect(await outcome('many')).toEqual([2, expect.stringContaining('many has 2 watches: name one of many/default, many/second')]); // prettier-ignore
  expect(await outcome('error')).toEqual([2, expect.stringContaining('There is no watch "error". Did you mean errors?')]); // prettier-ignore
  expect(await outcome('unkeyed')).toEqual([1, expect.stringContaining('No key is named nowhere in ')]);
  expect(await outcome('none')).toEqual([2, expect.stringContaining('none has no watch')]);
  expect(await outcome('failing', '--since', '2m', '--until', '2024-05-01T12:04:00Z')).toEqual([
    1,
    expect.stringContaining('The look at 2024-05-01T12:0'),
  ]);
  expect(await outcome('errors', '--since', '400d')).toEqual([2, expect.stringContaining('are more than 20000: use a shorter --since, up to 20000m')]); // prettier-ignore
  expect(await outcome('errors', '--since', '30s', '--until', '2024-05-01T12:00:00Z')).toEqual([2, expect.stringContaining('There is no look in this time')]); // prettier-ignore
  expect(await outcome('errors', '--since', 'week')).toEqual([2, expect.stringContaining('a whole number and a unit')]); // prettier-ignore
  expect(await outcome('errors', '--until', 'today')).toEqual([2, expect.stringContaining('a time of UTC')]);
});
