// Shadow runs: after some calls of a version, the next version runs as well, and the rows of both are compared. Runs in
// spare capacity only: callers neither wait for it nor pay for it, and never see its result.
import { isCallable } from '../../endpoints/callable.ts';
import type { Catalog } from '../../endpoints/catalog.ts';
import type { Endpoint } from '../../endpoints/endpoint.ts';
import { versionBefore } from '../../endpoints/versions.ts';
import type { ShadowCompared } from '../../../sql/base/observation.ts';
import { compareResults } from './compare-results.ts';
import type { Plan } from '../plan.ts';
import { runVersion, type Run, type ShadowDeps, type ShadowedPlan } from './run-version.ts';

export interface Shadow {
  /** Offers the plan of a call whose response is complete. Returns at once and never throws. */
  readonly offer: (plan: Plan) => void;
}

/** Runs one comparison at a time; calls offered meanwhile are dropped. */
export function createShadow(deps: ShadowDeps): Shadow {
  const { catalog, observe, random, clock, spare } = deps;

  const finish = (pair: Pair, started: number, outcome: Outcome): void =>
    observe({
      kind: 'shadow.compared',
      requestId: pair.plan.admitted.call.requestId,
      endpoint: pair.newer.name,
      version: pair.newer.version ?? 0,
      revision: pair.newer.revision,
      ms: clock.monotonic() - started,
      ...outcome,
    });

  return {
    offer: (plan) => {
      const { endpoint, principal } = plan.admitted;
      if (!isCompared(plan)) return;
      const newer = triedAfter(catalog(), endpoint);
      if (newer === undefined || random() >= newer.rollout.share) return;
      if (!isCallable(newer, principal)) return;
      const pair = { plan, newer };
      spare.offer({
        run: async (signal) => {
          const started = clock.monotonic();
          finish(pair, started, await comparePair(deps, pair, signal));
        },
        drop: () => finish(pair, clock.monotonic(), DROPPED),
      });
    },
  };
}

/** An endpoint that is tried beside the version before it. */
type Tried = Endpoint & { readonly rollout: NonNullable<Endpoint['rollout']> };

interface Pair {
  readonly plan: ShadowedPlan;
  readonly newer: Tried;
}

type Outcome = Pick<ShadowCompared, 'outcome' | 'differences'>;

const DROPPED: Outcome = { outcome: 'dropped', differences: [] };

/** Consumer queries and pages are not compared. */
function isCompared({ endpoint, admitted, page }: Plan): boolean {
  return endpoint.version !== undefined && admitted.consumerQuery === undefined && page === undefined;
}

/** The version whose rollout applies to calls of this one. */
function triedAfter(catalog: Catalog, endpoint: Endpoint): Tried | undefined {
  return catalog
    .versions(endpoint.name)
    .filter(isTried)
    .find((each) => versionBefore(catalog, each) === endpoint);
}

function isTried(endpoint: Endpoint): endpoint is Tried {
  return endpoint.rollout !== undefined;
}

/** Never rejects. */
async function comparePair(deps: ShadowDeps, { plan, newer }: Pair, signal: AbortSignal): Promise<Outcome> {
  const now = deps.clock.epoch();
  const run = (endpoint: Endpoint): Promise<Run> => runVersion(deps, { plan, endpoint, now }, signal);
  try {
    const before = await run(plan.admitted.endpoint);
    const after = await run(newer);
    if (before === 'dropped' || after === 'dropped') return DROPPED;
    if (before === 'failed') return UNSTABLE;
    if (after === 'failed') return { outcome: 'failed', differences: [] };
    const { tolerance } = newer.rollout;
    const differences = await compareResults(before, after, tolerance);
    if (differences.length === 0) return { outcome: 'equal', differences };
    // Rows that arrive meanwhile, random values and rows without an order differ in the version before as well.
    const again = await run(plan.admitted.endpoint);
    if (again === 'dropped') return DROPPED;
    const isStable = again !== 'failed' && (await compareResults(before, again, tolerance)).length === 0;
    return isStable ? { outcome: 'different', differences } : UNSTABLE;
  } catch {
    return UNSTABLE; // a bug of the comparison must not end the process
  }
}

const UNSTABLE: Outcome = { outcome: 'unstable', differences: [] };
