// Header fields of answers: validators, cache directives and cache status (RFC 9110, 9111, 9211).
import type { Outcome } from '../cache/read-through.ts';
import type { Answer, CalledEndpoint } from '../request/call.ts';
import { linkField, type Link } from './links.ts';

type AnswerParts = Pick<
  Answer,
  'endpoint' | 'etag' | 'outcome' | 'shared' | 'truncated' | 'dialect' | 'preferences' | 'successor' | 'next'
> &
  Partial<Pick<Answer, 'isMetadataPreferred' | 'dataAge'>> & {
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

/** Header fields of an answer, except those that differ from call to call. */
export function answerFields(
  {
    endpoint,
    etag,
    outcome,
    shared,
    truncated,
    dialect,
    preferences,
    successor,
    next,
    url,
    isMetadataPreferred,
    dataAge,
  }: AnswerParts,
  headerPrefix: string,
): Readonly<Record<string, string>> {
  const links = next === undefined ? [] : [{ target: nextPage(url, next), rel: 'next' }];
  const fields: Record<string, string> = {
    'Cache-Control': outcome === undefined ? 'no-store' : cacheControl(outcome, shared),
    ETag: etag,
  };
  addCalled(fields, { endpoint, successor, dialect }, { headerPrefix, links });
  const applied = isMetadataPreferred === true ? [...preferences, 'metadata'] : preferences;
  if (applied.length > 0) fields['Preference-Applied'] = applied.join(', '); // RFC 7240, 3
  if (truncated) fields['Millrace-Truncated'] = 'true';
  if (dataAge !== undefined) Object.assign(fields, dataFields(dataAge));
  if (outcome !== undefined) {
    fields['Age'] = String(outcome.age);
    fields['Cache-Status'] = cacheStatus(outcome);
  }
  return fields;
}

/** How old the data is, in seconds, and whether that is too old. */
export function dataFields(age: Answer['dataAge']): Readonly<Record<string, string>> {
  if (age === undefined) return {};
  return {
    ...(age.seconds === undefined ? {} : { 'Millrace-Data-Age': String(age.seconds) }),
    ...(age.isStale ? { 'Millrace-Data-Stale': 'true' } : {}),
  };
}

type CalledParts = Pick<AnswerParts, 'endpoint' | 'successor' | 'dialect'>;

/** Those that say what was called. */
export function calledFields(called: CalledParts, headerPrefix: string): Readonly<Record<string, string>> {
  const fields: Record<string, string> = {};
  addCalled(fields, called, { headerPrefix, links: [] });
  return fields;
}

function addCalled(
  fields: Record<string, string>,
  { endpoint, successor, dialect }: CalledParts,
  { headerPrefix, links }: { readonly headerPrefix: string; readonly links: readonly Link[] },
): void {
  fields['Vary'] =
    `Accept, Accept-Encoding, Prefer, Authorization, X-API-KEY, Origin, ${headerPrefix}-ENDPOINT-REDACT-PII, ${headerPrefix}-ENDPOINT-ROLLUPS`;
  fields['Millrace-Endpoint'] = `${endpoint.name}@${endpoint.revision}`;
  if (endpoint.version !== undefined) fields['Millrace-Version'] = String(endpoint.version);
  if (endpoint.deprecated !== undefined) Object.assign(fields, deprecationFields(endpoint));
  if (links.length > 0 || successor !== undefined)
    Object.assign(fields, linkField([...links, ...successorLinks(successor)]));
  if (dialect !== undefined) fields['Millrace-Dialect'] = dialect;
}

/** The whole lifetime: caches subtract Age, which is sent beside it (RFC 9111, 4.2). Shared caches may serve stale responses (RFC 5861). */
function cacheControl({ lifetime }: Outcome, shared: Answer['shared']): string {
  if (shared === undefined) return `private, max-age=${lifetime}`;
  const { staleWhileRevalidate, staleIfError } = shared;
  return [
    `public, max-age=${lifetime}, s-maxage=${lifetime}`,
    ...(staleWhileRevalidate > 0 ? [`stale-while-revalidate=${staleWhileRevalidate}`] : []),
    ...(staleIfError > 0 ? [`stale-if-error=${staleIfError}`] : []),
  ].join(', ');
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

/** `Deprecation: @1688169599` (RFC 9745) and `Sunset`, an HTTP date (RFC 8594). */
export function deprecationFields({
  deprecated,
}: Pick<CalledEndpoint, 'deprecated'>): Readonly<Record<string, string>> {
  if (deprecated === undefined) return {};
  const { since, sunset } = deprecated;
  return {
    Deprecation: `@${since / 1000}`,
    ...(sunset === undefined ? {} : { Sunset: new Date(sunset).toUTCString() }),
  };
}

/** `rel="successor-version"` (RFC 5829); none without a successor, a name or `name@2`. */
export function successorLinks(successor: string | undefined): readonly Link[] {
  if (successor === undefined) return [];
  return [{ target: `/api/endpoints/query/${successor}`, rel: 'successor-version' }];
}
