// A test that starts processes and stops none of them. What it starts: STARTS; how it ends: ENDS_BY.
import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { launchBrowser } from '../../support/browser.ts';
import { scratch, start } from '../../support/command.ts';
import { startFront } from '../../support/clickhouse-front/process.ts';
import { processesOf } from '../../support/owned-processes.ts';
import { startRedis } from '../../support/redis.ts';
import { startService } from '../../support/service.ts';

const { STARTS: starts, ENDS_BY: endsBy, REPORT: report = '' } = process.env;
const HANGS = new Promise(() => undefined);

async function startCommand(): Promise<unknown> {
  const args = ['serve', '--dev', '--port', '0', '--admin-port', '0'];
  const env = { MILLRACE_ENDPOINTS: join(import.meta.dirname, '../../../endpoints') };
  return start(args, { cwd: scratch(), env }).says(/listening on/);
}

beforeAll(async () => {
  const some = [startRedis(), startFront(tmpdir())];
  const others = starts === 'everything' ? [startService(), startCommand(), launchBrowser()] : [];
  await Promise.all([...some, ...others]);
  const folder = join(tmpdir(), '..');
  writeFileSync(report, JSON.stringify({ folder, worker: process.pid, pids: processesOf(folder) }));
});

test('a test', { timeout: endsBy === 'time-out' ? 1000 : 300_000 }, async () => {
  expect(endsBy).not.toBe('failing');
  await HANGS;
});
