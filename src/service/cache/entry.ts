// A cached response: encoded bytes, response metadata, and the time of the query.
import { createHash, hash } from 'node:crypto';
import type { Moment } from './clock.ts';

/** What a run has cost. */
export interface Cost {
  /** Table data, before filters; undefined: the engine does not report it. */
  readonly rowsRead: number | undefined;
  readonly bytesRead: number | undefined;
  readonly engineMs: number;
}

/** The result of a run, sent to clients byte for byte. Immutable. */
export interface Payload {
  readonly body: Buffer;
  readonly contentType: string;
  readonly rows: number;
  readonly truncated: boolean;
  /** The cursor of the next page; undefined: there is none. */
  readonly next?: string | undefined;
  /** Undefined for formats that do not show it. */
  readonly cost?: Cost | undefined;
  /**
   * The newest time of its data, in milliseconds since 1970; null if it has none, and undefined if the endpoint does not say which column
   * has it.
   */
  readonly newest?: number | null | undefined;
  /** The entity tag of the body; undefined if it was not computed yet. */
  readonly etag?: string | undefined;
}

export interface Entry extends Payload {
  /**
   * A strong entity tag, including its quotes (RFC 9110, 8.8.3). Computed from the body alone, so that an identical
   * result keeps its tag.
   */
  readonly etag: string;
  /** When the run started: the data is at least this recent. */
  readonly born: Moment;
  /** Milliseconds from `born` until the entry expires, including the stale periods. */
  readonly keepMs: number;
  /** Of the data, read before the run started; empty if the policy or the tables have none. */
  readonly fingerprint: string;
}

/** Bytes per entry besides its body (objects, map slots, key). Measured, rounded up. */
const OVERHEAD = 1024;
const ETAG_LENGTH = 22; // of 43 characters: 132 bits
/** Matches exactly the tags made by `etagOf`, so a corrupt entry cannot inject a header. */
export const ETAG_FORM = /^"[\w-]{22}"$/;
/** Matches every fingerprint, and none. */
export const FINGERPRINT_FORM = /^[\w-]{0,64}$/;

export function sealEntry(payload: Payload, born: Moment, keepMs: number, fingerprint = ''): Entry {
  const { body, contentType, rows, truncated, next, cost, newest, etag = etagOf(body) } = payload;
  const optional = {
    ...(next === undefined ? {} : { next }),
    ...(cost === undefined ? {} : { cost }),
    ...(newest === undefined ? {} : { newest }),
  };
  return { body, contentType, rows, truncated, ...optional, etag, born, keepMs, fingerprint };
}

/** The strong entity tag for a body. */
export function etagOf(body: Uint8Array): string {
  return tagOf(hash('sha256', body, 'base64url'));
}

/** Bytes: some tens of milliseconds. */
const HASHED = 2 ** 23;

/** Computes the same tag in parts, and pauses after each. */
export async function etagInParts(body: Uint8Array, pause: () => Promise<void>): Promise<string> {
  if (body.length <= HASHED) return etagOf(body);
  const all = createHash('sha256');
  for (let at = 0; at < body.length; at += HASHED) {
    if (at > 0) await pause();
    all.update(body.subarray(at, at + HASHED));
  }
  return tagOf(all.digest('base64url'));
}

function tagOf(digest: string): string {
  return `"${digest.slice(0, ETAG_LENGTH)}"`;
}

/** Memory held by an entry, in bytes. */
export function sizeOf(entry: Payload): number {
  return entry.body.buffer.byteLength + OVERHEAD;
}

/** The entry with a buffer of its own, if its body is a small view that would keep a much larger buffer alive. */
export function withOwnBytes(entry: Entry): Entry {
  const { body } = entry;
  if (body.buffer.byteLength <= body.length * 1.125 + 64) return entry;
  const own = Buffer.allocUnsafeSlow(body.length);
  body.copy(own);
  return { ...entry, body: own };
}

/** The younger of two entries for one key. */
export function youngerOf(a: Entry | undefined, b: Entry | undefined): Entry | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return b.born.monotonic > a.born.monotonic ? b : a;
}
