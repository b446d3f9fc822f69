// Reads requests for exports: those of calls, with a format and a place that the Accept header does not choose.
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ExportCall } from '../../exports/plan-export.ts';
import { formatNamed, type FormatName } from '../../formats/formats.ts';
import { readText } from '../../http/body-text.ts';
import {
  callFields,
  headerText,
  keyOf,
  mediaTypeOf,
  queryStringOf,
  readOptions,
  type CallFields,
} from '../../http/call-fields.ts';
import { invalidParameter, readFields, type Fields } from '../../http/fields.ts';
import type { CallContent } from '../../request/call.ts';
import { NON_FINITE, preferredShape, prefers } from '../api/receive.ts';

export type ExportRequest = FastifyRequest<{ Params: { endpoint: string; id?: string } }>;

export type ReceiveExport = (request: ExportRequest, reply: FastifyReply) => ExportCall;

/** The longest Idempotency-Key. */
const MAX_KEY = 255;

/** The call is read once; it can be admitted again after that. */
export function createReceiveExport(headerPrefix: string): ReceiveExport {
  const names = callFields(headerPrefix);
  return (request, reply) => {
    const { signal } = new AbortController(); // an export goes on without its caller
    const idempotencyKey = headerText(request, 'idempotency-key');
    let read: Promise<CallContent> | undefined;
    let place: string | undefined;
    const readOnce = async (): Promise<CallContent> => {
      if (idempotencyKey !== undefined && !(idempotencyKey.length > 0 && idempotencyKey.length <= MAX_KEY))
        throw invalidParameter('Idempotency-Key', `must have 1 to ${MAX_KEY} characters`);
      const body = await readText({ request: request.raw, response: reply.raw });
      const sent = body === '' ? undefined : { type: mediaTypeOf(request), text: body };
      const { fields, ...own } = withoutPlace(readFields(queryStringOf(request), sent));
      ({ place } = own);
      return contentOf(request, fields, names);
    };
    return {
      requestId: request.id,
      endpoint: request.params.endpoint,
      key: keyOf(request),
      read: () => (read ??= readOnce()),
      record: reply.record,
      signal: () => signal,
      place: () => place,
      idempotencyKey,
    };
  };
}

/** Throws Problem. */
function withoutPlace(all: Fields): { readonly fields: Fields; readonly place: string | undefined } {
  const { export_to: values = [], ...rest } = Object.fromEntries(all);
  const [place, second] = values;
  if (second !== undefined) throw invalidParameter('export_to', 'is there more than once');
  if (place === undefined || place === null || place === '')
    return { fields: new Map(Object.entries(rest)), place: undefined };
  if (typeof place !== 'string') throw invalidParameter('export_to', 'must be download or s3');
  return { fields: new Map(Object.entries(rest)), place };
}

function contentOf(request: ExportRequest, fields: Fields, names: CallFields): CallContent {
  const prefer = headerText(request, 'prefer');
  return {
    fields,
    format: formatOf(fields),
    resultShape: preferredShape(prefer),
    nonFinite: prefers(prefer, NON_FINITE) ? 'string' : undefined,
    ...readOptions(request, names),
  };
}

/** Throws Problem. */
function formatOf(fields: Fields): FormatName {
  const [named] = fields.get('format') ?? [];
  if (named === undefined || named === null || named === '') return 'parquet';
  const format = typeof named === 'string' ? formatNamed(named) : undefined;
  if (format === undefined) throw invalidParameter('format', 'must be parquet, csv, ndjson or arrow');
  return format;
}
