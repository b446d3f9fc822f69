// Which problems end a stream, and what they mean to its reader.
import type { Problem } from '../../core/problem.ts';
import type { EndReason } from './event.ts';

const TEMPORARY: ReadonlySet<number> = new Set([502, 503, 504]);

/** False: the stream goes on, and the question is asked again later. */
export function errorEnds({ status }: Problem): boolean {
  return !TEMPORARY.has(status);
}

/** The reason of an event `end`; undefined: the problem itself is sent. */
export function reasonOf({ code }: Problem): EndReason | undefined {
  if (code === 'auth.invalid' || code === 'auth.missing' || code === 'auth.forbidden') return 'key';
  if (code === 'route.endpoint_unknown' || code === 'live.unavailable') return 'endpoint';
  return undefined;
}
