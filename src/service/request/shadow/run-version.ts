// Runs a call of a version beside it, with the limits of the endpoint and of a shadow run.
import type { Endpoint } from '../../endpoints/endpoint.ts';
import { cutLines } from '../../formats/lines.ts';
import { demandedRedactor, isRedacting } from '../../../guard/redact/demand.ts';
import { redactRows } from '../formats/redacted-rows.ts';
import { planQuery } from '../plan-query.ts';
import type { Catalog } from '../../endpoints/catalog.ts';
import type { Clock } from '../../../sql/base/clock.ts';
import type { Observe } from '../../../sql/base/observation.ts';
import type { Transformer } from '../transform/transformer.ts';
import type { ComparedResult } from './compare-results.ts';
import { isDropped, type Spare } from './spare.ts';
import type { Plan } from '../plan.ts';
import type { PlanQueryDeps } from '../planned-query.ts';

interface VersionCall {
  readonly plan: ShadowedPlan;
  readonly endpoint: Endpoint;
  /** It is in milliseconds since 1970, and the same for all versions. */
  readonly now: number;
}

/**
 * Resolves to the rows of one version as its callers get them, redacted. The endpoint's own limit of concurrency does not apply. Never
 * rejects.
 */
export async function runVersion(
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

/** The plan has run, for a call of the saved query. */
export type ShadowedPlan = Pick<Plan, 'admitted' | 'parameters'>;

export interface ShadowDeps extends PlanQueryDeps {
  readonly catalog: () => Catalog;
  readonly transformer: Pick<Transformer, 'rows'>;
  readonly spare: Spare;
  readonly observe: Observe;
  readonly clock: Clock;
  /** It returns numbers from 0 to 1. */
  readonly random: () => number;
}

export type Run = ComparedResult | 'failed' | 'dropped';
