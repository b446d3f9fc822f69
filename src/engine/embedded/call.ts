// One native call that its caller can abandon while the engine is still executing it.
import { watchAbort } from '../abort.ts';
import { EngineError, type RunOptions } from '../engine.ts';
import type { After } from '../../core/clock.ts';
import type { CallResult, Connection } from './connection.ts';
import type { Killer } from './killer.ts';

export interface CallText {
  readonly sql: string;
  readonly format: string;
  /** Our own timeout in ms, slightly above the engine's. */
  readonly timeoutMs?: number;
  /** Any of them ends the call; its reason becomes the error. */
  readonly signals: readonly AbortSignal[];
  /** Called with what the statement has read when it is cancelled. */
  readonly onRead?: RunOptions['onRead'] | undefined;
}

export interface Call {
  /** Rejects with EngineError, immediately if a signal or the timeout ends the call. */
  readonly result: Promise<CallResult>;
  /** Resolves when the native call has ended, successfully or not. */
  readonly ended: Promise<void>;
}

export interface CallDeps {
  readonly killer: Killer;
  readonly after: After;
}

export function startCall(deps: CallDeps, connection: Connection, text: CallText): Call {
  const native = connection.call(text.sql, text.format);
  const ended = native.then(
    () => {},
    () => {},
  );
  const result = new Promise<CallResult>((resolve, reject) => {
    const stop = (error: EngineError): void => {
      reject(error);
      deps.killer.kill(connection.id, ended, text.onRead);
    };
    const release = watch(deps.after, text, stop);
    native.then(resolve, reject);
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
