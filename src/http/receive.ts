// Parses an HTTP request into a Call: the key, the fields, the format and the cache directives.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { NO_DIRECTIVES, type CacheDirectives } from '../cache/freshness.ts';
import { Problem } from '../core/problem.ts';
import { formatNamed, FORMATS, MEDIA_TYPES, OFFERED_TYPES, type FormatName } from '../format/formats.ts';
import { MAX_KEY_LENGTH } from '../request/admit.ts';
import type { Call, CallContent } from '../request/call.ts';
import { acceptedTypes } from './accepted-types.ts';
import { readText } from './body-text.ts';
import { readFields, type Fields } from './fields.ts';
import { isReadable, MAX_FIELD_LENGTH } from './header-fields.ts';
import { preferredShape, prefersMetadata } from './prefer.ts';

/** A request for an endpoint as a Call; `signal` is called at most once. */
export type ReceiveCall = (request: EndpointRequest, reply: FastifyReply, signal: () => AbortSignal) => Call;

type EndpointRequest = FastifyRequest<{ Params: { endpoint: string } }>;

/**
 * Creates the function that receives calls. Before authentication only the key, the endpoint's name and the request id
 * are read; the rest when the request path calls `read`.
 */
export function createReceiveCall(headerPrefix: string): ReceiveCall {
  const names = callFields(headerPrefix);
  return (request, reply, createSignal) => {
    let signal: AbortSignal | undefined;
    return {
      requestId: request.id,
      endpoint: request.params.endpoint,
      key: keyOf(request),
      read: async () =>
        readContent(request, await readText({ request: request.raw, response: reply.raw }), names),
      record: reply.record,
      signal: () => (signal ??= createSignal()),
    };
  };
}

/** Throws Problem for unreadable content. */
function readContent(request: EndpointRequest, body: string, names: CallFields): CallContent {
  const sent = body === '' ? undefined : { type: mediaTypeOf(request), text: body };
  const fields = readFields(queryStringOf(request), sent);
  const prefer = headerText(request, 'prefer');
  return {
    fields,
    ...readForm(request, fields),
    resultShape: preferredShape(prefer),
    metadata: prefersMetadata(prefer) ? 'preferred' : 'optional',
    ...readOptions(request, names),
  };
}

/** The format, and whether a stream of events is asked for. Throws Problem `format.not_acceptable`. */
function readForm(request: EndpointRequest, fields: Fields): Pick<CallContent, 'format' | 'live'> {
  const isNamed = fields.get('live')?.some((value) => value === 'true' || value === true) ?? false;
  const isFormatted = (fields.get('format') ?? []).some((value) => value !== '' && value !== null);
  const by = isNamed ? 'parameter' : !isFormatted && acceptsEvents(request) ? 'accept' : undefined;
  if (by === undefined) return { format: readFormat(request, fields) };
  const [sent] = fields.get('last_event_id') ?? [];
  const lastEventId = headerText(request, 'last-event-id') ?? (typeof sent === 'string' ? sent : undefined);
  const known = isReadable(lastEventId) ? lastEventId : undefined;
  const other = isFormatted ? readFormat(request, fields) : preferredFormat(request);
  const format = other ?? 'json';
  if (by === 'accept') return { format, live: { by, lastEventId: known, isOptional: other !== undefined } };
  if (isFormatted && format !== 'json')
    throw new Problem('format.not_acceptable', {
      detail: 'The results of live calls are JSON',
      hint: 'Leave out format.',
    });
  return { format, live: { by, lastEventId: known, isOptional: false } };
}

/** Whether the Accept header prefers events to all formats. */
function acceptsEvents({ headers: { accept } }: EndpointRequest): boolean {
  if (accept === undefined || !/text\/event-stream/i.test(accept)) return false;
  const [preferred] = acceptedTypes(accept, [EVENTS, ...OFFERED_TYPES.keys()]);
  return preferred === EVENTS;
}

const EVENTS = 'text/event-stream; charset=utf-8';

/** What header fields ask for on every entry point. */
export function readOptions(
  request: FastifyRequest,
  names: CallFields,
): Pick<CallContent, 'redact' | 'labels' | 'reservation' | 'directives'> {
  return {
    redact: asksForRedaction(request, names.redact),
    labels: headerText(request, names.labels),
    reservation: headerText(request, names.reservation)?.trim(),
    directives: readCacheDirectives(request.headers['cache-control']),
  };
}

/** Names of the service's own header fields, in lower case. */
export interface CallFields {
  readonly redact: string;
  readonly labels: string;
  readonly reservation: string;
}

export function callFields(headerPrefix: string): CallFields {
  const prefix = `${headerPrefix.toLowerCase()}-endpoint`;
  return {
    redact: `${prefix}-redact-pii`,
    labels: `${prefix}-labels`,
    reservation: `${prefix}-reservation`,
  };
}

/** Header fields, in lower case, that can change the answer to a call without a body. */
export function fieldsRead(headerPrefix: string): readonly string[] {
  const { redact, labels, reservation } = callFields(headerPrefix);
  return ['x-api-key', 'authorization', 'accept', 'prefer', redact, labels, reservation];
}

/** The value of a field; several of one name as a list. */
export function headerText(request: FastifyRequest, name: string): string | undefined {
  const value = request.headers[name];
  return Array.isArray(value) ? value.join(', ') : value;
}

/**
 * The key in `X-API-KEY` or `Authorization: Bearer`. A value longer than any key is returned untrimmed, to be rejected.
 */
export function keyOf(request: FastifyRequest): string | undefined {
  const { 'x-api-key': header, authorization = '' } = request.headers;
  if (typeof header === 'string') return header.length > MAX_KEY_LENGTH ? header : header.trim();
  if (authorization.length > MAX_KEY_LENGTH + 'Bearer '.length) return authorization;
  return /^Bearer +(\S+) *$/i.exec(authorization)?.[1];
}

/** Request directives of RFC 9111, 5.2.1; unknown directives, and all of an oversized header, are ignored. */
function readCacheDirectives(header: string | undefined): CacheDirectives {
  if (!isReadable(header)) return NO_DIRECTIVES;
  const directives = header
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

export function queryStringOf(request: FastifyRequest): string {
  const mark = request.url.indexOf('?');
  return mark === -1 ? '' : request.url.slice(mark + 1);
}

/** '' if the request has none. */
export function mediaTypeOf({ headers }: FastifyRequest): string {
  const [type = ''] = (headers['content-type'] ?? '').split(';', 1);
  return type.trim().toLowerCase();
}

/**
 * The parameter `format`, otherwise the format preferred by Accept (RFC 9110, 12.5.1). Throws Problem
 * `format.not_acceptable`.
 */
function readFormat(request: FastifyRequest, fields: Fields): FormatName {
  const [named] = fields.get('format') ?? [];
  const names = Object.keys(FORMATS).join(', ');
  if (named !== undefined && named !== '' && named !== null) {
    const format = typeof named === 'string' ? formatNamed(named) : undefined;
    if (format !== undefined) return format;
    throw new Problem('format.not_acceptable', { detail: `The parameter format must be one of ${names}` });
  }
  const { accept } = request.headers;
  if (accept !== undefined && !isReadable(accept)) {
    throw new Problem('format.not_acceptable', {
      detail: `The Accept header is longer than ${MAX_FIELD_LENGTH} characters`,
      hint: `Send a shorter Accept header, or the parameter format: ${names}.`,
    });
  }
  const format = preferredFormat(request);
  if (format !== undefined) return format;
  throw new Problem('format.not_acceptable', {
    detail: `The Accept header accepts none of ${MEDIA_TYPES.join(', ')}`,
  });
}

/** Undefined: the Accept header accepts none. */
function preferredFormat({ headers: { accept } }: Pick<FastifyRequest, 'headers'>): FormatName | undefined {
  const [preferred] = acceptedTypes(accept, [...OFFERED_TYPES.keys()]);
  return preferred === undefined ? undefined : OFFERED_TYPES.get(preferred);
}

/**
 * Whether a header asks for redaction: any value but none, `0` and `false` does, since a caller who sends the field wants
 * personal data removed. Of several values, one that asks is enough. An oversized header asks.
 */
function asksForRedaction(request: FastifyRequest, name: string): boolean {
  const value = headerText(request, name) ?? '';
  return !isReadable(value) || value.split(',').some((each) => !/^[ \t]*(?:0|false)?[ \t]*$/i.test(each));
}
