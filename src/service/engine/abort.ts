// Aborts: their reasons as EngineErrors, and waiting for one.
import { EngineError } from './engine.ts';

/** The signal's reason if it is an EngineError, otherwise an EngineError 'aborted'. */
export function abortError(signal: AbortSignal): EngineError {
  const reason: unknown = signal.reason;
  return reason instanceof EngineError
    ? reason
    : new EngineError('aborted', 'cancelled by its caller', { cause: reason });
}

/**
 * Calls `stop` once, with the error of the first signal that aborts; immediately if one has. Returns a function that
 * stops watching, to be called when the work has ended.
 */
export function watchAbort(signals: readonly AbortSignal[], stop: (error: EngineError) => void): () => void {
  const release = (): void => {
    for (const signal of signals) signal.removeEventListener('abort', onAbort);
  };
  const onAbort = (): void => {
    const aborted = signals.find((signal) => signal.aborted);
    if (aborted === undefined) return;
    release();
    stop(abortError(aborted));
  };
  for (const signal of signals) signal.addEventListener('abort', onAbort);
  onAbort();
  return release;
}

/** Settles as `promise` does, or rejects as soon as one of the signals aborts, so that a disconnected caller does not wait. */
export async function unlessAborted<T>(promise: Promise<T>, signals: readonly AbortSignal[]): Promise<T> {
  return new Promise((resolve, reject) => {
    const release = watchAbort(signals, reject);
    void promise.then(resolve, reject).finally(release);
  });
}
