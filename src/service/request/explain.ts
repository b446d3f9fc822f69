// Checks a consumer query without running it: reports its errors, or the SQL it is translated to.
import type { Dialect, Endpoint } from '../endpoints/endpoint.ts';
import { Problem } from '../../sql/base/problem.ts';
import type { EngineError } from '../engine/engine.ts';
import type { Bindings } from '../params/binder.ts';
import { demandedRedactor, isRedacting } from '../../guard/redact/demand.ts';
import type { Call, CallContent } from './call.ts';
import { parametersOf, type ConsumerQuery } from './consumer/consumer-query.ts';
import { checkProblem } from './engine-problems.ts';
import { type Admitted, type AdmitDeps, admit } from './admit.ts';
import type { PlannedQuery, PlanQueryDeps, StatementStep } from './planned-query.ts';
import type { PlanDeps } from './plan.ts';
import { explainSaved, stepsOf } from './statement-steps.ts';
import { planQuery } from './plan-query.ts';
import type { Routed } from './rollups/routing.ts';

export type ExplainDeps = AdmitDeps & PlanDeps;

/** Contains only what the caller sent, unless its key sees statements: nothing of the saved query is disclosed. */
export interface Explanation {
  readonly sql: string;
  /** The dialect that SQL was parsed as; absent for LQL. */
  readonly dialect?: Dialect;
  /** For keys that see statements: how it became the statement that is sent to the engine, which is the last one. */
  readonly steps?: readonly StatementStep[];
  /** It says whether the query reads a rollup, and why not; it is absent if its tables have none. */
  readonly rollup?: string;
}

/** Seconds that the engine may take to analyse a query. */
const ANALYSIS_SECONDS = 5;

/**
 * Performs the same checks as a running call and has the engine analyse the query, with the values of the call, or sample values for
 * those that are not locked if they are not complete. Throws the same Problems, and `request.parameters_invalid` if no query was sent.
 */
export async function explain(deps: ExplainDeps, call: Call): Promise<Explanation> {
  const admitted = await admit(deps, call, 'check');
  const { consumerQuery, principal } = admitted;
  if (consumerQuery === undefined && principal.seesStatements) return explainSaved(deps, admitted);
  if (consumerQuery === undefined) {
    const message = 'Send the query to explain as sql or lql';
    throw new Problem('request.parameters_invalid', { errors: [{ parameter: 'sql', message }] });
  }
  return explainQuery(deps, { ...admitted, consumerQuery });
}

async function explainQuery(
  deps: ExplainDeps,
  admitted: Admitted & { readonly consumerQuery: ConsumerQuery },
): Promise<Explanation> {
  const { endpoint: called, principal, content, consumerQuery } = admitted;
  const now = deps.clock.epoch();
  const bound = boundOf(called, content, { principal, now });
  const endpoint = bound === undefined ? called : called.variantOf(bound);
  // The engine computes some values during analysis: of no rows that the key must not read.
  const values = {
    ...(await deps.describe.samples(endpoint)),
    ...(bound?.values ?? called.binder.lockedValues(principal.locked, now)),
  };
  const bindings = { values, canonical: '', now, until: Infinity, source: '' };
  const redactor = demandedRedactor(endpoint.redaction, { key: principal.redact, header: content.redact });
  const planned = await planQuery(deps, {
    endpoint,
    bindings,
    consumerQuery,
    isRedacted: isRedacting(redactor),
  });
  await analyse(endpoint, planned, deps.sandboxes);
  const { sql = consumerQuery.text, dialect } = planned.consumerQuery ?? {};
  const routed = endpoint.readsRollups ? await deps.routing?.route(planned.statement, now) : undefined;
  return {
    sql,
    ...(dialect === undefined ? {} : { dialect }),
    ...(routed === undefined ? {} : { rollup: sentenceOf(routed, planned) }),
    ...(principal.seesStatements ? { steps: await stepsOf(deps, admitted, planned) } : {}),
  };
}

/** A quoted part of the saved query is left out, even if the caller's query has the same text: that would confirm a guess. */
function sentenceOf(routed: Routed, { consumerQuery, statement }: PlannedQuery): string {
  if (routed.kind === 'rollup') return `${routed.rollup} is used`;
  const { quoted, text, at = -1 } = routed.reason;
  const { canonicalSql = '' } = consumerQuery ?? {};
  const start = statement.sql.lastIndexOf(canonicalSql); // the caller's query is the last one
  const isOwn = quoted === undefined || (start >= 0 && at >= start && at < start + canonicalSql.length);
  const reason = quoted === undefined ? text : `${quoted} ${text}`;
  return `${routed.rollup} is not used: ${isOwn ? reason : 'the tables of the endpoint need rows'}`;
}

/** The parameters of the call; undefined if they are not complete, or invalid. */
function boundOf(
  endpoint: Endpoint,
  content: CallContent,
  { principal, now }: { readonly principal: Admitted['principal']; readonly now: number },
): Bindings | undefined {
  try {
    return endpoint.binder.bind(parametersOf(content, endpoint), now, principal.locked);
  } catch (error) {
    if (error instanceof Problem) return undefined;
    throw error;
  }
}

/** Has the engine resolve names and types. Throws the Problem that running the query would end in. */
async function analyse(
  endpoint: Endpoint,
  { statement, retry, blame }: PlannedQuery,
  sandboxes: PlanQueryDeps['sandboxes'],
): Promise<void> {
  const limits = { ...statement.limits, time: Math.min(statement.limits.time, ANALYSIS_SECONDS) };
  const rejectionOf = (each: PlannedQuery['statement']): Promise<EngineError | undefined> =>
    sandboxes.rejection(endpoint, { ...each, limits }).catch((error: unknown) => {
      throw checkProblem(error);
    });
  const failure = await rejectionOf(statement);
  const problem = failure && blame(failure);
  if (failure === undefined || problem === undefined) return;
  const again = retry?.();
  const second = again && (await rejectionOf(again));
  if (again === undefined || second !== undefined) throw problem;
}
