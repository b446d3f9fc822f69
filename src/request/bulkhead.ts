// Limits concurrent queries per endpoint, as its file sets, in front of the engine's own queue: a slow endpoint fills
// only its own queue.
import type { Endpoint } from '../catalog/endpoint.ts';
import type { Load } from '../engine/engine.ts';
import { createQueue, type Queue } from '../engine/queue.ts';
import type { Entry } from '../engine/wait-queue.ts';
import type { After } from '../core/clock.ts';

export interface Bulkhead {
  /** Resolves to the function that releases the slot. Rejects with EngineError 'busy' or 'aborted'. */
  enter(endpoint: Endpoint, entry: Entry): Promise<() => void>;
  /** Load of every endpoint that has a limit and was called. */
  readonly loads: () => readonly (Load & { readonly endpoint: string })[];
}

/** Same as the engine's queue timeout. */
const TIMEOUT_MS = 10_000;

/** Keyed by endpoint id, so that a new version of a file shares the slots of the old one. */
export function createBulkhead(after: After): Bulkhead {
  const queues = new Map<string, { readonly queue: Queue; of: Endpoint }>();
  const queueOf = (endpoint: Endpoint, { places, waiting }: NonNullable<Endpoint['concurrency']>): Queue => {
    const known = queues.get(endpoint.id);
    if (known === undefined) {
      const queue = createQueue({ places, waiting, timeoutMs: TIMEOUT_MS, after });
      queues.set(endpoint.id, { queue, of: endpoint });
      return queue;
    }
    if (known.of !== endpoint) {
      known.of = endpoint;
      known.queue.resize(places, waiting);
    }
    return known.queue;
  };
  return {
    enter: async (endpoint, entry) => {
      if (endpoint.concurrency === undefined) return noPlace;
      return queueOf(endpoint, endpoint.concurrency).enter(entry);
    },
    loads: () => [...queues.values()].map(({ queue, of }) => ({ endpoint: of.name, ...queue.size() })),
  };
}

function noPlace(): void {}
