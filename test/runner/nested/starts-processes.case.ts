// A test that starts processes and stops none of them. What it starts: STARTS; how it ends: ENDS_BY.
import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { scratch, start } from '../../support/command.ts';
import { startFront } from '../../support/clickhouse-front/process.ts';
import { processesOf } from '../../support/owned-processes.ts';
import { startRedis } from '../../support/redis.ts';

const { STARTS: starts, ENDS_BY: endsBy, REPORT: report = '' } = process.env;
const HANGS = new Promise(() => undefined);

async function startCommand(): Promise<unknown> {
  const args = ['serve', '--dev', '--port', '0', '--admin-port', '0'];
  const env = { MILLRACE_ENDPOINTS: join(import.meta.dirname, '../../../endpoints') };
  return start(args, { cwd: scratch(), env }).says(/listening on/);
}

/** Loaded here, because loading them takes longer than the rest of a run without them. */
async function startOthers(): Promise<void> {
  const { startService } = await import('../../support/service.ts');
  const { launchBrowser } = await import('../../support/browser.ts');
  await Promise.all([startFront(tmpdir()), startService(), startCommand(), launchBrowser()]);
}

beforeAll(async () => {
  const others = starts === 'everything' ? startOthers() : undefined;
  await Promise.all([startRedis(), others]);
  const folder = join(tmpdir(), '..');
  writeFileSync(report, JSON.stringify({ folder, worker: process.pid, pids: processesOf(folder) }));
});

test('a test', { timeout: endsBy === 'time-out' ? 1000 : 300_000 }, async () => {
  expect(endsBy).not.toBe('failing');
  await HANGS;
});
