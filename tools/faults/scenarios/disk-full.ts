// A full disk: a small file system for the service, filled and emptied again. Reads continue, writes report the error.
import { spawnSync } from 'node:child_process';
import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { start } from '../../../test/support/command.ts';
import { statusOf } from '../ask.ts';
import { count, startLoad } from '../load.ts';
import { exact, onlyStatuses, type Check, type Context, type Scenario } from '../scenario.ts';
import { prepareSite, startServing, type Serving } from '../serving.ts';

const ROUNDS = { short: 1, long: 3 };
/** The usage table is written every five seconds. */
const WRITE_MS = 12_000;
const PIECE = Buffer.alloc(64 * 1024);

const SEEDS =
  'CREATE DATABASE IF NOT EXISTS app; CREATE OR REPLACE TABLE app.t (n UInt32, text String) ENGINE = MergeTree ORDER BY n AS SELECT number, randomPrintableASCII(100) FROM numbers(100000);';
const ENDPOINTS = {
  read: 'query: SELECT count() AS rows, max(n) AS most FROM app.t WHERE n >= @from\nparameters: { from: { type: UInt32, default: 0 } }\n',
  sorted: 'query: SELECT text FROM app.t ORDER BY text LIMIT 10\ncache: { ttl: 1 }\n',
  calls: 'query: SELECT count() AS rows FROM millrace.calls\n',
};

export const diskFull: Scenario = {
  name: 'disk-full',
  pass: 'disk full: reads continue, a failed write is reported, and writing recovers once there is space',
  seconds: { short: 120, long: 240 },
  run: async (context) => {
    if (!mayMount()) return [notHere()];
    const site = await prepareSite(context, {
      endpoints: ENDPOINTS,
      seeds: SEEDS,
      env: { MILLRACE_USAGE: 'true' },
      through: onDiskOf('64m'),
    });
    const serving = await startServing(context, site);
    const checks: Check[] = [];
    for (let round = 0; round < (context.isShort ? ROUNDS.short : ROUNDS.long); round++)
      checks.push(...(await fillUp(context, serving)));
    await serving.stop();
    return [...checks, ...(await seedWithoutRoom(context))];
  },
};

/** A private mount namespace needs no privileges on most Linux systems. The shell execs the service. */
function onDiskOf(size: string): readonly string[] {
  const script = `mkdir .millrace && mount -t tmpfs -o size=${size} none .millrace && exec "$@"`;
  return ['unshare', '--user', '--map-root-user', '--mount', 'sh', '-c', script, 'sh'];
}

function mayMount(): boolean {
  const script = 'mount -t tmpfs none /mnt';
  return spawnSync('unshare', ['--user', '--map-root-user', '--mount', 'sh', '-c', script]).status === 0;
}

function notHere(): Check {
  const measured = 'not measured: this machine does not let unshare mount a file system';
  return { what: 'a small disk', measured, passed: false, dependsOnMachine: true };
}

async function fillUp(context: Context, serving: Serving): Promise<readonly Check[]> {
  const { note, random } = context;
  const statuses = new Map<string, number>();
  const load = startLoad(context, 4, async () => {
    const answer = await serving.call(random.pick([`read?from=${random.below(1000)}`, 'sorted', 'calls']));
    count(statuses, statusOf(answer));
    await setTimeout(20);
  });
  const rows = (outcome: string): Promise<number> => serving.metric('millrace_usage_rows_total', outcome);
  const rejections = async (): Promise<number> =>
    serving.events().filter((event) => event === 'usage.not_written').length;
  // The disk as the service sees it.
  const filler = join(`/proc/${serving.pid}/root${serving.site.cwd}`, '.millrace', 'filler');
  note('filling the disk');
  await fill(filler);
  const isReported = await untilMore(rejections);
  note('room again');
  await rm(filler);
  const isWritten = await untilMore(() => rows('written'));
  await load.stop();
  return [
    onlyStatuses('reads', statuses, (status) => status === '200'),
    exact('write failure reported', isReported ? 'yes' : 'no', 'yes'),
    exact('written after space was freed', isWritten ? 'yes' : 'no', 'yes'),
    exact('rows lost', await rows('dropped'), 0),
  ];
}

async function fill(path: string): Promise<void> {
  const file = await open(path, 'w');
  try {
    for (;;) await file.write(PIECE);
  } catch (cause) {
    if (!(cause instanceof Error && 'code' in cause && cause.code === 'ENOSPC')) throw cause;
  } finally {
    await file.close();
  }
}

/** A command that writes reports the error in one line and exits. */
async function seedWithoutRoom(context: Context): Promise<readonly Check[]> {
  const { cwd } = await prepareSite(context, { endpoints: {}, seeds: SEEDS });
  const running = start(['seed'], { cwd, through: onDiskOf('4m') });
  context.own(running.child);
  const { code, err } = await running.finished;
  context.note(err.trim());
  return [
    exact('millrace seed on a full disk: exit code', code ?? 'killed', 1),
    exact('lines of output', err.trim().split('\n').length, 3),
  ];
}

async function untilMore(read: () => Promise<number>): Promise<boolean> {
  const before = await read();
  for (const end = performance.now() + WRITE_MS; performance.now() < end;) {
    if ((await read()) > before) return true;
    await setTimeout(50);
  }
  return false;
}
