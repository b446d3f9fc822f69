// Sends an answer: validators, cache directives and cache status (RFC 9110, 9111, 9211).
import type { FastifyReply } from 'fastify';
import type { Outcome } from '../cache/read-through.ts';
import { rateLimitFields } from '../rate-limits/rate-limits.ts';
import type { Answer } from '../request/call.ts';
import { plainEtag } from './compression.ts';
import { deprecationFields, successorLinks } from './deprecation-fields.ts';
import { isReadable } from './header-fields.ts';
import { linkField } from './links.ts';

/** Sends the answer, or 304 if the client has it already. */
export function sendAnswer(reply: FastifyReply, answer: Answer, headerPrefix: string): FastifyReply {
  reply.answer = answer;
  reply.headers(rateLimitFields(reply.record.limits));
  reply
    .headers(answerFields({ ...answer, url: reply.request.url }, headerPrefix))
    .header('Server-Timing', serverTiming(answer.timing));
  if (hasAlready(reply, answer.etag)) return reply.code(304).send();
  return reply.header('Content-Type', answer.contentType).send(answer.body);
}

type AnswerParts = Pick<
  Answer,
  'endpoint' | 'etag' | 'outcome' | 'truncated' | 'dialect' | 'preferredShape' | 'successor' | 'next'
> &
  Partial<Pick<Answer, 'isMetadataPreferred'>> & {
    /** Of the request. */
    readonly url: string;
  };

/** The URL of a request with another cursor: a query relative to it, so that it is right behind any proxy. */
function nextPage(url: string, cursor: string): string {
  const query = url.split('?').slice(1).join('?').split('#', 1)[0] ?? '';
  const others = query.split('&').filter((each) => each !== '' && !/^cursor(?:=|$)/.test(each));
  const safe = others.map((each) => each.replace(/[^\w\-.~!$'()*+,;=:@/?%]/g, encodeURIComponent));
  return `?${[...safe, `cursor=${cursor}`].join('&')}`;
}

/** The preferences that were applied (RFC 7240, 3). */
function appliedField(
  shape: AnswerParts['preferredShape'],
  isMetadataPreferred = false,
): Readonly<Record<string, string>> {
  const applied = [
    ...(shape === undefined ? [] : [`result-shape=${shape}`]),
    ...(isMetadataPreferred ? ['metadata'] : []),
  ];
  return applied.length === 0 ? {} : { 'Preference-Applied': applied.join(', ') };
}

/** Header fields of an answer, except those that differ from call to call. */
export function answerFields(
  {
    endpoint,
    etag,
    outcome,
    truncated,
    dialect,
    preferredShape,
    successor,
    next,
    url,
    isMetadataPreferred,
  }: AnswerParts,
  headerPrefix: string,
): Readonly<Record<string, string>> {
  const links = next === undefined ? [] : [{ target: nextPage(url, next), rel: 'next' }];
  return {
    'Cache-Control': outcome === undefined ? 'no-store' : `private, max-age=${Math.max(0, outcome.ttl)}`,
    ETag: etag,
    ...calledFields({ endpoint, successor, dialect }, headerPrefix, links),
    ...appliedField(preferredShape, isMetadataPreferred),
    ...(truncated ? { 'Millrace-Truncated': 'true' } : {}),
    ...(outcome === undefined ? {} : { Age: String(outcome.age), 'Cache-Status': cacheStatus(outcome) }),
  };
}

type CalledParts = Pick<AnswerParts, 'endpoint' | 'successor' | 'dialect'>;

/** Those that say what was called. */
export function calledFields(
  { endpoint, successor, dialect }: CalledParts,
  headerPrefix: string,
  links: Parameters<typeof linkField>[0] = [],
): Readonly<Record<string, string>> {
  return {
    Vary: `Accept, Accept-Encoding, Prefer, Authorization, X-API-KEY, Origin, ${headerPrefix}-ENDPOINT-REDACT-PII`,
    'Millrace-Endpoint': `${endpoint.name}@${endpoint.revision}`,
    ...(endpoint.version === undefined ? {} : { 'Millrace-Version': String(endpoint.version) }),
    ...deprecationFields(endpoint),
    ...linkField([...links, ...successorLinks(successor)]),
    ...(dialect === undefined ? {} : { 'Millrace-Dialect': dialect }),
  };
}

/** `auth;dur=0.02, plan;dur=0.11, …` in milliseconds (https://www.w3.org/TR/server-timing/). */
function serverTiming(timing: Answer['timing']): string {
  return Object.entries(timing)
    .map(([stage, ms]) => `${stage};dur=${ms.toFixed(2)}`)
    .join(', ');
}

/**
 * `millrace; hit; ttl=890`, `millrace; fwd=uri-miss; stored; ttl=900`, … A negative ttl marks a stale response; `detail` is
 * what is known about the data of the cached response.
 */
function cacheStatus({ kind, forwarded, ttl, data }: Outcome): string {
  const parts = ['millrace', forwarded === undefined ? 'hit' : `fwd=${forwarded}`];
  if (kind === 'stored' || kind === 'collapsed') parts.push(kind);
  if (data !== undefined) parts.push(`ttl=${ttl}`, `detail=${data}`);
  else parts.push(`ttl=${ttl}`);
  return parts.join('; ');
}

/**
 * RFC 9110, 13.1.2: weak comparison with a list of tags or `*`. Only GET and QUERY are conditional; an oversized list
 * is ignored.
 */
function hasAlready({ request }: FastifyReply, etag: string): boolean {
  const condition = request.headers['if-none-match'];
  if (!isReadable(condition) || request.method === 'POST') return false;
  return condition.split(',').some((tag) => ['*', etag].includes(plainEtag(tag.trim().replace(/^W\//, ''))));
}
