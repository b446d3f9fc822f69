// MCP over the request path: the tools of the endpoints and of their sandboxes.
import { createMcp } from '../fronts/mcp/mcp.ts';
import { createEndpointTools } from '../fronts/mcp/endpoints/tools.ts';
import { createPrompts } from '../fronts/mcp/prompts.ts';
import { createExportTool, exportText, type ReadExports } from '../fronts/mcp/exports/export-tool.ts';
import { createResources } from '../fronts/mcp/resources.ts';
import { createQueryTools } from '../fronts/mcp/query/query-tools.ts';
import type { ServerParts } from '../fronts/mcp/server.ts';
import type { AnswerMcp } from '../fronts/mcp/call.ts';
import { after, clock } from './clock.ts';
import type { Core } from './core.ts';
import { readVersion } from './version.ts';

interface McpCore extends Pick<Core, 'path' | 'catalog' | 'describe' | 'sandboxes'> {
  /** Undefined: exports are not made. */
  readonly exports?: ReadExports;
}

/** What MCP servers of every transport have in common. */
export function mcpParts({ path, catalog, describe, sandboxes, exports }: McpCore): ServerParts {
  return {
    version: readVersion(),
    path,
    catalog: catalog.current,
    resources: createResources(
      { describe, sandboxes },
      exports && ((...asked) => exportText(exports, ...asked)),
    ),
    prompts: createPrompts({ describe, sandboxes }),
    tools: [
      createEndpointTools({ describe: describe.lists }),
      createQueryTools({ describe, sandboxes, now: clock.epoch }),
      ...(exports === undefined ? [] : [createExportTool(exports)]),
    ],
    after,
  };
}

/** Results for repeated calls get this fraction of the cache's memory on top. */
const REPLAYED_SHARE = 8;

/** `cacheMemory`: bytes. */
export function openMcp(core: McpCore, cacheMemory: number): AnswerMcp {
  return createMcp({ ...mcpParts(core), replayBytes: cacheMemory / REPLAYED_SHARE });
}
