// Whose turn it is to run a key among the replicas: one runs, the others wait for what it stores.
import { sleep, type After, type Clock } from './clock.ts';
import type { Entry } from './entry.ts';
import type { Store } from './store.ts';

export interface TurnOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly after: After;
  readonly random: () => number;
}

export type Turn =
  | {
      readonly kind: 'run';
      /** To be called when the result can be seen by the others, or there is none. */
      readonly done: () => void;
    }
  | { readonly kind: 'found'; readonly entry: Entry };

const FIRST_PAUSE_MS = 5;
const LAST_PAUSE_MS = 50;
const PAUSE_GROWTH = 1.4;
/** A lease that is still renewed after so long is no reason to wait on. */
export const PATIENCE_MS = 60_000;

/**
 * Waits until this process may run `key`, or until another replica has stored an entry that `accepts` takes. Without a
 * store outside it is always this one's turn. Rejects with the reason of `signal`.
 */
export async function takeTurn(
  key: string,
  { store, clock, after, random }: TurnOptions,
  { accepts, signal }: { readonly accepts: (entry: Entry) => boolean; readonly signal: AbortSignal },
): Promise<Turn> {
  const deadline = clock.monotonic() + PATIENCE_MS;
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause * PAUSE_GROWTH, LAST_PAUSE_MS)) {
    const lease = await store.lease(key);
    // Looked up after the lease was taken: whoever ran before had stored its result before giving it back.
    if (typeof lease !== 'string')
      return turnWith(await store.fetch(key), accepts, () => void lease.release());
    // Alone: what was stored while this one was on its way here.
    if (lease === 'unavailable' || clock.monotonic() >= deadline)
      return turnWith(store.peek(key), accepts, nothing);
    await sleep(pause * (0.5 + random()), after, signal);
  }
}

function turnWith(entry: Entry | undefined, accepts: (entry: Entry) => boolean, done: () => void): Turn {
  if (entry === undefined || !accepts(entry)) return { kind: 'run', done };
  done();
  return { kind: 'found', entry };
}

function nothing(): void {}
