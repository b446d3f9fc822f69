// Content codings (RFC 9110, 8.4): compresses bodies as clients accept; cached responses are compressed once.
import { promisify } from 'node:util';
import * as zlib from 'node:zlib';
import Negotiator from 'negotiator';
import { createLru } from '../../sql/base/lru.ts';
import { FORMATS } from '../formats/formats.ts';
import { isReadable } from './call-fields.ts';
import { canCompressZstd, compressZstd, loadZstd } from './zstd.ts';

/** In order of preference when the client has none. */
const CODINGS = ['zstd', 'br', 'gzip', 'deflate'] as const;
export type ContentCoding = (typeof CODINGS)[number];

/** A body before compression. */
export interface Plain {
  readonly body: Buffer;
  readonly contentType: string;
}

export interface Compression {
  /** The coding for a client with this Accept-Encoding; undefined: uncompressed, as bodies of fewer than `least` bytes are. */
  choose(accepted: string | undefined, plain: Plain, least?: number): ContentCoding | undefined;
  /** Compresses the body. With `etag`, the compressed body is cached for the next response with this tag. */
  encode(plain: Plain, coding: ContentCoding, etag: string | undefined): Buffer | Promise<Buffer>;
}

/** Smaller bodies would save less than a packet. */
const MIN_BYTES = 1024;
const LEVEL = 1; // higher levels save little on log rows and take twice as long

/** `bytes`: maximum total size of the cached compressed bodies. */
export async function createCompression(bytes: number): Promise<Compression> {
  await loadZstd();
  const compressed = createLru<Buffer>({ size: Math.max(1, Math.floor(bytes)), sizeOf });
  const running = new Map<string, Promise<Buffer>>();
  const preferences = createLru<readonly ContentCoding[]>({ entries: 100 });

  const preferred = (accepted: string): readonly ContentCoding[] => {
    const known = preferences.get(accepted);
    if (known !== undefined) return known;
    const parsed = readPreferences(accepted);
    preferences.set(accepted, parsed);
    return parsed;
  };

  const compressOnce = (key: string, plain: Plain, coding: ContentCoding): Promise<Buffer> => {
    const started = running.get(key);
    if (started !== undefined) return started;
    const body = compress(plain.body, coding).finally(() => running.delete(key));
    running.set(key, body);
    void body.then(
      (bytes) => compressed.set(key, bytes),
      () => undefined,
    );
    return body;
  };

  return {
    choose: (accepted, { body, contentType }, least = MIN_BYTES) => {
      if (!isReadable(accepted)) return undefined;
      if (body.length < least || COMPRESSED.has(contentType)) return undefined;
      return preferred(accepted).find((coding) => coding !== 'zstd' || canCompressZstd(body.length));
    },
    encode: (plain, coding, etag) => {
      if (etag === undefined) return compress(plain.body, coding);
      const key = `${coding} ${etag}`;
      return compressed.get(key) ?? compressOnce(key, plain, coding);
    },
  };
}

/** Strong entity tags differ per coding (RFC 9110, 8.8.3.3). */
export function etagIn(etag: string, coding: ContentCoding | undefined): string {
  return coding === undefined ? etag : `${etag.slice(0, -1)}-${coding}"`;
}

/** The entity tag without the suffix of the coding. */
export function plainEtag(etag: string): string {
  return etag.replace(/-(?:zstd|br|gzip|deflate)"$/, '"');
}

function readPreferences(accepted: string): readonly ContentCoding[] {
  // The package's types lack the second argument, which its documentation describes.
  const negotiator = new Negotiator({ headers: { 'accept-encoding': accepted } }) as unknown as {
    encodings(available: readonly string[], options: { preferred: readonly string[] }): readonly string[];
  };
  const names = negotiator.encodings(CODINGS, { preferred: CODINGS });
  return names.flatMap((name) => CODINGS.find((coding) => coding === name) ?? []);
}

const COMPRESSED: ReadonlySet<string> = new Set(
  Object.values(FORMATS).flatMap(({ contentType, isCompressed }) =>
    isCompressed === true ? [contentType] : [],
  ),
);

const brotli = promisify(zlib.brotliCompress);
const gzip = promisify(zlib.gzip);
const deflate = promisify(zlib.deflate);

async function compress(body: Buffer, coding: ContentCoding): Promise<Buffer> {
  switch (coding) {
    case 'zstd':
      return compressZstd(body, LEVEL);
    case 'br':
      return brotli(body, { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: LEVEL } });
    case 'gzip':
      return gzip(body, { level: LEVEL });
    case 'deflate':
      return deflate(body, { level: LEVEL });
  }
}

function sizeOf(body: Buffer): number {
  return body.buffer.byteLength + 256;
}
