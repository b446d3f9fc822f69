// Maps ClickHouse's error codes to failures, for both engines.
import { EngineError } from './engine.ts';
import type { EngineFailure } from './engine.ts';

/** An error code, its name, and its failure. */
type CodeRow = readonly [code: number, name: string, failure: EngineFailure];

/**
 * ClickHouse's codes that are not the statement's own fault, from its `src/Common/ErrorCodes.cpp`. Every other code is
 * 'rejected': a syntax error, an unknown name, a type mismatch.
 */
export const ERROR_CODES: readonly CodeRow[] = [
  [159, 'TIMEOUT_EXCEEDED', 'timeout'],
  [160, 'TOO_SLOW', 'timeout'],
  [173, 'CANNOT_ALLOCATE_MEMORY', 'memory'],
  [241, 'MEMORY_LIMIT_EXCEEDED', 'memory'],
  [777, 'MEMORY_RESERVATION_KILLED', 'memory'],
  [778, 'MEMORY_RESERVATION_FAILED', 'memory'],
  [158, 'TOO_MANY_ROWS', 'limit'],
  [191, 'SET_SIZE_LIMIT_EXCEEDED', 'limit'],
  [307, 'TOO_MANY_BYTES', 'limit'],
  [396, 'TOO_MANY_ROWS_OR_BYTES', 'limit'],
  [394, 'QUERY_WAS_CANCELLED', 'aborted'],
  [735, 'QUERY_WAS_CANCELLED_BY_CLIENT', 'aborted'],
  [201, 'QUOTA_EXCEEDED', 'busy'],
  [202, 'TOO_MANY_SIMULTANEOUS_QUERIES', 'busy'],
  [203, 'NO_FREE_CONNECTION', 'busy'],
  [373, 'SESSION_IS_LOCKED', 'busy'],
  [439, 'CANNOT_SCHEDULE_TASK', 'busy'],
  [700, 'USER_SESSION_LIMIT_EXCEEDED', 'busy'],
  [745, 'SERVER_OVERLOADED', 'busy'],
  [762, 'HTTP_CONNECTION_LIMIT_REACHED', 'busy'],
  [192, 'UNKNOWN_USER', 'unavailable'],
  [193, 'WRONG_PASSWORD', 'unavailable'],
  [194, 'REQUIRED_PASSWORD', 'unavailable'],
  [198, 'DNS_ERROR', 'unavailable'],
  [209, 'SOCKET_TIMEOUT', 'unavailable'],
  [210, 'NETWORK_ERROR', 'unavailable'],
  [236, 'ABORTED', 'unavailable'],
  [243, 'NOT_ENOUGH_SPACE', 'unavailable'],
  [279, 'ALL_CONNECTION_TRIES_FAILED', 'unavailable'],
  [297, 'SHARD_HAS_NO_CONNECTIONS', 'unavailable'],
  [516, 'AUTHENTICATION_FAILED', 'unavailable'],
  [763, 'SESSION_REFUSED', 'unavailable'],
  [999, 'KEEPER_EXCEPTION', 'unavailable'],
  [40, 'CHECKSUM_DOESNT_MATCH', 'invalid_response'],
  [49, 'LOGICAL_ERROR', 'invalid_response'],
  [74, 'CANNOT_READ_FROM_FILE_DESCRIPTOR', 'invalid_response'],
  [226, 'NO_FILE_IN_DATA_PART', 'invalid_response'],
  [228, 'BAD_SIZE_OF_FILE_IN_DATA_PART', 'invalid_response'],
  [246, 'CORRUPTED_DATA', 'invalid_response'],
  [740, 'POTENTIALLY_BROKEN_DATA_PART', 'invalid_response'],
  [1001, 'STD_EXCEPTION', 'invalid_response'],
  [1002, 'UNKNOWN_EXCEPTION', 'invalid_response'],
];

const FAILURES = new Map(ERROR_CODES.map(([code, , failure]) => [code, failure]));

/** The failure for a ClickHouse error code; without a code, the response was invalid. */
export function failureOf(code: number | undefined): EngineFailure {
  return code === undefined ? 'invalid_response' : (FAILURES.get(code) ?? 'rejected');
}

/**
 * Errors of damaged files if they occur where the engine reads a column, and of the statement elsewhere: ATTEMPT_TO_READ_AFTER_EOF,
 * CANNOT_READ_ALL_DATA, CANNOT_OPEN_FILE, CANNOT_SEEK_THROUGH_FILE, FILE_DOESNT_EXIST, INCORRECT_DATA, CANNOT_DECOMPRESS.
 */
const FILE_CODES: ReadonlySet<number> = new Set([32, 33, 76, 87, 107, 117, 271]);
const WHILE_READING = /\bwhile reading (?:column|or decompressing) /i;

/** The failure for an error of the engine with this text. */
function failureIn(text: string, code: number | undefined): EngineFailure {
  if (FROM_FORMAT_LIBRARY.test(text)) return 'rejected';
  const isOfFile = code !== undefined && FILE_CODES.has(code) && WHILE_READING.test(text);
  return isOfFile ? 'invalid_response' : failureOf(code);
}

/** The code in ClickHouse's error format, `Code: 47. DB::Exception: …`. */
export function errorCodeIn(text: string): number | undefined {
  const digits = /\bCode: (\d{1,6})\. DB::/.exec(text)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

/** Converts any error of a client library to an EngineError, keeping its message for logs. */
export function toEngineError(cause: unknown): EngineError {
  if (cause instanceof EngineError) return cause;
  const message = cause instanceof Error ? cause.message : String(cause);
  return engineErrorFrom(message === '' ? 'an error without a message' : message, cause);
}

/** Of a library that writes a format: about the result, such as a name that the format does not permit. */
const FROM_FORMAT_LIBRARY = /\btype: avro::Exception\b/;

/** An EngineError from the engine's error message. */
export function engineErrorFrom(text: string, cause?: unknown): EngineError {
  const engineCode = errorCodeIn(text);
  const known = engineCode === undefined ? {} : { engineCode };
  return new EngineError(failureIn(text, engineCode), text, { ...known, isForeign: true, cause });
}
