// ClickHouse inside this process (chDB): a queue in front of a pool of native connections on one data directory.
import { setMaxListeners } from 'node:events';
import type { Observe } from '../../core/observation.ts';
import { EngineError } from '../engine.ts';
import type { Engine, ParameterValue, Statement } from '../engine.ts';
import { decodeColumns } from '../columns.ts';
import { setParameters } from '../parameter-text.ts';
import { createQueue } from '../queue.ts';
import type { Queue } from '../queue.ts';
import type { Entry } from '../waiting-line.ts';
import { printSettings, settingsOf } from '../settings.ts';
import { after as realTimer } from '../timer.ts';
import type { After } from '../timer.ts';
import { readsStale } from './bound-parameters.ts';
import { startCall } from './call.ts';
import type { Call } from './call.ts';
import { writeConfigFile } from './config-file.ts';
import { createConnections } from './connection.ts';
import type { Connection } from './connection.ts';
import { createKiller } from './killer.ts';
import type { Killer } from './killer.ts';
import { createPool } from './pool.ts';
import type { Pool } from './pool.ts';
import { AUTHOR_PROFILE, SAVED_PROFILE, consumerProfile } from './profile.ts';
import type { Profile } from './profile.ts';
import { createSingleStatementCheck } from './single-statement.ts';
import { openSpare } from './spare.ts';
import type { Spare } from './spare.ts';

export interface EmbeddedOptions {
  /** The data directory; one process at a time. Created when missing. */
  readonly path: string;
  /** Statements that run at once. Each takes a libuv thread: UV_THREADPOOL_SIZE has to be above it by some. */
  readonly connections: number;
  /** Statements that may wait for a connection. */
  readonly queue: number;
  /** How long one may wait; 10 s when left out. */
  readonly queueTimeoutMs?: number;
  /** Bytes that all queries together may use. */
  readonly memory: number;
  readonly observe: Observe;
  readonly after?: After;
  /** Milliseconds, monotonic. */
  readonly now?: () => number;
}

/** One text on its way to a connection. */
interface Work extends Entry {
  readonly profile: Profile;
  readonly sql: string;
  readonly format: string;
  readonly parameters: Readonly<Record<string, ParameterValue>>;
  readonly timeoutMs?: number;
}

interface Runner {
  readonly queue: Queue;
  readonly pool: Pool;
  readonly spare: Spare;
  readonly killer: Killer;
  readonly after: After;
  readonly now: () => number;
  /** Ends everything that runs. */
  readonly closing: AbortSignal;
}

/** Above the engine's own time limit by this much, so that the engine speaks first. */
const TIMER_SLACK_MS = 500;
const DEFAULT_QUEUE_TIMEOUT_MS = 10_000;

/** It is an optional dependency: a service on a ClickHouse server does without. */
const NOT_INSTALLED =
  'the embedded engine is not installed, or not made for this system: set CLICKHOUSE_URL, or install with optional dependencies on Linux (glibc) or macOS';

/** Opens the engine; rejects with EngineError 'unavailable' when the directory is in use or can't be written. */
export async function createEmbeddedEngine(options: EmbeddedOptions): Promise<Engine> {
  const { path, observe, after = realTimer, now = () => performance.now() } = options;
  const configFile = await writeConfigFile(options).catch((cause: unknown) => {
    throw new EngineError('unavailable', `cannot write into the data directory ${path}`, { cause });
  });
  // Loaded here, not above: it takes 200 MB, which a service on a ClickHouse server does without.
  const chdb = await import('chdb').catch((cause: unknown) => {
    throw new EngineError('unavailable', NOT_INSTALLED, { cause });
  });
  const connections = createConnections({ path, configFile, chdb });
  const spare = await openSpare(connections);
  const killer = createKiller({ spare, after, observe });
  const pool = createPool({ connections, limit: options.connections * 2, observe });
  const queue = createQueue({
    places: options.connections,
    waiting: options.queue,
    timeoutMs: options.queueTimeoutMs ?? DEFAULT_QUEUE_TIMEOUT_MS,
    after,
  });
  const end = new AbortController();
  setMaxListeners(0, end.signal);

  async function close(graceMs: number): Promise<void> {
    queue.close();
    const cancel = after(graceMs, () => {
      queue.dismiss();
      end.abort(new EngineError('unavailable', 'the engine is closing'));
    });
    await queue.settled();
    cancel();
    await pool.close();
    await spare.close();
    await chdb.drainPending();
  }

  let closed: Promise<void> | undefined;
  return {
    ...engineOver({ queue, pool, spare, killer, after, now, closing: end.signal }),
    close: (graceMs) => (closed ??= close(graceMs)),
  };
}

function engineOver(runner: Runner): Omit<Engine, 'close'> {
  const checkSingle = createSingleStatementCheck(async (sql, parameters) =>
    textOf(await perform(runner, { profile: SAVED_PROFILE, sql, parameters, format: 'JSONCompactEachRow' })),
  );
  return {
    kind: 'embedded',
    run: async (statement, { format, signal, lane, isPatient }) => {
      await checkSingle(statement.sql);
      const work = { ...workOf(statement, format), signal, lane, isPatient };
      const { bytes, queueMs } = await perform(runner, work);
      return { chunks: only(bytes), queueMs };
    },
    describe: async (statement) => {
      await checkSingle(statement.sql);
      const described = { ...statement, sql: `DESCRIBE TABLE (\n${statement.sql}\n)` };
      return decodeColumns(textOf(await perform(runner, workOf(described, 'JSONEachRow'))));
    },
    load: runner.queue.size,
    // Not through the queue: a busy engine is a healthy one.
    ping: () => runner.spare.ask('SELECT 1'),
    execute: async (sql) => {
      await perform(runner, { profile: AUTHOR_PROFILE, sql, parameters: {}, format: 'Null' });
    },
  };
}

/** The text ends in our own clauses; another FORMAT in front of them fits no grammar. */
function workOf(statement: Statement, format: string): Work {
  const consumer = statement.origin === 'consumer';
  const settings = consumer ? '' : `\nSETTINGS ${printSettings(settingsOf(statement))}`;
  return {
    profile: consumer ? consumerProfile(statement) : SAVED_PROFILE,
    sql: `${statement.sql}${settings}\nFORMAT ${format}`,
    format,
    parameters: statement.parameters,
    timeoutMs: statement.limits.time * 1000 + TIMER_SLACK_MS,
  };
}

interface Performed {
  readonly bytes: Uint8Array;
  readonly queueMs: number;
}

/** Runs one text; its place in the queue is held until the native call has ended and its connection is in order. */
async function perform(runner: Runner, work: Work): Promise<Performed> {
  const text = {
    sql: setParameters(work.parameters) + work.sql,
    format: work.format,
    signals: work.signal === undefined ? [runner.closing] : [runner.closing, work.signal],
    ...(work.timeoutMs === undefined ? {} : { timeoutMs: work.timeoutMs }),
  };
  const asked = runner.now();
  const leave = await runner.queue.enter(work);
  const queueMs = runner.now() - asked;
  const connection = await takeFor(runner.pool, work).catch((cause: unknown) => {
    leave();
    throw cause;
  });
  const call = startCall(runner, connection, text);
  void settle(runner.pool, connection, call).finally(leave);
  return { bytes: await call.result, queueMs };
}

/** A connection on which the work can read no parameter but its own. */
async function takeFor(pool: Pool, work: Work): Promise<Connection> {
  const names = Object.keys(work.parameters);
  const connection = await pool.take(work.profile);
  if (readsStale(connection, { sql: work.sql, names })) {
    await pool.drop(connection, 'stale parameters');
    return takeFor(pool, work);
  }
  for (const name of names) connection.bound.add(name);
  return connection;
}

/** Only a call that ended well, and was waited for, leaves its connection clean. */
async function settle(pool: Pool, connection: Connection, call: Call): Promise<void> {
  const failure = await call.result.then(
    () => undefined,
    (cause: unknown) => (cause instanceof EngineError ? cause.failure : 'unknown'),
  );
  await call.ended;
  if (failure === undefined) pool.giveBack(connection);
  else await pool.drop(connection, failure);
}

async function* only(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  if (bytes.length > 0) yield bytes;
}

function textOf({ bytes }: Performed): string {
  return new TextDecoder().decode(bytes);
}
