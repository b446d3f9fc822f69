// MCP over HTTP, without a session: each request is authenticated, and served by a server of its own.
import { createMcpHandler, type ServerContext } from '@modelcontextprotocol/server';
import type { Catalog } from '../catalog/catalog.ts';
import type { RequestPath } from '../request/answer.ts';
import { createCaller, type Exchange } from './caller.ts';
import { createServer, type ServerParts } from './server.ts';

export interface McpDeps extends ServerParts {
  readonly path: Pick<RequestPath, 'answer' | 'explain' | 'admitKey' | 'identifyKey'>;
  readonly catalog: () => Catalog;
  /** Is told errors that the protocol does not report to the client. */
  readonly onError: (error: Error) => void;
}

export interface Mcp {
  /** `body` is the parsed body of the request. Throws Problem `auth.*`. */
  readonly fetch: (request: Request, body: unknown, exchange: Exchange) => Promise<Response>;
  /** Aborts what is running. */
  readonly close: () => Promise<void>;
}

export function createMcp({ path, catalog, onError, ...parts }: McpDeps): Mcp {
  const exchanges = new WeakMap<Request, Exchange>();
  const handler = createMcpHandler(
    ({ requestInfo }) => {
      const exchange = requestInfo && exchanges.get(requestInfo);
      if (exchange === undefined) throw new Error('This request has no exchange');
      return createServer(parts, async ({ mcpReq }) =>
        createCaller({
          path,
          exchange,
          cancelled: mcpReq.signal,
          principal: await path.identifyKey(exchange.key, exchange.record),
          catalog: catalog(),
          progress: progressOf(mcpReq),
        }),
      );
    },
    { legacy: 'stateless', responseMode: 'auto', onerror: onError },
  );
  return {
    fetch: async (request, body, exchange) => {
      exchanges.set(request, exchange);
      return handler.fetch(request, { parsedBody: body });
    },
    close: handler.close,
  };
}

function progressOf({ _meta, notify }: ServerContext['mcpReq']): ReturnType<typeof createCaller>['progress'] {
  const progressToken = _meta?.progressToken;
  if (progressToken === undefined) return () => undefined;
  return (progress, total, message) =>
    void notify({
      method: 'notifications/progress',
      params: { progressToken, progress, message, ...(total === undefined ? {} : { total }) },
    });
}
