// Runs of one endpoint at a time, as its file bounds them, in front of the engine's own queue: a slow endpoint fills its
// own line and no other.
import type { Endpoint } from '../catalog/endpoint.ts';
import type { Load } from '../engine/engine.ts';
import { createQueue, type Queue } from '../engine/queue.ts';
import type { Entry } from '../engine/waiting-line.ts';
import type { After } from '../engine/timer.ts';

export interface Bulkhead {
  /** Resolves with the function that gives the place back. Rejects with EngineError 'busy' or 'aborted'. */
  enter(endpoint: Endpoint, entry: Entry): Promise<() => void>;
  /** Of endpoints that were called and have a limit. */
  readonly loads: () => readonly (Load & { readonly endpoint: string })[];
}

/** Nobody waits longer for a run of the endpoint than for one of the engine. */
const TIMEOUT_MS = 10_000;

/** Counts go by the endpoint's id, so that a new version of its file has no places beside those of the old one. */
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
