// Request bodies: decompressed within the limit that uncompressed bodies have, as text or as form fields.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Problem } from '../../../sql/base/problem.ts';
import { BODY_LIMIT, readBytes } from '../../http/body.ts';
import { textOf } from '../../http/body-text.ts';
import { decodeContent } from '../../http/content-coding.ts';
import { decompressBlocks } from './blocks.ts';
import { readParameters } from './parameters.ts';
import { mediaTypeOf } from '../../http/call-fields.ts';

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
  const { 'content-encoding': coding, 'content-type': contentType } = request.headers;
  const decoded = await decodeContent(sent, coding, BODY_LIMIT);
  const bytes = isInBlocks ? await decompressBlocks(decoded, BODY_LIMIT) : decoded;
  const text = bytes.length === 0 ? '' : textOf(bytes, contentType);
  const type = mediaTypeOf(request);
  if (type === 'multipart/form-data') return { text: '', form: await readForm(bytes, String(contentType)) };
  // Servers read a body of this type as the query, since curl labels every body so. No statement starts as a form does.
  const isForm = type === 'application/x-www-form-urlencoded' && /^\w+=/.test(text);
  return isForm ? { text: '', form: readParameters(text) } : { text, form: [] };
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
