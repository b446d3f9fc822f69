// Converts an abort reason to an EngineError.
import { EngineError } from './engine.ts';

/** The signal's reason if it is an EngineError, otherwise an EngineError 'aborted'. */
export function abortError(signal: AbortSignal): EngineError {
  const reason: unknown = signal.reason;
  return reason instanceof EngineError
    ? reason
    : new EngineError('aborted', 'cancelled by its caller', { cause: reason });
}

/** Settles as `promise` does, or rejects as soon as one of the signals aborts, so that a disconnected caller does not wait. */
export async function unlessAborted<T>(promise: Promise<T>, signals: readonly AbortSignal[]): Promise<T> {
  const settled = new AbortController();
  const aborted = new Promise<never>((_, reject) => {
    for (const signal of signals) {
      const onAbort = (): void => reject(abortError(signal));
      if (signal.aborted) onAbort();
      else signal.addEventListener('abort', onAbort, { once: true, signal: settled.signal });
    }
  });
  return Promise.race([promise, aborted]).finally(() => settled.abort());
}
