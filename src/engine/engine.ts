// The one interface to ClickHouse. Two implementations, held to one conformance suite: embedded (chDB) and HTTP.
import type { ReadSummary } from '../core/observation.ts';

/**
 * A value of a typed query parameter, in ClickHouse's text form; null is NULL. Unescaped: inside an array's quotes,
 * quotes are doubled and everything else stands as it is (`['it''s','a\b']`).
 */
export type ParameterValue = string | null;

/** Settings of one statement; names are from a fixed list of ours, never from a caller. */
export type Settings = Readonly<Record<string, string | number>>;

/**
 * One SELECT as the engine gets it: `sql` without SETTINGS, FORMAT or a trailing semicolon, its values as typed
 * placeholders `{name:Type}`. At its top it is one plain SELECT, as in `SELECT * FROM (…) LIMIT n`: ClickHouse holds a
 * UNION to no limit of its result, and of two SETTINGS clauses the first wins. SETTINGS further inside can lift no limit
 * but `readRows`, and that only in scalar subqueries and in IN.
 * Not guaranteed: that it parses, or that it is allowed; that was decided before.
 */
export interface Statement {
  readonly sql: string;
  readonly parameters: Readonly<Record<string, ParameterValue>>;
  readonly limits: Limits;
  /** Who wrote the text that runs: an author's saved query, or a consumer (a read-only connection, consumer limits). */
  readonly origin: 'saved' | 'consumer';
  /** Print 64-bit integers as JSON strings. */
  readonly int64: 'number' | 'string';
  /** The workload whose share of the machine it runs in: a plain name; the user's own when left out. */
  readonly workload?: string | undefined;
  /** Called when the statement ended the process of the embedded engine, or may have; also after it was rejected. */
  readonly onFatal?: ((fatality: Fatality) => void) | undefined;
}

/**
 * How a statement ended the engine's process. `overdue`: it could not be interrupted after its time limit, so the process
 * was killed. `crash`: the process ended, and it was the only consumer statement in it. `suspected`: one of several.
 */
export type Fatality = 'overdue' | 'crash' | 'suspected';

/** What the engine itself limits for one statement. */
export interface Limits {
  /** Wall time, in seconds. */
  readonly time: number;
  /** Memory of one statement, in bytes. */
  readonly memory: number;
  /** Rows read from tables; 0 is no limit. */
  readonly readRows: number;
  /** Bytes of the whole result in memory. */
  readonly resultBytes: number;
}

/** ClickHouse's names of the formats that results are asked in. */
export type ResultFormat = 'JSONEachRow' | 'JSONCompactEachRow' | 'CSVWithNames' | 'Parquet' | 'Arrow';

export interface RunOptions {
  readonly format: ResultFormat;
  /** Ends the statement in the engine too. */
  readonly signal?: AbortSignal;
  /** Names the statement in a server's own logs (`log_comment`), at most 2,000 characters. */
  readonly comment?: string;
  /** The span that causes it, for a server that traces (https://www.w3.org/TR/trace-context/). */
  readonly traceparent?: string;
  /** The key that it runs for: statements that wait for a connection take turns by key, and within a key by lane. */
  readonly key?: string | undefined;
  readonly lane?: string;
  /** Runs when nobody else waits. */
  readonly isPatient?: boolean;
}

/**
 * What a statement gave. `chunks` is read once, to its end or with `return()`; it throws EngineError when the engine
 * fails after its first bytes. Row formats: the concatenation holds whole lines, each ended by LF.
 */
export interface Result {
  readonly chunks: AsyncIterable<Uint8Array>;
  /** Milliseconds that the statement waited for a connection. */
  readonly queueMs: number;
  /** Undefined where the engine does not tell. */
  readonly read?: ReadSummary | undefined;
}

/** A result column as the engine describes it. */
export interface Column {
  readonly name: string;
  readonly type: string;
}

export interface Engine {
  readonly kind: 'embedded' | 'http';
  /** Runs one statement; rejects with EngineError. */
  run(statement: Statement, options: RunOptions): Promise<Result>;
  /** Columns that a statement would give, without running it; rejects with EngineError. */
  describe(statement: Statement): Promise<readonly Column[]>;
  /** Statements that run now, and that wait. */
  readonly load: () => Load;
  /** Resident memory of a process of the engine's own in bytes, as last measured; undefined where it has none. */
  readonly memory?: () => number;
  /** Resolves when the engine answers a trivial statement; rejects with EngineError. */
  ping(): Promise<void>;
  /** Runs one author-side command of several statements' worth (seeds); never reachable from a request. */
  execute(sql: string): Promise<void>;
  /** Stops taking statements, ends what still runs after `graceMs`, closes everything. Idempotent. */
  close(graceMs: number): Promise<void>;
}

export interface Load {
  readonly running: number;
  readonly waiting: number;
}

/** Why a statement failed, told apart as far as a caller can act on it. */
export type EngineFailure =
  | 'rejected' // the statement's own fault: unknown column, type error, syntax, a refused regex
  | 'timeout' // max_execution_time, or our timer
  | 'memory' // max_memory_usage and kin
  | 'limit' // rows read or result size
  | 'busy' // no connection became free in time
  | 'aborted' // the caller's signal
  | 'unavailable' // no engine there
  | 'lost' // the engine's process ended while it ran
  | 'nonsense'; // an answer that cannot be read

/** A failed statement. `message` is the engine's own text: for logs, never for a caller unless rewritten. */
export class EngineError extends Error {
  readonly failure: EngineFailure;
  /** ClickHouse's error code, such as 47 (UNKNOWN_IDENTIFIER), where it gave one. */
  readonly engineCode: number | undefined;

  constructor(
    failure: EngineFailure,
    message: string,
    options: { engineCode?: number; cause?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'EngineError';
    this.failure = failure;
    this.engineCode = options.engineCode;
  }
}

/** Whether a failure says nothing about the statement: no engine ran it to an end. */
export function isAway({ failure }: EngineError): boolean {
  return failure === 'unavailable' || failure === 'busy' || failure === 'lost';
}
