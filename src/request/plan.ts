// What the engine will be asked, decided from the endpoint, the values bound to it and the caller's own query.
import type { Describe, TableColumns } from '../catalog/describe.ts';
import type { Dialect, Endpoint } from '../catalog/endpoint.ts';
import { Problem } from '../core/problem.ts';
import type { EngineError, Statement } from '../engine/engine.ts';
import { refusedRegex, regexFault } from '../lql/regex.ts';
import type { Bindings } from '../params/binder.ts';
import { consumerFailure } from '../sandbox/failure.ts';
import { bigqueryToSql, inCallersText } from './bigquery-query.ts';
import type { ConsumerQuery } from './consumer-query.ts';
import { chooseDialect } from './dialects.ts';
import { lqlProblem, lqlToSql } from './lql-query.ts';
import type { Sandboxes } from './sandboxes.ts';

/** A statement, and who is to blame when the engine rejects it. */
export interface Plan {
  readonly statement: Statement;
  /** What to run where the engine rejects that one; undefined: nothing. */
  readonly retry?: Statement;
  /** The values bound: the same for equal values, whatever their spelling. */
  readonly canonical: string;
  /** The caller's own query as it was checked; undefined for the saved one. */
  readonly own: string | undefined;
  /** The same as it was written, or as LQL was put into SQL. */
  readonly written: string | undefined;
  /** What the caller's SQL was read as; undefined where there is none. */
  readonly dialect: Dialect | undefined;
  /** What the caller may know of a failure in their own text; undefined when it is not theirs. */
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

/** The function that plans calls. It throws Problem for a query of the caller's own that may not run. */
export function createPlan(options: PlanOptions): MakePlan {
  return async (endpoint, bindings, own) => {
    if (own === undefined) return planSaved(endpoint, bindings);
    if (own.language === 'lql') return planLql(endpoint, bindings, options, own.text);
    const plans: Readonly<Record<Dialect, () => Promise<Plan>>> = {
      clickhouse: async () => planSql(endpoint, bindings, await options.sandboxes.of(endpoint), own.text),
      bigquery: () => planBigQuery(endpoint, bindings, options, own.text),
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
    own: undefined,
    written: undefined,
    dialect: undefined,
    blame: () => undefined,
  };
}

type Sandbox = Awaited<ReturnType<Sandboxes['of']>>;

async function planSql(
  endpoint: Endpoint,
  bindings: Bindings,
  sandbox: Sandbox,
  text: string,
): Promise<Plan> {
  const verdict = await sandbox.check(text);
  const { sql } = sandbox.assemble(verdict, endpoint.maxRows + 1);
  const reread = sandbox.assembleReread(verdict, endpoint.maxRows + 1);
  const { limits, int64 } = endpoint;
  const statement: Statement = { sql, parameters: bindings.values, limits, origin: 'consumer', int64 };
  return {
    statement,
    ...(reread === undefined ? {} : { retry: { ...statement, sql: reread.sql } }),
    canonical: bindings.canonical,
    own: verdict.joined,
    written: text,
    dialect: 'clickhouse',
    blame: (failure) => {
      const { engineCode, message } = failure;
      const told = consumerFailure(verdict, { engineCode, message }, sandbox.columns);
      return told && new Problem('query.failed', { ...told, cause: failure });
    },
  };
}

/** BigQuery goes through the sandbox as the ClickHouse SQL that it means. */
async function planBigQuery(
  endpoint: Endpoint,
  bindings: Bindings,
  options: PlanOptions,
  text: string,
): Promise<Plan> {
  const sandbox = await options.sandboxes.of(endpoint);
  const translation = bigqueryToSql(text, endpoint, await tablesOf(endpoint, options));
  const inTheirs = (problem: Problem) => inCallersText(problem, text, translation);
  const planned = await planSql(endpoint, bindings, sandbox, translation.sql).catch((error: unknown) => {
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
  throw new Problem('endpoint.failed', { detail: 'The tables of this endpoint cannot be read now' });
}

/** LQL goes through the sandbox as the SQL that it means. */
async function planLql(
  endpoint: Endpoint,
  bindings: Bindings,
  options: PlanOptions,
  text: string,
): Promise<Plan> {
  const { sandboxes, now } = options;
  const sandbox = await sandboxes.of(endpoint);
  const tables = await tablesOf(endpoint, options);
  const compiled = lqlToSql(text, { tables, defaultTable: endpoint.outline.from, now: now() });
  const planned = await planSql(endpoint, bindings, sandbox, compiled.sql).catch(hidePlaces);
  return {
    ...planned,
    dialect: undefined,
    blame: (failure) => {
      const span = refusedRegex(failure.message, compiled.regexes);
      if (span === undefined) return undefined;
      return lqlProblem(text, [{ ...span, ...regexFault('the engine refuses it') }]);
    },
  };
}

/** Places in the SQL that LQL became mean nothing to who wrote the LQL. */
function hidePlaces(error: unknown): never {
  if (!(error instanceof Problem)) throw error;
  throw new Problem('sandbox.too_large', {
    detail: 'The query is too large: leave out some clauses',
    cause: error,
  });
}
