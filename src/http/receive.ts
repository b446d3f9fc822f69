// An HTTP request read into a Call: where the key, the fields and the caller's wishes stand.
import type { FastifyRequest } from 'fastify';
import Negotiator from 'negotiator';
import type { CacheWish } from '../cache/freshness.ts';
import { Problem } from '../core/problem.ts';
import { formatNamed, formatOfMediaType, FORMATS, MEDIA_TYPES, type FormatName } from '../format/formats.ts';
import type { Call, Trace } from '../request/call.ts';
import { readFields, type Fields } from './fields.ts';

/** Reads a request for an endpoint. Throws Problem for what cannot be read at all. */
export function receiveCall(
  request: FastifyRequest<{ Params: { endpoint: string } }>,
  context: { readonly headerPrefix: string; readonly signal: () => AbortSignal; readonly trace: Trace },
): Call {
  const fields = readFields(queryStringOf(request), bodyOf(request));
  const prefix = fieldPrefix(context.headerPrefix);
  let signal: AbortSignal | undefined;
  return {
    requestId: request.id,
    endpoint: request.params.endpoint,
    key: keyOf(request),
    fields,
    format: readFormat(request, fields),
    redact: flagHeader(request, `${prefix}-redact-pii`),
    labels: headerText(request, `${prefix}-labels`),
    reservation: headerText(request, `${prefix}-reservation`)?.trim(),
    wish: readCacheWish(request.headers['cache-control']),
    trace: context.trace,
    get signal() {
      signal ??= context.signal();
      return signal;
    },
  };
}

/** Header fields, in lower case, that can change what a call without a body is answered. */
export function fieldsRead(headerPrefix: string): readonly string[] {
  const prefix = fieldPrefix(headerPrefix);
  const own = ['redact-pii', 'labels', 'reservation'].map((name) => `${prefix}-${name}`);
  return ['x-api-key', 'authorization', 'accept', ...own];
}

function fieldPrefix(headerPrefix: string): string {
  return `${headerPrefix.toLowerCase()}-endpoint`;
}

function headerText(request: FastifyRequest, name: string): string | undefined {
  const value = request.headers[name];
  return Array.isArray(value) ? value.join(', ') : value;
}

/** The key of `X-API-KEY` or `Authorization: Bearer`. */
export function keyOf(request: FastifyRequest): string | undefined {
  const header = request.headers['x-api-key'];
  if (typeof header === 'string') return header.trim();
  return /^Bearer +(\S+) *$/i.exec(request.headers.authorization ?? '')?.[1];
}

/** Request directives of RFC 9111, 5.2.1; what is not understood is not there. */
function readCacheWish(header: string | undefined): CacheWish {
  const directives = (header ?? '')
    .toLowerCase()
    .split(',')
    .map((each) => each.trim());
  const age = directives
    .map((each) => /^max-age="?(\d{1,9})"?$/.exec(each)?.[1])
    .find((each) => each !== undefined);
  return {
    noCache: directives.some((each) => each === 'no-cache' || each === 'no-store'),
    maxAge: age === undefined ? undefined : Number(age),
    onlyIfCached: directives.includes('only-if-cached'),
  };
}

function queryStringOf(request: FastifyRequest): string {
  const mark = request.url.indexOf('?');
  return mark === -1 ? '' : request.url.slice(mark + 1);
}

function bodyOf(request: FastifyRequest): { type: string; text: string } | undefined {
  if (typeof request.body !== 'string') return undefined;
  const [type = ''] = (request.headers['content-type'] ?? '').split(';');
  return { type: type.trim().toLowerCase(), text: request.body };
}

/** The parameter `format`, else what Accept prefers (RFC 9110, 12.5.1). Throws Problem `format.not_acceptable`. */
function readFormat(request: FastifyRequest, fields: Fields): FormatName {
  const [named] = fields.get('format') ?? [];
  const names = Object.keys(FORMATS).join(', ');
  if (named !== undefined && named !== '' && named !== null) {
    const format = typeof named === 'string' ? formatNamed(named) : undefined;
    if (format !== undefined) return format;
    throw new Problem('format.not_acceptable', { detail: `The parameter format takes ${names}` });
  }
  const mediaType = new Negotiator(request.raw).mediaType([...MEDIA_TYPES]);
  const format = mediaType === undefined ? undefined : formatOfMediaType(mediaType);
  if (format !== undefined) return format;
  throw new Problem('format.not_acceptable', {
    detail: `The Accept header takes none of ${MEDIA_TYPES.join(', ')}`,
  });
}

/** A header that switches something on: `true` in any case, also among doubles. */
function flagHeader(request: FastifyRequest, name: string): boolean {
  const value = request.headers[name];
  const values = Array.isArray(value) ? value : (value ?? '').split(',');
  return values.some((each) => each.trim().toLowerCase() === 'true');
}
