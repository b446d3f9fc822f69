// An HTTP request read into a Call: where the key, the fields and the caller's wishes stand.
import type { FastifyReply, FastifyRequest } from 'fastify';
import Negotiator from 'negotiator';
import type { CacheWish } from '../cache/freshness.ts';
import { Problem } from '../core/problem.ts';
import { formatNamed, formatOfMediaType, FORMATS, MEDIA_TYPES, type FormatName } from '../format/formats.ts';
import { MAX_KEY_LENGTH } from '../request/authorize.ts';
import type { Call, CallContent } from '../request/call.ts';
import { readBody } from './body.ts';
import { readFields, type Fields } from './fields.ts';
import { isReadable, MAX_FIELD_LENGTH } from './header-limit.ts';

/**
 * A request for an endpoint as a Call. Before the key is known nothing is read but the key, the endpoint's name and the
 * request id; the rest when the request path asks for it.
 */
export function receiveCall(
  request: EndpointRequest,
  reply: FastifyReply,
  context: { readonly headerPrefix: string; readonly signal: () => AbortSignal },
): Call {
  let signal: AbortSignal | undefined;
  return {
    requestId: request.id,
    endpoint: request.params.endpoint,
    key: keyOf(request),
    read: async () => {
      const text = await readBody({ request: request.raw, response: reply.raw });
      return readContent(request, text, fieldPrefix(context.headerPrefix));
    },
    trace: reply.trace,
    get signal() {
      signal ??= context.signal();
      return signal;
    },
  };
}

type EndpointRequest = FastifyRequest<{ Params: { endpoint: string } }>;

/** Throws Problem for what cannot be read at all. */
function readContent(request: EndpointRequest, body: string, prefix: string): CallContent {
  const fields = readFields(queryStringOf(request), { type: mediaTypeOf(request), text: body });
  return {
    fields,
    format: readFormat(request, fields),
    redact: flagHeader(request, `${prefix}-redact-pii`),
    labels: headerText(request, `${prefix}-labels`),
    reservation: headerText(request, `${prefix}-reservation`)?.trim(),
    wish: readCacheWish(request.headers['cache-control']),
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

/** The key of `X-API-KEY` or `Authorization: Bearer`; what is longer than any key as it is. */
export function keyOf(request: FastifyRequest): string | undefined {
  const { 'x-api-key': header, authorization = '' } = request.headers;
  if (typeof header === 'string') return header.length > MAX_KEY_LENGTH ? header : header.trim();
  if (authorization.length > MAX_KEY_LENGTH + 'Bearer '.length) return authorization;
  return /^Bearer +(\S+) *$/i.exec(authorization)?.[1];
}

/** Request directives of RFC 9111, 5.2.1; what is not understood is not there, nor is anything in a header that is too long. */
function readCacheWish(header: string | undefined): CacheWish {
  const directives = (isReadable(header) ? header : '')
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

/** '' where the request names none. */
function mediaTypeOf({ headers }: FastifyRequest): string {
  const [type = ''] = (headers['content-type'] ?? '').split(';', 1);
  return type.trim().toLowerCase();
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
  const { accept } = request.headers;
  if (accept !== undefined && !isReadable(accept)) {
    throw new Problem('format.not_acceptable', {
      detail: `The Accept header is longer than ${MAX_FIELD_LENGTH} characters`,
      hint: `Send a shorter Accept, or the parameter format: ${names}.`,
    });
  }
  const mediaType = new Negotiator(request.raw).mediaType([...MEDIA_TYPES]);
  const format = mediaType === undefined ? undefined : formatOfMediaType(mediaType);
  if (format !== undefined) return format;
  throw new Problem('format.not_acceptable', {
    detail: `The Accept header takes none of ${MEDIA_TYPES.join(', ')}`,
  });
}

/** A header that switches something on: `true` in any case, also among doubles. One that is too long switches it on. */
function flagHeader(request: FastifyRequest, name: string): boolean {
  const value = headerText(request, name) ?? '';
  return !isReadable(value) || value.split(',').some((each) => each.trim().toLowerCase() === 'true');
}
