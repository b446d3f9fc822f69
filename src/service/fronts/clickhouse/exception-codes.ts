// ClickHouse's exception for each problem: the code, name and HTTP status that a server would send.
import type { Problem, ProblemCode } from '../../../sql/base/problem.ts';
import { EngineError } from '../../engine/engine.ts';
import { knownFunction } from '../../../guard/sandbox/functions/policy.ts';
import { engineCodeName, readsAsColumn } from '../../../guard/sandbox/failure.ts';

/** Of a ClickHouse server. */
export interface ServerException {
  readonly code: number;
  readonly name: string;
  /** HTTP. */
  readonly status: number;
}

type Row = readonly [code: number, name: string];

const SYNTAX_ERROR: Row = [62, 'SYNTAX_ERROR'];
const UNKNOWN_TABLE: Row = [60, 'UNKNOWN_TABLE'];
const UNKNOWN_IDENTIFIER: Row = [47, 'UNKNOWN_IDENTIFIER'];
const BAD_ARGUMENTS: Row = [36, 'BAD_ARGUMENTS'];
const ACCESS_DENIED: Row = [497, 'ACCESS_DENIED'];
const AUTHENTICATION_FAILED: Row = [516, 'AUTHENTICATION_FAILED'];
const NOT_IMPLEMENTED: Row = [48, 'NOT_IMPLEMENTED'];
const QUERY_IS_TOO_LARGE: Row = [229, 'QUERY_IS_TOO_LARGE'];
const TIMEOUT_EXCEEDED: Row = [159, 'TIMEOUT_EXCEEDED'];
const NETWORK_ERROR: Row = [210, 'NETWORK_ERROR'];
const READONLY: Row = [164, 'READONLY'];
const UNKNOWN_DATABASE: Row = [81, 'UNKNOWN_DATABASE'];
const UNKNOWN_EXCEPTION: Row = [1002, 'UNKNOWN_EXCEPTION'];
const TYPE_MISMATCH: Row = [53, 'TYPE_MISMATCH'];

/** Every problem has a row. */
const EXCEPTIONS: Readonly<Record<ProblemCode, Row>> = {
  'request.body_invalid': BAD_ARGUMENTS,
  'request.parameters_invalid': [457, 'BAD_QUERY_PARAMETER'],
  'request.query_conflict': BAD_ARGUMENTS,
  'request.cursor_invalid': BAD_ARGUMENTS,
  'live.unavailable': NOT_IMPLEMENTED,
  'live.too_many': [202, 'TOO_MANY_SIMULTANEOUS_QUERIES'],
  'export.unavailable': NOT_IMPLEMENTED,
  'export.unknown': BAD_ARGUMENTS,
  'export.too_many': [202, 'TOO_MANY_SIMULTANEOUS_QUERIES'],
  'export.key_reused': BAD_ARGUMENTS,
  'export.not_finished': BAD_ARGUMENTS,
  'export.range_invalid': BAD_ARGUMENTS,
  'export.too_many_rows': [396, 'TOO_MANY_ROWS_OR_BYTES'],
  'export.disk_full': [243, 'NOT_ENOUGH_SPACE'],
  'export.not_stored': NETWORK_ERROR,
  'export.interrupted': [394, 'QUERY_WAS_CANCELLED'],
  'export.canceled': [394, 'QUERY_WAS_CANCELLED'],
  'data.stale': [369, 'ALL_REPLICAS_ARE_STALE'],
  'live.full': [202, 'TOO_MANY_SIMULTANEOUS_QUERIES'],
  'page.not_divisible': [396, 'TOO_MANY_ROWS_OR_BYTES'],
  'request.body_too_large': QUERY_IS_TOO_LARGE,
  'request.body_type_unsupported': NOT_IMPLEMENTED,
  'request.encoding_unsupported': NOT_IMPLEMENTED,
  'request.encoding_invalid': [271, 'CANNOT_DECOMPRESS'],
  'request.headers_too_large': QUERY_IS_TOO_LARGE,
  'request.too_slow': [209, 'SOCKET_TIMEOUT'],
  'request.malformed': BAD_ARGUMENTS,
  'request.client_closed': [394, 'QUERY_WAS_CANCELLED'],
  'workload.unknown': BAD_ARGUMENTS,
  'sandbox.disabled': ACCESS_DENIED,
  'sandbox.query_invalid': SYNTAX_ERROR,
  'sandbox.syntax_unsupported': SYNTAX_ERROR,
  'sandbox.table_denied': UNKNOWN_TABLE,
  'sandbox.function_denied': [446, 'FUNCTION_NOT_ALLOWED'],
  'sandbox.min_group': ACCESS_DENIED,
  'sandbox.type_denied': [50, 'UNKNOWN_TYPE'],
  'sandbox.name_reserved': BAD_ARGUMENTS,
  'sandbox.too_large': QUERY_IS_TOO_LARGE,
  'sandbox.check_mismatch': SYNTAX_ERROR,
  'sandbox.switched_off': ACCESS_DENIED,
  'bigquery.syntax_invalid': SYNTAX_ERROR,
  'bigquery.unsupported': SYNTAX_ERROR,
  'bigquery.name_unknown': UNKNOWN_IDENTIFIER,
  'bigquery.too_large': QUERY_IS_TOO_LARGE,
  'lql.query_too_long': QUERY_IS_TOO_LARGE,
  'lql.character_invalid': SYNTAX_ERROR,
  'lql.too_many_clauses': QUERY_IS_TOO_LARGE,
  'lql.whitespace_missing': SYNTAX_ERROR,
  'lql.quote_unclosed': SYNTAX_ERROR,
  'lql.parenthesis_unclosed': SYNTAX_ERROR,
  'lql.name_missing': SYNTAX_ERROR,
  'lql.value_missing': SYNTAX_ERROR,
  'lql.value_invalid': SYNTAX_ERROR,
  'lql.too_many_values': SYNTAX_ERROR,
  'lql.operator_repeated': SYNTAX_ERROR,
  'lql.operator_unknown': SYNTAX_ERROR,
  'lql.operator_invalid': SYNTAX_ERROR,
  'lql.negation_invalid': SYNTAX_ERROR,
  'lql.clause_repeated': SYNTAX_ERROR,
  'lql.clause_conflict': SYNTAX_ERROR,
  'lql.path_invalid': SYNTAX_ERROR,
  'lql.timestamp_invalid': SYNTAX_ERROR,
  'lql.range_invalid': SYNTAX_ERROR,
  'lql.aggregate_unknown': SYNTAX_ERROR,
  'lql.chart_invalid': SYNTAX_ERROR,
  'lql.regex_invalid': [427, 'CANNOT_COMPILE_REGEXP'],
  'lql.table_unknown': UNKNOWN_TABLE,
  'lql.table_missing': UNKNOWN_TABLE,
  'lql.column_unknown': UNKNOWN_IDENTIFIER,
  'lql.column_repeated': [15, 'DUPLICATE_COLUMN'],
  'lql.type_mismatch': TYPE_MISMATCH,
  'clickhouse.database_unknown': UNKNOWN_DATABASE,
  'clickhouse.database_missing': UNKNOWN_TABLE,
  'clickhouse.table_unknown': UNKNOWN_TABLE,
  'clickhouse.databases_mixed': NOT_IMPLEMENTED,
  'clickhouse.syntax_invalid': SYNTAX_ERROR,
  'clickhouse.statement_unsupported': NOT_IMPLEMENTED,
  'clickhouse.read_only': READONLY,
  'clickhouse.setting_unknown': [115, 'UNKNOWN_SETTING'],
  'clickhouse.setting_read_only': READONLY,
  'clickhouse.setting_invalid': BAD_ARGUMENTS,
  'clickhouse.parameter_missing': [456, 'UNKNOWN_QUERY_PARAMETER'],
  'clickhouse.parameter_invalid': [457, 'BAD_QUERY_PARAMETER'],
  'auth.missing': AUTHENTICATION_FAILED,
  'auth.unavailable': NETWORK_ERROR,
  'auth.invalid': AUTHENTICATION_FAILED,
  'auth.forbidden': ACCESS_DENIED,
  'auth.conflict': AUTHENTICATION_FAILED,
  'route.endpoint_unknown': UNKNOWN_DATABASE,
  'route.unknown': BAD_ARGUMENTS,
  'tinybird.not_served': NOT_IMPLEMENTED,
  'route.request_unknown': BAD_ARGUMENTS,
  'route.host_unknown': ACCESS_DENIED,
  'route.cross_site': ACCESS_DENIED,
  'route.origin_denied': ACCESS_DENIED,
  'route.method_not_allowed': BAD_ARGUMENTS,
  'format.not_acceptable': [73, 'UNKNOWN_FORMAT'],
  'format.too_large': [307, 'TOO_MANY_BYTES'],
  'rate.exceeded': [201, 'QUOTA_EXCEEDED'],
  'budget.exceeded': [201, 'QUOTA_EXCEEDED'],
  'rate.unavailable': NETWORK_ERROR,
  'query.failed': [1001, 'STD_EXCEPTION'],
  'query.too_expensive': [241, 'MEMORY_LIMIT_EXCEEDED'],
  'query.id_in_use': [216, 'QUERY_WITH_SAME_ID_IS_ALREADY_RUNNING'],
  'query.canceled': [394, 'QUERY_WAS_CANCELLED'],
  'query.suspended': [202, 'TOO_MANY_SIMULTANEOUS_QUERIES'],
  'endpoint.failed': UNKNOWN_EXCEPTION,
  'internal.error': UNKNOWN_EXCEPTION,
  'cache.miss': [74, 'CANNOT_READ_FROM_FILE_DESCRIPTOR'],
  'cache.not_purged': UNKNOWN_EXCEPTION,
  'engine.invalid_response': NETWORK_ERROR,
  'engine.unavailable': NETWORK_ERROR,
  'engine.busy': [202, 'TOO_MANY_SIMULTANEOUS_QUERIES'],
  'service.stopping': [236, 'ABORTED'],
  'engine.timeout': TIMEOUT_EXCEEDED,
};

/** Codes for which a server sends another status than 400. Source: ClickHouse, HTTP/exceptionCodeToHTTPStatus.cpp. */
const STATUSES: ReadonlyMap<number, number> = new Map([
  ...[46, 47, 50, 60, 63, 73, 81, 115].map((code) => [code, 404] as const),
  [48, 501],
  [164, 403],
  [229, 413],
  ...[158, 241, 307, 396, 395].map((code) => [code, 500] as const),
]);

/** Problems whose own status says more than that of a server: retries, authentication. */
const OWN_STATUS: ReadonlySet<number> = new Set([
  401, 403, 404, 405, 408, 409, 413, 415, 429, 431, 499, 500, 502, 503, 504,
]);

/** The exception for a problem. */
export function exceptionOf(problem: Problem): ServerException {
  const [code, name] = engineException(problem) ?? functionException(problem) ?? EXCEPTIONS[problem.code];
  const status = OWN_STATUS.has(problem.status) ? problem.status : (STATUSES.get(code) ?? 400);
  return { code, name, status };
}

/** A function that the engine does not have either. */
function functionException({ code, message }: Problem): Row | undefined {
  if (code !== 'sandbox.function_denied') return undefined;
  const [, name] = /^(\w+) is not an allowed function/.exec(message) ?? [];
  return name === undefined || knownFunction(name).isKnown ? undefined : [46, 'UNKNOWN_FUNCTION'];
}

/** Limits that a query can exceed. */
const LIMITS: ReadonlyMap<number, string> = new Map([
  [158, 'TOO_MANY_ROWS'],
  [159, 'TIMEOUT_EXCEEDED'],
  [191, 'SET_SIZE_LIMIT_EXCEEDED'],
  [241, 'MEMORY_LIMIT_EXCEEDED'],
  [307, 'TOO_MANY_BYTES'],
  [396, 'TOO_MANY_ROWS_OR_BYTES'],
]);

/**
 * The engine's own code, if the query of the caller is known to be the cause: of other failures the code could say something
 * about rows and tables that the caller may not read.
 */
function engineException({ code, errors, cause }: Problem): Row | undefined {
  if (!(cause instanceof EngineError) || cause.engineCode === undefined) return undefined;
  const { engineCode, message } = cause;
  if (code === 'query.too_expensive') return rowOf(engineCode, LIMITS.get(engineCode));
  if (code !== 'query.failed' || errors.length === 0) return undefined;
  if (readsAsColumn({ engineCode, message })) return UNKNOWN_IDENTIFIER;
  return rowOf(engineCode, engineCodeName(engineCode));
}

function rowOf(code: number, name: string | undefined): Row | undefined {
  return name === undefined ? undefined : [code, name];
}
