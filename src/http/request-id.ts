// The id of a request, in its response, in the log and in the engine's query log.
import { randomUUID } from 'node:crypto';

/** The client's request id if it is a plain token, otherwise a new one. */
export function requestIdOf(header: string | string[] | undefined): string {
  return typeof header === 'string' && /^[\w.:-]{1,64}$/.test(header) ? header : randomUUID();
}
