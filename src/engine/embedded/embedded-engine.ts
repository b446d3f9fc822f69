// ClickHouse in a process of its own (chDB): a queue in front of a pool of native connections on one data directory.
import { setMaxListeners } from 'node:events';
import type { Observe } from '../../core/observation.ts';
import { unlessAborted } from '../abort.ts';
import { EngineError } from '../engine.ts';
import type { Engine, Fatality, ParameterValue, RunOptions, Statement } from '../engine.ts';
import { decodeColumns } from '../columns.ts';
import { setParameters } from '../parameter-text.ts';
import type { Shares } from '../places.ts';
import { createQueue, type Queue } from '../queue.ts';
import { printSettings, settingsOf } from '../settings.ts';
import { after as realTimer } from '../timer.ts';
import type { After } from '../timer.ts';
import type { Entry } from '../waiting-line.ts';
import { readsStale } from './bound-parameters.ts';
import { startCall } from './call.ts';
import type { Call } from './call.ts';
import { writeConfigFile } from './config-file.ts';
import type { Connection } from './connection.ts';
import { openGeneration, type Generation } from './generation.ts';
import type { Pool } from './pool.ts';
import { AUTHOR_PROFILE, SAVED_PROFILE, consumerProfile } from './profile.ts';
import type { Profile } from './profile.ts';
import { createSingleStatementCheck } from './single-statement.ts';
import { startSupervisor, type Supervisor } from './supervisor.ts';

export interface EmbeddedOptions {
  /** The data directory; one process at a time. Created when missing. */
  readonly path: string;
  /** Statements that run at once. */
  readonly connections: number;
  /** Connections that consumer statements may take; see the queue. */
  readonly shares?: Shares | undefined;
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
  /** It only reads: where the process ends under it through no fault of its own, it is run once more. */
  readonly isRepeatable: boolean;
  readonly onFatal?: Statement['onFatal'];
  readonly comment?: string | undefined;
}

interface Runner {
  readonly queue: Queue;
  readonly supervisor: Supervisor;
  readonly observe: Observe;
  readonly after: After;
  readonly now: () => number;
  /** Statements past their time limit that could not be ended yet. */
  readonly overdue: Set<Work>;
  /** Ends everything that runs. */
  readonly closing: AbortSignal;
}

/** Above the engine's own time limit by this much, so that the engine speaks first. */
const TIMER_SLACK_MS = 500;
/** A statement that runs on for this long after our timer has had it killed cannot be interrupted: its process is replaced. */
const OVERDUE_GRACE_MS = 3000;
const DEFAULT_QUEUE_TIMEOUT_MS = 10_000;
/** How long statements that are told to end may take when the engine closes, and how long the process may take to exit. */
const END_GRACE_MS = 500;
const EXIT_GRACE_MS = 1000;

/** Opens the engine; rejects with EngineError 'unavailable' when the directory is in use or can't be written. */
export async function createEmbeddedEngine(options: EmbeddedOptions): Promise<Engine> {
  const { path, connections, observe, after = realTimer, now = () => performance.now() } = options;
  const configFile = await writeConfigFile(options).catch((cause: unknown) => {
    throw new EngineError('unavailable', `cannot write into the data directory ${path}`, { cause });
  });
  const open = (stop: AbortSignal): Promise<Generation> =>
    openGeneration({ path, configFile, connections, observe, after, stop });
  const supervisor = await startSupervisor({ open, after, observe, now });
  const queue = createQueue({
    places: connections,
    shares: options.shares,
    waiting: options.queue,
    timeoutMs: options.queueTimeoutMs ?? DEFAULT_QUEUE_TIMEOUT_MS,
    after,
  });
  const end = new AbortController();
  setMaxListeners(0, end.signal);
  const runner = { queue, supervisor, observe, after, now, overdue: new Set<Work>(), closing: end.signal };

  async function close(graceMs: number): Promise<void> {
    queue.close();
    let cancel = after(graceMs, () => {
      queue.dismiss();
      end.abort(new EngineError('unavailable', 'the engine is closing'));
      cancel = after(END_GRACE_MS, supervisor.kill);
    });
    await queue.settled();
    cancel();
    await supervisor.close(EXIT_GRACE_MS);
  }

  let closed: Promise<void> | undefined;
  return {
    ...engineOver(runner, connections),
    close: (graceMs) => (closed ??= close(graceMs)),
  };
}

function engineOver(runner: Runner, connections: number): Omit<Engine, 'close'> {
  const { queue, supervisor, overdue } = runner;
  const checkSingle = createSingleStatementCheck(async (sql, parameters) => {
    const work = {
      profile: SAVED_PROFILE,
      sql,
      parameters,
      format: 'JSONCompactEachRow',
      isRepeatable: true,
    };
    return textOf(await perform(runner, work));
  });
  return {
    kind: 'embedded',
    run: async (statement, options) => {
      await checkSingle(statement.sql);
      const { bytes, queueMs } = await perform(runner, workOf(statement, options.format, options));
      return { chunks: only(bytes), queueMs };
    },
    describe: async (statement) => {
      await checkSingle(statement.sql);
      const described = { ...statement, sql: `DESCRIBE TABLE (\n${statement.sql}\n)` };
      return decodeColumns(textOf(await perform(runner, workOf(described, 'JSONEachRow'))));
    },
    load: queue.size,
    memory: supervisor.memory,
    // Not through the queue: a busy engine is a healthy one, as long as its statements can be ended.
    ping: async () => {
      if (!supervisor.isOpen()) throw new EngineError('unavailable', 'the engine process is being replaced');
      if (overdue.size >= connections)
        throw new EngineError('unavailable', 'every connection is held by a statement past its time limit');
      await (await supervisor.current()).spare.ask('SELECT 1');
    },
    execute: async (sql) => {
      const work = { profile: AUTHOR_PROFILE, sql, parameters: {}, format: 'Null', isRepeatable: false };
      await perform(runner, work);
    },
  };
}

/** The text ends in our own clauses; another FORMAT in front of them fits no grammar. */
function workOf(statement: Statement, format: string, options: Partial<RunOptions> = {}): Work {
  const { origin, parameters, onFatal } = statement;
  const { signal, key, lane, isPatient, comment } = options;
  const settings = origin === 'consumer' ? '' : `\nSETTINGS ${printSettings(settingsOf(statement))}`;
  return {
    profile: origin === 'consumer' ? consumerProfile(statement) : SAVED_PROFILE,
    sql: `${statement.sql}${settings}\nFORMAT ${format}`,
    format,
    parameters,
    timeoutMs: statement.limits.time * 1000 + TIMER_SLACK_MS,
    isRepeatable: true,
    onFatal,
    comment,
    origin,
    signal,
    key,
    lane,
    isPatient,
  };
}

interface Performed {
  readonly bytes: Uint8Array;
  readonly queueMs: number;
}

/** Runs one text; its place in the queue is held until the native call has ended and its connection is in order. */
async function perform(runner: Runner, work: Work): Promise<Performed> {
  const asked = runner.now();
  const leave = await runner.queue.enter(work);
  const queueMs = runner.now() - asked;
  let ended: Promise<void> | undefined;
  const attempt = async (): Promise<Uint8Array> => {
    const started = await start(runner, work);
    ended = started.ended;
    return started.result;
  };
  try {
    const bytes = await attempt().catch((cause: unknown) => {
      if (isLost(cause) && work.isRepeatable) return attempt();
      throw cause;
    });
    return { bytes, queueMs };
  } finally {
    void (ended ?? Promise.resolve()).finally(leave);
  }
}

function isLost(cause: unknown): boolean {
  return cause instanceof EngineError && cause.failure === 'lost';
}

interface Started {
  /** The bytes; rejects with EngineError, 'lost' when the process has ended and the statement may run once more. */
  readonly result: Promise<Uint8Array>;
  /** Resolves when the connection is in order again, and another statement may take the place. */
  readonly ended: Promise<void>;
}

async function start(runner: Runner, work: Work): Promise<Started> {
  const signals = work.signal === undefined ? [runner.closing] : [runner.closing, work.signal];
  const generation = await unlessAborted(runner.supervisor.current(), signals);
  const connection = await takeFor(generation.pool, work);
  const { timeoutMs } = work;
  const call = startCall({ killer: generation.killer, after: runner.after }, connection, {
    sql: setParameters(work.parameters) + work.sql,
    format: work.format,
    signals,
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  });
  watchOverdue(runner, generation, work, call);
  const result = call.result.catch(async (cause: unknown) => {
    if (!isLost(cause)) throw cause;
    await generation.process.ended; // the next attempt gets the next process
    throw lostError(runner, generation, work, cause);
  });
  const ended = settle(generation.pool, connection, call);
  countConsumers(generation, work, call);
  return { result, ended };
}

/** Consumer statements that ran when the process ended stay counted: one of them may have ended it. */
function countConsumers(generation: Generation, { origin }: Work, call: Call): void {
  if (origin !== 'consumer') return;
  generation.consumers++;
  call.result.then(
    () => generation.consumers--,
    (cause: unknown) => {
      if (!isLost(cause)) generation.consumers--;
    },
  );
}

/**
 * What a statement is told whose process ended. Killed for another's sake, it may run again; a consumer's statement that
 * may itself have ended the process may not.
 */
function lostError(runner: Runner, generation: Generation, work: Work, cause: unknown): unknown {
  if (work.origin !== 'consumer' || runner.supervisor.reasonOf(generation) === 'overdue') return cause;
  reportFatal(runner, work, generation.consumers === 1 ? 'crash' : 'suspected');
  return new EngineError('unavailable', 'the engine process ended while this statement ran', { cause });
}

/** Has the process replaced when a statement outlives its time limit and the KILL that follows. */
function watchOverdue(runner: Runner, generation: Generation, work: Work, call: Call): void {
  const { after, overdue, supervisor } = runner;
  if (work.timeoutMs === undefined) return;
  let cancel = after(work.timeoutMs, () => {
    overdue.add(work);
    cancel = after(OVERDUE_GRACE_MS, () => {
      reportFatal(runner, work, 'overdue');
      supervisor.restart(generation, 'overdue');
    });
  });
  void call.ended.then(() => {
    cancel();
    overdue.delete(work);
  });
}

function reportFatal(
  { observe }: Runner,
  { origin = 'saved', comment, onFatal }: Work,
  fatality: Fatality,
): void {
  observe({ kind: 'engine.statement_fatal', origin, fatality, comment });
  onFatal?.(fatality);
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
