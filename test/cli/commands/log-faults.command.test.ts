// A log that cannot be written never stops the service, nor keeps its process from ending.
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { hashKey } from '../../../src/service/auth/keyring.ts';
import { scratch, start, type Running } from '../../support/command.ts';
import { eventually } from '../../support/eventually.ts';
import { freePort } from '../../support/redis.ts';

const KEY = 'a-key-for-everything';
const readers: ChildProcess[] = [];
afterAll(() => {
  for (const reader of readers) reader.kill('SIGKILL');
});

interface Faulty {
  readonly cwd: string;
  readonly admin: string;
  readonly running: Running;
  readonly isAlive: () => Promise<void>;
  /** A call, whose line is logged: there is no server, so it fails. */
  readonly call: () => Promise<number>;
}

/** A service without an engine whose log goes where the shell's `redirect` says. */
async function serveInto(redirect: string, args: readonly string[] = []): Promise<Faulty> {
  const cwd = scratch();
  mkdirSync(join(cwd, 'endpoints'));
  const file = `id: 00000000-0000-4000-8000-000000000001\nname: one\nquery: SELECT 1 AS one\n`;
  writeFileSync(join(cwd, 'endpoints', 'one.yaml'), file);
  writeFileSync(
    join(cwd, 'tokens.yaml'),
    `tokens:\n  - { name: all, sha256: ${hashKey(KEY)}, endpoints: ['*'] }\n`,
  );
  const [port, adminPort] = [await freePort(), await freePort()];
  const env = {
    CLICKHOUSE_URL: 'http://127.0.0.1:1',
    MILLRACE_TOKENS: 'tokens.yaml',
    MILLRACE_LOG_LEVEL: 'error',
  };
  const ports = ['--port', String(port), '--admin-port', String(adminPort)];
  const through = ['sh', '-c', redirect, 'sh'];
  const running = start(['serve', ...ports, ...args], { cwd, env, through });
  const at = (path: string, headers = {}): Promise<Response> =>
    fetch(`http://127.0.0.1:${port}${path}`, { headers });
  return {
    cwd,
    running,
    admin: `http://127.0.0.1:${adminPort}`,
    isAlive: () => eventually(async () => expect((await at('/health/live')).status).toBe(200)),
    call: async () => (await at('/api/endpoints/query/one', { 'X-API-KEY': KEY })).status,
  };
}

/** The exit code on SIGTERM, after some more calls. */
async function codeAfterCalls(service: Faulty): Promise<number | null> {
  await service.isAlive();
  for (let each = 0; each < 20; each++) expect(await service.call()).toBe(503);
  return (await endOf(service.running)).code;
}

function endOf({ child, finished }: Running): Running['finished'] {
  child.kill('SIGTERM');
  return finished;
}

const dropped = async ({ admin }: Faulty): Promise<number> => {
  const text = await (await fetch(`${admin}/metrics`)).text();
  return Number(/^millrace_log_lines_dropped_total (\d+)$/m.exec(text)?.[1]);
};

/** A named pipe with a reader that reads nothing until it is asked to. */
function stoppedReader(): { readonly path: string; readonly reader: ChildProcess } {
  const path = join(scratch(), 'pipe');
  spawnSync('mkfifo', [path]);
  const reader = spawn('sh', ['-c', 'exec < "$0"; echo open; kill -STOP $$; cat > "$0.read"', path], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  readers.push(reader);
  return { path, reader };
}

describe('serve', () => {
  test('into a full device: it serves, says so once, and ends', async () => {
    const service = await serveInto('exec "$@" > /dev/full');
    expect(await codeAfterCalls(service)).toBe(0);
    const { err } = await service.running.finished;
    expect(err.match(/ENOSPC/g)).toHaveLength(1);
  });

  test.each(['closed', 'never read'])('into a pipe that is %s', async (kind) => {
    const { path, reader } = stoppedReader();
    const service = await serveInto(`exec "$@" > '${path}'`);
    await service.isAlive();
    if (kind === 'closed') {
      reader.kill('SIGKILL');
      await eventually(async () => {
        await service.call();
        expect(await dropped(service)).toBeGreaterThan(0);
      });
    }
    // More than the pipe holds.
    else for (let each = 0; each < 300; each++) await service.call();
    expect(await codeAfterCalls(service)).toBe(0);
  });

  test('into a pipe whose reader stops for a while: no line is lost', async () => {
    const { path, reader } = stoppedReader();
    const service = await serveInto(`exec "$@" > '${path}'`);
    await service.isAlive();
    for (let each = 0; each < 300; each++) await service.call();
    reader.kill('SIGCONT');
    await eventually(() => expect(callsIn(`${path}.read`)).toBe(300));
    expect(await codeAfterCalls(service)).toBe(0);
    await eventually(() => expect(callsIn(`${path}.read`)).toBe(320));
  });

  test('into a file that may not grow: the lines are written once there is room', async () => {
    const path = join(scratch(), 'log');
    const service = await serveInto(`ulimit -f 16; exec "$@" >> '${path}'`);
    await service.isAlive();
    for (let each = 0; each < 100; each++) await service.call();
    await service.running.says(/EFBIG/);
    const { child } = service.running;
    let written = '';
    await eventually(async () => {
      child.kill('SIGSTOP'); // what is written between the two would be lost
      await eventually(() => expect(readFileSync(`/proc/${child.pid}/stat`, 'utf8')).toMatch(/\) T /));
      written += readFileSync(path, 'utf8');
      truncateSync(path);
      child.kill('SIGCONT');
      expect(calls(written)).toBe(100);
    });
    expect(await codeAfterCalls(service)).toBe(0);
  });

  test('in development, into a pipe that nobody reads', async () => {
    const { path } = stoppedReader();
    const service = await serveInto(`exec "$@" > '${path}' 2>&1`, ['--dev']);
    await service.isAlive();
    expect((await endOf(service.running)).code).toBe(0);
  });

  test('workers end with their supervisor', async () => {
    const { path } = stoppedReader();
    const service = await serveInto(`exec "$@" > '${path}'`, ['--workers', '2']);
    expect(await codeAfterCalls(service)).toBe(0);
  });
});

const calls = (log: string): number => log.match(/"status":503/g)?.length ?? 0;
const callsIn = (path: string): number => calls(readFileSync(path, 'utf8'));

describe('commands', () => {
  const HELP = ['serve', '--help'];

  test('a reader that has seen enough is no failure', async () => {
    const { code, err } = await start(HELP, { through: ['sh', '-c', '"$@" | head -n 1; exit 0', 'sh'] })
      .finished;
    expect({ code, err }).toEqual({ code: 0, err: '' });
  });

  test('a full device is one, in one line', async () => {
    const through = ['sh', '-c', 'exec "$@" > /dev/full', 'sh'];
    const { code, err } = await start(HELP, { through }).finished;
    expect(code).toBe(1);
    expect(err.trim().split('\n')).toHaveLength(1);
  });

  test('errors that cannot be printed do not change the exit code', async () => {
    const through = ['sh', '-c', 'exec "$@" 2> /dev/full', 'sh'];
    const { code } = await start(['validate', '--nothing'], { through }).finished;
    expect(code).toBe(2);
  });

  test('a disk that is full while a file is written leaves nothing behind', async () => {
    const cwd = scratch();
    // No file may have a byte.
    const through = ['sh', '-c', 'ulimit -f 0; exec "$@"', 'sh'];
    const { code } = await start(['token', 'create', 'a', '--tokens', 'tokens.yaml'], { cwd, through })
      .finished;
    expect(code).not.toBe(0);
    expect(readdirSync(cwd)).toEqual([]);
  });
});
