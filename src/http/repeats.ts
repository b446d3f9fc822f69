// Calls that were answered before and whose answer is still stored: answered again before any of the way is walked.
import { hash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Found } from '../cache/read-through.ts';
import type { Observe } from '../core/observation.ts';
import type { Again, Answer, Trace } from '../request/call.ts';
import { answerFields } from './answer-reply.ts';
import { SECURITY_FIELDS } from './browsers.ts';
import { requestIdOf } from './request-id.ts';

export interface RepeatsOptions {
  /** The route of the calls; what stands behind it in a URL is an endpoint. */
  readonly route: { readonly url: string; readonly prefix: string };
  /** Header fields that can change what is answered, in lower case. */
  readonly fields: readonly string[];
  readonly headerPrefix: string;
  /** Requests that are always to go the whole way. */
  readonly isBarred: (request: IncomingMessage) => boolean;
  readonly observe: Observe;
  /** Milliseconds, monotonic. */
  readonly now: () => number;
}

export interface Repeats {
  /** Answers a call that is known; any other goes the whole `way`. */
  answer(request: IncomingMessage, response: ServerResponse, way: () => void): void;
  /** Remembers how a call was answered, if its answer can be given again. */
  remember(request: IncomingMessage, answer: Answer, trace: Trace): void;
  /** From now on every call goes the whole way. */
  close(): void;
}

interface Repeat {
  readonly again: Again;
  readonly endpoint: Answer['endpoint'];
  readonly trace: Trace;
  /** Header fields of the answer as they were last sent: names and values in turn. */
  sent: { readonly outcome: string; readonly fields: readonly string[] };
}

interface Ask {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly started: number;
}

/** An answer on its way out. */
interface Reply {
  readonly response: ServerResponse;
  readonly fields: string[];
  readonly found: Found;
  readonly repeat: Repeat;
  readonly requestId: string;
  readonly started: number;
}

/** A request with one of these asks for something particular, or brings a body. */
const BARRED = ['cache-control', 'if-none-match', 'content-length', 'transfer-encoding'] as const;
const MAX_REPEATS = 10_000;
const MAX_URL = 2048;

/**
 * A bounded memory of calls. They are told apart by a digest over all that an answer depends on, the key included: no key
 * is kept, and none can be guessed from the time that a look-up takes.
 */
export function createRepeats(options: RepeatsOptions): Repeats {
  const { now } = options;
  const repeats = new Map<string, Repeat>(); // in the order of use: the first was used longest ago
  let replies: Reply[] = [];
  let closed = false;

  // Written one by one between the reads, each answer costs the peer a wake-up; written together, half as many again are
  // answered in the same time.
  const writeAll = (): void => {
    const written = replies;
    replies = [];
    for (const reply of written) write(reply, options);
  };

  const reply = (repeat: Repeat, found: Found, ask: Ask): void => {
    const { request, response, started } = ask;
    const requestId = requestIdOf(request.headers['x-request-id']);
    const timing = `auth;dur=${(now() - started).toFixed(2)}`; // no other stage is walked
    const lasting = fieldsOf(repeat, found, options.headerPrefix);
    const fields = [...lasting, 'X-Request-Id', requestId, 'Server-Timing', timing];
    if (replies.push({ response, fields, found, repeat, requestId, started }) === 1) setImmediate(writeAll);
  };

  return {
    answer: (request, response, way) => {
      if (closed || repeats.size === 0 || options.isBarred(request)) return way();
      const ask = { request, response, started: now() };
      const digest = digestOf(request, options);
      const repeat = digest === undefined ? undefined : repeats.get(digest);
      if (digest === undefined || repeat === undefined) return way();
      const settle = (found: Found | undefined): void => {
        repeats.delete(digest);
        if (found === undefined) return way();
        repeats.set(digest, repeat);
        reply(repeat, found, ask);
      };
      const found = repeat.again();
      if (found instanceof Promise) void found.then(settle);
      else settle(found);
    },
    remember: (request, { again, endpoint }, trace) => {
      const digest = again === undefined ? undefined : digestOf(request, options);
      if (again === undefined || digest === undefined || closed) return;
      repeats.set(digest, { again, endpoint, trace, sent: { outcome: '', fields: [] } });
      const [oldest] = repeats.keys();
      if (repeats.size > MAX_REPEATS && oldest !== undefined) repeats.delete(oldest);
    },
    close: () => {
      closed = true;
      repeats.clear();
    },
  };
}

/** Undefined for a request that no memory is kept of. */
function digestOf(
  { method, url = '', headers }: IncomingMessage,
  { route, fields }: RepeatsOptions,
): string | undefined {
  if (method !== 'GET' || url.length > MAX_URL || !url.startsWith(route.prefix)) return undefined;
  for (const name of BARRED) if (headers[name] !== undefined) return undefined;
  let text = url;
  for (const name of fields) text += `\n${String(headers[name] ?? ABSENT)}`; // no value holds a line break, or NUL
  return hash('sha256', text, 'base64url');
}

const ABSENT = '\0';

/** Made anew when something in them has changed, which is about once a second. */
function fieldsOf(repeat: Repeat, { entry, outcome }: Found, headerPrefix: string): readonly string[] {
  const now = `${entry.etag} ${outcome.age} ${outcome.ttl}`;
  if (repeat.sent.outcome !== now) {
    const all = {
      ...SECURITY_FIELDS,
      ...answerFields({ ...entry, outcome, endpoint: repeat.endpoint, dialect: undefined }, headerPrefix),
      'Content-Type': entry.contentType,
      'Content-Length': String(entry.body.length),
    };
    repeat.sent = { outcome: now, fields: Object.entries(all).flat() };
  }
  return repeat.sent.fields;
}

function write(reply: Reply, { route, observe, now }: RepeatsOptions): void {
  const { response, fields, found, repeat, requestId, started } = reply;
  const { body, rows } = found.entry;
  response.writeHead(200, fields).end(body);
  observe({
    kind: 'request.finished',
    requestId,
    method: 'GET',
    route: route.url,
    status: 200,
    bytes: body.length,
    ms: now() - started,
    principal: repeat.trace.principal,
    labels: repeat.trace.labels,
    endpoint: repeat.endpoint.name,
    revision: repeat.endpoint.revision,
    rows,
    cache: found.outcome.kind,
  });
}
