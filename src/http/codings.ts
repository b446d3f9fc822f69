// Content codings (RFC 9110, 8.4): bodies compressed as callers ask, those of kept answers once.
import { promisify } from 'node:util';
import * as zlib from 'node:zlib';
import { compress as wasmZstd, init } from '@bokuweb/zstd-wasm';
import { LRUCache } from 'lru-cache';
import Negotiator from 'negotiator';
import { FORMATS } from '../format/formats.ts';
import { isReadable } from './header-limit.ts';

/** Best first, for a caller who likes several equally. */
const CODINGS = ['zstd', 'br', 'gzip'] as const;
export type Coding = (typeof CODINGS)[number];

export interface Plain {
  readonly body: Buffer;
  readonly contentType: string;
}

export interface Codings {
  /** What a body is sent in to a caller with this Accept-Encoding; undefined: as it is. */
  choose(accepted: string | undefined, plain: Plain): Coding | undefined;
  /** The body in a coding. A kept answer is named by its entity tag, and compressed once; others by undefined. */
  encode(plain: Plain, coding: Coding, etag: string | undefined): Buffer | Promise<Buffer>;
}

/** Below it, what is saved is less than a packet. */
const MIN_BYTES = 1024;
/** zstd runs on the event loop where Node has none of its own: 640 KB took 1 ms. */
const MAX_WASM_BYTES = 4 * 2 ** 20;
const NATIVE_ZSTD: unknown = Reflect.get(zlib, 'zstdCompress'); // since Node 22.15
const LEVEL = 1; // more than 1 saves little on rows of logs, for twice the time

/** `bytes`: how much of compressed answers is kept at most. */
export async function createCodings(bytes: number): Promise<Codings> {
  await init();
  const kept = new LRUCache<string, Buffer>({
    maxSize: Math.max(1, Math.floor(bytes)),
    sizeCalculation: sizeOf,
  });
  const running = new Map<string, Promise<Buffer>>();
  const preferences = new LRUCache<string, readonly Coding[]>({ max: 100 });

  const preferred = (accepted: string): readonly Coding[] => {
    const known = preferences.get(accepted);
    if (known !== undefined) return known;
    const read = readPreferences(accepted);
    preferences.set(accepted, read);
    return read;
  };

  const compressOnce = (key: string, plain: Plain, coding: Coding): Promise<Buffer> => {
    const started = running.get(key);
    if (started !== undefined) return started;
    const compressed = compress(plain.body, coding).finally(() => running.delete(key));
    running.set(key, compressed);
    void compressed.then(
      (body) => kept.set(key, body),
      () => undefined,
    );
    return compressed;
  };

  return {
    choose: (accepted, { body, contentType }) => {
      if (!isReadable(accepted)) return undefined;
      if (body.length < MIN_BYTES || isCompressed(contentType)) return undefined;
      return preferred(accepted).find((coding) => coding !== 'zstd' || takesZstd(body));
    },
    encode: (plain, coding, etag) => {
      if (etag === undefined) return compress(plain.body, coding);
      const key = `${coding} ${etag}`;
      return kept.get(key) ?? compressOnce(key, plain, coding);
    },
  };
}

/** Strong tags tell codings apart (RFC 9110, 8.8.3.3). */
export function etagIn(etag: string, coding: Coding | undefined): string {
  return coding === undefined ? etag : `${etag.slice(0, -1)}-${coding}"`;
}

/** The tag that an answer has whatever it is sent in. */
export function plainEtag(etag: string): string {
  return etag.replace(/-(?:zstd|br|gzip)"$/, '"');
}

function readPreferences(accepted: string): readonly Coding[] {
  // Its types do not know the second argument, which its page describes.
  const negotiator = new Negotiator({ headers: { 'accept-encoding': accepted } }) as unknown as {
    encodings(available: readonly string[], options: { preferred: readonly string[] }): readonly string[];
  };
  const names = negotiator.encodings(CODINGS, { preferred: CODINGS });
  return names.flatMap((name) => CODINGS.find((coding) => coding === name) ?? []);
}

/** Parquet is written compressed. */
function isCompressed(contentType: string): boolean {
  return contentType === FORMATS.parquet.contentType;
}

function takesZstd(body: Buffer): boolean {
  return NATIVE_ZSTD !== undefined || body.length <= MAX_WASM_BYTES;
}

const brotli = promisify(zlib.brotliCompress);
const gzip = promisify(zlib.gzip);

async function compress(body: Buffer, coding: Coding): Promise<Buffer> {
  switch (coding) {
    case 'zstd':
      return zstd(body);
    case 'br':
      return brotli(body, { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: LEVEL } });
    case 'gzip':
      return gzip(body, { level: LEVEL });
  }
}

type Compress = (body: Buffer, done: (error: Error | null, result: Buffer) => void) => void;

async function zstd(body: Buffer): Promise<Buffer> {
  if (NATIVE_ZSTD !== undefined) return promisify(NATIVE_ZSTD as Compress)(body); // as Node documents it
  return Buffer.from(wasmZstd(body, LEVEL));
}

function sizeOf(body: Buffer): number {
  return body.buffer.byteLength + 256;
}
