// Sends exports: their state, and their files in whole or in part (RFC 9110, 14).
import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { fileNameOf } from '../../exports/record.ts';
import type { OpenedResult } from '../../exports/exports.ts';
import type { ByteRange } from '../../exports/object-store.ts';
import { contentTypeOf } from '../../formats/formats.ts';
import { headerText, isReadable } from '../../http/call-fields.ts';
import { rateLimitFields } from '../../limits/rate-limits.ts';
import { Problem } from '../../../sql/base/problem.ts';

export function sendDocument(reply: FastifyReply, document: unknown): FastifyReply {
  return reply
    .headers({ ...rateLimitFields(reply.record.limits), 'Cache-Control': 'no-store' })
    .header('Content-Type', 'application/json; charset=utf-8')
    .send(JSON.stringify(document));
}

/** Throws Problem `export.range_invalid`. */
export async function sendResult(
  reply: FastifyReply,
  { record, read, close }: OpenedResult,
  cutOffIdle: (response: ServerResponse) => void,
): Promise<FastifyReply> {
  const { request } = reply;
  const etag = `"${record.id}"`;
  reply.headers({
    ...rateLimitFields(reply.record.limits),
    'Cache-Control': 'private, no-cache',
    ETag: etag,
    'Accept-Ranges': 'bytes',
    'Content-Disposition': `attachment; filename="${fileNameOf(record)}"`,
  });
  const known = headerText(request, 'if-none-match');
  if (
    isReadable(known) &&
    known.split(',').some((each) => [etag, '*'].includes(each.trim().replace(/^W\//, '')))
  ) {
    await close();
    return reply.code(304).send();
  }
  const ifRange = headerText(request, 'if-range');
  const range =
    ifRange === undefined || ifRange.trim() === etag
      ? rangeOf(headerText(request, 'range'), record.bytes)
      : undefined;
  if (range === 'invalid') {
    await close();
    reply.header('Content-Range', `bytes */${record.bytes}`);
    throw new Problem('export.range_invalid');
  }
  const { start, end } = range ?? { start: 0, end: record.bytes - 1 };
  if (range !== undefined) reply.code(206).header('Content-Range', `bytes ${start}-${end}/${record.bytes}`);
  reply.headers({ 'Content-Type': contentTypeOf(record.format), 'Content-Length': String(end - start + 1) });
  if (request.method === 'HEAD' || end < start) {
    await close();
    return reply.send(Readable.from([])); // with another body, Fastify sends its length
  }
  cutOffIdle(reply.raw);
  return reply.send(await read({ start, end }));
}

/** One range of bytes; undefined for none, several and other units: the whole file is sent then. */
function rangeOf(field: string | undefined, size: number): ByteRange | 'invalid' | undefined {
  const [, first = '', last = ''] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(field?.trim() ?? '') ?? [];
  if (first === '' && last === '') return undefined;
  if (first === '') return suffixOf(Number(last), size);
  const [start, end] = [Number(first), last === '' ? size - 1 : Math.min(Number(last), size - 1)];
  if (last !== '' && Number(last) < start) return undefined;
  return start >= size ? 'invalid' : { start, end };
}

function suffixOf(length: number, size: number): ByteRange | 'invalid' {
  return length === 0 || size === 0 ? 'invalid' : { start: Math.max(0, size - length), end: size - 1 };
}
