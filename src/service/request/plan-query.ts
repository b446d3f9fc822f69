// Chooses the statement of a call: that of the endpoint, over redacted tables if necessary, or the checked one of a consumer query.
import type { PlannedQuery, PlanQueryDeps, QueryRequest, StatementStep } from './planned-query.ts';
import { planConsumerQuery } from './consumer/plan-consumer-query.ts';
import { checkProblem } from './engine-problems.ts';
import type { Endpoint } from '../endpoints/endpoint.ts';
import type { Bindings } from '../params/binder.ts';
import { EngineError } from '../engine/engine.ts';
import { Problem } from '../../sql/base/problem.ts';
import { hashParameters } from '../endpoints/source-query.ts';

/**
 * Resolves to the query to run. If the call is redacted, a consumer query reads redacted tables. Throws Problem for a consumer query that
 * may not run.
 */
export async function planQuery(deps: PlanQueryDeps, request: QueryRequest): Promise<PlannedQuery> {
  const { endpoint } = request;
  await requireRedacted(deps.describe, endpoint);
  const planned = await planOf(deps, request);
  if (deps.rewrite === undefined) return planned;
  return { ...planned, statement: await deps.rewrite(planned.statement) };
}

/** What `validate` rejects of the rules for columns is not served. Throws Problem. */
async function requireRedacted(
  describe: Pick<PlanQueryDeps['describe'], 'idleRule' | 'exposed'>,
  endpoint: Endpoint,
): Promise<void> {
  if (Object.keys(endpoint.redaction.columns).length === 0) return;
  const idle = await describe.idleRule(endpoint);
  if (idle !== undefined)
    throw new Problem('endpoint.failed', {
      detail: 'A rule of pii.columns applies to nothing',
      cause: new Error(`pii.unknown_column: ${idle}`),
    });
  const exposed = await describe.exposed(endpoint);
  if (exposed !== undefined)
    throw new Problem('endpoint.failed', {
      detail: 'A redacted column is in the result without its rule',
      cause: new Error(`pii.not_redacted: ${exposed}`),
    });
}

async function planOf(deps: PlanQueryDeps, request: QueryRequest): Promise<PlannedQuery> {
  const { endpoint, bindings, consumerQuery, isRedacted } = request;
  if (consumerQuery !== undefined)
    return planConsumerQuery({ ...deps, ...request }, consumerQuery).catch((error: unknown) => {
      throw checkProblem(error);
    });
  const isAtSource = isRedacted && endpoint.redaction.at === 'source';
  return isAtSource ? planAtSource(deps, endpoint, bindings) : planSaved(endpoint, bindings);
}

function planSaved(endpoint: Endpoint, { values, canonical }: Bindings): PlannedQuery {
  const { limits, int64, statement: sql } = endpoint;
  return {
    statement: { sql, parameters: values, limits, origin: 'saved', int64 },
    canonical,
    consumerQuery: undefined,
    blame: () => undefined,
    overRedacted: undefined,
    steps: () => [savedStep(endpoint), { step: 'limit', reason: limitReason(endpoint), sql }],
  };
}

/** The query of the file, or the variant of it that the parameters choose. */
function savedStep({ query, variant }: Endpoint): StatementStep {
  const reason =
    variant === '' ? 'The query of the endpoint' : `The parameters choose the variant ${variant}`;
  return { step: 'saved', reason, sql: query };
}

function limitReason({ maxRows }: Endpoint): string {
  return `max_rows is ${maxRows}: one row more shows that the result is truncated`;
}

/** Resolves to the saved query over redacted tables. Throws Problem if they cannot be redacted. */
async function planAtSource(
  { describe }: Pick<PlanQueryDeps, 'describe'>,
  endpoint: Endpoint,
  bindings: Bindings,
): Promise<PlannedQuery> {
  const source = await describe.source(endpoint);
  if (source === undefined) {
    const cause = describe.sourceFailure(endpoint);
    if (cause instanceof EngineError) throw checkProblem(cause);
    throw new Problem('endpoint.failed', { detail: 'The tables of this endpoint cannot be redacted', cause });
  }
  const { statement, ...plan } = planSaved(endpoint, bindings);
  const { source: settings } = endpoint.redaction.redactor;
  // A comparison of personal data with stored values that fails on a row would show that there is such a value.
  const canCompare = Object.values(bindings.values).every(
    (value) => value === null || settings?.canCompare(value) === true,
  );
  const parameters = { ...statement.parameters, ...hashParameters(endpoint) };
  const sql = canCompare ? source.sql : source.unindexed;
  const reason = `pii.at is source: every table is read redacted. ${limitReason(endpoint)}`;
  return {
    ...plan,
    statement: { ...statement, sql, parameters },
    overRedacted: endpoint.query,
    steps: () => [savedStep(endpoint), { step: 'redaction', reason, sql }],
  };
}
