// Request bodies: decompressed within the limit that uncompressed bodies have, as text or as form fields.
import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Problem } from '../../core/problem.ts';
import { BODY_LIMIT, readBytes } from '../body.ts';
import { mediaTypeOf } from '../receive.ts';
import { decompressZstd } from '../zstd.ts';
import { decompressBlocks } from './blocks.ts';
import { readParameters } from './parameters.ts';

/** What a body says: text that follows the query of the URL, or parameters. */
export interface Body {
  readonly text: string;
  /** May have the query. */
  readonly form: Iterable<readonly [name: string, value: string]>;
}

interface BodyOptions {
  /** `decompress=1`: the body consists of ClickHouse's compressed blocks. */
  readonly isInBlocks: boolean;
}

/** Call once. Throws Problem `request.body_*`, `request.encoding_*` or `request.client_closed`. */
export async function readQueryBody(
  request: FastifyRequest,
  reply: FastifyReply,
  { isInBlocks }: BodyOptions,
): Promise<Body> {
  const sent = await readBytes({ request: request.raw, response: reply.raw });
  const decoded = await decode(sent, request.headers['content-encoding']);
  const bytes = isInBlocks ? await decompressBlocks(decoded, BODY_LIMIT) : decoded;
  const type = mediaTypeOf(request);
  if (type === 'multipart/form-data') {
    return { text: '', form: await readForm(bytes, String(request.headers['content-type'])) };
  }
  const text = textOf(bytes);
  // Servers read a body of this type as the query, since curl labels every body so. No statement starts as a form does.
  const isForm = type === 'application/x-www-form-urlencoded' && /^\w+=/.test(text);
  return isForm ? { text: '', form: readParameters(text) } : { text, form: [] };
}

const LIMIT = { maxOutputLength: BODY_LIMIT };
const [gunzipAsync, inflateAsync, brotliAsync] = [
  promisify(gunzip),
  promisify(inflate),
  promisify(brotliDecompress),
];

const DECODERS: Readonly<Record<string, (bytes: Buffer) => Promise<Buffer>>> = {
  gzip: async (bytes) => gunzipAsync(bytes, LIMIT),
  'x-gzip': async (bytes) => gunzipAsync(bytes, LIMIT),
  deflate: async (bytes) => inflateAsync(bytes, LIMIT),
  br: async (bytes) => brotliAsync(bytes, LIMIT),
  zstd: async (bytes) => {
    const data = decompressZstd(bytes, BODY_LIMIT);
    if (data === 'too large') throw new Problem('request.body_too_large');
    if (data === undefined) throw new Problem('request.encoding_invalid');
    return data;
  },
};

/** RFC 9110, 8.4. */
async function decode(bytes: Buffer, field: string | undefined): Promise<Buffer> {
  const coding = (field ?? '').trim().toLowerCase();
  if (coding === '' || coding === 'identity' || bytes.length === 0) return bytes;
  const decoder = Object.hasOwn(DECODERS, coding) ? DECODERS[coding] : undefined;
  if (decoder === undefined) {
    const detail = `Bodies with Content-Encoding ${coding.slice(0, 100)} are not supported`;
    throw new Problem('request.encoding_unsupported', { detail });
  }
  return decoder(bytes).catch((cause: unknown) => {
    if (cause instanceof Problem) throw cause;
    const isTooLarge = cause instanceof Error && 'code' in cause && cause.code === 'ERR_BUFFER_TOO_LARGE';
    throw isTooLarge
      ? new Problem('request.body_too_large', { cause })
      : new Problem('request.encoding_invalid', { detail: `The body is not valid ${coding}`, cause });
  });
}

const UTF_8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Bytes that are not UTF-8 are rejected: replaced, they would make another query. */
function textOf(bytes: Buffer): string {
  try {
    return UTF_8.decode(bytes);
  } catch (cause) {
    throw new Problem('request.body_invalid', { detail: 'The body is not valid UTF-8', cause });
  }
}

/** RFC 7578. */
async function readForm(bytes: Buffer, type: string): Promise<Body['form']> {
  const headers = { 'Content-Type': type };
  const form = await new Response(new Uint8Array(bytes), { headers }).formData().catch((cause: unknown) => {
    throw new Problem('request.body_invalid', { detail: 'The body is not valid multipart/form-data', cause });
  });
  return [...form].map(([name, value]) => {
    if (typeof value === 'string') return [name, value];
    const detail = `"${name.slice(0, 100)}" is a file: external tables are not supported`;
    throw new Problem('request.body_invalid', { detail });
  });
}
