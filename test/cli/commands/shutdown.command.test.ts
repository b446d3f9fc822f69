// SIGTERM: a load balancer has time to notice, and no process is left behind.
import { spawn } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { SCRIPTS } from '../../../src/cli/commands/init/manifest.ts';
import { scratch, start, type Running } from '../../support/command.ts';
import { eventually } from '../../support/eventually.ts';
import { freePort } from '../../support/redis.ts';

const started: { kill(signal: 'SIGKILL'): unknown }[] = [];
afterEach(() => {
  for (const each of started.splice(0)) each.kill('SIGKILL');
});

/** Over no server, which readiness reports as well. */
async function serveFor(
  delay: string,
): Promise<{ running: Running; at: (path: string) => Promise<Response> }> {
  const cwd = scratch();
  mkdirSync(join(cwd, 'endpoints'));
  writeFileSync(join(cwd, 'tokens.yaml'), 'tokens: []\n');
  const port = await freePort();
  const env = {
    CLICKHOUSE_URL: 'http://127.0.0.1:1',
    MILLRACE_TOKENS: 'tokens.yaml',
    MILLRACE_SHUTDOWN_DELAY: delay,
  };
  const running = start(['serve', '--port', String(port), '--admin-port', '0'], { cwd, env });
  started.push(running.child);
  await running.says(/"event":"service\.started"/);
  // A new connection each time, as from a load balancer.
  const at = (path: string): Promise<Response> =>
    fetch(`http://127.0.0.1:${port}${path}`, { headers: { Connection: 'close' } });
  return { running, at };
}

const checksOf = async (response: Response): Promise<unknown> =>
  ((await response.json()) as { checks: unknown }).checks; // our own document

test('shutdown_delay: not ready at once, and listening until the delay ends', async () => {
  const { running, at } = await serveFor('600');
  expect(await checksOf(await at('/health/ready'))).toMatchObject({ engine: 'failed' });
  running.child.kill('SIGTERM');
  await running.says(/"event":"service\.stopping"/);
  const ready = await at('/health/ready');
  expect([ready.status, await checksOf(ready)]).toEqual([503, { service: 'stopping' }]);
  expect((await at('/health/live')).status).toBe(200);
  running.child.kill('SIGINT');
  expect((await running.finished).code).toBe(0);
  await expect(at('/health/live')).rejects.toThrow('fetch failed');
});

test('by default, and for SIGINT, there is no delay', async () => {
  const [first, second] = await Promise.all([serveFor('0'), serveFor('600')]);
  first.running.child.kill('SIGTERM');
  second.running.child.kill('SIGINT');
  expect((await first.running.finished).code).toBe(0);
  expect((await second.running.finished).code).toBe(0);
});

test('npm start in a repository: the service ends with npm', async () => {
  const cwd = scratch();
  mkdirSync(join(cwd, 'node_modules/.bin'), { recursive: true });
  mkdirSync(join(cwd, 'endpoints'));
  symlinkSync(
    join(import.meta.dirname, '../../../bin/millrace.cjs'),
    join(cwd, 'node_modules/.bin/millrace'),
  );
  writeFileSync(join(cwd, 'package.json'), JSON.stringify({ private: true, scripts: SCRIPTS }));
  const port = await freePort();
  const { PATH, HOME } = process.env;
  const env = { PATH, HOME, TMPDIR: cwd, CLICKHOUSE_URL: 'http://127.0.0.1:1' };
  const npm = spawn('npm', ['start', '--', '--port', String(port), '--admin-port', '0'], {
    cwd,
    env,
    stdio: 'ignore',
  });
  started.push(npm);
  const alive = (): Promise<Response> => fetch(`http://127.0.0.1:${port}/health/live`);
  await eventually(async () => expect((await alive()).status).toBe(200));
  npm.kill('SIGTERM');
  await eventually(() => expect(alive()).rejects.toThrow('fetch failed'));
});
