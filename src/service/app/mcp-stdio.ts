// MCP over standard streams, without a server and with full access.
import { Problem } from '../../sql/base/problem.ts';
import { describeCause } from '../observe/describe.ts';
import { serveOverStdio, type StdioServer, type Streams } from '../fronts/mcp/stdio.ts';
import { FULL_ACCESS, openLocalCore, type LocalOptions } from './local.ts';
import { mcpParts } from './mcp.ts';

export interface McpStdioOptions extends LocalOptions {
  readonly streams: Streams;
  /** Reports, in a line, what the client does not see. */
  readonly note: (line: string) => void;
}

export async function openMcpStdio({ streams, note, ...options }: McpStdioOptions): Promise<StdioServer> {
  const core = await openLocalCore(options);
  const server = serveOverStdio(mcpParts(core), {
    streams,
    principal: FULL_ACCESS,
    onError: (error) => {
      const { cause } = error instanceof Problem ? error : { cause: error };
      if (cause !== undefined) note(`millrace: ${describeCause(cause)}`);
    },
  });
  return {
    ended: server.ended,
    close: async () => {
      await server.close();
      await core.close();
    },
  };
}
