// Runs one statement on a connection of the pool, and replaces the process if that cannot be ended.
import { watchAbort, unlessAborted } from '../abort.ts';
import { EngineError, type RunOptions, type Fatality } from '../engine.ts';
import type { After } from '../../../sql/base/clock.ts';
import type { CallResult, Connection } from './connection.ts';
import type { Killer } from './killer.ts';
import { setParameters } from '../parameter-text.ts';
import type { Generation } from './open-data.ts';
import { takeFor, type Pool } from './pool.ts';
import { PROGRESS_FORMAT } from './progress.ts';
import type { Work } from './work.ts';
import type { Runner } from './runner.ts';

/**
 * A statement still running this long after it was killed for exceeding its time limit cannot be interrupted: its
 * process is replaced.
 */
const OVERDUE_GRACE_MS = 3000;

interface Performed extends CallResult {
  readonly queueMs: number;
}

/**
 * Runs one statement. Its slot is held until the native call has ended and the connection is returned or dropped. `read` gets the
 * result before another statement starts.
 */
export async function perform<T extends object = object>(
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
    return { queueMs, ...result };
  } finally {
    void (ended ?? Promise.resolve()).finally(leave);
  }
}

async function enter({ queue, unrepeatable }: Runner, work: Work): Promise<() => void> {
  const leave = await queue.enter(work);
  if (!work.isRepeatable && work.isApart !== true) unrepeatable.add(work);
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

/** Returns whether the process was killed for another reason than the statements that it ran. */
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

/** Returns the connection only after a call that succeeded and was not abandoned; otherwise its state is unknown. */
async function settle(pool: Pool, connection: Connection, call: Call): Promise<void> {
  try {
    await call.result;
    await call.ended;
    pool.giveBack(connection);
  } catch (cause) {
    await call.ended;
    await pool.drop(connection, cause instanceof EngineError ? cause.failure : 'unknown');
  }
}

interface CallText {
  readonly sql: string;
  readonly format: string;
  /** Our own timeout in ms, slightly above the engine's. */
  readonly timeoutMs?: number;
  /** Any of them ends the call; its reason becomes the error. */
  readonly signals: readonly AbortSignal[];
  /** Called with what the statement has read if it is cancelled or fails, and if `isReadInResult` is not set. */
  readonly onRead?: RunOptions['onRead'] | undefined;
  /** The result of a statement that succeeds says what it has read. */
  readonly isReadInResult?: boolean;
}

interface Call {
  /** Rejects with EngineError, immediately if a signal or the timeout ends the call. */
  readonly result: Promise<CallResult>;
  /** Resolves when the native call has ended, successfully or not. */
  readonly ended: Promise<void>;
}

interface CallDeps {
  readonly killer: Killer;
  readonly after: After;
}

function startCall(deps: CallDeps, connection: Connection, text: CallText): Call {
  const native = connection.call(text.sql, text.format);
  const ended = native.then(
    () => {},
    () => {},
  );
  const { onRead } = text;
  // The counts of the result are reported, unless the statement fails.
  const firstLookMs = text.isReadInResult === true ? 50 : 5;
  const watched = onRead && deps.killer.watchRead(connection.id, firstLookMs);
  const report = (): void => {
    const read = watched?.stop();
    if (read !== undefined) onRead?.(read);
  };
  const result = new Promise<CallResult>((resolve, reject) => {
    let isStopped = false;
    const stop = (error: EngineError): void => {
      isStopped = true;
      watched?.stop();
      reject(error);
      deps.killer.kill(connection.id, ended, onRead);
    };
    const release = watch(deps.after, text, stop);
    native.then(
      (value) => {
        if (text.isReadInResult === true || isStopped) watched?.stop();
        else report();
        resolve(value);
      },
      (error: unknown) => {
        if (!isStopped) report();
        reject(error);
      },
    );
    void ended.then(release);
  });
  return { result, ended };
}

/** Calls `stop` once, for whichever signal or timeout comes first; returns a function that stops watching. */
function watch(after: After, text: CallText, stop: (error: EngineError) => void): () => void {
  const { timeoutMs, signals } = text;
  let cancelTimer: (() => void) | undefined;
  const release = watchAbort(signals, (error) => {
    cancelTimer?.();
    stop(error);
  });
  if (timeoutMs !== undefined && !signals.some((signal) => signal.aborted)) {
    cancelTimer = after(timeoutMs, () => {
      release();
      stop(new EngineError('timeout', `no response within ${timeoutMs} ms`));
    });
  }
  return () => {
    cancelTimer?.();
    release();
  };
}
