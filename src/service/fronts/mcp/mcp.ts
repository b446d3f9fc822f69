// MCP over HTTP, without sessions: each request is authenticated, and served by a server of its own.
import {
  createMcpHandler,
  isLegacyRequest,
  ProtocolErrorCode,
  WebStandardStreamableHTTPServerTransport,
  type Server,
} from '@modelcontextprotocol/server';
import type { Answer } from '../../request/call.ts';
import type { AnswerMcp, McpReply, McpRequest } from './call.ts';
import { readMessages, type Messages } from './messages.ts';
import { createReplays, replayIdOf } from './replays.ts';
import { createServer, type ServerParts } from './server.ts';
import { admitKey } from '../../request/admission/keys.ts';

export interface McpDeps extends ServerParts {
  /** Bytes of results that are kept for repeated calls. */
  readonly replayBytes: number;
}

/** How a request is served by the protocol library. */
interface Serving {
  readonly request: McpRequest;
  readonly messages: Messages;
  readonly createServer: () => Server;
  /** As the library takes it: without keys. */
  readonly web: Request;
}

/** Creates the function that answers requests. */
export function createMcp(deps: McpDeps): AnswerMcp {
  const replays = createReplays(deps.replayBytes);
  const serve = createServe(deps);
  return async (request) => {
    const messages = readMessages(request.body, request.headers);
    const { exchange } = request;
    if (messages.countOnReceipt) await admitKey(deps.path, exchange.key, exchange.record, 'check');
    const id = messages.single && replayIdOf(messages.single, request);
    if (id === undefined) return serve(request, messages);
    const repeated = await replays.find(id);
    if (repeated !== undefined) return { status: 200, body: repeated };
    const answers: Answer[] = [];
    const answered = (answer: Answer): void => {
      answers.push(answer);
      exchange.answered(answer);
    };
    const reply = await serve({ ...request, exchange: { ...exchange, answered } }, messages);
    if (typeof reply.body === 'string') replays.remember(id, answers, reply.body);
    return reply;
  };
}

function createServe(deps: McpDeps): (request: McpRequest, messages: Messages) => Promise<McpReply> {
  const servings = new WeakMap<Request, Serving>();
  const handler = createMcpHandler(
    ({ requestInfo }) => {
      const serving = requestInfo && servings.get(requestInfo);
      if (serving === undefined) throw new Error('The request is not being served');
      return serving.createServer();
    },
    { legacy: 'reject', maxSubscriptions: 0 },
  );
  return async (request, messages) => {
    const { exchange, acceptsEvents: canNotify } = request;
    const serving: Serving = {
      request,
      messages,
      createServer: () => createServer(deps, () => ({ exchange, canNotify })),
      web: webRequest(request),
    };
    const { web } = serving;
    servings.set(web, serving);
    const isEarlier = await isLegacyRequest(web, request.body);
    if (!isEarlier && messages.single?.['method'] === LISTEN) return unknownMethod(messages.single);
    const response = isEarlier ? serveEarlier(serving) : handler.fetch(web, { parsedBody: request.body });
    return toReply(await unlessOver(response, exchange.signal(), deps.after));
  };
}

/** Lists of one key change only with files: no changes are notified, and the library would open a stream. */
const LISTEN = 'subscriptions/listen';

function unknownMethod({ id: given }: Readonly<Record<string, unknown>>): McpReply {
  // A notification has no reply.
  if (given === undefined) return { status: 202, body: undefined };
  const id = typeof given === 'string' || typeof given === 'number' ? given : null;
  const error = { code: ProtocolErrorCode.MethodNotFound, message: 'Method not found' };
  return { status: 404, body: JSON.stringify({ jsonrpc: '2.0', id, error }) };
}

/** Serves a request of a revision before 2026-07-28: by events only if it asks for progress. */
async function serveEarlier({ request, messages, web, ...serving }: Serving): Promise<Response> {
  const isStream = messages.wantsProgress && request.acceptsEvents;
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: !isStream });
  const server = serving.createServer();
  await server.connect(transport);
  return transport.handleRequest(web, { parsedBody: request.body });
}

const URL_OF_LIBRARY = 'http://localhost/mcp';
/** Checked by the transport already. */
const NEGOTIATED = { accept: 'application/json, text/event-stream', 'content-type': 'application/json' };

/** Without a signal: calls end with the signal of their exchange, and what follows them has nothing to wait for. */
function webRequest({ headers }: McpRequest): Request {
  return new Request(URL_OF_LIBRARY, { method: 'POST', headers: { ...headers, ...NEGOTIATED } });
}

/** Milliseconds for the answer of a call that was ended at its time limit. */
const GRACE_MS = 1000;

/** Rejects with the reason of the signal if the response does not follow soon after. */
function unlessOver(
  response: Promise<Response>,
  signal: AbortSignal,
  after: ServerParts['after'],
): Promise<Response> {
  return new Promise((resolve, reject) => {
    const rejectSoon = (): void => void after(GRACE_MS, () => reject(signal.reason));
    if (signal.aborted) rejectSoon();
    else signal.addEventListener('abort', rejectSoon, { once: true });
    response.then(resolve, reject);
  });
}

async function toReply(response: Response): Promise<McpReply> {
  const { status, body, headers } = response;
  if (body === null) return { status, body: undefined };
  if (headers.get('content-type')?.startsWith('text/event-stream') === true) return { status, body };
  return { status, body: await response.text() };
}
