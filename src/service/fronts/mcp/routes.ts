// MCP's Streamable HTTP transport (https://modelcontextprotocol.io/specification), without sessions: one request, one reply.
import type { FastifyInstance } from 'fastify';
import { rateLimitFields } from '../../limits/rate-limits.ts';
import { addProblems } from '../../http/problems.ts';
import { rejectOtherMethods } from '../../http/other-methods.ts';
import { mcpClientName } from './client-name.ts';
import { sendMcpProblem } from './errors.ts';
import { addResourceMetadata, metadataUrl } from './resource-metadata.ts';
import { callFields } from '../../http/call-fields.ts';
import { JSON_TYPE, type McpOptions, receive } from './receive.ts';
import { sendEvents } from './reply.ts';

/** Its path, and the name of its route in the log. */
export const MCP_ROUTE = '/mcp';

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
