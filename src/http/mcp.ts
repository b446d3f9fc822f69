// MCP's Streamable HTTP transport at /mcp (https://modelcontextprotocol.io/specification): one request, one answer.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Problem } from '../core/problem.ts';
import type { Admission } from '../request/admit.ts';
import type { Answer, Call, CallContent } from '../request/call.ts';
import type { BaseOptions } from './base-server.ts';
import { readBody } from './body.ts';
import { rejectOtherMethods } from './other-methods.ts';
import { callFields, keyOf, readOptions } from './receive.ts';
import { requestSignal } from './request-signal.ts';

export const MCP_ROUTE = '/mcp';

export interface McpExchange extends Pick<Call, 'requestId' | 'key' | 'record' | 'signal'> {
  readonly options: Pick<CallContent, 'redact' | 'labels' | 'reservation' | 'directives'>;
  readonly answered: (answer: Answer) => void;
}

export interface McpOptions extends BaseOptions {
  readonly fetch: (request: Request, body: unknown, exchange: McpExchange) => Promise<Response>;
  readonly identifyKey: Admission['identifyKey'];
}

/** Adds the route. */
export function addMcpRoute(app: FastifyInstance, options: McpOptions): void {
  const names = callFields(options.headerPrefix);
  app.route({
    url: MCP_ROUTE,
    method: ['POST'],
    handler: async (request, reply) => {
      const key = keyOf(request);
      const { record } = reply;
      await options.identifyKey(key, record);
      const text = await readBody({ request: request.raw, response: reply.raw });
      const signal = requestSignal(reply, options);
      const response = await options.fetch(webRequest(request, signal), parse(text), {
        requestId: request.id,
        key,
        record,
        signal: () => signal,
        options: readOptions(request, names),
        answered: (answer) => {
          reply.answer = answer;
        },
      });
      reply.code(response.status).headers(Object.fromEntries(response.headers));
      return reply.header('Cache-Control', 'no-store').send(await response.text());
    },
  });
  rejectOtherMethods(app, MCP_ROUTE, ['POST']);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new Problem('request.body_invalid', { detail: 'The body is not valid JSON', cause });
  }
}

function webRequest(request: FastifyRequest, signal: AbortSignal): Request {
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headers))
    if (typeof value === 'string') headers.set(name, value);
  return new Request(`http://millrace${MCP_ROUTE}`, { method: 'POST', headers, signal });
}
