// Queries over the virtual tables: checked by a sandbox as every consumer query, over rows that are given with the statement.
import { explain } from '../../../endpoints/explain.ts';
import type { Engine, Limits, Statement } from '../../../engine/engine.ts';
import { Problem } from '../../../../sql/base/problem.ts';
import { consumerFailure } from '../../../../guard/sandbox/failure.ts';
import { createFunctionPolicy } from '../../../../guard/sandbox/functions/policy.ts';
import {
  createSandbox,
  createVerdictCache,
  type Sandbox,
  type Verdict,
  type VerdictCache,
} from '../../../../guard/sandbox/sandbox.ts';
import { outlineQuery } from '../../../../sql/clickhouse/outline.ts';
import { checkProblem } from '../../../request/engine-problems.ts';
import type { VirtualScope } from '../databases.ts';
import { VIRTUAL_TABLES } from './definitions.ts';
import type { Seen } from './seen.ts';
import type { PlannedQuery } from '../../../request/planned-query.ts';
import { NO_TABLE, elementOf, withRows } from './table-rows.ts';

export interface VirtualQuery {
  /** Undefined: the query reads no table, and its WITH elements may have the names of virtual ones. */
  readonly database: VirtualScope | undefined;
  readonly text: string;
  /** At most so many rows, and one more. */
  readonly rows: number;
  readonly caller: Pick<Statement, 'key' | 'onFatal'>;
}

/** The statement over the rows of what a key sees. Throws Problem `sandbox.*`. */
export type PlanVirtual = (
  query: VirtualQuery,
  seen: Seen,
) => Promise<Pick<PlannedQuery, 'statement' | 'blame'>>;

const LIMITS: Limits = { time: 10, memory: 2 ** 29, readRows: 0, resultBytes: 2 ** 26 };
/** Characters of queries whose verdicts are cached. */
const VERDICTS = 1_000_000;
export function createPlanVirtual(engine: Engine): PlanVirtual {
  const cache = createVerdictCache<Verdict>(VERDICTS);
  // Created at the first query: reading the definitions of all tables would take a third of the start of a service.
  const sandboxes = new Map<VirtualScope | undefined, Sandbox>();
  const sandboxOf = (database: VirtualScope | undefined): Sandbox => {
    const sandbox = sandboxes.get(database) ?? virtualSandbox(database, engine, cache);
    sandboxes.set(database, sandbox);
    return sandbox;
  };
  return async ({ database, text, rows, caller }, seen) => {
    const sandbox = sandboxOf(database);
    const verdict = await sandbox
      .check(text, (sql) => explain(engine, sql, { caller }))
      .catch((error: unknown) => {
        throw checkProblem(error);
      });
    const { sql, consumerStart } = sandbox.assemble(verdict, rows + 1);
    const head = await withRows(sql.slice(0, consumerStart), { database, verdict, seen });
    return {
      statement: {
        ...caller,
        sql: `${head}${sql.slice(consumerStart)}`,
        parameters: {},
        limits: LIMITS,
        origin: 'consumer',
        int64: 'number',
      },
      blame: (failure) => {
        const { engineCode, message } = failure;
        const reported = consumerFailure(verdict, { engineCode, message }, sandbox);
        return reported && new Problem('query.failed', { ...reported, cause: failure });
      },
    };
  };
}

function virtualSandbox(
  database: VirtualScope | undefined,
  engine: Engine,
  cache: VerdictCache<Verdict>,
): Sandbox {
  const tables = database === undefined ? [] : VIRTUAL_TABLES[database];
  const elements = database === undefined ? [NO_TABLE] : tables.map(elementOf);
  const boundSql = `WITH ${elements.join(',\n')}\nSELECT 1`;
  const { outline } = outlineQuery(boundSql);
  if (outline === undefined) throw new Error('the virtual tables are an outline');
  return createSandbox({
    boundSql,
    // The tables read no other ones: callers may name WITH elements like their columns.
    outline: { ...outline, identifiers: new Set(tables.map(({ name }) => name)) },
    revision: `virtual ${database ?? ''}`,
    functions: createFunctionPolicy({ allow: [], deny: [] }),
    columns: new Map(tables.map(({ name, columns }) => [name, columns])),
    cache,
    explain: (sql) => explain(engine, sql),
  });
}
