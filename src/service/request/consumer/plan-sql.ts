// Plans SQL of consumers: the sandbox checks it, and assembles the statement to run.
import { type Endpoint, referenceOf } from '../../endpoints/endpoint.ts';
import type { Bindings } from '../../params/binder.ts';
import type { ConsumerQuery } from './consumer-query.ts';
import type { PlannedQuery, PlanQueryDeps, StatementStep } from '../planned-query.ts';
import { tablesProblem } from './sandboxes.ts';
import { hashParameters } from '../../endpoints/source-query.ts';
import type { Statement } from '../../engine/engine.ts';
import { rejection } from '../../../guard/sandbox/lexed-query.ts';
import { stateInResult } from '../../../guard/sandbox/scan/states.ts';
import { consumerFailure } from '../../../guard/sandbox/failure.ts';
import { Problem } from '../../../sql/base/problem.ts';

/** What a consumer query is planned for. */
export interface Planning extends PlanQueryDeps {
  readonly endpoint: Endpoint;
  readonly bindings: Bindings;
  readonly isRedacted: boolean;
}

/** `text`: the query in ClickHouse SQL, if it was translated. */
export async function planSql(
  { endpoint, bindings, isRedacted, sandboxes, describe, policyParameters }: Planning,
  consumerQuery: ConsumerQuery,
  text = consumerQuery.text,
): Promise<PlannedQuery> {
  const { text: sent, dialect, key, onFatal, analysis } = consumerQuery;
  const sandbox = await sandboxes.of(endpoint, isRedacted);
  // Without types, it is not known which columns are stored with something of other tenants' rows.
  if (sandbox.readable === undefined) throw tablesProblem(describe, endpoint);
  const evaluate = sandboxes.explainFor({ key, onFatal, analysis });
  const verdict = await sandbox.check(text, evaluate);
  const isNull = (name: string) => bindings.values[name] === null;
  const { sql } = sandbox.assemble(verdict, endpoint.maxRows + 1, isNull);
  const { limits, int64 } = endpoint;
  const hashKeys = isRedacted ? hashParameters(endpoint) : {};
  const parameters = { ...bindings.values, ...hashKeys };
  const rowPolicy = policyParameters && rowPolicyOf(endpoint, bindings, policyParameters(endpoint));
  const statement: Statement = {
    sql,
    parameters,
    limits,
    origin: 'consumer',
    int64,
    key,
    onFatal,
    isRedacted,
    rowPolicy,
    analysis,
  };
  const state = verdict.hasStates ? await sandboxes.stateColumn(endpoint, statement) : undefined;
  if (state !== undefined) throw rejection(text, 0, stateInResult(state));
  return {
    statement,
    resolves: () => sandbox.resolves(verdict, evaluate),
    retry: () => {
      const again = sandbox.assembleReread(verdict, endpoint.maxRows + 1, isNull);
      return again && { ...statement, sql: again.sql };
    },
    canonical: bindings.canonical,
    consumerQuery: { sent, sql: text, canonicalSql: verdict.joined, dialect },
    overRedacted: isRedacted ? verdict.joined : undefined,
    steps: () => [
      ...writtenSteps(consumerQuery, text),
      { step: 'sandbox', reason: sandboxReason(endpoint, isRedacted), sql },
    ],
    blame: (failure) => {
      const { engineCode, message } = failure;
      const reported = consumerFailure(verdict, { engineCode, message }, sandbox);
      return reported && new Problem('query.failed', { ...reported, cause: failure });
    },
  };
}

/** The query as the caller wrote it, and what it was translated to. */
function writtenSteps({ text, dialect }: ConsumerQuery, translated: string): readonly StatementStep[] {
  const language = dialect ?? 'LQL';
  const sent: StatementStep = { step: 'sent', reason: `The query of the caller, in ${language}`, sql: text };
  if (translated === text) return [sent];
  return [sent, { step: 'translation', reason: `${language} runs as ClickHouse SQL`, sql: translated }];
}

function sandboxReason({ maxRows }: Endpoint, isRedacted: boolean): string {
  const tables = isRedacted ? 'only the tables of the endpoint, redacted' : 'only the tables of the endpoint';
  return `The sandbox: the query reads ${tables}, and its conditions are kept apart from rows of others. max_rows is ${maxRows}: one row more shows that the result is truncated`;
}

function rowPolicyOf(
  endpoint: Endpoint,
  { values }: Bindings,
  parameters: readonly string[],
): Statement['rowPolicy'] {
  const compared = parameters.map((parameter) => [parameter, values[parameter] ?? null] as const);
  const { revision } = endpoint;
  return { endpoint: referenceOf(endpoint), revision, values: Object.fromEntries(compared) };
}
