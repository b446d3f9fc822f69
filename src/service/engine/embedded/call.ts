// One native call that its caller can abandon while the engine is still executing it.
import { watchAbort } from '../abort.ts';
import { EngineError, type RunOptions } from '../engine.ts';
import type { After } from '../../../sql/base/clock.ts';
import type { CallResult, Connection } from './connection.ts';
import type { Killer } from './killer.ts';

export interface CallText {
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
  const { onRead } = text;
  // What the result says counts, unless the statement fails.
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
