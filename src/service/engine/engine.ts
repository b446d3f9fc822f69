// The interface to ClickHouse. It has two implementations, embedded (chDB) and HTTP, which pass the same conformance
// tests.
import type { AccessRules } from './access-rules.ts';
import type { Confinement } from './embedded/confinement/confinement.ts';
import type { DataDamage } from './data-damage.ts';
import type { Callers } from './callers.ts';
import type { ReadSummary } from '../../sql/base/observation.ts';
import type { LoggedError } from '../../sql/base/problem.ts';
import type { EngineFormat } from '../formats/clickhouse-formats.ts';
import { loggedEngineText } from './error-text.ts';

/**
 * A value of a typed query parameter in ClickHouse's text format; null is NULL. Not escaped: inside the quotes of an
 * array element, quotes are doubled and all other characters are literal (`['it''s','a\b']`).
 */
export type ParameterValue = string | null;

/** What row policies compare with: the endpoint, and the values of the parameters that its tables are filtered by. */
export interface RowPolicyContext {
  readonly endpoint: string;
  /** The endpoint's revision: the embedded engine runs no statement under rules that were made for another one. */
  readonly revision?: string;
  readonly values: Readonly<Record<string, ParameterValue>>;
}

/** Settings of one statement. Names come from a fixed list, never from a caller. */
export type Settings = Readonly<Record<string, string | number>>;

/**
 * One SELECT: `sql` has no SETTINGS, FORMAT or trailing semicolon, and its values are typed placeholders `{name:Type}`.
 * The outermost query is one plain SELECT, such as `SELECT * FROM (…) LIMIT n`: ClickHouse applies result limits to no
 * UNION, and the first of two SETTINGS clauses wins. Nested SETTINGS can lift no limit but `readRows`, and only in
 * scalar subqueries and in IN. Not guaranteed: that it parses. Whether it is allowed has already been checked.
 */
export interface Statement {
  readonly sql: string;
  readonly parameters: Readonly<Record<string, ParameterValue>>;
  readonly limits: Limits;
  /** Source of the query: a saved query, or a consumer query (read-only connection, consumer limits). */
  readonly origin: 'saved' | 'consumer';
  /** Print integers of 64 bits and more, and decimals, as JSON strings. */
  readonly int64: 'number' | 'string';
  /** It prints NaN and infinities as the JSON strings `nan`, `inf` and `-inf`; by default they are null. */
  readonly nonFinite?: 'string' | undefined;
  /** A consumer statement over redacted tables. */
  readonly isRedacted?: boolean | undefined;
  /** The ClickHouse workload that schedules it, a plain identifier; default: the user's own. */
  readonly workload?: string | undefined;
  /** The key that it runs for: keys take turns, and consumer statements of a key have a share of the connections. */
  readonly key?: string | undefined;
  /** For a consumer statement, what row policies on a server, or row filters of the embedded engine, compare with. */
  readonly rowPolicy?: RowPolicyContext | undefined;
  /** Called if the statement ended the embedded engine's process, or may have; possibly after it was rejected. */
  readonly onFatal?: ((fatality: Fatality) => void) | undefined;
  /** For a consumer statement, what counts its analyses: the engine computes scalar subqueries when it describes a statement. */
  readonly analysis?: Analysis | undefined;
}

/** Counts what the analyses of a statement cost. */
export interface Analysis {
  /** Runs one with these hooks and counts its cost, also if it fails. Rejects if none may start, unless `isChecked` is false. */
  readonly count: <T>(run: (hooks: RunHooks) => Promise<T>, isChecked?: boolean) => Promise<T>;
}

/**
 * How a statement ended the engine's process. `overdue`: it could not be interrupted after its time limit, so the
 * process was killed. `crash`: the process ended, and this was the only consumer statement running. `suspected`: it was
 * one of several.
 */
export type Fatality = 'overdue' | 'crash' | 'suspected';

/** Limits that the engine enforces for one statement. */
export interface Limits {
  /** Wall-clock time, in seconds. */
  readonly time: number;
  /** Memory of one statement, in bytes. */
  readonly memory: number;
  /** Rows read from tables; 0 means no limit. */
  readonly readRows: number;
  /** Size of the whole result in memory, in bytes. */
  readonly resultBytes: number;
}

/** ClickHouse's names of the supported result formats. */
export type ResultFormat = 'JSONEachRow' | 'JSONCompactEachRow' | 'CSVWithNames' | 'Parquet' | 'Arrow';

export interface RunOptions {
  /** The service's own output settings apply to a name alone; ClickHouse's defaults and those given to an EngineFormat. */
  readonly format: ResultFormat | EngineFormat;
  /** Aborting also cancels the statement in the engine. */
  readonly signal?: AbortSignal;
  /** Identifies the statement in a server's logs (`log_comment`); at most 2,000 characters. */
  readonly comment?: string;
  /** The parent span, for a server with tracing enabled (https://www.w3.org/TR/trace-context/). */
  readonly traceparent?: string;
  readonly lane?: string;
  /** The keys that wait for it besides that of the statement. */
  readonly callers?: Callers | undefined;
  /** Low priority: runs only when no other statement is waiting. */
  readonly isPatient?: boolean;
  /**
   * The result is read while the statement runs, in bounded memory, and the statement needs none of the connections that others wait for: its
   * caller bounds how many of them run. It is ended, as `unavailable`, when the data is opened under other rules.
   */
  readonly isStreamed?: boolean | undefined;
  /** Called when a connection is free, before the statement is sent; its rejection ends the run. */
  readonly onStart?: () => Promise<void>;
  /**
   * Called with what an attempt has read from tables, as far as the engine reports it: at most once for each, also if it failed or
   * was cancelled, possibly after the run has been rejected.
   */
  readonly onRead?: (read: ReadSummary) => void;
}

export type RunHooks = Pick<RunOptions, 'onStart' | 'onRead'>;

/**
 * The result of a statement. `chunks` must be consumed once, to the end or until `return()`. It throws EngineError if
 * the engine fails after its first bytes. In row formats, the concatenation consists of whole lines, each terminated by
 * LF.
 */
export interface Result {
  readonly chunks: AsyncIterable<Uint8Array>;
  /** Milliseconds that the statement waited for a connection. */
  readonly queueMs: number;
  /** Undefined if the engine does not report it. */
  readonly read?: ReadSummary | undefined;
  /** Number of rows, without totals and extremes; known for an EngineFormat only, unless the engine does not report it. */
  readonly rows?: number | undefined;
  /** The same of a streamed result, once its chunks have ended. */
  readonly streamedRows?: () => number | undefined;
}

/** A result column as described by the engine. */
export interface Column {
  readonly name: string;
  readonly type: string;
}

export interface Engine {
  readonly kind: 'embedded' | 'http';
  /** Runs one statement; rejects with EngineError. */
  run(statement: Statement, options: RunOptions): Promise<Result>;
  /** The columns a statement would return, without running it, except for its scalar subqueries; rejects with EngineError. */
  describe(statement: Statement, hooks?: RunHooks & Pick<RunOptions, 'signal'>): Promise<readonly Column[]>;
  /**
   * Changes what consumer statements may read, on the embedded engine: statements wait until the running ones have ended and
   * the data is open under the new rules. Rules that allow the same change nothing. Never rejects.
   */
  readonly restrict?: (rules: AccessRules) => Promise<void>;
  /** Numbers of running and waiting statements. */
  readonly load: () => Load;
  /** Returns whether statements can run now, as far as is known without asking. */
  readonly isUp: () => boolean;
  /** The servers, each with whether it answers, as last known; each call has them checked. Undefined for the embedded engine. */
  readonly hosts?: () => readonly HostState[];
  /** Resident memory of the engine's own process in bytes, as last measured; undefined if it has none. */
  readonly memory?: () => number;
  /** Processor time that the engine's own process has used, in seconds; undefined if it has none. Rejects with EngineError. */
  readonly processor?: () => Promise<number>;
  /** What confines the engine's own process; undefined if it has none. */
  readonly confinement?: () => Confinement;
  /** What was found when the data folder was last opened or checked; undefined if the engine has none. */
  readonly damage?: () => DataDamage;
  /** Checks the data folder again. Never rejects. */
  readonly checkData?: () => Promise<void>;
  /** Resolves if the engine answers a trivial statement; otherwise rejects with EngineError. */
  ping(): Promise<void>;
  /** Runs a command of the operator (seeds), possibly several statements; never reachable from a request. */
  execute(sql: string): Promise<void>;
  /** Accepts no more statements, cancels those still running after `graceMs`, closes everything. Idempotent. */
  close(graceMs: number): Promise<void>;
}

export interface HostState {
  /** `host:port`. */
  readonly name: string;
  readonly isUp: boolean;
}

export interface Load {
  readonly running: number;
  readonly waiting: number;
}

/** Why a statement failed, distinguished as far as a caller can act on it. */
export type EngineFailure =
  | 'rejected' // the statement's own fault: unknown column, type error, syntax error, rejected regex
  | 'timeout' // max_execution_time, or our own timeout
  | 'memory' // max_memory_usage and similar
  | 'limit' // rows read or result size
  | 'busy' // no connection became free in time
  | 'aborted' // the caller's signal
  | 'unavailable' // the engine cannot be reached
  | 'lost' // the engine's process ended while it ran
  | 'invalid_response'; // an invalid response

export interface EngineErrorOptions {
  readonly engineCode?: number;
  /** The message has text of the engine, or of a statement or a result; default: whether there is a code. */
  readonly isForeign?: boolean;
  readonly cause?: unknown;
}

/**
 * A failed statement. A foreign `message` is the engine's own text, which quotes queries, values and rows: never logged, and sent
 * to a caller only after rewriting.
 */
export class EngineError extends Error implements LoggedError {
  readonly failure: EngineFailure;
  /** ClickHouse's error code, such as 47 (UNKNOWN_IDENTIFIER), if known. */
  readonly engineCode: number | undefined;
  readonly isForeign: boolean;

  constructor(failure: EngineFailure, message: string, options: EngineErrorOptions = {}) {
    super(bounded(message), options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'EngineError';
    this.failure = failure;
    this.engineCode = options.engineCode;
    this.isForeign = options.isForeign ?? options.engineCode !== undefined;
  }

  get logged(): string {
    const { failure, engineCode, message, isForeign } = this;
    return isForeign ? loggedEngineText(failure, engineCode, message) : message;
  }

  /** What caused an error of the engine is the same error of a library. */
  get isLoggedWhole(): boolean {
    return this.engineCode !== undefined;
  }
}

/** Characters before and after what is left out of a message. */
const MESSAGE_PART = 2 ** 15;

/** What is in place of a part of a message. */
export const LEFT_OUT = ' [… left out …] ';

/** The engine quotes values in its messages, of any length; what is wrong is said before or after them. */
function bounded(message: string): string {
  if (message.length <= 3 * MESSAGE_PART) return message;
  return `${message.slice(0, MESSAGE_PART)}${LEFT_OUT}${message.slice(-MESSAGE_PART)}`;
}

/** Returns whether the failure is unrelated to the statement, because no engine ran it to completion. */
export function isAway({ failure }: EngineError): boolean {
  return failure === 'unavailable' || failure === 'busy' || failure === 'lost';
}
