// How long an answer is that of its call: relative times have other values later.
import type { CachedAnswer, Outcome } from '../../cache/read-through.ts';
import type { Clock } from '../../../sql/base/clock.ts';
import type { Bindings } from '../../params/binder.ts';
import type { Replay } from '../call.ts';

type Validity = Pick<Bindings, 'now' | 'until'>;

/** Repeats an answer only while the call has the same values: relative times move on. */
export function replayWhileValid(
  { clock }: { readonly clock: Clock },
  bindings: Validity,
  replay: Replay,
): Replay {
  if (bindings.until === Infinity) return replay;
  return () => {
    const at = clock.epoch();
    if (at < bindings.now || at >= bindings.until) return undefined;
    const limit = (found: CachedAnswer | undefined): CachedAnswer | undefined =>
      found && { ...found, outcome: whileValid(found.outcome, bindings, at) };
    const found = replay();
    return found instanceof Promise ? found.then(limit) : limit(found);
  };
}

/** No longer fresh than the call has the same values, so that no other cache repeats it after that. */
export function whileValid(outcome: Outcome, { until }: Pick<Validity, 'until'>, now: number): Outcome {
  const left = Math.max(0, Math.floor((until - now) / 1000));
  return {
    ...outcome,
    ttl: Math.min(outcome.ttl, left),
    lifetime: Math.min(outcome.lifetime, outcome.age + left),
  };
}
