// The cached fast path: serves repeated requests from the cache before routing.
import { hash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { CachedAnswer } from '../../cache/read-through.ts';
import type { Finished } from '../../../sql/base/observation.ts';
import { rateLimitFields, type LimitState } from '../../limits/rate-limits.ts';
import type { Answer, CallRecord, Replay } from '../../request/call.ts';
import { etagIn, type ContentCoding, type Compression } from '../../http/compression.ts';
import {
  beginTrace,
  observeFinished,
  type ObserveOptions,
  type StartedRequest,
} from '../../http/observe-requests.ts';
import { requestIdOf } from '../../http/call-fields.ts';
import { SECURITY_FIELDS } from '../../http/security-headers.ts';
import type { SlowClients } from '../../http/slow-clients.ts';
import { answerFields } from '../../http/answer-fields.ts';
import { hasAlready } from './reply.ts';

export interface FastPathOptions extends ObserveOptions {
  /** The route of the calls; `prefix` is followed by the endpoint. */
  readonly route: { readonly url: string; readonly prefix: string };
  /** Request header fields that can change the answer, in lower case. */
  readonly fields: readonly string[];
  readonly headerPrefix: string;
  /** Requests that must always take the ordinary path. */
  readonly isExcluded: (request: IncomingMessage) => boolean;
  /** Returns a new request id. */
  readonly newId: () => string;
  readonly compression: Compression;
  readonly slowClients: SlowClients;
}

export interface FastPath {
  /** Answers a repeated request from the cache; any other by calling `next`, the ordinary path. */
  answer(request: IncomingMessage, response: ServerResponse, next: () => void): void;
  /** Remembers an answered request, if its response can be served again. */
  remember(request: IncomingMessage, answer: Answer, record: CallRecord): void;
  /** Sends every request along the ordinary path from now on. */
  close(): void;
}

interface FastPathEntry {
  readonly replay: Replay;
  readonly admitAgain: Answer['admitAgain'];
  readonly endpoint: Answer['endpoint'];
  readonly preferences: Answer['preferences'];
  readonly url: string;
  readonly successor: Answer['successor'];
  readonly shared: Answer['shared'];
  /** Of the request that was answered first. */
  readonly record: CallRecord;
  /** The response header fields as last sent in each form: alternating names and values. */
  readonly sent: Map<string, { readonly outcome: string; readonly fields: readonly string[] }>;
}

/** A repeated request and what is known of its response. */
interface Repeated extends Pick<StartedRequest, 'request' | 'started'> {
  readonly response: ServerResponse;
  readonly entry: FastPathEntry;
  readonly found: CachedAnswer;
  /** Empty: none applies. */
  readonly limits: readonly LimitState[];
  /** Makes the next identical request take the ordinary path. */
  readonly forget: () => void;
}

/** The body as sent; undefined: the client has it already. */
interface Encoded {
  readonly body: Buffer | undefined;
  readonly coding: ContentCoding | undefined;
}

/** A response waiting to be written. */
interface Pending extends Repeated, StartedRequest {
  readonly fields: string[];
  readonly body: Buffer | undefined;
}

/** Requests with one of these take the ordinary path: they carry cache directives or have a body. */
const EXCLUDING_FIELDS = ['cache-control', 'content-length', 'transfer-encoding'] as const;
const MAX_ENTRIES = 10_000;
const MAX_URL = 2048;
/** Characters of the digest's input, including a key of maximum length. */
const MAX_TEXT = 16_384;

/**
 * A bounded map of calls. The map key is a digest over everything the answer depends on, including the API key: no API
 * key is stored, and none can be guessed from lookup times.
 */
export function createFastPath(options: FastPathOptions): FastPath {
  const { now } = options;
  const entries = new Map<string, FastPathEntry>(); // in order of use, least recently used first
  const send = createSending(options);
  let closed = false;

  return {
    answer: (request, response, next) => {
      if (closed || entries.size === 0 || options.isExcluded(request)) return next();
      const started = now();
      const digest = digestOf(request, options);
      const entry = digest === undefined ? undefined : entries.get(digest);
      if (digest === undefined || entry === undefined) return next();
      const forget = (): void => void entries.delete(digest);
      const settle = (again: Admitted | undefined): void => {
        entries.delete(digest);
        if (again === undefined) return next();
        entries.set(digest, entry);
        const { found, limits } = again;
        send({ request, response, started, entry, found, limits, forget });
      };
      const again = repeat(entry);
      if (again instanceof Promise) void again.catch(() => undefined).then(settle);
      else settle(again);
    },
    remember: (request, { replay, admitAgain, endpoint, preferences, successor, shared }, record) => {
      const { url = '' } = request;
      const digest = replay === undefined ? undefined : digestOf(request, options);
      if (replay === undefined || digest === undefined || closed) return;
      entries.set(digest, {
        replay,
        admitAgain,
        endpoint,
        preferences,
        successor,
        shared,
        url,
        record,
        sent: new Map(),
      });
      const [oldest] = entries.keys();
      if (entries.size > MAX_ENTRIES && oldest !== undefined) entries.delete(oldest);
    },
    close: () => {
      closed = true;
      entries.clear();
    },
  };
}

type Admitted = Pick<Repeated, 'found' | 'limits'>;

/** Undefined if the cached response may not be served. Asynchronous if it is in the shared cache, or if the call is counted. */
function repeat(entry: FastPathEntry): Admitted | undefined | Promise<Admitted | undefined> {
  const found = entry.replay();
  return found instanceof Promise ? found.then((each) => admit(entry, each)) : admit(entry, found);
}

function admit({ admitAgain }: FastPathEntry, found: CachedAnswer | undefined): ReturnType<typeof repeat> {
  if (found === undefined) return undefined;
  const limits = admitAgain();
  return limits instanceof Promise
    ? limits.then((states) => states && { found, limits: states })
    : limits && { found, limits };
}

/** Sends cached responses, in the coding each client accepts. */
function createSending(options: FastPathOptions): (repeated: Repeated) => void {
  const { now } = options;
  let pending: Pending[] = [];

  // Batched: written one by one between reads, each response wakes the peer; written together, throughput is half as
  // high again.
  const writeAll = (): void => {
    const batch = pending;
    pending = [];
    for (const each of batch) write(each, options); // does not throw, so a failed write does not stop the others
  };

  const enqueue = (repeated: Repeated, encoded: Encoded): void => {
    const { request, started, limits } = repeated;
    const requestId = requestIdOf(request.headers['x-request-id'], options.newId);
    const timing = `auth;dur=${(now() - started).toFixed(2)}`; // no other stage runs
    const lasting = fieldsOf(repeated, encoded, options.headerPrefix);
    const fields = [...lasting, 'X-Request-Id', requestId, 'Server-Timing', timing];
    if (limits.length > 0) fields.push(...Object.entries(rateLimitFields(limits)).flat());
    const { body } = encoded;
    if (pending.push({ fields, body, requestId, ...repeated }) === 1) setImmediate(writeAll);
  };

  return (repeated) => {
    const { request, entry: remembered, found } = repeated;
    const { entry } = found;
    const coding = options.compression.choose(request.headers['accept-encoding'], entry);
    const condition = request.headers['if-none-match'];
    if (hasAlready(condition, etagIn(entry.etag, coding), remembered.shared !== undefined))
      return enqueue(repeated, { body: undefined, coding });
    if (coding === undefined) return enqueue(repeated, { body: entry.body, coding });
    const encoded = options.compression.encode(entry, coding, entry.etag);
    if (Buffer.isBuffer(encoded)) return enqueue(repeated, { body: encoded, coding });
    encoded.then(
      (body) => enqueue(repeated, { body, coding }),
      () => enqueue(repeated, { body: entry.body, coding: undefined }),
    );
  };
}

/** Undefined for a request that is not remembered. */
function digestOf(
  { method, url = '', headers }: IncomingMessage,
  { route, fields }: FastPathOptions,
): string | undefined {
  if (method !== 'GET' || url.length > MAX_URL || !url.startsWith(route.prefix)) return undefined;
  for (const name of EXCLUDING_FIELDS) if (headers[name] !== undefined) return undefined;
  let text = url;
  for (const name of fields) text += `\n${String(headers[name] ?? ABSENT)}`; // header values contain no line break or NUL
  if (text.length > MAX_TEXT) return undefined;
  return hash('sha256', text, 'base64url');
}

const ABSENT = '\0';

/** Rebuilt when age or ttl has changed, about once a second. */
function fieldsOf(
  { entry: remembered, found }: Pick<Repeated, 'entry' | 'found'>,
  { body, coding }: Encoded,
  headerPrefix: string,
): readonly string[] {
  const { sent, endpoint, preferences, successor, shared, url } = remembered;
  const { entry, outcome, dataAge } = found;
  const form = body === undefined ? `304 ${coding}` : `${coding}`;
  const { age, lifetime, ttl, data = '' } = outcome;
  const now = `${entry.etag} ${age} ${lifetime} ${ttl} ${data} ${dataAge?.seconds} ${dataAge?.isStale}`;
  const last = sent.get(form);
  if (last?.outcome === now) return last.fields;
  const etag = etagIn(entry.etag, coding);
  const all = {
    ...SECURITY_FIELDS,
    ...answerFields(
      { ...entry, etag, outcome, dataAge, endpoint, preferences, successor, shared, url, dialect: undefined },
      headerPrefix,
    ),
    ...(body && coding && { 'Content-Encoding': coding }),
    ...(body && { 'Content-Type': entry.contentType, 'Content-Length': String(body.length) }),
  };
  const fields = Object.entries(all).flat();
  sent.set(form, { outcome: now, fields });
  return fields;
}

/** An error here has no handler above and would end the process, so it only closes this connection. */
function write(pending: Pending, options: FastPathOptions): void {
  const { response, fields, body } = pending;
  try {
    response.writeHead(body === undefined ? 304 : 200, fields).end(body);
  } catch (cause) {
    pending.forget();
    response.destroy();
    observe(pending, options, { status: 500, bytes: 0, code: 'internal.error', cause });
    return;
  }
  if (body === undefined) return observe(pending, options, { status: 304, bytes: 0 });
  options.slowClients.watch(response, body);
  observe(pending, options, { status: 200, bytes: body.length });
}

function observe(
  pending: Pending,
  options: FastPathOptions,
  result: Pick<Finished, 'status' | 'bytes' | 'code' | 'cause'>,
): void {
  const { entry, found, request } = pending;
  const { principal, usageId, labels, clientName, isReadShown } = entry.record; // not what it has read: nothing ran for this request
  const { endpoint } = entry;
  const trace = beginTrace(request, options);
  const record = { endpoint, principal, usageId, labels, clientName, isReadShown, trace };
  const { rows } = found.entry;
  observeFinished(options, pending, record, {
    route: options.route.url,
    rows,
    cache: found.outcome.kind,
    data: found.outcome.data,
    dataAge: found.dataAge,
    ...result,
  });
}
