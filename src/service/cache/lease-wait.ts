// Coordinates runs of a key among the replicas: one runs it, the others wait for its stored result.
import type { After, Clock } from '../../sql/base/clock.ts';
import { sleep } from './clock.ts';
import type { Entry } from './entry.ts';
import type { Store } from './store.ts';

export interface LeaseWaitOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly after: After;
  readonly random: () => number;
}

export type LeaseWait =
  | {
      readonly kind: 'run';
      /** Must be called once the result is visible to the other replicas, or the run has failed. */
      readonly done: () => void;
    }
  | { readonly kind: 'found'; readonly entry: Entry };

const FIRST_PAUSE_MS = 5;
const LAST_PAUSE_MS = 50;
const PAUSE_GROWTH = 1.4;
/** After this long, a lease that is still being renewed is ignored. */
export const PATIENCE_MS = 60_000;

/**
 * Waits until this process may run `key`, or until another replica has stored an entry that satisfies `accepts`.
 * Without a shared cache it never waits. Rejects with the reason of `signal`.
 */
export async function waitForLease(
  key: string,
  { store, clock, after, random }: LeaseWaitOptions,
  { accepts, signal }: { readonly accepts: (entry: Entry) => boolean; readonly signal: AbortSignal },
): Promise<LeaseWait> {
  const deadline = clock.monotonic() + PATIENCE_MS;
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause * PAUSE_GROWTH, LAST_PAUSE_MS)) {
    const lease = await store.lease(key);
    // Looked up after acquiring the lease: the previous holder stored its result before releasing it.
    if (typeof lease !== 'string')
      return turnWith(await store.fetch(key), accepts, () => void lease.release());
    // Without a lease: use what was stored in memory in the meantime.
    if (lease === 'unavailable' || clock.monotonic() >= deadline)
      return turnWith(store.peek(key), accepts, nothing);
    await sleep(pause * (0.5 + random()), after, signal);
  }
}

function turnWith(entry: Entry | undefined, accepts: (entry: Entry) => boolean, done: () => void): LeaseWait {
  if (entry === undefined || !accepts(entry)) return { kind: 'run', done };
  done();
  return { kind: 'found', entry };
}

function nothing(): void {}
