// Empty tables with the columns of an endpoint's tables, and the sandbox over them.
import type { Endpoint } from '../../../service/endpoints/endpoint.ts';
import type { TableColumns } from '../../../service/endpoints/read-tables.ts';
import { explain } from '../../../service/endpoints/explain.ts';
import type { EngineError, Engine } from '../../../service/engine/engine.ts';
import { createFunctionPolicy } from '../../../guard/sandbox/functions/policy.ts';
import {
  createSandbox,
  createVerdictCache,
  type Sandbox,
  type Verdict,
} from '../../../guard/sandbox/sandbox.ts';
import { outlineQuery } from '../../../sql/clickhouse/outline.ts';
import { quoteIdentifier, quoteString } from '../../../sql/clickhouse/literal.ts';

/** An endpoint at one revision, with the columns of its tables. */
export interface QuerySurface {
  readonly endpoint: Endpoint;
  readonly tables: readonly TableColumns[];
}

/** An element of the WITH clause: a table without rows. */
export function emptyTable({ name, columns }: TableColumns): string {
  const structure = columns.map((column) => `${quoteIdentifier(column.name)} ${column.type}`).join(', ');
  return `${quoteIdentifier(name)} AS (SELECT * FROM null(${quoteString(structure)}))`;
}

export function createEmptySandbox(
  engine: Engine,
  { endpoint, tables }: QuerySurface,
  head: string,
): Sandbox | undefined {
  const boundSql = `${head}SELECT 1`;
  const { outline } = outlineQuery(boundSql);
  if (outline === undefined || tables.length === 0) return undefined;
  return createSandbox({
    boundSql,
    // Queries must not define names of the saved query.
    outline: { ...outline, identifiers: endpoint.outline.identifiers },
    revision: '',
    functions: createFunctionPolicy(endpoint.sandbox),
    columns: new Map(tables.map(({ name, columns }) => [name, columns])),
    cache: createVerdictCache<Verdict>(CACHE_CHARACTERS),
    explain: (sql) => explain(engine, sql, OWN_FAILURES),
  });
}

/** Queries are read once each. */
const CACHE_CHARACTERS = 100_000;

/** A query that the engine cannot analyse in time or memory is not read, nor is one that ends its process. */
export const OWN_FAILURES = {
  isRejection: ({ failure }: EngineError): boolean => failure !== 'unavailable' && failure !== 'busy',
};
