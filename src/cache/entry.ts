// An answer as it is kept: encoded bytes, what a reply needs to know of them, and when they were made.
import { hash } from 'node:crypto';
import type { Moment } from './clock.ts';

/** What a run makes: bytes that are sent as they are. Nobody changes them any more. */
export interface Payload {
  readonly body: Buffer;
  readonly contentType: string;
  readonly rows: number;
  readonly truncated: boolean;
}

export interface Entry extends Payload {
  /** Strong, in its quotes (RFC 9110, 8.8.3): of the bytes alone, so that an equal answer keeps its tag. */
  readonly etag: string;
  /** When the run that made it began: its data are at least that new. */
  readonly born: Moment;
  /** Milliseconds from `born` after which it is gone, stale times included. */
  readonly keepMs: number;
}

/** What one entry costs beside its bytes: objects, map slots, key. Measured, rounded up. */
const OVERHEAD = 1024;
const ETAG_LENGTH = 22; // of 43 characters: 132 bits
/** Every tag that `etagOf` makes, and nothing that could end a header field. */
export const ETAG_FORM = /^"[\w-]{22}"$/;

export function sealEntry(payload: Payload, born: Moment, keepMs: number): Entry {
  const { body, contentType, rows, truncated } = payload;
  return { body, contentType, rows, truncated, etag: etagOf(body), born, keepMs };
}

/** The strong entity tag of bytes. */
export function etagOf(body: Uint8Array): string {
  return `"${hash('sha256', body, 'base64url').slice(0, ETAG_LENGTH)}"`;
}

/** The memory that an entry holds, in bytes. */
export function sizeOf(entry: Payload): number {
  return entry.body.buffer.byteLength + OVERHEAD;
}

/** The entry over memory of its own: a small view would keep the whole of a large buffer alive. */
export function withOwnBytes(entry: Entry): Entry {
  const { body } = entry;
  if (body.buffer.byteLength <= body.length * 1.125 + 64) return entry;
  const own = Buffer.allocUnsafeSlow(body.length);
  body.copy(own);
  return { ...entry, body: own };
}

/** The younger of two entries of one key. */
export function youngerOf(a: Entry | undefined, b: Entry | undefined): Entry | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return b.born.monotonic > a.born.monotonic ? b : a;
}
