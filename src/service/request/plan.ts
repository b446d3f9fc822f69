// Plans a call: the statement to run, from the endpoint, its bound parameters and the consumer query if there is one.
import { referenceOf } from '../endpoints/endpoint.ts';
import type { Describe, TableColumns } from '../endpoints/describe.ts';
import { hashParameters } from '../endpoints/source-query.ts';
import type { Dialect, Endpoint } from '../endpoints/endpoint.ts';
import { Problem } from '../../sql/base/problem.ts';
import { EngineError, type Statement } from '../engine/engine.ts';
import { rejectedRegex, regexFault } from '../../sql/lql/regex.ts';
import type { Bindings } from '../params/binder.ts';
import { CONSUMER_QUERY_LIMITS, rejection } from '../../guard/sandbox/lexed-query.ts';
import { consumerFailure } from '../../guard/sandbox/failure.ts';
import { stateInResult } from '../../guard/sandbox/scan/states.ts';
import type { ConsumerQuery } from './consumer-query.ts';
import { DIALECTS } from './dialect-table.ts';
import { countEvidence, readEvidenceText } from './dialect-evidence.ts';
import { chooseDialect, parsedAs, type DialectEvidence } from './dialects.ts';
import { checkProblem } from './engine-problems.ts';
import { searchedTables } from '../endpoints/searched-tables.ts';
import { lqlProblem, lqlToSql } from './lql-query.ts';
import { tablesProblem, type Sandboxes } from './sandboxes.ts';
import type { Plan } from './planned.ts';

/**
 * The statement to run in place of one that failed for this reason; undefined: none. Values in other tenants' rows may be why it was
 * rejected, or why it needed more memory than it may have. Nor has it a plan that the engine's lazy reading of columns breaks
 * (NOT_FOUND_COLUMN_IN_BLOCK); switching that off for all queries makes the newest 100 rows with their JSON 2.7 times as slow.
 */
export function alternativeOf({ retry }: Pick<Plan, 'retry'>, cause: unknown): Statement | undefined {
  if (!(cause instanceof EngineError)) return undefined;
  return cause.failure === 'rejected' || cause.failure === 'memory' ? retry?.() : undefined;
}

export interface PlanOptions {
  readonly sandboxes: Sandboxes;
  readonly describe: Describe;
  /** The parameters that row policies compare with; default: statements carry nothing for row policies. */
  readonly policyParameters?: ((endpoint: Endpoint) => readonly string[]) | undefined;
}

export type MakePlan = (
  endpoint: Endpoint,
  bindings: Bindings,
  consumerQuery: ConsumerQuery | undefined,
  isRedacted: boolean,
) => Promise<Plan>;

/**
 * Creates the function that plans calls. If the call is redacted, a consumer query reads redacted tables. It throws Problem for a consumer query that
 * may not run.
 */
export function createPlan(options: PlanOptions): MakePlan {
  return async (endpoint, bindings, consumerQuery, isRedacted) => {
    if (consumerQuery === undefined) {
      const isAtSource = isRedacted && endpoint.redaction.at === 'source';
      return isAtSource ? planAtSource(options, endpoint, bindings) : planSaved(endpoint, bindings);
    }
    return planConsumerQuery({ ...options, endpoint, bindings, isRedacted }, consumerQuery).catch(
      (error: unknown) => {
        throw checkProblem(error);
      },
    );
  };
}

function planSaved({ limits, int64, statement: sql }: Endpoint, { values, canonical }: Bindings): Plan {
  return {
    statement: { sql, parameters: values, limits, origin: 'saved', int64 },
    canonical,
    consumerQuery: undefined,
    blame: () => undefined,
    overRedacted: undefined,
  };
}

/** The saved query over redacted tables. Throws Problem if they cannot be redacted. */
async function planAtSource(
  { describe }: Pick<PlanOptions, 'describe'>,
  endpoint: Endpoint,
  bindings: Bindings,
): Promise<Plan> {
  const source = await describe.source(endpoint);
  if (source === undefined) {
    const cause = describe.sourceFailure(endpoint);
    if (cause instanceof EngineError) throw checkProblem(cause);
    throw new Problem('endpoint.failed', { detail: 'The tables of this endpoint cannot be redacted', cause });
  }
  const { statement, ...plan } = planSaved(endpoint, bindings);
  const { source: settings } = endpoint.redaction.redactor;
  // Personal data compared with stored values would show whether there is such a value, by a failure on its row.
  const canCompare = Object.values(bindings.values).every(
    (value) => value === null || settings?.canCompare(value) === true,
  );
  const parameters = { ...statement.parameters, ...hashParameters(endpoint) };
  return {
    ...plan,
    statement: { ...statement, sql: canCompare ? source.sql : source.unindexed, parameters },
    overRedacted: endpoint.query,
  };
}

/** What a consumer query is planned for. */
interface Planning extends PlanOptions {
  readonly endpoint: Endpoint;
  readonly bindings: Bindings;
  readonly isRedacted: boolean;
}

async function planConsumerQuery(planning: Planning, consumerQuery: ConsumerQuery): Promise<Plan> {
  const { endpoint, sandboxes } = planning;
  if (consumerQuery.language === 'lql') return planLql(planning, consumerQuery);
  const { text, dialect: requested } = consumerQuery;
  const dialects = requested === undefined ? endpoint.sandbox.dialects : [requested];
  const hasChoice = dialects.length > 1 && text.length <= CONSUMER_QUERY_LIMITS.bytes;
  const plan = await chooseDialect(dialects, {
    planIn: (dialect) => planDialect(planning, consumerQuery, dialect),
    canRun: async ({ statement, resolves }) =>
      (await resolves?.()) === true || sandboxes.canRun(endpoint, statement),
    evidence: hasChoice ? await evidenceIn(planning, text) : NO_EVIDENCE,
  });
  const dialect = plan.consumerQuery?.dialect;
  if (dialect === undefined) return plan;
  const blame: Plan['blame'] = (failure) => {
    const problem = plan.blame(failure);
    return problem && parsedAs(problem, { dialect, dialects });
  };
  return { ...plan, blame };
}

const NO_EVIDENCE: DialectEvidence = { count: () => 0, isReadOtherwise: () => false };

async function evidenceIn(planning: Planning, query: string): Promise<DialectEvidence> {
  const tables = await tablesOf(planning);
  const text = readEvidenceText(query, {
    functions: planning.sandboxes.functions(planning.endpoint),
    tables: folded(tables),
    columns: folded(tables.flatMap(({ columns }) => columns)),
  });
  if (text.query.length > CONSUMER_QUERY_LIMITS.tokens) return NO_EVIDENCE;
  return {
    count: (dialect) => countEvidence(text, DIALECTS[dialect].evidence),
    isReadOtherwise: (dialect) => DIALECTS[dialect].reads?.(text) === true,
  };
}

function folded(named: readonly { readonly name: string }[]): ReadonlySet<string> {
  return new Set(named.map(({ name }) => name.toLowerCase()));
}

/** `text`: the query in ClickHouse SQL, if it was translated. */
async function planSql(
  { endpoint, bindings, isRedacted, sandboxes, describe, policyParameters }: Planning,
  consumerQuery: ConsumerQuery,
  text = consumerQuery.text,
): Promise<Plan> {
  const { text: sent, key, onFatal, analysis } = consumerQuery;
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
    consumerQuery: { sent, sql: text, canonicalSql: verdict.joined, dialect: undefined },
    overRedacted: isRedacted ? verdict.joined : undefined,
    blame: (failure) => {
      const { engineCode, message } = failure;
      const reported = consumerFailure(verdict, { engineCode, message }, sandbox);
      return reported && new Problem('query.failed', { ...reported, cause: failure });
    },
  };
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

/** Other dialects go through the sandbox as the ClickHouse SQL they translate to. */
async function planDialect(
  planning: Planning,
  consumerQuery: ConsumerQuery,
  dialect: Dialect,
): Promise<Plan> {
  const { translate } = DIALECTS[dialect];
  if (translate === undefined) return withDialect(await planSql(planning, consumerQuery), dialect);
  const tables = await tablesOf(planning);
  const { sql, inOriginal } = translate(consumerQuery.text, planning.endpoint, tables);
  const planned = await planSql(planning, consumerQuery, sql).catch((error: unknown) => {
    throw error instanceof Problem ? inOriginal(error) : error;
  });
  const blame: Plan['blame'] = (failure) => {
    const problem = planned.blame(failure);
    return problem && inOriginal(problem);
  };
  return { ...withDialect(planned, dialect), blame };
}

/** LQL goes through the sandbox as the SQL it compiles to. */
async function planLql(planning: Planning, consumerQuery: ConsumerQuery): Promise<Plan> {
  const { endpoint, bindings } = planning;
  const { text } = consumerQuery;
  const tables = searchedTables(endpoint, await tablesOf(planning));
  const compiled = lqlToSql(text, { tables, defaultTable: endpoint.outline.defaultTable, now: bindings.now });
  const planned = await planSql(planning, consumerQuery, compiled.sql).catch(hideLocations);
  const blame: Plan['blame'] = (failure) => {
    const span = rejectedRegex(failure.message, compiled.regexes);
    if (span === undefined) return undefined;
    return lqlProblem(text, [{ ...span, ...regexFault('the engine rejects it') }], failure);
  };
  return { ...planned, blame };
}

function withDialect(plan: Plan, dialect: Dialect): Plan {
  return { ...plan, consumerQuery: plan.consumerQuery && { ...plan.consumerQuery, dialect } };
}

/** Throws Problem for a disabled sandbox first, so that it is reported before errors in the query. */
async function tablesOf(planning: Planning): Promise<readonly TableColumns[]> {
  const { endpoint, isRedacted, describe, sandboxes } = planning;
  const { readable } = await sandboxes.of(endpoint, isRedacted);
  const tables = await describe.tables(endpoint);
  if (tables === undefined) throw tablesProblem(describe, endpoint);
  return tables.map((table) => ({ ...table, columns: readable?.get(table.name) ?? table.columns }));
}

/** Positions in the compiled SQL mean nothing to the author of the LQL. */
function hideLocations(error: unknown): never {
  if (!(error instanceof Problem)) throw error;
  if (error.code === 'sandbox.min_group')
    throw new Problem('sandbox.min_group', {
      hint: 'Aggregate the events, such as with c:count(*)',
      cause: error,
    });
  throw new Problem('sandbox.too_large', {
    detail: 'The query is too large: remove some clauses',
    cause: error,
  });
}
