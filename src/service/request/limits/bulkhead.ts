// Limits concurrent queries per endpoint, as its file sets, in front of the engine's own queue: a slow endpoint fills
// only its own queue.
import type { Endpoint } from '../../endpoints/endpoint.ts';
import type { After } from '../../../sql/base/clock.ts';
import type { Load } from '../../engine/engine.ts';
import { createQueue, type Queue } from '../../engine/queue.ts';
import type { Entry } from '../../engine/wait-queue.ts';

/** The concurrency limit of an endpoint file. */
type Concurrency = NonNullable<Endpoint['concurrency']>;

export interface Bulkhead {
  /** Resolves to the function that releases the slot. Rejects with EngineError 'busy' or 'aborted'. */
  enter(endpoint: Pick<Endpoint, 'id' | 'name'>, limit: Concurrency, entry: Entry): Promise<() => void>;
  /** Load of every endpoint that has a limit and was called. */
  readonly loads: () => readonly (Load & { readonly endpoint: string })[];
}

/** Same as the engine's queue timeout. */
const TIMEOUT_MS = 10_000;

/** Keyed by endpoint id, so that a new version of a file shares the slots of the old one. */
export function createBulkhead(after: After): Bulkhead {
  const queues = new Map<string, { readonly queue: Queue; name: string; limit: Concurrency }>();
  return {
    enter: async ({ id, name }, limit, entry) => {
      const known = queues.get(id) ?? {
        queue: createQueue({ ...limit, timeoutMs: TIMEOUT_MS, after }),
        name,
        limit,
      };
      if (known.limit !== limit) known.queue.resize(limit.places, limit.waiting);
      queues.set(id, Object.assign(known, { name, limit }));
      return known.queue.enter(entry);
    },
    loads: () => [...queues.values()].map(({ queue, name }) => ({ endpoint: name, ...queue.size() })),
  };
}
