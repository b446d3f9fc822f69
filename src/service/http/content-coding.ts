// Decodes the content codings of request bodies (RFC 9110, 8.4), within the limit that uncompressed bodies have.
import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate } from 'node:zlib';
import { Problem } from '../../sql/base/problem.ts';
import { decompressZstd } from './zstd.ts';

/** Each decoded body may be a thousand times as long as the one before: more codings only hide what the body is. */
const MAX_CODINGS = 2;

const [gunzipAsync, inflateAsync, brotliAsync] = [
  promisify(gunzip),
  promisify(inflate),
  promisify(brotliDecompress),
];

type Decoder = (bytes: Buffer, limit: number) => Promise<Buffer>;

const gzip: Decoder = async (bytes, maxOutputLength) => gunzipAsync(bytes, { maxOutputLength });

const DECODERS: Readonly<Record<string, Decoder>> = {
  gzip,
  'x-gzip': gzip, // RFC 9110, 8.4.1.3
  deflate: async (bytes, maxOutputLength) => inflateAsync(bytes, { maxOutputLength }),
  br: async (bytes, maxOutputLength) => brotliAsync(bytes, { maxOutputLength }),
  zstd: async (bytes, limit) => {
    const data = decompressZstd(bytes, limit);
    if (data === 'too large') throw new Problem('request.body_too_large');
    if (data === undefined) throw invalid('zstd');
    return data;
  },
};

/** What a client may use, for Accept-Encoding of a response (RFC 9110, 12.5.3). */
export const READABLE_CODINGS = 'gzip, deflate, br, zstd';

/**
 * The body as it was before the codings of a Content-Encoding field were applied. Throws Problem `request.encoding_unsupported`,
 * `request.encoding_invalid`, and `request.body_too_large` for more than `limit` bytes, of which no more are made.
 */
export async function decodeContent(
  bytes: Buffer,
  field: string | undefined,
  limit: number,
): Promise<Buffer> {
  const codings = codingsOf(field);
  if (codings.length > MAX_CODINGS) throw unsupported(codings.join(', '));
  const decoders = codings.map((coding) => {
    const decoder = Object.hasOwn(DECODERS, coding) ? DECODERS[coding] : undefined;
    if (decoder === undefined) throw unsupported(coding);
    return { coding, decoder };
  });
  if (bytes.length === 0) return bytes;
  let decoded = bytes;
  for (const { coding, decoder } of decoders.toReversed()) {
    decoded = await decoder(decoded, limit).catch((cause: unknown) => {
      if (cause instanceof Problem) throw cause;
      const isTooLarge = cause instanceof Error && 'code' in cause && cause.code === 'ERR_BUFFER_TOO_LARGE';
      throw isTooLarge ? new Problem('request.body_too_large', { cause }) : invalid(coding, cause);
    });
  }
  return decoded;
}

/** In the order in which they were applied. */
function codingsOf(field: string | undefined): readonly string[] {
  const names = (field ?? '').split(',').map((name) => name.trim().toLowerCase());
  return names.filter((name) => name !== '' && name !== 'identity');
}

function unsupported(codings: string): Problem {
  const detail = `Bodies with Content-Encoding ${codings.slice(0, 100)} are not supported`;
  return new Problem('request.encoding_unsupported', { detail });
}

function invalid(coding: string, cause?: unknown): Problem {
  return new Problem('request.encoding_invalid', { detail: `The body is not valid ${coding}`, cause });
}
