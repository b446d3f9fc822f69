// An engine for the analysis of one file after the other, which has only so much time for each: a query can make its analysis as slow
// as it likes, since the engine computes constants and scalar subqueries.
import { EngineError, type Engine, type Statement } from '../../../service/engine/engine.ts';

export interface Bounds {
  /** Of one statement. */
  readonly statementSeconds: number;
  /** Of all statements since `begin`. */
  readonly fileSeconds: number;
}

export const BOUNDS: Bounds = { statementSeconds: 10, fileSeconds: 60 };

export interface BoundedEngine {
  readonly engine: Engine;
  /** Begins with the next file. */
  readonly begin: () => void;
  /** Returns whether every statement of the file had a result or was rejected, so that another analysis finds the same. */
  readonly isSettled: () => boolean;
}

/** Rejects with EngineError `timeout` what does not fit; `now` is in monotonic milliseconds. */
export function boundEngine(
  engine: Engine,
  { statementSeconds, fileSeconds }: Bounds,
  now: () => number,
): BoundedEngine {
  let end = Infinity;
  let isSettled = true;
  const noted = async <T>(ask: () => Promise<T>): Promise<T> => {
    try {
      return await ask();
    } catch (cause) {
      isSettled &&= cause instanceof EngineError && cause.failure === 'rejected';
      throw cause;
    }
  };
  const bounded = (statement: Statement): Statement => {
    const left = Math.ceil((end - now()) / 1000);
    if (left <= 0) throw new EngineError('timeout', `the analysis of the file took ${fileSeconds} s`);
    const time = Math.min(statement.limits.time, statementSeconds, left);
    return { ...statement, limits: { ...statement.limits, time } };
  };
  return {
    engine: {
      ...engine,
      run: (statement, options) => noted(() => engine.run(bounded(statement), options)),
      describe: (statement, hooks) => noted(() => engine.describe(bounded(statement), hooks)),
    },
    begin: () => {
      end = now() + fileSeconds * 1000;
      isSettled = true;
    },
    isSettled: () => isSettled,
  };
}

/** Longest time of a statement on a machine that gives the engine little processor time. */
const LONGEST_SECONDS = 640;

/**
 * Bounds the processor time of the engine in place of the time, so that the result does not depend on what else the machine does. Nothing
 * else may run on the engine meanwhile.
 */
export function boundWork(
  engine: Engine,
  processor: () => Promise<number>,
  { statementSeconds, fileSeconds }: Bounds,
): BoundedEngine {
  let used = 0;
  const bounded = async <T>(statement: Statement, ask: (bounded: Statement) => Promise<T>): Promise<T> => {
    const allowed = Math.min(statement.limits.time, statementSeconds);
    for (let time = allowed; ; time *= 4) {
      if (used >= fileSeconds)
        throw new EngineError('timeout', `the analysis of the file took ${fileSeconds} s`);
      const before = await processor();
      const answer = await ask({ ...statement, limits: { ...statement.limits, time } }).catch(timeoutOnly);
      const spent = (await processor()) - before;
      used += Math.max(spent, 0);
      if (!(answer instanceof EngineError)) return answer;
      // Another process has used less than the one before.
      if (spent < 0 || spent >= allowed || time >= LONGEST_SECONDS) throw answer;
    }
  };
  return {
    engine: {
      ...engine,
      run: (statement, options) => bounded(statement, (each) => engine.run(each, options)),
      describe: (statement, hooks) => bounded(statement, (each) => engine.describe(each, hooks)),
    },
    begin: () => {
      used = 0;
    },
    isSettled: () => true,
  };
}

/** The error of a statement that took too long; throws any other. */
function timeoutOnly(cause: unknown): EngineError {
  if (cause instanceof EngineError && cause.failure === 'timeout') return cause;
  throw cause;
}
