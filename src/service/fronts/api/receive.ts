// Parses an HTTP request into a Call: the key, the fields, the format and the cache directives.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Problem } from '../../../sql/base/problem.ts';
import { formatNamed, FORMATS, MEDIA_TYPES, OFFERED_TYPES, type FormatName } from '../../formats/formats.ts';
import type { Call, CallContent } from '../../request/call.ts';
import { acceptedTypes } from '../../http/accepted-types.ts';
import { readText } from '../../http/body-text.ts';
import { readFields, type Fields } from '../../http/fields.ts';
import {
  isReadable,
  MAX_FIELD_LENGTH,
  callFields,
  keyOf,
  type CallFields,
  mediaTypeOf,
  queryStringOf,
  headerText,
  readOptions,
} from '../../http/call-fields.ts';
import type { ResultShape } from '../../endpoints/endpoint.ts';

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
  const { format, live } = readForm(request, fields);
  return {
    fields,
    format,
    live,
    resultShape: preferredShape(prefer),
    nonFinite: prefers(prefer, NON_FINITE) ? 'string' : undefined,
    metadata: prefers(prefer, METADATA) ? 'preferred' : 'optional',
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

/** Returns whether the Accept header prefers events to all formats. */
function acceptsEvents({ headers: { accept } }: EndpointRequest): boolean {
  if (accept === undefined || !/text\/event-stream/i.test(accept)) return false;
  const [preferred] = acceptedTypes(accept, [EVENTS, ...OFFERED_TYPES.keys()]);
  return preferred === EVENTS;
}

const EVENTS = 'text/event-stream; charset=utf-8';

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

/** One preference with its parameters; a comma in a quoted string does not end it. */
const PREFERENCE = /(?:[^,"]|"(?:[^"\\]|\\.)*")+/g;
const RESULT_SHAPE = /^\s*result-shape\s*=\s*("?)(standard|bigquery)\1\s*(?:;|$)/i;
const IS_RESULT_SHAPE = /^\s*result-shape\s*(?:[=;]|$)/i;
/** A preference without a value; an empty one is the same (RFC 7240, 2). */
export const METADATA = /^\s*metadata\s*(?:=\s*(?:"")?\s*)?(?:;|$)/i;

export const NON_FINITE = /^\s*non-finite\s*=\s*("?)string\1\s*(?:;|$)/i;

/**
 * The first preference `result-shape`. Undefined if there is none, if its value is unknown, or if the header is oversized: a
 * preference that a server does not know is ignored.
 */
export function preferredShape(header: string | undefined): ResultShape | undefined {
  if (!isReadable(header)) return undefined;
  const preference = header.match(PREFERENCE)?.find((each) => IS_RESULT_SHAPE.test(each)) ?? '';
  const [, , value] = RESULT_SHAPE.exec(preference) ?? [];
  return value?.toLowerCase() as ResultShape | undefined; // one of the values in the pattern
}

const WAIT = /^\s*wait\s*=\s*("?)(\d{1,6})\1\s*(?:;|$)/i;

/** The seconds that the client would wait (RFC 7240, 4.3); undefined: it does not say. */
export function preferredWait(header: string | undefined): number | undefined {
  if (!isReadable(header)) return undefined;
  const preference = header.match(PREFERENCE)?.find((each) => WAIT.test(each)) ?? '';
  const [, , seconds] = WAIT.exec(preference) ?? [];
  return seconds === undefined ? undefined : Number(seconds);
}

/** Returns whether one of the preferences matches. */
export function prefers(header: string | undefined, preference: RegExp): boolean {
  if (!isReadable(header)) return false;
  return header.match(PREFERENCE)?.some((each) => preference.test(each)) ?? false;
}
