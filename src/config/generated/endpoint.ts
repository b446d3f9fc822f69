// Generated from schemas/endpoint.schema.json by `npm run generate`; change the schema instead.

/**
 * A parameter's value as a caller would send it.
 */
export type Scalar = string | number | boolean;
/**
 * A parameter's value, or a list of them for Array types.
 */
export type Value = Scalar | Scalar[];

/**
 * One endpoint: a saved ClickHouse query, its parameters and its policies.
 */
export interface EndpointFile {
  /**
   * Identifies the endpoint in URLs; a UUID that never changes, also when the name does.
   */
  id: string;
  /**
   * The endpoint's name in URLs, unique among all files.
   */
  name: string;
  /**
   * What the endpoint answers, in a sentence or two for its consumers.
   */
  description?: string;
  /**
   * The saved query: one SELECT in ClickHouse's dialect, usually with a WITH clause. @name stands for a declared parameter wherever an expression may stand. Name tables as database.table.
   */
  query: string;
  /**
   * The parameters that the query names with @; each one declared must be used.
   */
  parameters?: {
    [k: string]: Parameter;
  };
  /**
   * What to do with a parameter that is not declared: refuse the call (reject), or act as if it had not been sent (ignore).
   */
  unknown_parameters?: 'reject' | 'ignore';
  /**
   * The most rows an answer holds; what is beyond is cut and the answer says so.
   */
  max_rows?: number;
  /**
   * How 64-bit integers are written in JSON: as numbers, or as strings for clients that would lose digits.
   */
  int64?: 'number' | 'string';
  /**
   * How long answers are kept. Leave out, or write disabled, for none.
   */
  cache?: 'disabled' | Cache;
  warming?: Warming;
  sandbox?: Sandbox;
  pii?: Pii;
  reservation?: Reservation;
  limits?: Limits;
  /**
   * Labels sent to the engine's log and into metrics: a fixed text, @parameter for a parameter's value, or @header to take it from the caller's labels header.
   */
  labels?: {
    [k: string]: string;
  };
  /**
   * Why a change that breaks consumers or loosens security is meant; lets millrace diff pass. A reason that the file had before allows nothing new.
   */
  allow_breaking?: string;
  /**
   * Calls that show the endpoint: used in its documentation, in tests, for warming and as defaults in the explorer. Those with now, with fixtures of their own, or that expect a refusal, are tests only.
   */
  examples?: Example[];
  fixtures?: Fixtures;
}
/**
 * One parameter: its ClickHouse type and what values it takes.
 */
export interface Parameter {
  /**
   * A ClickHouse type: String, Bool, (U)Int8 to (U)Int64, Float32, Float64, Decimal(P, S), Date, Date32, DateTime, DateTime64(S), UUID, IPv4, IPv6, or Array(…) of one of them.
   */
  type: string;
  /**
   * What the parameter means, for consumers.
   */
  description?: string;
  /**
   * Whether a call without it is refused. An optional parameter without a default is null in the query.
   */
  required?: boolean;
  /**
   * The value when the caller sends none, or an empty one.
   */
  default?: Scalar | Scalar[];
  /**
   * The only values allowed.
   */
  enum?: Scalar[];
  /**
   * A regular expression (RE2) that the whole text must match. String types only.
   */
  pattern?: string;
  /**
   * regex: the text has to be a regular expression (RE2) of at most 1000 characters; for values that the query gives to match() and its kin.
   */
  format?: 'regex';
  /**
   * The least number or time allowed.
   */
  min?: number | string;
  /**
   * The greatest number or time allowed.
   */
  max?: number | string;
  /**
   * The least length, in characters (String) or elements (Array).
   */
  min_length?: number;
  /**
   * The greatest length, in characters (String) or elements (Array).
   */
  max_length?: number;
}
/**
 * How long answers are kept and when old ones may still be served.
 */
export interface Cache {
  /**
   * Seconds that an answer is fresh.
   */
  ttl: number;
  /**
   * Seconds before a caller's no-cache may cause another run.
   */
  min_refresh?: number;
  /**
   * Seconds after ttl in which an old answer is served while a new one is fetched.
   */
  stale_while_revalidate?: number;
  /**
   * Seconds after ttl in which an old answer is served when the engine fails.
   */
  stale_if_error?: number;
}
/**
 * Runs answers that are asked for again before they expire. Needs cache.
 */
export interface Warming {
  /**
   * Seconds between refreshes, at most cache.ttl.
   */
  every: number;
  /**
   * Also keep the answers of the file's examples warm when nobody has asked yet.
   */
  examples?: boolean;
}
/**
 * Whether consumers may send queries of their own, which read only the tables of the WITH clause.
 */
export interface Sandbox {
  /**
   * Whether own queries are taken at all.
   */
  enabled: boolean;
  /**
   * The languages taken.
   */
  languages?: ('sql' | 'lql')[];
  /**
   * The dialects of SQL taken. A call that names none is read in each, in this order, until one takes it.
   */
  dialects?: ('clickhouse' | 'bigquery')[];
  /**
   * Changes to the list of functions that consumers may call.
   */
  functions?: {
    /**
     * Functions allowed in addition.
     */
    allow?: string[];
    /**
     * Functions taken away, under all of their names, with every combinator, and where a string names them.
     */
    deny?: string[];
  };
}
/**
 * Taking personal data out of answers.
 */
export interface Pii {
  /**
   * Whether every answer is redacted; a key or a request header can only add to this.
   */
  redact: boolean;
  /**
   * What is looked for in texts when redaction is on.
   */
  detectors?: ('ip' | 'email' | 'token' | 'api_key' | 'card' | 'iban' | 'phone')[];
  /**
   * Write the kind of what was replaced, as REDACTED:email.
   */
  kind?: boolean;
  /**
   * Columns, or JSON paths such as metadata.user.name, treated by name whenever redaction is on.
   */
  columns?: {
    [k: string]: 'mask' | 'hash' | 'drop';
  };
}
/**
 * Whether callers may ask for reserved capacity by name.
 */
export interface Reservation {
  /**
   * Whether the reservation header is heeded.
   */
  enabled: boolean;
  /**
   * ClickHouse workloads that a caller may name.
   */
  workloads?: string[];
  /**
   * The workload that warming runs in; that of the user when left out.
   */
  warming?: string;
}
/**
 * Walls around one run of the endpoint; they win over the query's own SETTINGS.
 */
export interface Limits {
  /**
   * Seconds of wall time.
   */
  time?: number;
  /**
   * Memory of one run, in bytes or with a unit KiB, MiB or GiB.
   */
  memory?: number | string;
  /**
   * Rows that one run may read from tables; 0 for no limit.
   */
  read_rows?: number;
  /**
   * Runs of this endpoint at the same time; further ones wait.
   */
  concurrency?: number;
  /**
   * Calls that may wait for a run of this endpoint where concurrency is set; further ones get 503 at once.
   */
  queue?: number;
  /**
   * The most calls that one key may make of this endpoint: a number per s, min or h.
   */
  rate?: string;
}
/**
 * One call and what is expected of it.
 */
export interface Example {
  /**
   * What the call shows.
   */
  name: string;
  /**
   * Parameters of the call.
   */
  parameters?: {
    [k: string]: Value;
  };
  /**
   * A consumer's own SQL to send with the call.
   */
  sql?: string;
  /**
   * A consumer's own LQL to send with the call.
   */
  lql?: string;
  /**
   * The clock of the call, so that windows relative to now can be tested.
   */
  now?: string;
  fixtures?: Fixtures;
  /**
   * Whether the call is for millrace test alone: not shown to consumers, not kept warm.
   */
  test_only?: boolean;
  expect?: Expectation;
}
/**
 * Rows for millrace test, by database.table: while the examples that they belong to run, the table holds these and no others. Those of an example come before those of its file, and both before the fixtures folder.
 */
export interface Fixtures {
  [k: string]: {
    [k: string]: unknown;
  }[];
}
/**
 * What a call should give; checked by millrace test.
 */
export interface Expectation {
  /**
   * Names of the result columns, in order.
   */
  columns?: string[];
  /**
   * How many rows come back.
   */
  rows?: number;
  /**
   * The whole result.
   */
  result?: {
    [k: string]: unknown;
  }[];
  /**
   * The HTTP status of the answer.
   */
  status?: number;
  /**
   * The problem code of a refused call.
   */
  code?: string;
  /**
   * Whether rows were cut at the endpoint's maximum.
   */
  truncated?: boolean;
}
