// MCP's Streamable HTTP transport (https://modelcontextprotocol.io/specification), without sessions: one request, one reply.
import { PassThrough } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Problem } from '../../../sql/base/problem.ts';
import { rateLimitFields } from '../../limits/rate-limits.ts';
import type { AnswerMcp, McpRequest } from './call.ts';
import { acceptedTypes } from '../../http/accepted-types.ts';
import { addProblems, type BaseOptions } from '../../http/base-server.ts';
import { readText } from '../../http/body-text.ts';
import { expectDepth, parseJson } from '../../http/json-body.ts';
import { rejectOtherMethods } from '../../http/other-methods.ts';
import { requestSignal } from '../../http/request-signal.ts';
import type { SlowClients } from '../../http/slow-clients.ts';
import { mcpClientName, namedIn } from './client-name.ts';
import { checkOrigin } from './origin.ts';
import { sendMcpProblem } from './errors.ts';
import { addResourceMetadata, metadataUrl } from './resource-metadata.ts';
import { toProblem } from '../../http/problems.ts';
import { callFields, keyOf, mediaTypeOf, readOptions, type CallFields } from '../../http/call-fields.ts';
import type { CallRecord } from '../../request/call.ts';
import type { Principal } from '../../auth/principal.ts';

/** Its path, and the name of its route in the log. */
export const MCP_ROUTE = '/mcp';

export interface McpParts {
  readonly answer: AnswerMcp;
  /** Throws Problem `auth.*`. */
  readonly identifyKey: (key: string | undefined, record: CallRecord) => Promise<Principal>;
  /** The issuer of JSON Web Tokens; undefined: none are accepted. */
  readonly issuer: string | undefined;
  /** The address of the service for its clients; undefined: as each request says. */
  readonly publicUrl: string | undefined;
}

export type McpOptions = BaseOptions & McpParts;

/** Levels of a JSON body. */
const MAX_DEPTH = 64;
const JSON_TYPE = 'application/json';
const EVENTS_TYPE = 'text/event-stream';
/** Both are UTF-8 by their definition. */
const JSON_OFFERED = `${JSON_TYPE}; charset=utf-8`;
const EVENTS_OFFERED = `${EVENTS_TYPE}; charset=utf-8`;

/** Adds the route, and the documents that name the issuer of tokens. */
export function addMcp(app: FastifyInstance, options: McpOptions): void {
  const { issuer, publicUrl } = options;
  if (issuer !== undefined) addResourceMetadata(app, MCP_ROUTE, { issuer, publicUrl });
  void app.register(async (scope) => addRoute(scope, options), { prefix: MCP_ROUTE });
}

function addRoute(scope: FastifyInstance, options: McpOptions): void {
  const { issuer, publicUrl } = options;
  addProblems(scope, options, (reply, problem) => {
    const metadata = issuer === undefined ? undefined : metadataUrl(reply.request, MCP_ROUTE, publicUrl);
    return sendMcpProblem(reply, problem, metadata);
  });
  scope.addHook('onRequest', (request, reply, done) => {
    reply.record.clientName = mcpClientName(request.headers['user-agent']);
    done();
  });
  const names = callFields(options.headerPrefix);
  const methods = ['POST'] as const;
  scope.route({
    url: '/',
    method: [...methods],
    config: { routeName: MCP_ROUTE },
    handler: async (request, reply) => {
      const received = await receive(request, reply, { options, names });
      const { status, body } = await options.answer(received);
      reply.code(status).header('Cache-Control', 'no-store').headers(rateLimitFields(reply.record.limits));
      if (body === undefined) return reply.send();
      if (typeof body === 'string' || Buffer.isBuffer(body))
        return reply.header('Content-Type', JSON_TYPE).send(body);
      return sendEvents(reply, body, options.slowClients);
    },
  });
  rejectOtherMethods(scope, '/', methods);
}

interface Receiving {
  readonly options: McpOptions;
  readonly names: CallFields;
}

/** Reads the body last: of a client without a key it is not read. Throws Problem. */
async function receive(
  request: FastifyRequest,
  reply: FastifyReply,
  { options, names }: Receiving,
): Promise<McpRequest> {
  checkOrigin(request, options);
  const key = keyOf(request);
  const { record } = reply;
  const principal = await options.identifyKey(key, record);
  const acceptsEvents = checkTypes(request);
  const text = await readText({ request: request.raw, response: reply.raw });
  expectDepth(text, MAX_DEPTH);
  const body = parseJson(text);
  record.clientName = mcpClientName(namedIn(body), request.headers['user-agent']);
  let signal: AbortSignal | undefined;
  return {
    body,
    headers: protocolFields(request),
    acceptsEvents,
    exchange: {
      requestId: request.id,
      key,
      record,
      principal,
      options: readOptions(request, names),
      signal: () => (signal ??= requestSignal(reply, options)),
      answered: (answer) => {
        reply.answer = answer;
      },
      failed: (error) => {
        reply.problem = toProblem(error);
      },
    },
  };
}

/** Whether the client accepts events besides JSON. Throws Problem. */
function checkTypes(request: FastifyRequest): boolean {
  if (mediaTypeOf(request) !== JSON_TYPE) {
    const detail = `Content-Type must be ${JSON_TYPE}`;
    throw new Problem('request.body_type_unsupported', { detail, hint: `Send ${JSON_TYPE}.` });
  }
  const accepted = acceptedTypes(request.headers.accept, [JSON_OFFERED, EVENTS_OFFERED]);
  if (accepted.includes(JSON_OFFERED)) return accepted.includes(EVENTS_OFFERED);
  const hint = `Send Accept: ${JSON_TYPE}, ${EVENTS_TYPE}.`;
  throw new Problem('format.not_acceptable', { detail: `Accept must include ${JSON_TYPE}`, hint });
}

const PROTOCOL_FIELDS = ['mcp-protocol-version', 'mcp-method', 'mcp-name'];

function protocolFields({ headers }: FastifyRequest): Readonly<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const name of PROTOCOL_FIELDS) {
    const value = headers[name];
    if (typeof value === 'string') found[name] = value;
  }
  return found;
}

/** Events are few and small until the result. A client that does not read it is cut off, as for any other response. */
function sendEvents(
  reply: FastifyReply,
  events: AsyncIterable<Uint8Array>,
  slowClients: SlowClients,
): FastifyReply {
  const stream = new PassThrough();
  const copy = async (): Promise<void> => {
    const sent: Uint8Array[] = [];
    for await (const event of events) {
      if (stream.destroyed) return;
      sent.push(event);
      stream.write(event);
    }
    stream.end();
    setImmediate(() => slowClients.watch(reply.raw, Buffer.concat(sent)));
  };
  copy().catch((cause: unknown) => stream.destroy(toProblem(cause)));
  return reply
    .headers({ 'Content-Type': EVENTS_TYPE, 'X-Accel-Buffering': 'no', Connection: 'close' })
    .send(stream);
}
