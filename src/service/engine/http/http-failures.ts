// Converts failures between the service and a ClickHouse server to EngineError.
import { ClickHouseError } from '@clickhouse/client';
import { EngineError } from '../engine.ts';
import { failureOf, toEngineError } from '../failures.ts';

/** Converts an error of the client library or its socket. */
export function toHttpError(cause: unknown): EngineError {
  if (cause instanceof EngineError) return cause;
  if (cause instanceof ClickHouseError) {
    const engineCode = Number(cause.code);
    return new EngineError(failureOf(engineCode), cause.message, { engineCode, cause });
  }
  if (isTransport(cause))
    return new EngineError('unavailable', `no connection: ${messageOf(cause)}`, { isForeign: true, cause });
  return toEngineError(cause);
}

/** No response and no error from the engine: the connection or the server failed, or was never reachable. */
export function isLost({ failure, engineCode }: EngineError): boolean {
  return failure === 'unavailable' && engineCode === undefined;
}

/** System codes for failures to connect: nothing was sent. */
const UNREACHED: ReadonlySet<unknown> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EADDRNOTAVAIL',
]);

/** Returns whether the request never reached a server. */
export function isUnreached({ cause }: EngineError): boolean {
  return cause instanceof Error && 'code' in cause && UNREACHED.has(cause.code);
}

/** Node sets `code` on socket, DNS and TLS errors; an incomplete body is ECONNRESET or a premature close. */
function isTransport(cause: unknown): boolean {
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  return typeof code === 'string' || /socket hang up|aborted|timeout/i.test(messageOf(cause));
}

function messageOf(cause: unknown): string {
  return cause instanceof Error ? cause.message || cause.name : String(cause);
}
