// The files of `millrace load`: their format by name, and their bytes without compression.
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { Decompress } from 'fzstd';
import type { LoadFormat } from '../../../service/loading/load.ts';
import { CommandError } from '../../kit/command-error.ts';

export interface LoadSource {
  /** For messages. */
  readonly name: string;
  readonly format: LoadFormat;
  /** Bytes of the file; undefined for standard input. */
  readonly size: number | undefined;
  /** Not compressed. Call once. */
  readonly bytes: () => AsyncIterable<Uint8Array>;
  /** Bytes of the file that were read so far. */
  readonly consumed: () => number;
}

export const FORMATS = ['ndjson', 'csv', 'parquet'] as const;
const BY_SUFFIX: readonly (readonly [RegExp, LoadFormat])[] = [
  [/\.(?:ndjson|jsonl|json)$/i, 'ndjson'],
  [/\.csv$/i, 'csv'],
  [/\.(?:parquet|pq)$/i, 'parquet'],
];

/** `-` is standard input. Rejects with CommandError, or with the error of the file system. */
export async function openSource(
  path: string,
  given: LoadFormat | undefined,
  input: Readable,
): Promise<LoadSource> {
  const isInput = path === '-';
  const plain = path.replace(/\.(?:gz|zst|zstd)$/i, '');
  const format = given ?? BY_SUFFIX.find(([suffix]) => suffix.test(plain))?.[1];
  if (format === undefined) {
    const message = isInput
      ? 'Name the format of standard input'
      : `The name of ${path} does not end with .ndjson, .jsonl, .csv or .parquet, with or without .gz or .zst; name its format`;
    throw new CommandError(`${message}: --format ndjson, csv or parquet`, { exitCode: 2 });
  }
  const state = isInput ? undefined : await stat(path).catch((error: unknown) => missing(path, error));
  if (state?.isDirectory() === true)
    throw new CommandError(`${path} is a folder; name its files`, { exitCode: 2 });
  let consumed = 0;
  const count = async function* (chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of chunks) {
      consumed += chunk.length;
      yield chunk;
    }
  };
  return {
    name: isInput ? 'standard input' : basename(path),
    format,
    size: state?.isFile() === true ? state.size : undefined,
    bytes: () => decompressed(count(isInput ? input : createReadStream(path, { highWaterMark: 2 ** 18 }))),
    consumed: () => consumed,
  };
}

function missing(path: string, cause: unknown): never {
  const isMissing = cause instanceof Error && 'code' in cause && cause.code === 'ENOENT';
  throw isMissing ? new CommandError(`${path} does not exist`) : cause;
}

const GZIP = [0x1f, 0x8b];
const ZSTD = [0x28, 0xb5, 0x2f, 0xfd];

/** By the first bytes, whatever the name. */
async function* decompressed(chunks: AsyncGenerator<Uint8Array>): AsyncGenerator<Uint8Array> {
  let start: Buffer = Buffer.alloc(0);
  while (start.length < 6) {
    const { done, value } = await chunks.next();
    if (done === true) break;
    start = Buffer.concat([start, value]);
  }
  const all = resumed(start, chunks);
  if (startsWith(start, GZIP)) yield* gunzipped(all);
  else if (startsWith(start, ZSTD)) yield* unzstd(all, start);
  else yield* all;
}

function startsWith(bytes: Uint8Array, magic: readonly number[]): boolean {
  return magic.every((byte, index) => bytes[index] === byte);
}

async function* resumed(start: Uint8Array, rest: AsyncGenerator<Uint8Array>): AsyncGenerator<Uint8Array> {
  if (start.length > 0) yield start;
  yield* rest;
}

async function* gunzipped(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const source = Readable.from(chunks);
  const gunzip = createGunzip({ chunkSize: 2 ** 18 });
  source.on('error', (cause) => gunzip.destroy(cause));
  try {
    for await (const chunk of source.pipe(gunzip)) yield chunk as Uint8Array; // a stream of bytes
  } catch (cause) {
    throw broken('gzip', cause);
  } finally {
    source.destroy();
  }
}

/** A few bytes can become 128 KiB each, so that little is given to the decompressor at once. */
const SLICE = 512;

async function* unzstd(chunks: AsyncIterable<Uint8Array>, start: Uint8Array): AsyncGenerator<Uint8Array> {
  if (windowOf(start) > MAX_WINDOW)
    throw new CommandError(
      'The zstd file needs a window of more than 128 MiB; compress it without --long or --ultra',
    );
  let parts: Uint8Array[] = [];
  const decoder = new Decompress((part) => void parts.push(part));
  try {
    for await (const slice of slices(chunks)) {
      decoder.push(slice);
      if (parts.length > 0) yield Buffer.concat(parts);
      parts = [];
    }
    decoder.push(new Uint8Array(0), true);
  } catch (cause) {
    throw broken('zstd', cause);
  }
  if (parts.length > 0) yield Buffer.concat(parts);
}

async function* slices(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks)
    for (let at = 0; at < chunk.length; at += SLICE) yield chunk.subarray(at, at + SLICE);
}

const MAX_WINDOW = 2 ** 27;

/** The memory that the first frame asks for, in bytes (RFC 8878, 3.1.1.1.2); 0 if its size alone decides. */
function windowOf(start: Uint8Array): number {
  const [, , , , descriptor = 0, window = 0] = start;
  if ((descriptor & 0x20) !== 0) return 0;
  const base = 2 ** (10 + (window >> 3));
  return base + (base / 8) * (window & 7);
}

function broken(kind: string, cause: unknown): CommandError {
  if (cause instanceof CommandError) return cause;
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new CommandError(`The ${kind} file is damaged or not complete: ${reason}`, { cause });
}
