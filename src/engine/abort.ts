// Why a statement was ended from outside.
import { EngineError } from './engine.ts';

/** The signal's reason as an EngineError: its own when it is one, else 'aborted'. */
export function abortError(signal: AbortSignal): EngineError {
  const reason: unknown = signal.reason;
  return reason instanceof EngineError
    ? reason
    : new EngineError('aborted', 'ended by its caller', { cause: reason });
}
