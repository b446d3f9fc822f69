// Errors as a ClickHouse server reports them: message, code, HTTP status.
import { errorCodeIn } from '../../../src/service/engine/failures.ts';

export const VERSION = '26.7.2.1 (official build)';

/** An error of the server itself, in the form of the engine's: `Code: 62. DB::Exception: …`. */
export class ServerError extends Error {
  constructor(code: number, name: string, text: string) {
    super(`Code: ${code}. DB::Exception: ${text}. (${name})`);
  }
}

/** Anything thrown, as an error message with a code. */
export function errorText(cause: unknown): string {
  const text = cause instanceof Error ? cause.message : String(cause);
  return errorCodeIn(text) === undefined ? `Code: 1001. DB::Exception: ${text}. (STD_EXCEPTION)` : text;
}

const STATUSES: readonly (readonly [status: number, codes: readonly number[]])[] = [
  [401, [194]],
  [403, [192, 193, 516, 692]],
  [
    400,
    [6, 7, 15, 25, 26, 27, 36, 38, 41, 44, 53, 62, 72, 117, 167, 168, 190, 223, 321, 369, 427, 441, 675, 676],
  ],
  [404, [46, 47, 50, 56, 60, 63, 73, 78, 81, 115, 336, 511]],
  [408, [159]],
  [413, [229]],
  [501, [48]],
  [503, [209, 439]],
];

/** Source: ClickHouse, src/Server/HTTPHandler.cpp and HTTPHandlerFactory.cpp (`exceptionCodeToHTTPStatus`). */
export function statusOf(code: number | undefined): number {
  const row = STATUSES.find(([, codes]) => code !== undefined && codes.includes(code));
  return row?.[0] ?? 500;
}
