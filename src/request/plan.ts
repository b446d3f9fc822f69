// Plans a call: the statement to run, from the endpoint, its bound parameters and the consumer query if there is one.
import type { Describe, TableColumns } from '../catalog/describe.ts';
import type { Dialect, Endpoint } from '../catalog/endpoint.ts';
import { Problem } from '../core/problem.ts';
import { EngineError, type Statement } from '../engine/engine.ts';
import { refusedRegex, regexFault } from '../lql/regex.ts';
import type { Bindings } from '../params/binder.ts';
import { refusal } from '../sandbox/consumer-text.ts';
import { consumerFailure } from '../sandbox/failure.ts';
import { stateInResult } from '../sandbox/states.ts';
import { bigqueryToSql, inCallersText } from './bigquery-query.ts';
import { checkFailure } from './check-failure.ts';
import type { ConsumerQuery } from './consumer-query.ts';
import { chooseDialect } from './dialects.ts';
import { lqlProblem, lqlToSql } from './lql-query.ts';
import type { Sandboxes } from './sandboxes.ts';

/** A statement, and how to attribute an engine error. */
export interface Plan {
  readonly statement: Statement;
  /** The statement to run if the engine rejects the first one; undefined: none. */
  readonly retry?: Statement;
  /** The bound values in canonical form: identical for equal values, however they were written. */
  readonly canonical: string;
  /** The consumer query as checked by the sandbox; undefined for the saved query. */
  readonly consumerSql: string | undefined;
  /** The consumer query as written, or the SQL that LQL was compiled to. */
  readonly sourceSql: string | undefined;
  /** The dialect that the consumer query was parsed as; undefined if there is none. */
  readonly dialect: Dialect | undefined;
  /**
   * The problem to report for an engine failure in the consumer's own query; undefined if the query is not the cause.
   */
  readonly blame: (failure: EngineError) => Problem | undefined;
}

export interface PlanOptions {
  readonly sandboxes: Sandboxes;
  readonly describe: Describe;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

export type MakePlan = (
  endpoint: Endpoint,
  bindings: Bindings,
  own: ConsumerQuery | undefined,
) => Promise<Plan>;

/** Creates the function that plans calls. It throws Problem for a consumer query that may not run. */
export function createPlan(options: PlanOptions): MakePlan {
  const planConsumer = createConsumerPlan(options);
  return async (endpoint, bindings, own) => {
    if (own === undefined) return planSaved(endpoint, bindings);
    return planConsumer(endpoint, bindings, own).catch((error: unknown) => {
      throw checkFailure(error);
    });
  };
}

function createConsumerPlan(
  options: PlanOptions,
): (endpoint: Endpoint, bindings: Bindings, own: ConsumerQuery) => Promise<Plan> {
  return async (endpoint, bindings, own) => {
    if (own.language === 'lql') return planLql(endpoint, bindings, options, own);
    const plans: Readonly<Record<Dialect, () => Promise<Plan>>> = {
      clickhouse: () => planSql(endpoint, bindings, options, own),
      bigquery: () => planBigQuery(endpoint, bindings, options, own),
    };
    const dialects = own.dialect === undefined ? endpoint.sandbox.dialects : [own.dialect];
    return chooseDialect(dialects, plans, ({ statement }) => options.sandboxes.canRun(endpoint, statement));
  };
}

function planSaved(endpoint: Endpoint, bindings: Bindings): Plan {
  const { limits, int64 } = endpoint;
  const sql = endpoint.statement;
  return {
    statement: { sql, parameters: bindings.values, limits, origin: 'saved', int64 },
    canonical: bindings.canonical,
    consumerSql: undefined,
    sourceSql: undefined,
    dialect: undefined,
    blame: () => undefined,
  };
}

async function planSql(
  endpoint: Endpoint,
  bindings: Bindings,
  { sandboxes }: PlanOptions,
  { text, key, onFatal }: Pick<ConsumerQuery, 'text' | 'key' | 'onFatal'>,
): Promise<Plan> {
  const sandbox = await sandboxes.of(endpoint);
  const verdict = await sandbox.check(text);
  const isNull = (name: string) => bindings.values[name] === null;
  const { sql } = sandbox.assemble(verdict, endpoint.maxRows + 1, isNull);
  const reread = sandbox.assembleReread(verdict, endpoint.maxRows + 1, isNull);
  const { limits, int64 } = endpoint;
  const parameters = bindings.values;
  const statement: Statement = { sql, parameters, limits, origin: 'consumer', int64, key, onFatal };
  const state = verdict.hasStates ? await sandboxes.stateColumn(endpoint, statement) : undefined;
  if (state !== undefined) throw refusal(text, 0, stateInResult(state));
  return {
    statement,
    ...(reread === undefined ? {} : { retry: { ...statement, sql: reread.sql } }),
    canonical: bindings.canonical,
    consumerSql: verdict.joined,
    sourceSql: text,
    dialect: 'clickhouse',
    blame: (failure) => {
      const { engineCode, message } = failure;
      const told = consumerFailure(verdict, { engineCode, message }, sandbox.columns);
      return told && new Problem('query.failed', { ...told, cause: failure });
    },
  };
}

/** BigQuery goes through the sandbox as the ClickHouse SQL it translates to. */
async function planBigQuery(
  endpoint: Endpoint,
  bindings: Bindings,
  options: PlanOptions,
  { text, key, onFatal }: ConsumerQuery,
): Promise<Plan> {
  await options.sandboxes.of(endpoint); // report a disabled sandbox before errors in the query
  const translation = bigqueryToSql(text, endpoint, await tablesOf(endpoint, options));
  const inTheirs = (problem: Problem) => inCallersText(problem, text, translation);
  const written = { text: translation.sql, key, onFatal };
  const planned = await planSql(endpoint, bindings, options, written).catch((error: unknown) => {
    throw error instanceof Problem ? inTheirs(error) : error;
  });
  const blame: Plan['blame'] = (failure) => {
    const problem = planned.blame(failure);
    return problem && inTheirs(problem);
  };
  return { ...planned, dialect: 'bigquery', blame };
}

async function tablesOf(endpoint: Endpoint, { describe }: PlanOptions): Promise<readonly TableColumns[]> {
  const tables = await describe.tables(endpoint);
  if (tables !== undefined) return tables;
  const cause = describe.tablesFailure(endpoint);
  if (cause instanceof EngineError && cause.failure !== 'rejected') throw cause; // not caused by the saved query
  throw new Problem('endpoint.failed', {
    detail: 'The tables of this endpoint are currently unavailable',
    cause,
  });
}

/** LQL goes through the sandbox as the SQL it compiles to. */
async function planLql(
  endpoint: Endpoint,
  bindings: Bindings,
  options: PlanOptions,
  { text, key, onFatal }: ConsumerQuery,
): Promise<Plan> {
  const { sandboxes, now } = options;
  await sandboxes.of(endpoint); // report a disabled sandbox before errors in the query
  const tables = await tablesOf(endpoint, options);
  const compiled = lqlToSql(text, { tables, defaultTable: endpoint.outline.from, now: now() });
  const written = { text: compiled.sql, key, onFatal };
  const planned = await planSql(endpoint, bindings, options, written).catch(hideLocations);
  return {
    ...planned,
    dialect: undefined,
    blame: (failure) => {
      const span = refusedRegex(failure.message, compiled.regexes);
      if (span === undefined) return undefined;
      return lqlProblem(text, [{ ...span, ...regexFault('the engine rejects it') }]);
    },
  };
}

/** Positions in the compiled SQL mean nothing to the author of the LQL. */
function hideLocations(error: unknown): never {
  if (!(error instanceof Problem)) throw error;
  throw new Problem('sandbox.too_large', {
    detail: 'The query is too large: remove some clauses',
    cause: error,
  });
}
