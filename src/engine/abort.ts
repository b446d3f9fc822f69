// Converts an abort reason to an EngineError.
import { EngineError } from './engine.ts';

/** The signal's reason if it is an EngineError, otherwise an EngineError 'aborted'. */
export function abortError(signal: AbortSignal): EngineError {
  const reason: unknown = signal.reason;
  return reason instanceof EngineError
    ? reason
    : new EngineError('aborted', 'cancelled by its caller', { cause: reason });
}
