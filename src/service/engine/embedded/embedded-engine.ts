// ClickHouse in a separate process (chDB): a queue in front of a pool of native connections to one data directory.
import { setMaxListeners } from 'node:events';
import { resolve } from 'node:path';
import type { Observe } from '../../../sql/base/observation.ts';
import { unlessAborted } from '../abort.ts';
import type { AccessRules } from '../access-rules.ts';
import { EngineError } from '../engine.ts';
import type { Engine, Fatality } from '../engine.ts';
import { decodeColumns } from '../columns.ts';
import { setParameters } from '../parameter-text.ts';
import type { Shares } from '../places.ts';
import { createQueue, type Queue } from '../queue.ts';
import type { After } from '../../../sql/base/clock.ts';
import { createAccess, type Access } from './access.ts';
import { readsStale } from './bound-parameters.ts';
import { startCall } from './call.ts';
import type { Call } from './call.ts';
import { writeConfigFile } from './config-file.ts';
import { DEFAULT_CONFINEMENT, type Confinement, type ConfinementOptions } from './confinement/confinement.ts';
import type { CallResult, Connection } from './connection.ts';
import { createDataCheck, type DataCheck } from './data-damage.ts';
import { openGeneration, reopenGeneration, type Generation } from './generation.ts';
import type { Pool } from './pool.ts';
import { AUTHOR_PROFILE, SAVED_PROFILE } from './profile.ts';
import { PROGRESS_FORMAT, splitProgress } from './progress.ts';
import { createSingleStatementCheck } from './single-statement.ts';
import { startSupervisor, type Supervisor } from './supervisor.ts';
import { withProgress, workOf, type Work } from './work.ts';

export interface EmbeddedOptions {
  /** The data directory, used by one process at a time. Created if missing. */
  readonly path: string;
  /** Maximum number of concurrent statements. */
  readonly connections: number;
  /** Limits on the connections that consumer statements may use; see the queue. */
  readonly shares?: Shares | undefined;
  /** Maximum number of statements waiting for a connection. */
  readonly queue: number;
  /** Longest wait for a connection; default 10 s. */
  readonly queueTimeoutMs?: number;
  /** Memory limit for all queries together, in bytes. */
  readonly memory: number;
  /** Access types of sources outside of the data folder that queries may read, such as URL; default: none. */
  readonly sources?: readonly string[];
  /** Default: what the system has, and no network. */
  readonly confinement?: ConfinementOptions;
  readonly observe: Observe;
  readonly after: After;
  /** Monotonic clock, in milliseconds. */
  readonly now: () => number;
}

interface Runner {
  readonly queue: Queue;
  readonly supervisor: Supervisor;
  readonly observe: Observe;
  readonly after: After;
  readonly now: () => number;
  /** Statements past their time limit that have not ended yet. */
  readonly overdue: Set<Work>;
  readonly access: Access;
  /** Running statements that cannot be repeated. */
  readonly unrepeatable: Set<Work>;
  /** Aborted to end all running statements. */
  readonly closing: AbortSignal;
}

/**
 * A statement still running this long after it was killed for exceeding its time limit cannot be interrupted: its
 * process is replaced.
 */
const OVERDUE_GRACE_MS = 3000;
const DEFAULT_QUEUE_TIMEOUT_MS = 10_000;
/** On close: how long cancelled statements may take to end, and how long the process may take to exit. */
const END_GRACE_MS = 500;
const EXIT_GRACE_MS = 1000;

/** Opens the engine; rejects with EngineError 'unavailable' if the directory is in use or not writable. */
export async function createEmbeddedEngine(options: EmbeddedOptions): Promise<Engine> {
  const { path, connections, sources = [], observe, after, now } = options;
  const { confinement = DEFAULT_CONFINEMENT } = options;
  const configFile = await writeConfigFile({ ...options, hasUsers: true }).catch((cause: unknown) => {
    throw new EngineError('unavailable', `cannot write to the data directory ${path}`, { cause });
  });
  const data = createDataCheck(resolve(path), observe);
  const common = { observe, after, sources, data };
  const opening = { path: resolve(path), configFile, connections, confinement, ...common };
  const rules = (): AccessRules | undefined => access.rules();
  let confined: Confinement = { ...confinement, layers: [] };
  const queue = createQueue({
    places: connections,
    shares: options.shares,
    waiting: options.queue,
    timeoutMs: options.queueTimeoutMs ?? DEFAULT_QUEUE_TIMEOUT_MS,
    after,
  });
  const access = createAccess({
    queue,
    reopen: () => supervisor.reopen(),
    endRunning: () => {
      const active = runner.unrepeatable.size > 0 ? undefined : supervisor.active();
      if (active !== undefined) supervisor.restart(active, 'rules');
    },
    observe,
    after,
    now,
  });
  const supervisor = await startSupervisor({
    open: async (stop) => {
      const generation = await openGeneration({ ...opening, rules, stop });
      confined = generation.confinement;
      return generation;
    },
    reopen: (generation) => reopenGeneration(generation, { ...opening, rules }),
    after,
    observe,
    now,
  });
  const end = new AbortController();
  setMaxListeners(0, end.signal);
  const works = { overdue: new Set<Work>(), unrepeatable: new Set<Work>() };
  const runner = { queue, supervisor, observe, after, now, closing: end.signal, access, ...works };

  let closed: Promise<void> | undefined;
  return {
    ...engineOver(runner, connections),
    confinement: () => confined,
    damage: data.latest,
    checkData: () => checkAgain(data, supervisor),
    close: (graceMs) => (closed ??= closeEngine(runner, end, graceMs)),
  };
}

async function checkAgain(data: DataCheck, supervisor: Supervisor): Promise<void> {
  const generation = await supervisor.current().catch(() => undefined); // the next process checks its data
  if (generation !== undefined) await data.check(generation.control);
}

async function closeEngine(
  { queue, supervisor, after }: Runner,
  end: AbortController,
  graceMs: number,
): Promise<void> {
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
      const { format, onRead } = options;
      const isCounted = onRead !== undefined && format === 'JSONEachRow';
      const work = workOf(statement, format, options);
      if (!isCounted) {
        const { bytes, rows, queueMs } = await perform(runner, work);
        return { chunks: only(bytes), queueMs, rows };
      }
      const { split, rows, queueMs } = await perform(runner, withProgress(work), ({ bytes }) => {
        const counted = splitProgress(bytes);
        if (counted.read !== undefined) onRead(counted.read);
        return { split: counted };
      });
      return { chunks: only(split.lines), queueMs, rows, read: split.read };
    },
    describe: async (statement, hooks) => {
      await checkSingle(statement.sql);
      const described = { ...statement, sql: `DESCRIBE TABLE (\n${statement.sql}\n)` };
      return decodeColumns(textOf(await perform(runner, workOf(described, 'JSONEachRow', hooks))));
    },
    restrict: runner.access.restrict,
    load: queue.size,
    isUp: () => supervisor.isOpen() && overdue.size < connections,
    memory: supervisor.memory,
    // Bypasses the queue: a busy engine is healthy as long as its statements can be cancelled.
    ping: async () => {
      if (!supervisor.isOpen()) throw new EngineError('unavailable', 'the engine process is being replaced');
      if (overdue.size >= connections)
        throw new EngineError('unavailable', 'every connection is held by a statement past its time limit');
      await (await supervisor.current()).control.ask('SELECT 1');
    },
    execute: async (sql) => {
      const work = { profile: AUTHOR_PROFILE, sql, parameters: {}, format: 'Null', isRepeatable: false };
      await perform(runner, work);
    },
  };
}

interface Performed extends CallResult {
  readonly queueMs: number;
}

/**
 * Runs one statement. Its slot is held until the native call has ended and the connection is returned or dropped. `read` gets the
 * result before another statement starts.
 */
async function perform<T extends object = object>(
  runner: Runner,
  work: Work,
  read?: (result: CallResult) => T,
): Promise<Performed & T> {
  const asked = runner.now();
  const leave = await enter(runner, work);
  const queueMs = runner.now() - asked;
  let ended: Promise<void> | undefined;
  await work.onStart?.().catch((cause: unknown) => {
    leave();
    throw cause;
  });
  const attempt = async (): Promise<CallResult & T> => {
    const started = await start(runner, work);
    ended = started.ended;
    const result = await started.result;
    return { ...result, ...read?.(result) } as CallResult & T; // T is an object without `read` only if none is given
  };
  try {
    const result = await attempt().catch((cause: unknown) => {
      if (isLost(cause) && work.isRepeatable) return attempt();
      throw cause;
    });
    return { ...result, queueMs };
  } finally {
    void (ended ?? Promise.resolve()).finally(leave);
  }
}

async function enter({ queue, unrepeatable }: Runner, work: Work): Promise<() => void> {
  const leave = await queue.enter(work);
  if (!work.isRepeatable) unrepeatable.add(work);
  return () => {
    unrepeatable.delete(work);
    leave();
  };
}

function isLost(cause: unknown): boolean {
  return cause instanceof EngineError && cause.failure === 'lost';
}

interface Started {
  /** Rejects with EngineError: 'lost' if the process ended and the statement may be retried. */
  readonly result: Promise<CallResult>;
  /** Resolves when the connection is returned or dropped, and another statement may use the slot. */
  readonly ended: Promise<void>;
}

async function start(runner: Runner, work: Work): Promise<Started> {
  const signals = work.signal === undefined ? [runner.closing] : [runner.closing, work.signal];
  const generation = await unlessAborted(runner.supervisor.current(), signals);
  if (!runner.access.accepts(work.rowPolicy)) throw outdated();
  const connection = await takeFor(generation.pool, work).catch(async (cause: unknown) => {
    if (isLost(cause)) await generation.process.ended; // so that a retry runs in the next process
    throw cause;
  });
  const { timeoutMs } = work;
  const call = startCall({ killer: generation.killer, after: runner.after }, connection, {
    sql: setParameters(work.parameters) + work.sql,
    format: work.format,
    signals,
    onRead: work.onRead,
    isReadInResult: work.format === PROGRESS_FORMAT,
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  });
  watchOverdue(runner, generation, work, call);
  const result = call.result.catch(async (cause: unknown) => {
    if (!isLost(cause)) throw cause;
    await generation.process.ended; // so that a retry runs in the next process
    throw lostError(runner, generation, work, cause);
  });
  const ended = settle(generation.pool, connection, call);
  countConsumers(generation, work, call);
  return { result, ended };
}

function outdated(): EngineError {
  return new EngineError('unavailable', 'the endpoint changed after this statement was planned');
}

/** Consumer statements running when the process ended stay counted, because one of them may have caused it. */
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
 * The error for a statement whose process ended. If the process was killed because of another statement, this one may
 * be retried; a consumer statement that may itself have crashed the process is not.
 */
function lostError(runner: Runner, generation: Generation, work: Work, cause: unknown): unknown {
  if (work.origin !== 'consumer' || isReplaced(runner, generation)) return cause;
  reportFatal(runner, work, generation.consumers === 1 ? 'crash' : 'suspected');
  return new EngineError('unavailable', 'the engine process ended while this statement ran', { cause });
}

/** Whether the process was killed for another reason than the statements that it ran. */
function isReplaced({ supervisor }: Runner, generation: Generation): boolean {
  return ['overdue', 'rules'].includes(supervisor.reasonOf(generation) ?? '');
}

/** Replaces the process if a statement outlives both its time limit and the KILL that follows. */
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

/** Takes a connection on which the statement can read no parameters but its own. */
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

/** Returns the connection only after a call that succeeded and was not abandoned; otherwise its state is unknown. */
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

function textOf({ bytes }: CallResult): string {
  return new TextDecoder().decode(bytes);
}
