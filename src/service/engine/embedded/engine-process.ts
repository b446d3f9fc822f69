// The chDB process as seen by its parent: requests, replies and exit. A native call cannot be interrupted, and a fatal
// error in native code ends its process; in a separate process, neither stops the service.
import { fork, type ChildProcess } from 'node:child_process';
import type { Readable } from 'node:stream';
import { EngineError } from '../engine.ts';
import type { Confinement, ConfinementOptions } from './confinement/confinement.ts';
import type { Connection, Connections } from './connection.ts';
import type { EngineReplies, EngineReply, EngineRequest } from './engine-messages.ts';
import type { Profile } from './profile.ts';
import { PROGRAM_FILE } from './program-file.ts';
import { readResultPipe, RESULT_PIPE } from './result-pipe.ts';

export interface EngineProcess extends Connections {
  readonly pid: number;
  /** What confines the process; rejects with EngineError. */
  confinement(): Promise<Confinement>;
  /** Standard error; null on a terminal, which shows it as it is. */
  readonly errors: Readable | null;
  /** Resident memory in bytes; rejects with EngineError. */
  memory(): Promise<number>;
  /** Processor time that it has used, in seconds; rejects with EngineError. */
  processor(): Promise<number>;
  /** Kills the process immediately, whatever it is running; pending requests reject with EngineError 'lost'. */
  kill(): void;
  /** Resolves when the process has exited. */
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
  /** Maximum number of concurrent statements. */
  readonly connections: number;
  readonly confinement: ConfinementOptions;
}

interface Pending {
  readonly resolve: (value: never) => void;
  readonly reject: (error: EngineError) => void;
}

/** Starts the process. Failures inside it, such as chDB not being installed, reject the first `open`. */
export function startEngineProcess(options: EngineProcessOptions): EngineProcess {
  const child = spawnProgram(options);
  const pending = new Map<number, Pending>();
  let sent = 0;
  let isGone = false;
  const kill = (): void => void child.kill('SIGKILL');
  // Runs before other exit listeners: some delete the data directory, which the engine must no longer write to.
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
    child.once('error', () => end(null, null)); // failed to start
  });
  child.on('message', (reply: EngineReply) => settle(pending, reply));
  const { stdio } = child as Partial<ChildProcess>; // undefined if the system could not start the process
  readResultPipe(stdio?.[RESULT_PIPE], ({ id, ...value }) => settle(pending, { id, value }));

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
    confinement: async () => {
      const { mode, network } = options.confinement;
      return { mode, network, layers: await ask({ kind: 'confinement' }) };
    },
    errors: child.stderr ?? null,
    open: async (profile) => remoteConnection(ask, profile, await ask({ kind: 'open', profile })),
    memory: () => ask({ kind: 'memory' }),
    processor: () => ask({ kind: 'processor' }),
    kill,
    ended,
    close: async () => {
      await ask({ kind: 'end' }).catch(() => undefined); // it has already exited
      if (child.connected) child.disconnect();
      await ended;
    },
  };
}

type SendRequest = <Kind extends EngineRequest['kind']>(
  request: Extract<EngineRequest, { kind: Kind }>,
) => Promise<EngineReplies[Kind]>;

function remoteConnection(
  ask: SendRequest,
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

/** Ignores replies to unknown requests. */
function settle(pending: Map<number, Pending>, reply: EngineReply): void {
  const waiting = pending.get(reply.id);
  if (waiting === undefined) return;
  pending.delete(reply.id);
  if ('error' in reply) {
    const { failure, message, engineCode, isForeign } = reply.error;
    const known = engineCode === undefined ? {} : { engineCode };
    waiting.reject(new EngineError(failure, message, { ...known, isForeign }));
    return;
  }
  waiting.resolve(reply.value as never); // the type for this kind of request: both ends share EngineReplies
}

const lost = (): EngineError => new EngineError('lost', 'the engine process ended');

/**
 * Environment variables that the engine may need. No others are passed: a query may find a way to read its process's
 * environment.
 */
const INHERITED = ['PATH', 'HOME', 'LANG', 'TMPDIR', 'LD_LIBRARY_PATH'] as const;

function spawnProgram({ path, configFile, connections, confinement }: EngineProcessOptions): ChildProcess {
  const isConfined = confinement.mode !== 'off';
  const inherited = INHERITED.flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  const confined = isConfined ? [JSON.stringify(confinement)] : [];
  return fork(PROGRAM_FILE.path, [path, configFile, ...confined], {
    cwd: path, // the engine takes unquoted names of tables in its default database for files of this folder, too
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', process.stderr.isTTY ? 'inherit' : 'pipe', 'ipc', 'pipe'],
    execArgv: [...(isConfined ? PROGRAM_FILE.confined : []), ...PROGRAM_FILE.execArgv],
    env: {
      ...Object.fromEntries(inherited),
      // DateTime columns without a time zone are parsed and printed in the process's time zone.
      TZ: 'UTC',
      // Each running statement occupies one thread of the libuv pool.
      UV_THREADPOOL_SIZE: String(Math.min(connections * 2 + 8, 1024)),
      // Since Node.js 22, libuv opens io_urings at the start: some releases none with this, later ones fewer.
      UV_USE_IO_URING: '0',
    },
  });
}
