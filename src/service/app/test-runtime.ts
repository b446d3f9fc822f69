// Runs requests as a service would, at a chosen time and without caching or limits, to test endpoint files.
import { assembleCatalog, type Candidate } from '../endpoints/catalog.ts';
import { createDescribe } from '../endpoints/describe.ts';
import { createPause } from '../request/transform/pause.ts';
import type { Engine, Statement } from '../engine/engine.ts';
import type { RequestPath } from '../request/answer.ts';
import { createBulkhead } from '../request/limits/bulkhead.ts';
import { createSandboxes } from '../request/consumer/sandboxes.ts';
import { createSuspensions } from '../request/consumer/suspensions.ts';
import { createTransformer } from '../request/transform/transformer.ts';
import { createCache } from './cache.ts';
import { after, clock } from './clock.ts';
import { openCounters } from './counters.ts';
import { LOCAL_KEYRING } from './local.ts';
import { atTime } from '../request/fixed-clock.ts';
import { createSharedFailures } from '../request/reading/shared-failures.ts';
import { createKnownColumns } from '../request/metadata.ts';

export interface TestRuntimeOptions {
  readonly engine: Engine;
  readonly candidates: readonly Candidate[];
}

export interface TestRuntime {
  /** The request path at `now`, in milliseconds since 1970; if undefined, at the real time. */
  readonly pathAt: (now: number | undefined) => RequestPath;
  close(): Promise<void>;
}

export function openTestRuntime({ engine, candidates }: TestRuntimeOptions): TestRuntime {
  const uncached = candidates.map((candidate) => {
    const endpoint = {
      ...candidate.endpoint,
      cache: undefined,
      rate: undefined,
      budgets: [],
      concurrency: undefined,
    };
    return { ...candidate, endpoint };
  });
  const { catalog } = assembleCatalog(uncached);
  const describe = createDescribe(engine);
  const sandboxes = createSandboxes(engine, describe);
  const cache = createCache({ memoryBytes: 0, shared: undefined, observe: () => undefined });
  const bulkhead = createBulkhead(after);
  const counters = openCounters({ rateLimitFailure: 'open' }, undefined);
  const suspensions = createSuspensions({ now: clock.monotonic, observe: () => undefined });
  const transformer = createTransformer({ pause: createPause(), after });
  const names = describeOnce(engine);
  const pathAt = (now: number | undefined): RequestPath => {
    const epoch = now === undefined ? clock.epoch : () => now;
    const rewrite = now === undefined ? undefined : (statement: Statement) => atTime(now, statement, names);
    return {
      catalog: () => catalog,
      keyring: () => LOCAL_KEYRING,
      keyUse: { note: () => undefined },
      ...counters,
      suspensions,
      rewrite,
      sandboxes,
      describe,
      engine,
      bulkhead,
      transformer,
      observe: () => undefined,
      ...cache,
      watches: { of: () => undefined },
      failures: createSharedFailures(),
      knownColumns: createKnownColumns(),
      clock: { ...clock, epoch },
    };
  };
  const close = async (): Promise<void> => {
    await Promise.all([cache.close(), transformer.close()]);
  };
  return { pathAt, close };
}

/** Rows change between examples, columns do not: the same statement is described once. */
function describeOnce(engine: Engine): Pick<Engine, 'describe'> {
  const known = new Map<string, ReturnType<Engine['describe']>>();
  return {
    describe: (statement) => {
      const key = JSON.stringify([statement.sql, statement.parameters]);
      const columns = known.get(key) ?? engine.describe(statement);
      if (known.size < MAX_DESCRIBED) known.set(key, columns);
      return columns;
    },
  };
}

const MAX_DESCRIBED = 5000;
