// The program of the engine process: chDB behind an IPC channel. It serves its parent's requests and exits with it.
// Arguments: the data directory, the engine's configuration file and, if the process is to be confined, its ConfinementOptions as JSON.
import type * as Chdb from 'chdb';
import { toEngineError } from '../failures.ts';
import { EngineError } from '../engine.ts';
import { ENGINE_SETTINGS, layersInForce } from './confinement/confined-process.ts';
import { createConnections, type Connection, type Connections } from './connection.ts';
import { openResultPipe } from './result-pipe.ts';
import type { EngineCall, EngineReplies, EngineReply, EngineRequest, SentError } from './engine-messages.ts';

/** chDB is an optional dependency, not needed with a ClickHouse server. */
const NOT_INSTALLED =
  'the embedded engine is not installed, or not made for this system: set CLICKHOUSE_URL, or install with optional dependencies on Linux (glibc) or macOS';

interface Opened {
  readonly chdb: Pick<typeof Chdb, 'drainPending'>;
  readonly connections: Connections;
}

type Handlers = {
  readonly [Kind in EngineRequest['kind']]: (
    request: Extract<EngineRequest, { kind: Kind }>,
  ) => Promise<EngineReplies[Kind]>;
};

function createHandlers(path: string, configFile: string): Handlers {
  const open = new Map<number, Connection>();
  let opened: Promise<Opened> | undefined;
  let count = 0;
  const connectionOf = (number: number): Connection => {
    const connection = open.get(number);
    if (connection === undefined) throw new EngineError('unavailable', `no connection ${number}`);
    return connection;
  };
  return {
    confinement: layersInForce,
    open: async ({ profile }) => {
      const { connections } = await (opened ??= load(path, configFile));
      const connection = await connections.open({ ...profile, args: [...ENGINE_SETTINGS, ...profile.args] });
      open.set(++count, connection);
      return { connection: count, name: connection.id };
    },
    call: async ({ connection, sql, format }) => connectionOf(connection).call(sql, format),
    close: async ({ connection }) => {
      const closing = open.get(connection);
      open.delete(connection);
      await closing?.close();
      return undefined;
    },
    memory: async () => process.memoryUsage.rss(),
    processor: async () => {
      const { user, system } = process.cpuUsage();
      return (user + system) / 1_000_000;
    },
    end: async () => {
      await (await opened)?.chdb.drainPending();
      return undefined;
    },
  };
}

async function load(path: string, configFile: string): Promise<Opened> {
  const chdb = await import('chdb').catch((cause: unknown) => {
    throw new EngineError('unavailable', NOT_INSTALLED, { cause });
  });
  return { chdb, connections: createConnections({ path, configFile, chdb }) };
}

function answer(handlers: Handlers, request: EngineRequest): Promise<EngineReplies[keyof EngineReplies]> {
  switch (request.kind) {
    case 'confinement':
      return handlers.confinement(request);
    case 'open':
      return handlers.open(request);
    case 'call':
      return handlers.call(request);
    case 'close':
      return handlers.close(request);
    case 'memory':
      return handlers.memory(request);
    case 'processor':
      return handlers.processor(request);
    case 'end':
      return handlers.end(request);
  }
}

function sentError(cause: unknown): SentError {
  const { failure, message, engineCode, isForeign } = toEngineError(cause);
  return { failure, message, engineCode, isForeign };
}

/** SIGKILL, because native threads can keep the process alive after `process.exit`. */
function endNow(): void {
  process.kill(process.pid, 'SIGKILL');
}

function send(reply: EngineReply): void {
  process.send?.(reply, undefined, undefined, (error) => {
    if (error !== null) endNow(); // the parent has exited
  });
}

const [, , path = '', configFile = ''] = process.argv;
const handlers = createHandlers(path, configFile);
const sendResult = openResultPipe(endNow);
process.on('message', ({ id, request }: EngineCall) => {
  answer(handlers, request).then(
    (value) => {
      if (typeof value === 'object' && 'bytes' in value) sendResult({ id, ...value });
      else send({ id, value });
    },
    (cause: unknown) => send({ id, error: sentError(cause) }),
  );
});
process.on('disconnect', endNow);
// A terminal and systemd signal the whole process group, but only the parent decides when this process ends.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);
