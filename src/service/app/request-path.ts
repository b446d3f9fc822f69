// Opens the state that calls share: counters, caches of checks, the transformer, shadow runs.
import type { KeyUse } from '../auth/key-use.ts';
import type { Keyring } from '../auth/keyring.ts';
import type { RedisLink } from '../cache/redis-link.ts';
import type { Catalog } from '../endpoints/catalog.ts';
import type { Describe } from '../endpoints/describe.ts';
import type { Endpoint } from '../endpoints/endpoint.ts';
import { filterParameters } from '../access/table-filters.ts';
import type { Settings } from '../config/settings.ts';
import type { Observe } from '../../sql/base/observation.ts';
import type { Engine } from '../engine/engine.ts';
import type { RequestPath } from '../request/answer.ts';
import type { Sandboxes } from '../request/consumer/sandboxes.ts';
import { createSuspensions } from '../request/consumer/suspensions.ts';
import { createBulkhead } from '../request/limits/bulkhead.ts';
import { createKnownColumns } from '../request/metadata.ts';
import { createSharedFailures } from '../request/reading/shared-failures.ts';
import { createWatches, type Watches } from '../request/reading/watches.ts';
import { createRouting, type CurrentRollups } from '../request/rollups/routing.ts';
import { createVerification, type VerificationDeps } from '../request/rollups/verify.ts';
import { createSpare, type Spare } from '../request/shadow/spare.ts';
import { createShadow } from '../request/shadow/shadow.ts';
import { createRanStatements, type RanStatements } from '../request/why/ran-statements.ts';
import { createPause } from '../request/transform/pause.ts';
import { createTransformer } from '../request/transform/transformer.ts';
import type { Cache } from './cache.ts';
import { after, clock } from './clock.ts';
import { openCounters } from './counters.ts';

export interface RequestPathOptions {
  readonly settings: Settings;
  readonly engine: Engine;
  /** Undefined: nothing is shared with other processes. */
  readonly link: RedisLink | undefined;
  readonly keyring: () => Keyring;
  readonly keyUse: Pick<KeyUse, 'note'>;
  readonly observe: Observe;
  readonly describe: Describe;
  readonly sandboxes: Sandboxes;
  readonly cache: Cache;
  readonly catalog: () => Catalog;
  /** Undefined: queries read rows. */
  readonly rollups?: (CurrentRollups & Pick<VerificationDeps, 'distrust'>) | undefined;
}

/** The process has this of the request path. */
export type OpenRequestPath = RequestPath & {
  readonly watches: Watches;
  readonly describe: Describe;
  readonly ran: RanStatements;
};

/** Opens the request path. It is closed by closing its transformer. */
export function openRequestPath(options: RequestPathOptions): OpenRequestPath {
  const { settings, engine, observe, describe, sandboxes, cache } = options;
  const transformer = createTransformer({ pause: createPause(), after });
  const query = { sandboxes, describe, policyParameters: policyParametersOf(settings) };
  const common = { ...query, engine, transformer, observe, clock, catalog: options.catalog };
  const spare = createSpare({ engine, connections: settings.connections, after });
  return {
    ...common,
    ...cache,
    ...openCounters(settings, options.link),
    keyring: options.keyring,
    keyUse: options.keyUse,
    suspensions: createSuspensions({ now: clock.monotonic, observe }),
    bulkhead: createBulkhead(after),
    shadow: createShadow({ ...common, spare, random: Math.random }),
    watches: createWatches({ ...cache, engine, clock, observe, hosts: hostsOf(settings) }),
    failures: createSharedFailures(),
    knownColumns: createKnownColumns(),
    ran: createRanStatements(clock.monotonic),
    ...routingOf(options, spare),
  };
}

function routingOf(
  { rollups, engine, observe }: RequestPathOptions,
  spare: Spare,
): Pick<RequestPath, 'routing' | 'verification'> {
  if (rollups === undefined) return {};
  const { distrust } = rollups;
  return {
    routing: createRouting({ engine, rollups, observe }),
    verification: createVerification({ spare, distrust, observe, clock, random: Math.random }),
  };
}

/** The number of hosts that the engine has. */
function hostsOf({ clickhouse }: Settings): number {
  return clickhouse?.urls.length ?? 1;
}

/** Finds the parameters that row policies of a server, or row filters of the embedded engine, compare with. It reads each endpoint's query once. */
function policyParametersOf({
  clickhouse,
}: Settings): ((endpoint: Endpoint) => readonly string[]) | undefined {
  if (clickhouse !== undefined && !clickhouse.rowPolicies) return undefined;
  const known = new WeakMap<Endpoint, readonly string[]>();
  return (endpoint) => {
    const parameters = known.get(endpoint) ?? filterParameters(endpoint);
    known.set(endpoint, parameters);
    return parameters;
  };
}
