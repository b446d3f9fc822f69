// Server-sent events of live calls (https://html.spec.whatwg.org/multipage/server-sent-events.html).
import { problemDocument, type Problem } from '../../../sql/base/problem.ts';

/** Milliseconds after which clients reconnect. */
export const RETRY_MS = 2000;

/** The first line of a stream. */
export const OPENING = Buffer.from(`retry: ${RETRY_MS}\n\n`);
export const HEARTBEAT = Buffer.from(':\n\n');

/** Why the service ends a stream. */
export type EndReason = 'shutdown' | 'key' | 'endpoint';

const END = Buffer.from('\n\n');
const COMMA = Buffer.from(',');
const END_OF_ROWS = Buffer.from(']}\n\n');

/** The whole result; `body` is JSON on one line. */
export function resultEvent(id: string, body: Uint8Array): Buffer {
  return Buffer.concat([Buffer.from(`event: result\nid: ${id}\ndata: `), body, END]);
}

/** New rows: JSON objects on one line, separated by commas. */
export function rowsEvent(id: string, rows: readonly Uint8Array[]): Buffer {
  const parts = rows.flatMap((each, index) => (index === 0 ? [each] : [COMMA, each]));
  return Buffer.concat([Buffer.from(`event: rows\nid: ${id}\ndata: {"result":[`), ...parts, END_OF_ROWS]);
}

export function errorEvent(problem: Problem, requestId: string): Buffer {
  return Buffer.from(`event: error\ndata: ${JSON.stringify(problemDocument(problem, requestId))}\n\n`);
}

/** `retryMs` is sent if clients should reconnect. */
export function endEvent(reason: EndReason, retryMs?: number): Buffer {
  const retry = retryMs === undefined ? '' : `retry: ${retryMs}\n`;
  return Buffer.from(`${retry}event: end\ndata: ${JSON.stringify({ reason })}\n\n`);
}
