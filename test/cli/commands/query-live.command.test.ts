// `millrace query --live`: the events of a live call, from a service and from this process, until a signal.
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { eventsOf } from '../../../src/cli/commands/query/events.ts';
import { COLLECTING } from '../../support/collect-garbage.ts';
import { run, scratch, start, type Finished, type Running } from '../../support/command.ts';
import { KEY, startService, writeEndpoint, type TestService } from '../../support/service.ts';

const FILES = {
  added: 'live: { every: 1, key: [id] }',
  whole: 'live: { every: 1 }',
  still: 'description: Without live calls.',
};
const fileOf = (name: string, index: number, lines: string): string =>
  `id: 00000000-0000-4000-8000-00000000000${index}\nname: ${name}\n${lines}\nsandbox: { enabled: true, dialects: [clickhouse] }
query: WITH t AS (SELECT id, text FROM app.t WHERE id >= @from) SELECT id, text FROM t ORDER BY id\nparameters: { from: { type: UInt32, default: 0 } }\n`;

let service: TestService;
const startOne = async (port?: number): Promise<TestService> => {
  const started = await startService({
    sql: [
      'CREATE DATABASE app',
      'CREATE TABLE app.t (id UInt32, text String) ENGINE = MergeTree ORDER BY id',
      "INSERT INTO app.t VALUES (1, 'a,b'), (2, 'two')",
    ],
    ...(port === undefined ? {} : { settings: { port } }),
  });
  for (const [index, [name, lines]] of Object.entries(FILES).entries())
    await writeEndpoint(started, name, fileOf(name, index + 1, lines));
  await started.service.reload();
  return started;
};
beforeAll(async () => {
  service = await startOne();
});
afterAll(() => service.stop());

const running: Running[] = [];
afterEach(async () => {
  for (const { child, finished } of running.splice(0)) {
    child.kill('SIGKILL');
    await finished;
  }
});

function follow(args: readonly string[], { url = service.service.address, env = {} } = {}): Running {
  const started = start(['query', ...args, '--live', '--url', url], { env: { MILLRACE_KEY: KEY, ...env } });
  running.push(started);
  return started;
}

/** For calls that end by themselves. */
const runOnce = (args: readonly string[], url = service.service.address): Promise<Finished> =>
  run(['query', ...args, '--live', '--url', url], { env: { MILLRACE_KEY: KEY } });

const insert = (id: number, text: string): Promise<unknown> =>
  service.engine.execute(`INSERT INTO app.t VALUES (${id}, '${text}')`);

async function streams(): Promise<number> {
  const text = await (await fetch(`${service.service.admin}/metrics`)).text();
  return Number(/^millrace_live_streams (\d+)$/m.exec(text)?.[1]);
}

describe('from a service', () => {
  test('a table, which new rows continue; a signal ends it with 0, and the stream', async () => {
    const following = follow(['added', 'from=1']);
    await following.says(/^2 rows$/m);
    await insert(3, 'three');
    await following.says(/^1 new row$/m);
    expect(await streams()).toBe(1);
    following.child.kill('SIGINT');
    expect(await following.finished).toEqual({
      code: 0,
      out: 'id  text\n--  ----\n1   a,b\n2   two\n3   three\n',
      err: '2 rows\n1 new row\n',
    });
    await expect.poll(streams).toBe(0);
  });

  test('whole results are printed again; JSON has an array for each event', async () => {
    const following = follow(['whole', 'from=3', '--output', 'json']);
    await following.says(/^1 row$/m);
    await insert(4, 'four');
    await following.says(/^2 rows$/m);
    following.child.kill('SIGTERM');
    const { code, out } = await following.finished;
    const [three, four] = ['{"id":3,"text":"three"}', '{"id":4,"text":"four"}'];
    expect([code, out]).toEqual([0, `[\n  ${three}\n]\n[\n  ${three},\n  ${four}\n]\n`]);
  });

  test('CSV of a consumer query has one header', async () => {
    const following = follow(['added', '--output', 'csv', '--sql', 'SELECT id, text FROM t WHERE id > 3']);
    await following.says(/^1 row$/m);
    await insert(5, 'fi"ve');
    await following.says(/^1 new row$/m);
    following.child.kill('SIGTERM');
    expect((await following.finished).out).toBe('id,text\r\n4,four\r\n5,"fi""ve"\r\n');
  });

  test('a signal ends it when the request is garbage', async () => {
    const following = follow(['added', 'from=5'], { env: { NODE_OPTIONS: COLLECTING } });
    await following.says(/^1 row$/m);
    following.child.kill('SIGINT');
    expect((await following.finished).code).toBe(0);
  });

  test('an output that is closed ends it', async () => {
    const following = follow(['added', 'from=5']);
    await following.says(/^1 row$/m);
    following.child.stdout?.destroy();
    await insert(6, 'six');
    await insert(7, 'seven');
    expect((await following.finished).code).toBe(0);
  });

  test('it ends with a message when live calls are removed', async () => {
    const following = follow(['whole']);
    await following.says(/^\d rows$/m);
    await writeEndpoint(service, 'whole', fileOf('whole', 2, 'description: No longer.'));
    await service.service.reload();
    const { code, err } = await following.finished;
    expect([code, err]).toEqual([1, expect.stringContaining('whole, or its live calls, have been removed')]);
  });
});

test('a service that is replaced: it connects again', async () => {
  const { address } = service.service;
  const following = follow(['added']);
  await following.says(/^\d rows$/m);
  await service.stop();
  await following.says(/The service stops\nConnects again in \d/);
  await following.says(/No response from/);
  service = await startOne(Number(new URL(address).port));
  await insert(3, 'of the new one');
  await following.says(/^3 rows$|^1 new row$/m);
  following.child.kill('SIGINT');
  expect((await following.finished).code).toBe(0);
});

test('in this process', async () => {
  const cwd = scratch();
  mkdirSync(join(cwd, 'endpoints'));
  const file = join(cwd, 'endpoints/seconds.yaml');
  const text = (every: string): string =>
    `id: 00000000-0000-4000-8000-000000000001\nname: seconds\nlive: { every: 1, key: [n] }\nquery: SELECT ${every} AS n\n`;
  writeFileSync(file, text('toUnixTimestamp(now())'));
  const following = start(['query', 'seconds', '--live', '--output', 'csv'], { cwd });
  running.push(following);
  await following.says(/^1 row$/m);
  await following.says(/row\n[^]*row\n[^]*row\n/);
  following.child.kill('SIGINT');
  const { code, out } = await following.finished;
  expect([code, out]).toEqual([0, expect.stringMatching(/^n\r\n\d+\r\n/)]);
});

describe('endpoints without live calls, and misuse', () => {
  test('from a service', async () => {
    const { code, err } = await follow(['still']).finished; // a process, which must end
    expect([code, err]).toEqual([
      1,
      expect.stringMatching(/still has no live calls\n.*live: \{ every: 2 \}/),
    ]);
  });

  test('in this process', async () => {
    const cwd = scratch();
    mkdirSync(join(cwd, 'endpoints'));
    writeFileSync(
      join(cwd, 'endpoints/one.yaml'),
      'id: 00000000-0000-4000-8000-000000000001\nname: one\nquery: SELECT 1 AS n\n',
    );
    const { code, err } = await run(['query', 'one', '--live'], { cwd });
    expect([code, err]).toEqual([1, expect.stringContaining('one has no live calls')]);
  });

  test('an invalid parameter, and an address where nothing listens, are not tried again', async () => {
    const invalid = await runOnce(['added', 'from=x']);
    expect([invalid.code, invalid.err]).toEqual([1, expect.stringContaining('request.parameters_invalid')]);
    const nothing = await runOnce(['added'], 'http://127.0.0.1:9');
    expect([nothing.code, nothing.err]).toEqual([
      1,
      expect.stringContaining('No response from http://127.0.0.1:9'),
    ]);
  });

  test.each([
    [['--all'], 'leave out --all'],
    [['--meta'], 'leave out --meta'],
    [['--explain'], 'leave out --explain'],
    [['--key', 'k'], 'add --url'],
  ])('%s is misuse', async (flags, says) => {
    const { code, err } = await run(['query', 'added', '--live', ...flags], { cwd: scratch() });
    expect([code, err]).toEqual([2, expect.stringContaining(says)]);
  });
});

test.each([
  ['event: result\ndata: {"result":[{"a":}\n\n', 'not a Millrace service'],
  ['event: result\ndata: {"rows":[]}\n\n', 'not a Millrace service'],
  ['event: error\ndata: {"code":"query.failed","status":422,"detail":"\\u001b[2Jfailed"}\n\n', 'failed (query.failed)'],
])('another service that sends %j', async (body, says) => {
  const server = createServer((_, response) =>
    response.writeHead(200, { 'Content-Type': 'text/event-stream' }).end(body),
  ).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo; // it listens
  const { code, err } = await runOnce(['added'], `http://127.0.0.1:${port}`);
  server.close();
  expect([code, err]).toEqual([1, expect.stringContaining(says)]);
  expect(err).not.toContain('\u001b');
}); // prettier-ignore

test('events in any chunks; lines and characters may be divided', async () => {
  const bytes = Buffer.from('retry: 5\n\n:\n\nevent: rows\nid: x\ndata: {"ä":"😀: y"}\n\nevent: cut');
  for (const size of [1, 2, 3, 7, 100]) {
    const chunks = async function* (): AsyncGenerator<Uint8Array> {
      for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
    };
    const events = [];
    for await (const event of eventsOf(chunks())) events.push(event);
    expect(events).toEqual([{ retry: '5' }, { event: 'rows', id: 'x', data: '{"ä":"😀: y"}' }]);
  }
});
