// A Redis server for one test, on a free port, to be killed, frozen and restarted.
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { setTimeout } from 'node:timers/promises';
import { requireProgram } from './require-program.ts';

export interface RedisServer {
  readonly url: string;
  /** Stops responding without closing anything (SIGSTOP). */
  freeze(): void;
  thaw(): void;
  /** Exits at once and loses its data; `start` brings up an empty one on the same port. */
  kill(): Promise<void>;
  start(): Promise<void>;
}

const REDIS_MISSING = 'redis-server is missing: install Redis (Debian: apt-get install redis-server)';

/** Throws an Error if Redis is not installed and cannot be. */
export async function startRedis(): Promise<RedisServer> {
  const isThere = (): boolean => spawnSync('redis-server', ['--version'], { stdio: 'ignore' }).status === 0;
  requireProgram({ isThere, package: 'redis-server', missing: REDIS_MISSING });
  const port = await freePort();
  let server = await run(port);
  return {
    url: `redis://127.0.0.1:${port}`,
    freeze: () => void server.kill('SIGSTOP'),
    thaw: () => void server.kill('SIGCONT'),
    kill: async () => {
      if (server.exitCode !== null || server.signalCode !== null) return;
      const exited = once(server, 'exit');
      server.kill('SIGKILL');
      await exited;
    },
    start: async () => {
      server = await run(port);
    },
  };
}

/** A local port with no listener. */
export async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const address = probe.address();
  probe.close();
  await once(probe, 'close');
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}

async function run(port: number): Promise<ChildProcess> {
  const args = [
    '--port',
    String(port),
    '--bind',
    '127.0.0.1',
    '--save',
    '',
    '--appendonly',
    'no',
    '--dir',
    tmpdir(),
  ];
  const server = spawn('redis-server', args, { stdio: 'ignore' });
  const end = (): void => void server.kill('SIGKILL');
  process.once('exit', end);
  server.once('exit', () => process.removeListener('exit', end));
  const failed = once(server, 'error').then(([cause]) => {
    throw new Error('redis-server does not start', { cause });
  });
  await Promise.race([failed, answering(port)]);
  return server;
}

async function answering(port: number): Promise<void> {
  for (let attempt = 0; attempt < 500; attempt++) {
    if (await ping(port)) return;
    await setTimeout(10);
  }
  throw new Error(`redis-server does not answer on port ${port}`);
}

function ping(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => socket.write('PING\r\n'));
    socket.once('data', (data) => (socket.destroy(), resolve(data.toString().startsWith('+PONG'))));
    socket.once('error', () => resolve(false));
  });
}
