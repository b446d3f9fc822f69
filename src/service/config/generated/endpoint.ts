// Generated from schemas/endpoint.schema.json by `npm run generate`; change the schema instead.

/**
 * A parameter value as a caller sends it.
 */
export type Scalar = string | number | boolean;
/**
 * A value inside a list or an object; null in elements of Nullable types.
 */
export type Element =
  | string
  | number
  | boolean
  | null
  | unknown[]
  | {
      [k: string]: unknown;
    };
/**
 * A parameter value, a list of values for Array and Tuple types, or an object for Map types and Tuple types with names.
 */
export type Value =
  | Scalar
  | Element[]
  | {
      [k: string]: Element;
    };
/**
 * A width, such as 1m, 15m, 1h or 1d.
 */
export type RollupGrain = string;
/**
 * Rollups, each with a name that no other file of the folder has.
 */
export type Rollups = Rollup[];

/**
 * One endpoint: a saved ClickHouse query, its parameters and its policies.
 */
export interface EndpointFile {
  /**
   * Permanent UUID of the endpoint, usable in URLs; it does not change when the endpoint is renamed.
   */
  id: string;
  /**
   * Name of the endpoint in URLs; unique among all files, except those that are versions of one endpoint.
   */
  name: string;
  /**
   * Number of this version, if several files have the name. Callers choose one by ?version= or as name@version; without a choice, they get the default version.
   */
  version?: number;
  /**
   * Whether callers who name no version get this one. Default: the highest version.
   */
  default?: boolean;
  deprecated?: Deprecated;
  rollout?: Rollout;
  /**
   * What the endpoint returns, in a sentence or two for its consumers.
   */
  description?: string;
  /**
   * Tables, parameters and policies of other files in the same folder: of shared files (from), or of other endpoints (endpoint). Included tables can be read in the query like those of its own WITH clause; consumer queries read them only if sandbox.tables names them.
   */
  include?: Include[];
  /**
   * The saved query: a single SELECT in ClickHouse SQL, usually with a WITH clause. @name refers to a declared parameter wherever an expression is allowed. Qualify tables as database.table.
   */
  query: string;
  /**
   * The parameters that the query refers to as @name; every declared parameter must be used.
   */
  parameters?: {
    [k: string]: Parameter;
  };
  /**
   * How to treat undeclared parameters: reject the call, or ignore them.
   */
  unknown_parameters?: 'reject' | 'ignore';
  /**
   * Maximum number of rows in a response; further rows are truncated, which the response indicates.
   */
  max_rows?: number;
  page?: Page;
  /**
   * How to write integers of 64 bits and more, and decimals, in JSON: as numbers, or as strings for clients that would lose precision.
   */
  int64?: 'number' | 'string';
  /**
   * Shape of rows in JSON and NDJSON. bigquery: timestamps are integers, microseconds since 1970, and each nested object is an array with one object. Keys and requests can choose another shape.
   */
  result_shape?: 'standard' | 'bigquery';
  /**
   * How long responses are cached. Omit, or write disabled, for no caching.
   */
  cache?: 'disabled' | Cache;
  warming?: Warming;
  live?: Live;
  export?: Export;
  /**
   * Conditions over the rows that are looked at again and again: channels of the settings get a message when one becomes true, and when it ends. One, or a list.
   */
  watch?: Watch | Watch[];
  fresh?: Fresh;
  sandbox?: Sandbox;
  pii?: Pii;
  reservation?: Reservation;
  /**
   * A list declares rollups: aggregates of tables by time and dimensions, which queries of all endpoints read in place of rows. off: queries of this endpoint read rows, also where a rollup of their table would give the same response. verify: a share of the calls over rollups also runs over the rows, in spare capacity; a difference switches the rollup off.
   */
  rollups?:
    | 'off'
    | {
        /**
         * The share of calls, from 0 to 1.
         */
        verify: number;
      }
    | Rollups;
  limits?: Limits;
  budget?: Budget;
  /**
   * Labels for the engine's query log and for metrics: a fixed string, @parameter for the value of a parameter, or @header for the value in the request's labels header.
   */
  labels?: {
    [k: string]: string;
  };
  tenancy?: Tenancy;
  /**
   * The endpoint as a tool for agents (MCP); every endpoint is one by default. false: it is none.
   */
  mcp?: false | Mcp;
  view?: View;
  /**
   * Reasons why breaking changes are intended, by the code that millrace diff reports. A reason allows the changes of its code in this file, once: it does not count if the base revision has it too. For security changes, see allow_security.
   */
  allow?: {
    [k: string]: string;
  };
  /**
   * Reasons why changes that weaken security are intended, by the code that millrace diff reports. Each counts once, as in allow.
   */
  allow_security?: {
    [k: string]: string;
  };
  /**
   * @deprecated
   * Without effect since reasons have codes: write allow and allow_security instead.
   */
  allow_breaking?: string;
  /**
   * Example calls: used in documentation, in tests, for warming and as defaults in the explorer. Examples with now or fixtures, and those that expect a rejection, are tests only.
   */
  examples?: Example[];
  fixtures?: Fixtures;
  converted?: Converted;
}
/**
 * The endpoint, or this version of it, should no longer be used. It is still served, and says so: in the header fields Deprecation (RFC 9745), Sunset (RFC 8594) and Link, in the OpenAPI document, in types and in the explorer.
 */
export interface Deprecated {
  /**
   * The day from which it is deprecated (UTC); it may be in the future.
   */
  since: string;
  /**
   * The day from which it may no longer be served (UTC). Removing the file before is a breaking change for millrace diff.
   */
  sunset?: string;
  /**
   * What to call instead: the number of another version, another endpoint, or a version of another endpoint as name@version. Default: the default version of the name, if this is another one.
   */
  successor?: string | number;
  /**
   * Why, and what changes for callers, for the documentation.
   */
  reason?: string;
}
/**
 * How this version is tried before callers get it.
 */
export interface Rollout {
  /**
   * Share of the calls of the version before it, without consumer queries and not answered from the cache, after which this version runs too, in spare capacity only, to compare the rows. Callers never see its result.
   */
  shadow: string;
  /**
   * Relative difference up to which floating-point numbers count as equal.
   */
  tolerance?: number;
}
/**
 * What to include from one file.
 */
export interface Include {
  /**
   * A shared file, by its name without the ending: sales.tables is the file sales.tables.shared.yaml.
   */
  from?: string;
  /**
   * Another endpoint, by the name of its file without the ending: usage.base is the file usage.base.yaml.
   */
  endpoint?: string;
  /**
   * Tables to include: names, or all. They keep their names. The tables that they read come along.
   */
  tables?: 'all' | string[];
  /**
   * Name of a table with the result of the other endpoint's query, without its row limit. Only with endpoint.
   */
  result?: string;
  /**
   * Values for parameters of the included tables: @name for a parameter of this file, or a constant. The others are parameters of this endpoint, as they are declared there.
   */
  parameters?: {
    [k: string]: Scalar;
  };
  /**
   * Keys to take over from the policies of the shared file. Only with from.
   */
  policies?: (
    | 'unknown_parameters'
    | 'max_rows'
    | 'page'
    | 'int64'
    | 'result_shape'
    | 'cache'
    | 'warming'
    | 'sandbox.functions'
    | 'pii'
    | 'reservation'
    | 'rollups'
    | 'limits'
    | 'budget'
    | 'labels'
    | 'tenancy'
    | 'view'
  )[];
}
/**
 * One parameter: its ClickHouse type and the values that it accepts.
 */
export interface Parameter {
  /**
   * A ClickHouse type: String, FixedString(N), Bool, (U)Int8 to (U)Int256, Float32, Float64, Decimal(P, S), Date, Date32, DateTime, DateTime64(S), UUID, IPv4, IPv6, Enum8('a', 'b'); Nullable(…) or LowCardinality(…) of one of them; or Array(…), Tuple(…) or Map(…) of types. ClickHouse's other names, such as BIGINT and TEXT, are read as it reads them. Inside braces, a type with a comma needs quotes: "Decimal(12, 4)". DateTime('Zone') and DateTime64(S, 'Zone') read times without an offset in that zone, others in UTC.
   */
  type?: string;
  /**
   * The meaning of the parameter, for consumers.
   */
  description?: string;
  /**
   * Whether calls without it are rejected. An optional parameter without a default is NULL in the query.
   */
  required?: boolean;
  /**
   * The value if the caller sends none, or an empty string. For dates and times also relative: now-24h, now-1d/d (the start of yesterday), or computed from another parameter, @from + 1h. Units: s, m, h, d, w, M, Q, y.
   */
  default?:
    | Scalar
    | Element[]
    | {
        [k: string]: Element;
      };
  /**
   * Rounds values that depend on the time of the call to multiples of this duration (s, m, h or d), so that calls within it are the same call for the cache. Dates and times only.
   */
  round?: string;
  /**
   * Which bound of a range the parameter is. For relative times, it decides the direction of rounding: start rounds down; end rounds up, to the start of the next unit, for conditions with <; last rounds up to the last value of the unit, for conditions with <= and BETWEEN. Dates and times only.
   */
  bound?: 'start' | 'end' | 'last';
  /**
   * The values that the parameter accepts, each a name for a fragment of SQL: an expression, or a list of them with aliases or directions. @name in the query is replaced by the fragment of the value that the caller sends, or of the default. Instead of type.
   */
  choices?: {
    [k: string]: string;
  };
  /**
   * Whether callers may send several names of choices, each at most once: their fragments are a list, in the order of the call.
   */
  multiple?: boolean;
  /**
   * The only values allowed.
   */
  enum?: Scalar[];
  /**
   * Regular expression (RE2) that the whole string must match. String types only.
   */
  pattern?: string;
  /**
   * regex: the string must be a valid regular expression (RE2) of at most 1000 characters, and 10,000 steps with its repetitions written out; for values that the query passes to match() and similar functions.
   */
  format?: 'regex';
  /**
   * Minimum number or time.
   */
  min?: number | string;
  /**
   * Maximum number or time.
   */
  max?: number | string;
  /**
   * Minimum length, in characters (String) or elements (Array, Map).
   */
  min_length?: number;
  /**
   * Maximum length, in characters (String) or elements (Array, Map).
   */
  max_length?: number;
}
/**
 * Divides the rows of the saved query into pages by the keys of the last row (keyset pagination). Callers send page_size and cursor.
 */
export interface Page {
  /**
   * Columns of the result that the rows are ordered by, each with ASC (default) or DESC. Pages are cheap if these are the first columns of the table's sorting key.
   *
   * Items: A column of the result, and ASC or DESC; a computed value needs a column of its own.
   */
  by: string[];
  /**
   * Rows of a page if the caller sends no page_size; rows with equal keys stay on one page, which may then have more. Default: 100.
   */
  size?: number;
  /**
   * Maximum of page_size. Default: max_rows.
   */
  max?: number;
}
/**
 * How long responses are cached, and when stale responses may be served.
 */
export interface Cache {
  /**
   * Seconds for which a cached response is fresh; with until: data, the most seconds.
   */
  ttl: number;
  /**
   * data: a cached response is fresh while the tables that its query reads are unchanged, at most for ttl.
   */
  until?: 'data';
  /**
   * Most seconds between a change of the tables and the end of the responses that were made before it. Requires until: data.
   */
  check?: number;
  /**
   * Minimum seconds between runs caused by no-cache requests.
   */
  min_refresh?: number;
  /**
   * For this many seconds after ttl, serve the stale response while revalidating in the background.
   */
  stale_while_revalidate?: number;
  /**
   * For this many seconds after ttl, serve the stale response if the engine fails.
   */
  stale_if_error?: number;
  /**
   * true: the data is open, and shared caches (CDNs, proxies) may store responses that are the same for every key. They may serve them without asking the service, which then checks no key.
   */
  public?: boolean;
}
/**
 * Refreshes requested responses before they expire. Requires cache.
 */
export interface Warming {
  /**
   * Seconds between refreshes, at most cache.ttl.
   */
  every: number;
  /**
   * Also keep the responses of the file's examples warm, even before the first request.
   */
  examples?: boolean;
}
/**
 * Live calls: with Accept: text/event-stream, or live=true, the response is a stream of server-sent events, one with the result whenever it has changed.
 */
export interface Live {
  /**
   * Seconds between checks for changes. All callers of the same question share one check, and one run if the data has changed.
   */
  every: number;
  /**
   * Columns of the result that identify a row, such as a time and an id. With it, events after the first one have only rows that were not in the result before. For rows that are added and never change, such as logs.
   */
  key?: string[];
}
/**
 * Exports: whole results as files, made in the background with POST /api/endpoints/query/{name}/exports.
 */
export interface Export {
  /**
   * Most rows of an export. One with more rows fails: no export is cut.
   */
  max_rows: number;
  /**
   * Formats that callers may ask for. Default: all.
   */
  formats?: ('parquet' | 'csv' | 'ndjson' | 'arrow')[];
  /**
   * Where exports are kept. download: in the data folder of the service. s3: in the bucket of the settings export_s3_bucket and export_s3_url. Default: [download].
   */
  to?: ('download' | 's3')[];
  /**
   * How long a finished export can be downloaded, such as 30min, 24h or 7d.
   */
  keep?: string;
  /**
   * Exports of this endpoint that wait or run at once for one key; further ones get 429.
   */
  per_key?: number;
}
/**
 * A condition over the rows of the endpoint, who reads them, and who gets a message.
 */
export interface Watch {
  /**
   * Name of the watch among those of the endpoint. Default: default.
   */
  name?: string;
  /**
   * Name of the key in the tokens file whose scopes, fixed parameters, rates and budgets apply.
   */
  as: string;
  /**
   * Time between two looks, in s, m, h or d; at least 10s. The query runs only if its data may have changed.
   */
  every: string;
  /**
   * The condition: comparisons of columns of the result with AND, OR, NOT, IN, BETWEEN and IS NULL. It is true if it is for at least one row.
   */
  when: string;
  /**
   * How long the condition must be true before a message is sent, in s, m, h or d. Default: one look suffices.
   */
  for?: string;
  /**
   * Columns of the result: the condition has a state, and messages, for each combination of their values. At most 200 may meet it at once.
   */
  group_by?: string[];
  /**
   * Parameters of the call.
   */
  params?: {
    [k: string]: Value;
  };
  /**
   * Names of channels of the settings.
   */
  notify: string[];
  /**
   * Whether a message is sent when the condition ends.
   */
  resolve?: boolean;
  /**
   * At most one message that the condition is true in this time for each group, in s, m, h or d. Default: one each time that it becomes true.
   */
  quiet?: string;
  /**
   * What a result without rows means. ok: no condition is true. notify: a message is sent as well.
   */
  no_data?: 'ok' | 'notify';
  /**
   * Text of the message. {column} is the value in the first row of the group that meets the condition. Default: the name, the condition and the values of its columns.
   */
  message?: string;
  /**
   * Tests by millrace test: looks from one time to another, and the messages that are sent.
   */
  tests?: WatchTest[];
}
/**
 * Looks at fixtures with a clock that moves, and the messages that are expected.
 */
export interface WatchTest {
  /**
   * What the test shows.
   */
  name: string;
  /**
   * Time of the first look.
   */
  from: string;
  /**
   * Time of the last look, at the latest; there are at most 2,000.
   */
  until: string;
  fixtures?: Fixtures;
  /**
   * The messages, in their order; an empty list for none. What a message does not name is not compared.
   */
  expect: ExpectedMessage[];
}
/**
 * Rows for millrace test, by database.table: while the examples run, the table contains only these rows. Fixtures of an example override those of its file, and both override the fixtures folder.
 */
export interface Fixtures {
  [k: string]: {
    [k: string]: unknown;
  }[];
}
/**
 * A message of a watch.
 */
export interface ExpectedMessage {
  /**
   * What it says.
   */
  state: 'firing' | 'resolved' | 'no_data' | 'failing' | 'recovered';
  /**
   * The time of the look.
   */
  at?: string;
  /**
   * The values of the columns of group_by.
   */
  group?: {
    [k: string]: Element;
  };
  /**
   * Its text.
   */
  message?: string;
}
/**
 * How old the data of a response may be: its newest time in a column, when it is sent. The header Millrace-Data-Age has the age in seconds.
 */
export interface Fresh {
  /**
   * A column of the result that is a DateTime or DateTime64, such as the time of an event. Times in the future do not count.
   */
  column: string;
  /**
   * Seconds. Data that is older is stale, and so is a result without a time.
   */
  within: number;
  /**
   * What callers get if the data is stale. mark: the response, with the header Millrace-Data-Stale: true. error: 503 data.stale.
   */
  otherwise?: 'mark' | 'error';
}
/**
 * Whether consumers may send their own queries, which can read only the tables of the WITH clause.
 */
export interface Sandbox {
  /**
   * Whether consumer queries are accepted.
   */
  enabled: boolean;
  /**
   * The accepted languages.
   */
  languages?: ('sql' | 'lql')[];
  /**
   * The accepted SQL dialects. A query sent without dialect is parsed in the first; in another one only if it has a construct of that dialect.
   */
  dialects?: ('clickhouse' | 'bigquery')[];
  /**
   * Tables of the WITH clause, and included tables, that consumer queries may read. Default: the tables written in the query of this file; included tables are readable only if they are listed here.
   */
  tables?: string[];
  /**
   * Changes to the list of functions that consumer queries may call.
   */
  functions?: {
    /**
     * Additional allowed functions.
     */
    allow?: string[];
    /**
     * Denied functions, including their aliases, aggregate combinators, and uses where a string names the function.
     */
    deny?: string[];
  };
}
/**
 * Redaction of personal data in responses.
 */
export interface Pii {
  /**
   * Whether every response is redacted; a key or a request header can only add redaction.
   */
  redact: boolean;
  /**
   * Which kinds of personal data to detect in strings when redaction is on.
   */
  detectors?: ('ip' | 'email' | 'token' | 'api_key' | 'card' | 'iban' | 'phone')[];
  /**
   * Include the kind of the replaced value, as in REDACTED:email.
   */
  kind?: boolean;
  /**
   * Where saved queries are redacted: in their results, or in the tables that they read (source). The tables of consumer queries always are.
   */
  at?: 'result' | 'source';
  /**
   * The fewest rows of a group that a consumer query may see where redaction is on. Its queries must then aggregate; smaller groups are left out.
   */
  min_group?: number;
  /**
   * Columns, or JSON paths such as metadata.user.name, that are redacted by name whenever redaction is on.
   */
  columns?: {
    [k: string]: 'mask' | 'hash' | 'drop';
  };
}
/**
 * Whether callers may select a ClickHouse workload.
 */
export interface Reservation {
  /**
   * Whether the reservation header is honoured.
   */
  enabled: boolean;
  /**
   * ClickHouse workloads that callers may request.
   */
  workloads?: string[];
  /**
   * The workload for warming; default: that of the ClickHouse user.
   */
  warming?: string;
}
/**
 * Aggregates of one table.
 */
export interface Rollup {
  /**
   * Lower-case letters, digits and underscores: the names of its tables begin with it.
   */
  name: string;
  /**
   * The stored table that is aggregated, as database.table. Its engine is of the MergeTree family, and does not change rows when it merges.
   */
  from: string;
  time: RollupTime;
  /**
   * Rows are grouped by these: columns, parts of columns such as metadata.request.method, and expressions with a name. With tenants, the column that distinguishes them is the first one.
   *
   * Items: A column, or one expression with its name, such as { area: "if(status < 500, 'fine', 'failed')" }.
   */
  dimensions: (
    | string
    | {
        [k: string]: string;
      }
  )[];
  /**
   * Aggregates of the rows of a group, such as sum(bytes). count() is always one of them.
   *
   * Items: An aggregate such as sum(bytes), or { aggregate: quantile(0.95)(ms), approximate: true }.
   */
  measures: (string | RollupMeasure)[];
  /**
   * Buckets are kept for this time, in days; default: as long as the table keeps its rows, or longer. Buckets whose rows are gone answer no query.
   */
  keep?: string;
  /**
   * Buckets younger than this are read from the rows: an insert reaches the table and the rollup one after the other.
   */
  settle?: string;
}
/**
 * Defines how rows are divided by time.
 */
export interface RollupTime {
  /**
   * A column of the type DateTime or DateTime64.
   */
  column: string;
  /**
   * The width of a bucket, or several, the finest first, of which each divides the next: each is a table of its own, filled from the one before. A width divides a day; buckets begin at midnight in UTC.
   */
  every: RollupGrain | RollupGrain[];
}
/**
 * An aggregate whose merged states can differ from the aggregate of the rows.
 */
export interface RollupMeasure {
  /**
   * A call of an aggregate function.
   */
  aggregate: string;
  /**
   * Queries can be answered from the merged states although they can differ from the aggregate of the rows: sums of Float, quantiles, any value.
   */
  approximate?: boolean;
}
/**
 * Resource limits for each run of the endpoint; they override the SETTINGS of the query.
 */
export interface Limits {
  /**
   * Maximum run time, in seconds.
   */
  time?: number;
  /**
   * Maximum memory of a run, in bytes or with the unit KiB, MiB or GiB.
   */
  memory?: number | string;
  /**
   * Maximum number of rows that a run may read from tables; 0 for no limit.
   */
  read_rows?: number;
  /**
   * Maximum number of concurrent runs of this endpoint; further runs wait.
   */
  concurrency?: number;
  /**
   * Maximum number of calls waiting for a run when concurrency is set; further calls get 503 immediately.
   */
  queue?: number;
  /**
   * Rate limit per key for this endpoint: a number of calls per s, min or h.
   */
  rate?: string;
}
/**
 * Allowances of what queries cost, per key: how much they read, and how long the engine works. Counted after each run; when one is used up, calls that need a run get 429.
 */
export interface Budget {
  /**
   * Bytes read from tables per min, hour or day, in KiB, MiB, GiB or TiB.
   */
  read?: string;
  /**
   * Time of the engine per min, hour or day, in s, min or h.
   */
  time?: string;
}
/**
 * The parameter that separates tenants: millrace validate then requires that the saved query, and each table of the sandbox, only depends on rows with its value. Overrides the setting tenancy.
 */
export interface Tenancy {
  /**
   * Name of the parameter. Default: that of the setting tenancy.
   */
  parameter?: string;
  /**
   * Columns that hold the tenant, with dots for parts of them; conditions on others do not count. Default: any column that is compared with the parameter.
   */
  columns?: string[];
  /**
   * Tables and dictionaries with the same rows for every tenant, each with the reason.
   */
  shared?: {
    [k: string]: string;
  };
  /**
   * Reason why the endpoint has no tenants; excludes the other keys.
   */
  none?: string;
}
/**
 * The endpoint as a tool for agents (MCP).
 */
export interface Mcp {
  /**
   * Name of the tool; unique among all files. Default: the name of the endpoint with underscores instead of dots, shortened to 64 characters.
   */
  name?: string;
  /**
   * What the tool returns and when to use it, for agents. Default: the description of the endpoint.
   */
  description?: string;
  /**
   * Maximum number of rows in an answer to an agent. Rows beyond it are cut, which the answer says; never more than max_rows of the endpoint.
   */
  max_rows?: number;
  /**
   * Advice that follows the description: which parameters to send first, what to call next.
   */
  hint?: string;
}
/**
 * How the explorer shows the endpoint. Calls and their responses are not affected.
 */
export interface View {
  /**
   * Tables of log rows that the explorer shows in its log view, or one of them. Default: each table of the sandbox with a column of type DateTime or DateTime64, with columns chosen by their names and types.
   */
  logs: LogsView | LogsView[];
}
/**
 * A table of log rows. Columns and paths in them are written as in LQL: a column, a path of a JSON column, a key of a Map, an element of a Tuple.
 */
export interface LogsView {
  /**
   * A table that consumer queries may read.
   */
  table: string;
  /**
   * The column of the time of a row, of type DateTime or DateTime64: rows are ordered by it, newest first. If it is not called timestamp, keys need SQL to see the log view.
   */
  time: string;
  /**
   * The path of the text of a row. Default: rows are shown by their columns only.
   */
  message?: string;
  /**
   * The path of the severity of a row: words such as error or WARN, HTTP status codes, or numbers of OpenTelemetry. It colours rows and divides the histogram. Default: they are not divided.
   */
  level?: string;
  /**
   * Paths that are shown beside time, level and message at first. Default: none.
   */
  columns?: string[];
  /**
   * Paths whose most frequent values are listed with their numbers of rows; arrays are counted by element. Default: none.
   */
  facets?: string[];
  /**
   * A parameter of type DateTime or DateTime64 that bounds the times of the rows from below. Default: consumer queries bound the time themselves.
   */
  from?: string;
  /**
   * A parameter of type DateTime or DateTime64 that bounds the times of the rows from above. Default: consumer queries bound the time themselves.
   */
  to?: string;
}
/**
 * One call and its expected response.
 */
export interface Example {
  /**
   * Name of the example: what it demonstrates.
   */
  name: string;
  /**
   * Parameters of the call.
   */
  parameters?: {
    [k: string]: Value;
  };
  /**
   * Consumer query in SQL to send with the call.
   */
  sql?: string;
  /**
   * Consumer query in LQL to send with the call.
   */
  lql?: string;
  /**
   * Fixed time of the call, for testing time windows relative to now().
   */
  now?: string;
  fixtures?: Fixtures;
  /**
   * Whether the example is used by millrace test only: not shown to consumers and not kept warm.
   */
  test_only?: boolean;
  expect?: Expectation;
}
/**
 * The expected response; checked by millrace test.
 */
export interface Expectation {
  /**
   * Names of the result columns, in order.
   */
  columns?: string[];
  /**
   * Number of rows in the result.
   */
  rows?: number;
  /**
   * The whole result.
   */
  result?: {
    [k: string]: unknown;
  }[];
  /**
   * HTTP status of the response.
   */
  status?: number;
  /**
   * Problem code of a rejected call.
   */
  code?: string;
  /**
   * Whether the result is truncated at max_rows.
   */
  truncated?: boolean;
}
/**
 * The SQL of another system that millrace new or millrace import converted to the query: millrace reconvert converts it again and compares. It has no effect on the endpoint.
 */
export interface Converted {
  /**
   * The dialect of the source.
   */
  from: 'postgresql' | 'mysql' | 'mariadb' | 'snowflake' | 'bigquery' | 'trino' | 'redshift' | 'sqlite';
  /**
   * The tool whose export the source is from. Default: a file, by millrace new.
   */
  tool?: 'driver' | 'metabase' | 'superset' | 'grafana' | 'tinybird' | 'redash' | 'dbt';
  /**
   * The database that tables without one were given.
   */
  database?: string;
  /**
   * What the tool says of the source's placeholders.
   */
  declarations?: {
    name: string;
    type?: string;
    isList?: boolean;
    isAllAllowed?: boolean;
    required?: boolean;
    default?: unknown;
    enum?: (string | number)[];
    description?: string;
    example?: unknown;
    isRange?: boolean;
    filter?: {
      column?: string[];
      kind: string;
    };
    text?: string;
    reason?: string;
  }[];
  /**
   * Hash of the query as it was converted.
   */
  hash: string;
  /**
   * The source.
   */
  sql: string;
}
