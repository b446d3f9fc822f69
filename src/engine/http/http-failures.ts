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

/** No answer came, and no word of why: the line or the server failed, or it was never there. */
export function isLost({ failure, engineCode }: EngineError): boolean {
  return failure === 'unavailable' && engineCode === undefined;
}

/** What the system calls failures to connect: nothing can have been sent. */
const UNREACHED: ReadonlySet<unknown> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EADDRNOTAVAIL',
]);

/** The request never reached a server. */
export function isUnreached({ cause }: EngineError): boolean {
  return cause instanceof Error && 'code' in cause && UNREACHED.has(cause.code);
}

/** Node gives socket, name and TLS errors a `code`; a broken body is ECONNRESET or a premature close. */
function isTransport(cause: unknown): boolean {
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  return typeof code === 'string' || /socket hang up|aborted|timeout/i.test(messageOf(cause));
}

function messageOf(cause: unknown): string {
  return cause instanceof Error ? cause.message || cause.name : String(cause);
}
