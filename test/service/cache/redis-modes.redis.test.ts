// Servers that are no single Redis: a node of a cluster, and a Sentinel. They are reported, and never used.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '@keyv/redis';
import { afterEach, describe, expect, test } from 'vitest';
import { openRedisLink, type RedisLink } from '../../../src/service/cache/redis-link.ts';
import { after, clock } from '../../../src/service/app/clock.ts';
import type { Observation } from '../../../src/sql/base/observation.ts';
import { eventually } from '../../support/eventually.ts';
import { freePort, startRedis } from '../../support/redis.ts';

let server: ChildProcess | undefined;
let link: RedisLink | undefined;
afterEach(async () => {
  await link?.close();
  if (server === undefined) return;
  const exited = once(server, 'exit');
  server.kill('SIGKILL');
  await exited;
  server = undefined;
});

/** Starts a server with more lines in its configuration, and waits until it answers. */
async function startServer(lines: readonly string[], args: readonly string[] = []): Promise<string> {
  const port = await freePort();
  const folder = mkdtempSync(join(tmpdir(), 'millrace-'));
  const file = join(folder, 'server.conf');
  writeFileSync(file, [`port ${port}`, 'bind 127.0.0.1', `dir ${folder}`, ...lines].join('\n'));
  server = spawn('redis-server', [file, ...args], { stdio: 'ignore' });
  const url = `redis://127.0.0.1:${port}`;
  await eventually(async () => {
    const client = createClient({ url, socket: { reconnectStrategy: false } });
    client.on('error', () => undefined);
    await client.connect();
    client.destroy();
  });
  return url;
}

async function open(url: string): Promise<readonly Observation[]> {
  const observed: Observation[] = [];
  const limits = { timeoutMs: 5000, retryMs: 20, clock, after, random: Math.random };
  link = await openRedisLink({
    url,
    namespace: 'modes',
    ...limits,
    observe: (event) => void observed.push(event),
  });
  return observed;
}

describe('a server', () => {
  test.each([
    { mode: 'cluster', lines: ['cluster-enabled yes'], args: [] },
    { mode: 'sentinel', lines: [], args: ['--sentinel'] },
  ])('in the mode $mode is reported at the start, and gets no calls', async ({ mode, lines, args }) => {
    const observed = await open(await startServer(lines, args));
    expect(observed).toMatchObject([
      { kind: 'cache.remote_lost', cause: { message: expect.stringContaining(`mode ${mode}`) as unknown } },
    ]);
    expect(link?.isUnavailable()).toBe(true);
    expect(await link?.run(async () => 'called', 'not called')).toBe('not called');
  });

  test.each([
    { why: 'alone', lines: [] },
    { why: 'whose users may not ask for its mode', lines: ['rename-command HELLO ""'] },
  ])('$why is used', async ({ lines }) => {
    await startRedis().then((redis) => redis.kill()); // installs it, if it is missing
    const observed = await open(await startServer(lines));
    expect(observed).toEqual([]);
    expect(await link?.run(async () => 'called', 'not called')).toBe('called');
  });
});
