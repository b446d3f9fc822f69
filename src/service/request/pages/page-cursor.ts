// Cursors of pages: the key of the last row, encrypted (AES-256-GCM) and bound to the call that it continues.
import { createCipheriv, createDecipheriv, createHmac } from 'node:crypto';
import type { Endpoint } from '../../endpoints/endpoint.ts';

/** Bytes of the keys in a cursor. */
const MAX_KEYS = 1024;
/** The length of a cursor says that of its keys in steps of so many bytes. */
const STEP = 64;
const IV = 12;
const TAG = 16;
/** Characters. No cursor is longer. */
const MAX_CURSOR = Math.ceil(((IV + TAG + MAX_KEYS) * 4) / 3);
const FORM = /^[\w-]+$/;

/** What a cursor belongs to: it is invalid for any other call. */
export interface CursorScope {
  readonly endpoint: Pick<Endpoint, 'id' | 'version' | 'revision' | 'variant'>;
  /** The secret of the endpoint. */
  readonly secret: Buffer;
  /** The bound parameters, locked ones included; identical for the same call at any time. */
  readonly source: string;
}

/** Where a page ends. */
export interface PageEnd {
  /** Of its last row. */
  readonly keys: readonly string[];
  /** The time that relative times of the call refer to; milliseconds since 1970. */
  readonly at: number | undefined;
}

/** Undefined if the keys are too long. Equal for equal keys and scope, so that equal pages have one entity tag. */
export function sealCursor(scope: CursorScope, { keys, at }: PageEnd): string | undefined {
  const plain = Buffer.from(JSON.stringify(at === undefined ? [keys] : [keys, at]));
  if (plain.length > MAX_KEYS) return undefined;
  const text = Buffer.alloc(Math.ceil(plain.length / STEP) * STEP, ' ');
  text.set(plain);
  const bound = boundTo(scope);
  // Derived from everything that is encrypted: no two texts share one.
  const iv = createHmac('sha256', scope.secret)
    .update(bound)
    .update('\0')
    .update(text)
    .digest()
    .subarray(0, IV);
  const cipher = createCipheriv('aes-256-gcm', scope.secret, iv).setAAD(bound);
  const sealed = Buffer.concat([cipher.update(text), cipher.final()]);
  return Buffer.concat([iv, cipher.getAuthTag(), sealed]).toString('base64url');
}

/** What a cursor says; undefined if it was changed, or does not belong to the call. */
export function openCursor(scope: CursorScope, cursor: string): PageEnd | undefined {
  if (cursor.length > MAX_CURSOR || !FORM.test(cursor)) return undefined;
  const bytes = Buffer.from(cursor, 'base64url');
  if (bytes.length <= IV + TAG || bytes.toString('base64url') !== cursor) return undefined;
  const decipher = createDecipheriv('aes-256-gcm', scope.secret, bytes.subarray(0, IV), {
    authTagLength: TAG,
  });
  decipher.setAAD(boundTo(scope)).setAuthTag(bytes.subarray(IV, IV + TAG));
  try {
    const text = Buffer.concat([decipher.update(bytes.subarray(IV + TAG)), decipher.final()]);
    const [keys, at] = JSON.parse(text.toString()) as [readonly string[], number?]; // sealed by this service
    return { keys, at };
  } catch {
    return undefined;
  }
}

function boundTo({ endpoint: { id, version, revision, variant }, source }: CursorScope): Buffer {
  return Buffer.from(JSON.stringify([id, version ?? null, revision, variant, source]));
}
