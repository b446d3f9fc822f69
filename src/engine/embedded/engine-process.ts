// The process that chDB runs in, as its parent sees it: requests, replies, and its end. A native call cannot be
// interrupted and a fatal error in native code takes its process down; in a process of its own, neither stops the service.
import { fork, type ChildProcess } from 'node:child_process';
import { createRequire } from 'node:module';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { EngineError } from '../engine.ts';
import type { Connection, Connections } from './connection.ts';
import type { EngineReplies, EngineReply, EngineRequest } from './engine-messages.ts';
import type { Profile } from './profile.ts';

export interface EngineProcess extends Connections {
  readonly pid: number;
  /** Resident memory in bytes; rejects with EngineError. */
  memory(): Promise<number>;
  /** Ends the process at once, whatever runs in it; what was asked of it rejects with EngineError 'lost'. */
  kill(): void;
  /** Resolves when the process has ended. */
  readonly ended: Promise<ProcessEnd>;
  /** Lets the process finish and exit. No connection may be open; the caller bounds the wait with `kill`. */
  close(): Promise<void>;
}

export interface ProcessEnd {
  readonly code: number | null;
  readonly signal: string | null;
}

export interface EngineProcessOptions {
  /** The data directory. */
  readonly path: string;
  readonly configFile: string;
  /** Statements that run at once. */
  readonly connections: number;
}

interface Pending {
  readonly resolve: (value: never) => void;
  readonly reject: (error: EngineError) => void;
}

/** Starts the process. What fails in it, as an engine that is not installed, rejects the first `open`. */
export function startEngineProcess(options: EngineProcessOptions): EngineProcess {
  const child = spawnProgram(options);
  const pending = new Map<number, Pending>();
  let sent = 0;
  let isGone = false;
  const kill = (): void => void child.kill('SIGKILL');
  // Ahead of other listeners: what they clear away, the engine must not write any more.
  process.prependOnceListener('exit', kill);
  const ended = new Promise<ProcessEnd>((resolve) => {
    const end = (code: number | null, signal: string | null): void => {
      isGone = true;
      process.off('exit', kill);
      for (const { reject } of pending.values()) reject(lost());
      pending.clear();
      resolve({ code, signal });
    };
    child.once('exit', end);
    child.once('error', () => end(null, null)); // it could not be started
  });
  child.on('message', (reply: EngineReply) => settle(pending, reply));

  function ask<Kind extends EngineRequest['kind']>(
    request: Extract<EngineRequest, { kind: Kind }>,
  ): Promise<EngineReplies[Kind]> {
    return new Promise((resolve, reject) => {
      if (isGone || !child.connected) return reject(lost());
      const id = ++sent;
      pending.set(id, { resolve, reject });
      child.send({ id, request }, (error) => {
        if (error !== null && pending.delete(id)) reject(lost());
      });
    });
  }

  return {
    pid: child.pid ?? 0,
    open: async (profile) => remoteConnection(ask, profile, await ask({ kind: 'open', profile })),
    memory: () => ask({ kind: 'memory' }),
    kill,
    ended,
    close: async () => {
      await ask({ kind: 'end' }).catch(() => undefined); // it has ended already
      if (child.connected) child.disconnect();
      await ended;
    },
  };
}

type Ask = <Kind extends EngineRequest['kind']>(
  request: Extract<EngineRequest, { kind: Kind }>,
) => Promise<EngineReplies[Kind]>;

function remoteConnection(
  ask: Ask,
  profile: Profile,
  { connection, name }: EngineReplies['open'],
): Connection {
  return {
    id: name,
    profile,
    bound: new Set(),
    call: (sql, format) => ask({ kind: 'call', connection, sql, format }),
    close: () => ask({ kind: 'close', connection }).catch(() => undefined),
  };
}

/** A reply that was not asked for is dropped. */
function settle(pending: Map<number, Pending>, reply: EngineReply): void {
  const waiting = pending.get(reply.id);
  if (waiting === undefined) return;
  pending.delete(reply.id);
  if ('error' in reply) {
    const { failure, message, engineCode } = reply.error;
    waiting.reject(new EngineError(failure, message, engineCode === undefined ? {} : { engineCode }));
    return;
  }
  waiting.resolve(reply.value as never); // the type that the request's kind resolves with: both ends share EngineReplies
}

const lost = (): EngineError => new EngineError('lost', 'the engine process ended');

/** Variables that the engine may need. No others: a query may find ways to read its own process's environment. */
const INHERITED = ['PATH', 'HOME', 'LANG', 'TMPDIR', 'LD_LIBRARY_PATH'] as const;

function spawnProgram({ path, configFile, connections }: EngineProcessOptions): ChildProcess {
  const extension = extname(import.meta.url); // .ts while the sources are run as they are
  const program = fileURLToPath(new URL(`./engine-program${extension}`, import.meta.url));
  const inherited = INHERITED.flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return fork(program, [path, configFile], {
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    execArgv: extension === '.ts' ? ['--import', createRequire(import.meta.url).resolve('tsx')] : [],
    env: {
      ...Object.fromEntries(inherited),
      // DateTime columns without a zone are read and printed in the process's zone.
      TZ: 'UTC',
      // Each running statement occupies one thread of libuv's pool.
      UV_THREADPOOL_SIZE: String(Math.min(connections * 2 + 8, 1024)),
    },
  });
}
