// Which client program sent an MCP request: one of a closed list, for metrics and the log. Programs name themselves when they
// initialize, since the revision 2026-07-28 in every request, and otherwise in User-Agent.

/** In order: programs that send the name of a library too come first. */
const CLIENTS = [
  ['claude-code', /claude[- ]?code/i],
  ['claude', /claude|anthropic/i],
  ['chatgpt', /openai|chatgpt/i],
  ['cursor', /cursor/i],
  ['vscode', /visual studio code|vscode/i],
  ['copilot', /copilot/i],
  ['windsurf', /windsurf|codeium/i],
  ['zed', /^zed\b/i],
  ['cline', /cline|roo[- ]?code/i],
  ['gemini', /gemini/i],
  ['goose', /goose/i],
  ['jetbrains', /jetbrains|intellij/i],
  ['n8n', /\bn8n\b/i],
  ['langchain', /langchain|langgraph/i],
  ['inspector', /inspector/i],
  ['millrace', /^millrace\b/i],
  ['curl', /^curl\//i],
  ['python', /python|httpx|aiohttp|fastmcp/i],
  ['node', /^node\b|undici/i],
  ['browser', /^Mozilla\//],
] as const;

export type McpClientName = (typeof CLIENTS)[number][0] | 'other' | 'none';

/** Characters that are searched. */
const MAX_LENGTH = 500;

/** `other` for an unknown program, `none` for one that does not name itself. */
export function mcpClientName(...names: readonly unknown[]): McpClientName {
  const given = names.filter((each): each is string => typeof each === 'string' && each !== '');
  const known = given.flatMap((each) => nameIn(each.slice(0, MAX_LENGTH)));
  return known[0] ?? (given.length === 0 ? 'none' : 'other');
}

function nameIn(text: string): McpClientName[] {
  const found = CLIENTS.find(([, pattern]) => pattern.test(text))?.[0];
  return found === undefined ? [] : [found];
}

/** The name of the client in a parsed message, if it has one. */
export function namedIn(body: unknown): unknown {
  const { params } = objectOf(body);
  const { clientInfo, _meta } = objectOf(params);
  const info = clientInfo ?? objectOf(_meta)['io.modelcontextprotocol/clientInfo'];
  return objectOf(info)['name'];
}

function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null) return {};
  return value as Readonly<Record<string, unknown>>; // only read by name
}
