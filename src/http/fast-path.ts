// The cached fast path: serves repeated requests from the cache before routing.
import { hash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Found } from '../cache/read-through.ts';
import type { Finished } from '../core/observation.ts';
import type { Replay, Answer, CallRecord } from '../request/call.ts';
import { answerFields } from './answer-reply.ts';
import { SECURITY_FIELDS } from './security-headers.ts';
import { etagIn, type ContentCoding, type Compression } from './compression.ts';
import { beginTrace, type ObserveOptions } from './observe-requests.ts';
import type { SlowClients } from './slow-clients.ts';
import { requestIdOf } from './request-id.ts';

export interface FastPathOptions extends ObserveOptions {
  /** The route of the calls; `prefix` is followed by the endpoint. */
  readonly route: { readonly url: string; readonly prefix: string };
  /** Request header fields that can change the answer, in lower case. */
  readonly fields: readonly string[];
  readonly headerPrefix: string;
  /** Requests that must always take the full path. */
  readonly isBarred: (request: IncomingMessage) => boolean;
  readonly compression: Compression;
  readonly slowClients: SlowClients;
}

export interface FastPath {
  /** Answers a known call; passes any other on to `way`, the full request path. */
  answer(request: IncomingMessage, response: ServerResponse, way: () => void): void;
  /** Remembers an answered call, if its response can be served again. */
  remember(request: IncomingMessage, answer: Answer, trace: CallRecord): void;
  /** Sends every call through the full path from now on. */
  close(): void;
}

interface FastPathEntry {
  readonly replay: Replay;
  readonly endpoint: Answer['endpoint'];
  readonly trace: CallRecord;
  /** The response header fields as last sent in each coding: alternating names and values. */
  readonly sent: Map<
    ContentCoding | undefined,
    { readonly outcome: string; readonly fields: readonly string[] }
  >;
}

interface Ask {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly started: number;
  /** Makes the next identical call take the full path. */
  readonly forget: () => void;
}

/** The body as sent. */
interface Sent {
  readonly body: Buffer;
  readonly coding: ContentCoding | undefined;
}

/** A response waiting to be written. */
interface Reply extends Ask {
  readonly fields: string[];
  readonly body: Buffer;
  readonly found: Found;
  readonly known: FastPathEntry;
  readonly requestId: string;
}

/** Requests with one of these take the full path: they are conditional, carry cache directives or have a body. */
const BARRED = ['cache-control', 'if-none-match', 'content-length', 'transfer-encoding'] as const;
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
    answer: (request, response, way) => {
      if (closed || entries.size === 0 || options.isBarred(request)) return way();
      const started = now();
      const digest = digestOf(request, options);
      const known = digest === undefined ? undefined : entries.get(digest);
      if (digest === undefined || known === undefined) return way();
      const ask = { request, response, started, forget: () => void entries.delete(digest) };
      const settle = (found: Found | undefined): void => {
        entries.delete(digest);
        if (found === undefined) return way();
        entries.set(digest, known);
        send(known, found, ask);
      };
      const found = known.replay();
      if (found instanceof Promise) void found.catch(() => undefined).then(settle);
      else settle(found);
    },
    remember: (request, { replay, endpoint }, trace) => {
      const digest = replay === undefined ? undefined : digestOf(request, options);
      if (replay === undefined || digest === undefined || closed) return;
      entries.set(digest, { replay, endpoint, trace, sent: new Map() });
      const [oldest] = entries.keys();
      if (entries.size > MAX_ENTRIES && oldest !== undefined) entries.delete(oldest);
    },
    close: () => {
      closed = true;
      entries.clear();
    },
  };
}

/** Sends cached responses, in the coding each client accepts. */
function createSending(options: FastPathOptions): (known: FastPathEntry, found: Found, ask: Ask) => void {
  const { now } = options;
  let replies: Reply[] = [];

  // Batched: written one by one between reads, each response wakes the peer; written together, throughput is half as
  // high again.
  const writeAll = (): void => {
    const written = replies;
    replies = [];
    for (const reply of written) write(reply, options); // does not throw, so a failed write does not stop the others
  };

  const reply = (known: FastPathEntry, found: Found, ask: Ask, sent: Sent): void => {
    const { request, started } = ask;
    const requestId = requestIdOf(request.headers['x-request-id']);
    const timing = `auth;dur=${(now() - started).toFixed(2)}`; // no other stage runs
    const lasting = fieldsOf(known, found, sent, options.headerPrefix);
    const fields = [...lasting, 'X-Request-Id', requestId, 'Server-Timing', timing];
    const { body } = sent;
    if (replies.push({ ...ask, fields, body, found, known, requestId }) === 1) setImmediate(writeAll);
  };

  return (known, found, ask) => {
    const { entry } = found;
    const coding = options.compression.choose(ask.request.headers['accept-encoding'], entry);
    if (coding === undefined) return reply(known, found, ask, { body: entry.body, coding });
    const encoded = options.compression.encode(entry, coding, entry.etag);
    if (Buffer.isBuffer(encoded)) return reply(known, found, ask, { body: encoded, coding });
    encoded.then(
      (body) => reply(known, found, ask, { body, coding }),
      () => reply(known, found, ask, { body: entry.body, coding: undefined }),
    );
  };
}

/** Undefined for a request that is not remembered. */
function digestOf(
  { method, url = '', headers }: IncomingMessage,
  { route, fields }: FastPathOptions,
): string | undefined {
  if (method !== 'GET' || url.length > MAX_URL || !url.startsWith(route.prefix)) return undefined;
  for (const name of BARRED) if (headers[name] !== undefined) return undefined;
  let text = url;
  for (const name of fields) text += `\n${String(headers[name] ?? ABSENT)}`; // header values contain no line break or NUL
  if (text.length > MAX_TEXT) return undefined;
  return hash('sha256', text, 'base64url');
}

const ABSENT = '\0';

/** Rebuilt when age or ttl has changed, about once a second. */
function fieldsOf(
  { sent, endpoint }: FastPathEntry,
  { entry, outcome }: Found,
  { body, coding }: Sent,
  headerPrefix: string,
): readonly string[] {
  const now = `${entry.etag} ${outcome.age} ${outcome.ttl}`;
  const last = sent.get(coding);
  if (last?.outcome === now) return last.fields;
  const etag = etagIn(entry.etag, coding);
  const all = {
    ...SECURITY_FIELDS,
    ...answerFields({ ...entry, etag, outcome, endpoint, dialect: undefined }, headerPrefix),
    ...(coding === undefined ? {} : { 'Content-Encoding': coding }),
    'Content-Type': entry.contentType,
    'Content-Length': String(body.length),
  };
  const fields = Object.entries(all).flat();
  sent.set(coding, { outcome: now, fields });
  return fields;
}

/** An error here has no handler above and would end the process, so it only closes this connection. */
function write(reply: Reply, options: FastPathOptions): void {
  const { response, fields, body } = reply;
  try {
    response.writeHead(200, fields).end(body);
  } catch (cause) {
    reply.forget();
    response.destroy();
    observeReply(reply, options, { status: 500, bytes: 0, code: 'internal.error', cause });
    return;
  }
  options.slowClients.watch(response, body);
  observeReply(reply, options, { status: 200, bytes: body.length });
}

function observeReply(
  { request, found, known, requestId, started }: Reply,
  options: FastPathOptions,
  outcome: Pick<Finished, 'status' | 'bytes' | 'code' | 'cause'>,
): void {
  options.observe({
    kind: 'request.finished',
    requestId,
    method: 'GET',
    route: options.route.url,
    ms: options.now() - started,
    principal: known.trace.principal,
    labels: known.trace.labels,
    endpoint: known.endpoint.name,
    revision: known.endpoint.revision,
    rows: found.entry.rows,
    cache: found.outcome.kind,
    client: options.clientAddress(request),
    trace: beginTrace(request, options),
    ...outcome,
  });
}
