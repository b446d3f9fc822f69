// A statement that is ready to run.
import type { Problem } from '../../sql/base/problem.ts';
import { EngineError, type Statement } from '../engine/engine.ts';
import type { Dialect, Endpoint } from '../endpoints/endpoint.ts';
import type { Sandboxes } from './consumer/sandboxes.ts';
import type { Describe } from '../endpoints/describe.ts';
import type { Bindings } from '../params/binder.ts';
import type { RoutedStatement } from './rollups/routing.ts';
import type { ConsumerQuery } from './consumer/consumer-query.ts';

/** A statement, and how to attribute an engine error. */
export interface PlannedQuery {
  readonly statement: Statement;
  /** Runs in place of the statement, which runs if that fails; undefined: the statement reads rows. */
  readonly routed?: RoutedStatement | undefined;
  /** See `alternativeOf`. */
  readonly retry?: () => Statement | undefined;
  /** The bound values in canonical form: identical for equal values, however they were written. */
  readonly canonical: string;
  /** Undefined for the saved query. */
  readonly consumerQuery: CheckedQuery | undefined;
  /** The problem to report for an engine failure caused by the consumer query; undefined if it is not the cause. */
  readonly blame: (failure: EngineError) => Problem | undefined;
  /** Returns whether the engine is known to resolve the consumer query's names and types; default: it is not. */
  readonly resolves?: () => Promise<boolean>;
  /** The query that reads redacted tables; undefined if the tables are read as they are. */
  readonly overRedacted: string | undefined;
  /** How the statement came to be: the query as it was written, and the whole text after each rewrite; default: not known. */
  readonly steps?: (() => readonly StatementStep[]) | undefined;
}

/** A rewrite of a query. Parameters are placeholders in it: it has no values. */
export interface StatementStep {
  readonly step: 'saved' | 'sent' | 'translation' | 'sandbox' | 'redaction' | 'limit' | 'page' | 'rollup';
  readonly reason: string;
  readonly sql: string;
}

/** A consumer query that may run. */
export interface CheckedQuery {
  /** It is as the caller sent it, in its language. */
  readonly sent: string;
  /** It is ClickHouse SQL, as sent or translated. */
  readonly sql: string;
  /** The same tokens with single spaces between them, as checked by the sandbox: equal for queries that differ only in layout. */
  readonly canonicalSql: string;
  /** The dialect that it was parsed as; undefined for LQL. */
  readonly dialect: Dialect | undefined;
}

/**
 * The statement to run in place of one that failed for this reason; undefined: none. Values in other tenants' rows may be why it was
 * rejected, or why it needed more memory than it may have. It also has no plan that the engine's lazy reading of columns breaks
 * (NOT_FOUND_COLUMN_IN_BLOCK); switching that off for all queries makes the newest 100 rows with their JSON 2.7 times as slow.
 */
export function alternativeOf({ retry }: Pick<PlannedQuery, 'retry'>, cause: unknown): Statement | undefined {
  if (!(cause instanceof EngineError)) return undefined;
  return cause.failure === 'rejected' || cause.failure === 'memory' ? retry?.() : undefined;
}

export interface PlanQueryDeps {
  readonly sandboxes: Sandboxes;
  readonly describe: Describe;
  /** The parameters that row policies compare with; default: statements carry nothing for row policies. */
  readonly policyParameters?: ((endpoint: Endpoint) => readonly string[]) | undefined;
  /** Changes each statement, such as to freeze its clock; default: it runs as planned. */
  readonly rewrite?: ((statement: Statement) => Promise<Statement>) | undefined;
}

/** A statement is made of these parts. */
export interface QueryRequest {
  readonly endpoint: Endpoint;
  readonly bindings: Bindings;
  /** Undefined: the saved query. */
  readonly consumerQuery: ConsumerQuery | undefined;
  /** It is true if a consumer query reads redacted tables. */
  readonly isRedacted: boolean;
}
