// Writes a query's outcome as a ClickHouse server does: headers, compression, errors before and after the first bytes.
import { randomBytes } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { errorCodeIn } from '../../../src/service/engine/failures.ts';
import { statusOf, VERSION } from './errors.ts';
import type { Query, QuerySettings } from './request.ts';

/** How a body that fails after its first bytes ends. */
export type LateError =
  | 'tagged' // as servers since 25.11 do
  | 'plain' // only the message, as older servers do
  | 'cut'; // no message: the connection is closed

/** The engine's output: all rows, or those before its error. */
export interface Outcome {
  readonly bytes: Uint8Array;
  readonly error?: string;
  readonly statistics?: Statistics;
}

export interface Statistics {
  readonly rowsRead: number;
  readonly bytesRead: number;
  readonly rowsWritten: number;
  readonly elapsedMs: number;
}

const PIECE = 16 * 1024;
const DEFAULT_PROGRESS_INTERVAL_MS = 100;

export function sendOutcome(
  response: ServerResponse,
  query: Query,
  outcome: Outcome,
  lateError: LateError,
): void {
  const { bytes, error, statistics } = outcome;
  if (statistics !== undefined) response.setHeader('X-ClickHouse-Summary', summary(statistics));
  response.setHeader('X-ClickHouse-Query-Id', query.id);
  if (error !== undefined && (bytes.length === 0 || query.isWhole)) {
    return sendError(response, error, { settings: query.settings, hasBegun: hasBegun(query, outcome) });
  }
  const { rows, format: chosen = query.format } = query.statement;
  const format = rows === undefined ? chosen : query.format;
  response.setHeader('X-ClickHouse-Format', format);
  response.setHeader('Content-Type', contentType(format));
  const tag = randomBytes(8).toString('hex');
  if (lateError === 'tagged') response.setHeader('X-ClickHouse-Exception-Tag', tag);
  const isCut = error !== undefined && lateError === 'cut';
  const end =
    error === undefined || isCut ? '' : lateErrorText(error, lateError === 'tagged' ? tag : undefined);
  const whole = encode(
    response,
    query.settings,
    end === '' ? bytes : Buffer.concat([bytes, Buffer.from(end)]),
  );
  for (let at = 0; at < whole.length; at += PIECE) response.write(whole.subarray(at, at + PIECE));
  if (isCut) response.write('\n', () => response.destroy());
  else response.end();
}

interface ErrorContext {
  readonly settings?: QuerySettings;
  /** Whether headers, and so the status 200, have been sent: headers with progress. */
  readonly hasBegun?: boolean;
}

/** An error in place of rows: code in a header, message in the body, compressed as rows would be. */
export function sendError(
  response: ServerResponse,
  error: string,
  { settings = {}, hasBegun: begun = false }: ErrorContext = {},
): void {
  const code = errorCodeIn(error);
  response.statusCode = begun ? 200 : statusOf(code);
  response.setHeader('Content-Type', 'text/plain; charset=UTF-8');
  if (code !== undefined) response.setHeader('X-ClickHouse-Exception-Code', code);
  response.end(encode(response, settings, Buffer.from(`${error} (version ${VERSION})\n`)));
}

function hasBegun({ settings }: Query, { statistics }: Outcome): boolean {
  const interval = Number(settings['http_headers_progress_interval_ms'] ?? DEFAULT_PROGRESS_INTERVAL_MS);
  return settings['send_progress_in_http_headers'] === '1' && (statistics?.elapsedMs ?? 0) >= interval;
}

/** Tagged: CR LF marker CR LF tag CR LF message, its length and the tag, marker CR LF. */
function lateErrorText(error: string, tag: string | undefined): string {
  const message = `${error} (version ${VERSION})\n`;
  if (tag === undefined) return message;
  return `\r\n__exception__\r\n${tag}\r\n${message}${Buffer.byteLength(message)} ${tag}\r\n__exception__\r\n`;
}

const ENCODERS = { gzip: gzipSync, br: brotliCompressSync, deflate: deflateSync };

/** Compresses if the caller accepts it and asks for it by setting. */
function encode(response: ServerResponse, settings: QuerySettings, bytes: Uint8Array): Uint8Array {
  if (settings['enable_http_compression'] !== '1') return bytes;
  const accepted = response.req.headers['accept-encoding']?.toString() ?? '';
  const coding = (['gzip', 'br', 'deflate'] as const).find((name) => accepted.includes(name));
  if (coding === undefined) return bytes;
  response.setHeader('Content-Encoding', coding);
  return ENCODERS[coding](bytes);
}

function summary({ rowsRead, bytesRead, rowsWritten, elapsedMs }: Statistics): string {
  const values = {
    read_rows: rowsRead,
    read_bytes: bytesRead,
    written_rows: rowsWritten,
    written_bytes: rowsWritten > 0 ? bytesRead : 0,
    total_rows_to_read: rowsRead,
    result_rows: rowsWritten > 0 ? rowsWritten : rowsRead,
    result_bytes: rowsWritten > 0 ? bytesRead : 0,
    elapsed_ns: Math.round(elapsedMs * 1e6),
  };
  return JSON.stringify(values, (_, value: unknown) => (typeof value === 'number' ? String(value) : value));
}

/** Source: ClickHouse, `getContentType` of the output formats. */
function contentType(format: string): string {
  if (/^JSON.*EachRow/.test(format)) return 'application/x-ndjson; charset=UTF-8';
  if (format.startsWith('JSON')) return 'application/json; charset=UTF-8';
  if (format.startsWith('CSV')) {
    return `text/csv; charset=UTF-8; header=${format.includes('WithNames') ? 'present' : 'absent'}`;
  }
  if (/^(TSV|TabSeparated)/.test(format)) return 'text/tab-separated-values; charset=UTF-8';
  if (format === 'XML') return 'application/xml; charset=UTF-8';
  if (/^(RowBinary|Native|Parquet|Arrow|ORC|Avro|MsgPack|Npy)/.test(format))
    return 'application/octet-stream';
  return 'text/plain; charset=UTF-8';
}
