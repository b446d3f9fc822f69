// Which problems end a stream, and what they mean to its reader.
import type { Problem, ProblemCode } from '../../../sql/base/problem.ts';
import type { EndReason } from './event.ts';

const TEMPORARY: ReadonlySet<number> = new Set([502, 503, 504]);

/** False: the stream goes on, and the question is asked again later. */
export function errorEnds({ status }: Problem): boolean {
  return !TEMPORARY.has(status);
}

/** The reason of an event `end`; undefined: the problem itself is sent. */
export function reasonOf({ code }: Problem): EndReason | undefined {
  return REASONS.get(code);
}

/** Of calls that were accepted before. */
const REASONS: ReadonlyMap<ProblemCode, EndReason> = new Map([
  ['auth.invalid', 'key'],
  ['auth.missing', 'key'],
  ['auth.forbidden', 'key'],
  ['route.endpoint_unknown', 'endpoint'],
  ['live.unavailable', 'endpoint'],
  ['format.not_acceptable', 'endpoint'],
]);
