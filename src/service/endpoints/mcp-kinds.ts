// The finding codes of tools for agents, with their meaning and fix.
import type { FindingKind } from './finding-kind.ts';

export const MCP_KINDS: Readonly<Record<string, FindingKind>> = {
  'mcp.duplicate_name': {
    title: 'Two endpoints with one tool name',
    help: 'The names of tools have no dots, so a.b and a_b are both a_b. Set mcp.name in one of the files; until then, both tools have names with a suffix.',
  },
  'mcp.reserved_name': {
    title: 'The name of a tool of the service',
    help: 'The service has tools of its own, such as query and find_endpoints. Set another mcp.name; until then, the tool has a name with a suffix.',
  },
};
