// The table of request log fields: the log line, the table of calls, span attributes and their reference page derive
// from it.
import type { Difference, Finished, StageTimes } from '../../sql/base/observation.ts';
import { loggedText } from './describe.ts';

/** One property of a finished request, in every output. Undefined values are left out. */
export interface RequestField {
  /** As logged. */
  readonly value: (request: Finished) => unknown;
  /** It is true if requests repeat the value so often that the log line caches its JSON. */
  readonly isShared?: true;
  /** The span attribute with this value; only for strings and numbers. */
  readonly attribute?: string;
  readonly columns?: readonly CallColumn[];
  /** For the reference page. */
  readonly help: string;
}

/** A column of `millrace.calls`; an undefined value is the default of its type. */
export interface CallColumn {
  readonly name: string;
  /** A type that ClickHouse reads from JSON. */
  readonly type: string;
  /** `epoch` is the time of the call in milliseconds since 1970. */
  readonly value: (request: Finished, epoch: number) => unknown;
}

type Key = Exclude<keyof Finished, 'kind' | 'usageId' | 'isReadShown'>;

/** For strings that repeat. */
const REPEATED = 'LowCardinality(String)';

/** By key in the log line, in its order. */
export const REQUEST_FIELDS: Readonly<Record<Key, RequestField>> = {
  method: {
    value: ({ method }) => method,
    isShared: true,
    attribute: 'http.request.method',
    columns: [{ name: 'method', type: REPEATED, value: ({ method }) => method }],
    help: 'The HTTP method',
  },
  route: {
    value: ({ route }) => route,
    isShared: true,
    attribute: 'http.route',
    help: 'The route, not the path: `/api/endpoints/query/:endpoint`',
  },
  endpoint: {
    value: ({ endpoint }) => endpoint,
    isShared: true,
    attribute: 'millrace.endpoint',
    columns: [{ name: 'endpoint', type: REPEATED, value: ({ endpoint }) => endpoint }],
    help: 'The name of the endpoint; this and the next fields are absent if the request ended before they were known',
  },
  revision: {
    value: ({ revision }) => revision,
    isShared: true,
    attribute: 'millrace.revision',
    columns: [{ name: 'revision', type: REPEATED, value: ({ revision }) => revision }],
    help: 'The revision of its file',
  },
  version: {
    value: ({ version }) => version,
    isShared: true,
    attribute: 'millrace.version',
    columns: [{ name: 'version', type: 'UInt16', value: ({ version }) => version }],
    help: 'The number of the version; in the table of calls, 0 for endpoints without versions',
  },
  deprecated: {
    value: ({ deprecated }) => deprecated,
    isShared: true,
    columns: [{ name: 'deprecated', type: 'Bool', value: ({ deprecated }) => deprecated }],
    help: 'Whether the endpoint, or this version of it, is deprecated',
  },
  principal: {
    value: ({ principal }) => principal,
    isShared: true,
    columns: [{ name: 'principal', type: REPEATED, value: ({ principal }) => principal }],
    help: 'The name of the key',
  },
  status: {
    value: ({ status }) => status,
    attribute: 'http.response.status_code',
    columns: [{ name: 'status', type: 'UInt16', value: ({ status }) => status }],
    help: 'The HTTP status',
  },
  bytes: {
    value: ({ bytes }) => bytes,
    attribute: 'http.response.body.size',
    columns: [{ name: 'bytes', type: 'UInt64', value: ({ bytes }) => bytes }],
    help: 'Bytes of the response body as sent',
  },
  ms: {
    value: ({ ms }) => rounded(ms),
    columns: [{ name: 'duration_ms', type: 'Float64', value: ({ ms }) => ms }],
    help: 'Duration in milliseconds',
  },
  requestId: {
    value: ({ requestId }) => requestId,
    attribute: 'millrace.request_id',
    columns: [{ name: 'request_id', type: 'String', value: ({ requestId }) => requestId }],
    help: 'The request id, as in `X-Request-Id`',
  },
  client: {
    value: ({ client }) => client,
    help: 'The IP address of the caller',
  },
  clientName: {
    value: ({ clientName }) => clientName,
    isShared: true,
    attribute: 'millrace.client_name',
    columns: [{ name: 'client_name', type: REPEATED, value: ({ clientName }) => clientName }],
    help: 'The program that sent a request to the ClickHouse interface, by its `User-Agent`, or to MCP, also by the name that it gives itself: one of a closed list, `other` or `none`',
  },
  cache: {
    value: ({ cache }) => cache,
    attribute: 'millrace.cache',
    columns: [{ name: 'cache', type: REPEATED, value: ({ cache }) => cache }],
    help: 'How the cache handled the request; absent for endpoints without caching',
  },
  data: {
    value: ({ data }) => data,
    isShared: true,
    attribute: 'millrace.cache_data',
    help: 'With `until: data`, what was known about the data of the cached response, as in `detail` of `Cache-Status`; absent if there was none',
  },
  dataAge: {
    value: ({ dataAge }) => dataAge?.seconds,
    attribute: 'millrace.data_age',
    help: 'With `fresh`, the age of the data in seconds; absent if no row has a time',
  },
  rows: {
    value: ({ rows }) => rows,
    attribute: 'millrace.rows',
    columns: [{ name: 'rows', type: 'UInt32', value: ({ rows }) => rows }],
    help: 'Rows in the response',
  },
  code: {
    value: ({ code }) => code,
    attribute: 'error.type',
    columns: [{ name: 'code', type: REPEATED, value: ({ code }) => code }],
    help: 'The [problem code](problems.md) of a rejected or failed request',
  },
  position: {
    value: ({ position }) => position,
    help: 'Line and column of the first error in the query of the caller, as `3:14`',
  },
  labels: {
    value: ({ labels }) => labels,
    columns: [{ name: 'labels', type: 'Map(LowCardinality(String), String)', value: ({ labels }) => labels }],
    help: 'The labels of the call',
  },
  timing: {
    value: ({ timing }) => timing && roundedAll(timing),
    columns: [
      { name: 'queue_ms', type: 'Float64', value: ({ timing }) => timing?.queue },
      { name: 'engine_ms', type: 'Float64', value: ({ timing }) => timing?.engine },
    ],
    help: 'Milliseconds of each stage, if a query was executed for this request; in the table of calls, of two of them',
  },
  read: {
    value: ({ read }) => read,
    columns: [
      { name: 'read_rows', type: 'UInt64', value: ({ read }) => read?.rows },
      { name: 'read_bytes', type: 'UInt64', value: ({ read }) => read?.bytes },
    ],
    help: 'Rows and bytes read from tables by the time the response began, as reported by a ClickHouse server',
  },
  trace: {
    value: ({ trace }) => trace?.traceId,
    columns: [{ name: 'trace_id', type: 'String', value: ({ trace }) => trace?.traceId }],
    help: 'The trace id of a traced request',
  },
  shadow: {
    value: () => undefined,
    columns: [
      {
        name: 'shadow_rows',
        type: 'Map(LowCardinality(String), UInt32)',
        value: ({ shadow }) => shadow && byColumn(shadow, ({ rows }) => rows),
      },
      {
        name: 'shadow_differences',
        type: 'Map(LowCardinality(String), LowCardinality(String))',
        value: ({ shadow }) => shadow && byColumn(shadow, ({ difference }) => difference),
      },
    ],
    help: 'In the table of calls only, in rows of their own with the method `SHADOW`: a version that differs from the one before it, rows and kind of difference by column; `*` is the result as a whole',
  },
  cause: {
    value: ({ cause }) => (cause === undefined ? undefined : loggedText(cause)),
    help: 'What failed: the code of an error of the engine and the kind of it, or the code of the system; never a message, which could quote the query, its values or rows',
  },
};

/** Of several differences of a column, the last. */
function byColumn<T>(differences: readonly Difference[], value: (each: Difference) => T): Record<string, T> {
  return Object.fromEntries(differences.map((each) => [each.column ?? '*', value(each)]));
}

const TIMESTAMP: CallColumn = {
  name: 'timestamp',
  type: "DateTime64(3, 'UTC')",
  value: (_request, epoch) => new Date(epoch).toISOString(),
};

/** The columns of `millrace.calls`. */
export const CALL_COLUMNS: readonly CallColumn[] = [
  TIMESTAMP,
  ...Object.values(REQUEST_FIELDS).flatMap(({ columns = [] }) => columns),
];

function roundedAll(timing: StageTimes): Record<string, number> {
  return Object.fromEntries(Object.entries(timing).map(([stage, ms]) => [stage, rounded(ms)]));
}

/** Milliseconds, rounded to hundredths. */
export function rounded(ms: number): number {
  return Math.round(ms * 100) / 100;
}
