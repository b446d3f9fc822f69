// A cached endpoint called as an MCP tool, beside the same call of the API.
import { load, MANY, type RowSource, type Target } from '../context.ts';
import { atLeast, type Contender } from '../figures.ts';
import { cachedResponse, HIT } from './cached-response.ts';

const MODERN = '2026-07-28';

export const mcp: RowSource = {
  name: 'MCP, cached endpoint',
  prepare: async (context) => {
    const endpoints = await cachedResponse(context);
    const { url, headers } = await context.serve({ endpoints, data: await context.folder('mcp') });
    const measured = (name: string, target: Partial<Omit<Target, 'process'>>): Contender => ({
      name,
      measure: () =>
        load({ url, ...target, headers: { ...headers, ...target.headers } }, MANY, context.seconds),
    });
    return {
      contenders: [
        measured('API, POST', {
          url: `${url}${HIT}`,
          body: '{}',
          headers: { 'Content-Type': 'application/json' },
        }),
        measured('API, GET, on the fast path', { url: `${url}${HIT}` }),
        { ...measured('MCP, tools/call', call(url)), bar: atLeast(0.5) },
        measured('MCP, tools/call of 2026-07-28', call(url, MODERN)),
        // A cache directive excludes a call from being repeated.
        measured('MCP, tools/call, not repeated', call(url, undefined, { 'Cache-Control': 'max-age=86400' })),
        measured('MCP, tools/list', { ...message(url, { method: 'tools/list' }) }),
      ],
    };
  },
};

function call(
  url: string,
  revision?: string,
  headers: Record<string, string> = {},
): ReturnType<typeof message> {
  const envelope = {
    'io.modelcontextprotocol/protocolVersion': revision,
    'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const params = { name: 'hit', arguments: {}, ...(revision === undefined ? {} : { _meta: envelope }) };
  const fields: Record<string, string> =
    revision === undefined
      ? {}
      : { 'MCP-Protocol-Version': revision, 'Mcp-Method': 'tools/call', 'Mcp-Name': 'hit' };
  return message(url, { method: 'tools/call', params }, { ...headers, ...fields });
}

function message(
  url: string,
  body: object,
  headers: Record<string, string> = {},
): Omit<Target, 'process'> & { readonly body: string } {
  return {
    url: `${url}/mcp`,
    headers: {
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
      ...headers,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, ...body }),
  };
}
