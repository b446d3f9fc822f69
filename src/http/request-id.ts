// The name of one request: in its answer, in the log, in the engine's own log.
import { randomUUID } from 'node:crypto';

/** The caller's own request id when it is a plain token, else a new one. */
export function requestIdOf(header: string | string[] | undefined): string {
  return typeof header === 'string' && /^[\w.:-]{1,64}$/.test(header) ? header : randomUUID();
}
