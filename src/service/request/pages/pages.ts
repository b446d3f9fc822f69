// Keyset pages: the statement of a page, and where its rows end.
import type { Endpoint, PagePolicy } from '../../endpoints/endpoint.ts';
import { pageKeyType } from '../../endpoints/page-key-type.ts';
import { Problem } from '../../../sql/base/problem.ts';
import type { Column, Engine, Statement } from '../../engine/engine.ts';
import { areColumns } from './page-keys.ts';
import type { PlannedQuery } from '../planned-query.ts';
import type { Describe } from '../../endpoints/describe.ts';
import { runProblem } from '../engine-problems.ts';
import { isDateTime, plainTypeOf } from '../../../sql/types/traits.ts';
import { pageStatement, parameterName } from './page-statement.ts';
import { type OpenedPage, invalid } from './open-page.ts';

interface PagedQuery {
  readonly endpoint: Endpoint;
  readonly opened: OpenedPage;
  readonly query: PlannedQuery;
}

export interface PlanPageDeps {
  readonly describe: Pick<Describe, 'result'>;
  readonly engine: Pick<Engine, 'describe'>;
}

/**
 * The query of one page. Throws Problem `endpoint.failed`, and `request.parameters_invalid` if a consumer query does not return the
 * keys.
 */
export async function planPage(
  deps: PlanPageDeps,
  { endpoint, opened: { page, after }, query }: PagedQuery,
): Promise<PlannedQuery> {
  const { keys } = page.policy;
  const isConsumers = query.consumerQuery !== undefined;
  const types =
    after || isConsumers ? keyTypes(keys, await columnsOf(deps, endpoint, query), isConsumers) : [];
  const values = Object.fromEntries(
    (after ?? []).map((value, index) => [parameterName(index), bound(value, types[index])]),
  );
  const names = keys.map(({ name }) => name);
  const isOpen = areColumns(query.consumerQuery?.canonicalSql ?? endpoint.unlimited, names);
  const paged = (statement: Statement): Statement => ({
    ...statement,
    sql: pageStatement(isConsumers ? withoutLimit(statement.sql, endpoint) : endpoint.unlimited, {
      endpoint,
      page,
      types: after ? types : [],
      isOpen,
    }),
    parameters: { ...statement.parameters, ...values },
  });
  const { retry, steps } = query;
  const statement = paged(query.statement);
  const ordered = keys.map(({ name, descending }) => `${name} ${descending ? 'desc' : 'asc'}`).join(', ');
  const reason = `A page of ${page.size} rows by ${ordered}${after ? ', after the last row of the page before' : ''}`;
  return {
    ...query,
    statement,
    steps: steps && (() => [...steps(), { step: 'page', reason, sql: statement.sql }]),
    ...(retry && {
      retry: () => {
        const again = retry();
        return again && paged(again);
      },
    }),
    // A cached response has the cursor of its call: one that is written in another way has the same rows, but not the same cursor.
    canonical: JSON.stringify([query.canonical, page.size, after ?? null, page.scope.source]),
  };
}

/** The columns of a query's result; undefined: they are not known. */
async function columnsOf(
  { describe, engine }: PlanPageDeps,
  endpoint: Endpoint,
  query: PlannedQuery,
): Promise<readonly Column[] | undefined> {
  if (query.consumerQuery === undefined) return describe.result(endpoint);
  return engine.describe(query.statement).catch((cause: unknown) => {
    throw runProblem(cause, query, new AbortController().signal);
  });
}

/** Statements of consumers end in the limit of the endpoint; the conditions of a page come before it. */
function withoutLimit(sql: string, { maxRows }: Endpoint): string {
  const limit = ` LIMIT ${maxRows + 1}`;
  if (!sql.endsWith(limit)) throw new Error('a statement of a consumer ends in its limit');
  return sql.slice(0, -limit.length);
}

/** Times are ISO 8601 in UTC, of which the engine does not read the `Z` here. */
function bound(value: string, type = ''): string {
  return isDateTime(plainTypeOf(type)) ? value.replace(/Z$/, '') : value;
}

function keyTypes(
  keys: PagePolicy['keys'],
  columns: readonly Column[] | undefined,
  isConsumers: boolean,
): readonly string[] {
  return keys.map(({ name }) => {
    const column = columns?.find((each) => each.name === name);
    const type = column && pageKeyType(column.type);
    if (type !== undefined) return type;
    if (!isConsumers)
      throw new Problem('endpoint.failed', { detail: `The column ${name} cannot be the key of a page` });
    const all = keys.map((key) => key.name).join(', ');
    throw invalid(
      'page_size',
      `Pages need the columns ${all} in the result of the query, as the table has them`,
    );
  });
}
