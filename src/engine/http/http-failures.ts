// What goes wrong between us and a ClickHouse server, as EngineError.
import { ClickHouseError } from '@clickhouse/client';
import { EngineError } from '../engine.ts';
import { failureOf, toEngineError } from '../failures.ts';

/** An error of the client library, or of the socket below it. */
export function toHttpError(cause: unknown): EngineError {
  if (cause instanceof EngineError) return cause;
  if (cause instanceof ClickHouseError) {
    const engineCode = Number(cause.code);
    return new EngineError(failureOf(engineCode), cause.message, { engineCode, cause });
  }
  if (isTransport(cause))
    return new EngineError('unavailable', `no connection: ${messageOf(cause)}`, { cause });
  return toEngineError(cause);
}

/** Node gives socket, name and TLS errors a `code`; a broken body is ECONNRESET or a premature close. */
function isTransport(cause: unknown): boolean {
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  return typeof code === 'string' || /socket hang up|aborted|timeout/i.test(messageOf(cause));
}

function messageOf(cause: unknown): string {
  return cause instanceof Error ? cause.message || cause.name : String(cause);
}
