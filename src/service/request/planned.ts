// A statement that is ready to run.
import type { Problem } from '../../sql/base/problem.ts';
import type { EngineError, Statement } from '../engine/engine.ts';
import type { Dialect } from '../endpoints/endpoint.ts';

/** A statement, and how to attribute an engine error. */
export interface Plan {
  readonly statement: Statement;
  /** See `alternativeOf`. */
  readonly retry?: () => Statement | undefined;
  /** The bound values in canonical form: identical for equal values, however they were written. */
  readonly canonical: string;
  /** Undefined for the saved query. */
  readonly consumerQuery: CheckedQuery | undefined;
  /** The problem to report for an engine failure caused by the consumer query; undefined if it is not the cause. */
  readonly blame: (failure: EngineError) => Problem | undefined;
  /** Whether the engine is known to resolve the consumer query's names and types; default: it is not. */
  readonly resolves?: () => Promise<boolean>;
  /** The query that reads redacted tables; undefined if the tables are read as they are. */
  readonly overRedacted: string | undefined;
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
