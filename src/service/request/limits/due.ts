// When a question is looked at again.
import { createHash } from 'node:crypto';

/**
 * Milliseconds until the next multiple of `everyMs` since 1970, so that all who look at the same data look together, in all
 * processes, and share one answer; with `of`, until another moment that is spread over the time between: what it runs costs
 * the engine each time. At least a tenth of `everyMs`.
 */
export function dueAfter(
  epoch: number,
  { everyMs, of }: { readonly everyMs: number; readonly of: string | undefined },
): number {
  const shift = of === undefined ? 0 : createHash('sha256').update(of).digest().readUInt32BE() % everyMs;
  const wait = everyMs - ((((epoch - shift) % everyMs) + everyMs) % everyMs);
  return wait < everyMs / 10 ? wait + everyMs : wait;
}
