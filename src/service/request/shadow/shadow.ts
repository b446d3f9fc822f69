// Shadow runs: after some calls of a version, the next version runs as well, and the rows of both are compared. Runs in
// spare capacity only: callers neither wait for it nor pay for it, and never see its result.
import { isCallable } from '../../endpoints/callable.ts';
import type { Catalog } from '../../endpoints/catalog.ts';
import type { Endpoint } from '../../endpoints/endpoint.ts';
import { versionBefore } from '../../endpoints/versions.ts';
import type { Clock } from '../../../sql/base/clock.ts';
import type { Observe, ShadowCompared } from '../../../sql/base/observation.ts';
import { cutLines } from '../../formats/lines.ts';
import { demandedRedactor, isRedacting } from '../../../guard/redact/demand.ts';
import { redactRows } from '../formats/redacted-rows.ts';
import type { Transformer } from '../transform/transformer.ts';
import { compareResults, type ComparedResult } from './compare-results.ts';
import { isDropped, type Spare } from './spare.ts';
import { type Plan, planQuery } from '../plan.ts';
import type { PlanQueryDeps } from '../planned-query.ts';

/** A plan that ran, of a call of the saved query. */
type ShadowedPlan = Pick<Plan, 'admitted' | 'parameters'>;

export interface ShadowDeps extends PlanQueryDeps {
  readonly catalog: () => Catalog;
  readonly transformer: Pick<Transformer, 'rows'>;
  readonly spare: Spare;
  readonly observe: Observe;
  readonly clock: Clock;
  /** From 0 to 1. */
  readonly random: () => number;
}

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

type Run = ComparedResult | 'failed' | 'dropped';

interface VersionCall {
  readonly plan: ShadowedPlan;
  readonly endpoint: Endpoint;
  /** Milliseconds since 1970, the same for all versions. */
  readonly now: number;
}

/** The rows of one version as its callers get them, redacted. The endpoint's own limit of concurrency does not apply. Never rejects. */
async function runVersion(
  deps: ShadowDeps,
  { plan: { admitted, parameters }, endpoint: version, now }: VersionCall,
  signal: AbortSignal,
): Promise<Run> {
  try {
    const { spare, describe, transformer } = deps;
    const { principal, content, call } = admitted;
    const redactor = demandedRedactor(version.redaction, { key: principal.redact, header: content.redact });
    const bindings = version.binder.bind(parameters, now, principal.locked);
    const endpoint = version.variantOf(bindings);
    const isRedacted = isRedacting(redactor);
    const query = await planQuery(deps, { endpoint, bindings, consumerQuery: undefined, isRedacted });
    const { warming: workload } = endpoint.reservation;
    const { name, version: number } = endpoint;
    const statement = { ...query.statement, ...(workload === undefined ? {} : { workload }) };
    const bytes = await spare.rows(statement, {
      signal,
      lane: `shadow ${endpoint.id}`,
      comment: { shadow: call.requestId, endpoint: name, version: number },
    });
    if (bytes === undefined) return 'dropped';
    const { lines } = cutLines(bytes, endpoint.maxRows);
    const silent = { observe: () => undefined, transformer };
    const redacted = await redactRows(silent, { endpoint, query, redactor }, lines, {
      signal,
      key: undefined,
    });
    return { lines: redacted, columns: await describe.result(endpoint) };
  } catch (error) {
    return isDropped(error) ? 'dropped' : 'failed';
  }
}
