// Plans consumer queries: in the dialect that they are written in, or in LQL, as the SQL that they translate to.
import { type Planning, planSql } from './plan-sql.ts';
import type { ConsumerQuery } from './consumer-query.ts';
import type { Dialect } from '../../endpoints/endpoint.ts';
import type { PlannedQuery } from '../planned-query.ts';
import { CONSUMER_QUERY_LIMITS } from '../../../guard/sandbox/lexed-query.ts';
import { chooseDialect, parsedAs, type DialectEvidence } from './dialects.ts';
import { readEvidenceText, countEvidence } from './dialect-evidence.ts';
import { DIALECTS } from './dialect-table.ts';
import { Problem } from '../../../sql/base/problem.ts';
import { searchedTables } from '../../endpoints/searched-tables.ts';
import { lqlToSql, lqlProblem } from './lql-query.ts';
import { rejectedRegex, regexFault } from '../../../sql/lql/regex.ts';
import type { TableColumns } from '../../endpoints/read-tables.ts';
import { tablesProblem } from './sandboxes.ts';
/** Throws Problem for a query that may not run. */
export async function planConsumerQuery(
  planning: Planning,
  consumerQuery: ConsumerQuery,
): Promise<PlannedQuery> {
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
  const blame: PlannedQuery['blame'] = (failure) => {
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

/** Other dialects go through the sandbox as the ClickHouse SQL they translate to. */
async function planDialect(
  planning: Planning,
  consumerQuery: ConsumerQuery,
  dialect: Dialect,
): Promise<PlannedQuery> {
  const { translate } = DIALECTS[dialect];
  const query = { ...consumerQuery, dialect };
  if (translate === undefined) return planSql(planning, query);
  const tables = await tablesOf(planning);
  const { sql, inOriginal } = translate(query.text, planning.endpoint, tables);
  const planned = await planSql(planning, query, sql).catch((error: unknown) => {
    throw error instanceof Problem ? inOriginal(error) : error;
  });
  const blame: PlannedQuery['blame'] = (failure) => {
    const problem = planned.blame(failure);
    return problem && inOriginal(problem);
  };
  return { ...planned, blame };
}

/** LQL goes through the sandbox as the SQL it compiles to. */
async function planLql(planning: Planning, consumerQuery: ConsumerQuery): Promise<PlannedQuery> {
  const { endpoint, bindings } = planning;
  const { text } = consumerQuery;
  const tables = searchedTables(endpoint, await tablesOf(planning));
  const compiled = lqlToSql(text, { tables, defaultTable: endpoint.outline.defaultTable, now: bindings.now });
  const query = { ...consumerQuery, dialect: undefined };
  const planned = await planSql(planning, query, compiled.sql).catch(hideLocations);
  const blame: PlannedQuery['blame'] = (failure) => {
    const span = rejectedRegex(failure.message, compiled.regexes);
    if (span === undefined) return undefined;
    return lqlProblem(text, [{ ...span, ...regexFault('the engine rejects it') }], failure);
  };
  return { ...planned, blame };
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
