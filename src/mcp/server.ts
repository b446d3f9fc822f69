// The MCP server of one request or one connection: its capabilities, and what each method does.
import { ProtocolError, ProtocolErrorCode, Server, type ServerContext } from '@modelcontextprotocol/server';
import type { Caller } from './caller.ts';
import type { ToolSource } from './tool.ts';

export interface ServerParts {
  /** As `version()` of the program returns it. */
  readonly version: string;
  readonly tools: readonly ToolSource[];
}

/** Who asks in one request. Throws Problem. */
export type CallerOf = (context: ServerContext) => Promise<Caller>;

export function createServer({ version, tools }: ServerParts, callerOf: CallerOf): Server {
  const server = new Server({ name: 'millrace', version }, { capabilities: { tools: {} } });
  server.setRequestHandler('tools/list', async (_request, context) => {
    const caller = await callerOf(context);
    const lists = await Promise.all(tools.map(async ({ list }) => list(caller)));
    return { tools: lists.flat() };
  });
  server.setRequestHandler('tools/call', async ({ params }, context) => {
    const caller = await callerOf(context);
    for (const source of tools) {
      const tool = await source.find(caller, params.name);
      if (tool !== undefined) return { ...(await tool.run(params.arguments ?? {}, caller)) };
    }
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no tool ${params.name.slice(0, 100)}`);
  });
  return server;
}
