// Reads the header fields of requests: how much of one is parsed, the id of the request, and what every front reads for a call: its key and
// its options.
import type { FastifyRequest } from 'fastify';
import { NO_DIRECTIVES, type CacheDirectives } from '../cache/freshness.ts';
import type { CallContent } from '../request/call.ts';
import { MAX_KEY_LENGTH } from '../request/admission/keys.ts';

/** What header fields ask for on every entry point. */
export function readOptions(
  request: FastifyRequest,
  names: CallFields,
): Pick<CallContent, 'redact' | 'labels' | 'reservation' | 'isOverRows' | 'directives'> {
  return {
    redact: asksForRedaction(request, names.redact),
    labels: headerText(request, names.labels),
    reservation: headerText(request, names.reservation)?.trim(),
    isOverRows: headerText(request, names.rollups)?.trim().toLowerCase() === 'off',
    directives: readCacheDirectives(request.headers['cache-control']),
  };
}

/** Names of the service's own header fields, in lower case. */
export interface CallFields {
  readonly redact: string;
  readonly labels: string;
  readonly reservation: string;
  readonly rollups: string;
}

export function callFields(headerPrefix: string): CallFields {
  const prefix = `${headerPrefix.toLowerCase()}-endpoint`;
  return {
    redact: `${prefix}-redact-pii`,
    labels: `${prefix}-labels`,
    reservation: `${prefix}-reservation`,
    rollups: `${prefix}-rollups`,
  };
}

/** Header fields, in lower case, that can change the answer to a call without a body. */
export function fieldsRead(headerPrefix: string): readonly string[] {
  return ['x-api-key', 'authorization', 'accept', 'prefer', ...Object.values(callFields(headerPrefix))];
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
 * Returns whether a header asks for redaction: any value but none, `0` and `false` does, since a caller who sends the field wants
 * personal data removed. Of several values, one that asks is enough. An oversized header asks.
 */
function asksForRedaction(request: FastifyRequest, name: string): boolean {
  const value = headerText(request, name) ?? '';
  return !isReadable(value) || value.split(',').some((each) => !/^[ \t]*(?:0|false)?[ \t]*$/i.test(each));
}

/** Fields with more characters are not parsed; each reader documents the consequence. */
export const MAX_FIELD_LENGTH = 500;

/** Returns false for a missing field, too. */
export function isReadable(field: string | undefined): field is string {
  return field !== undefined && field.length <= MAX_FIELD_LENGTH;
}

/**
 * Returns the request id, used in responses, the log and the engine's query log: the client's if it is a plain token, otherwise a new one.
 */
export function requestIdOf(field: string | string[] | undefined, newId: () => string): string {
  return typeof field === 'string' && /^[\w.:-]{1,64}$/.test(field) ? field : newId();
}
