// The names of the tools that endpoints are for agents, and findings about names that two endpoints would have.
import { hash } from 'node:crypto';
import type { Codes, Finding } from '../../sql/base/finding.ts';
import type { Candidate } from './catalog.ts';
import type { EndpointHead } from './endpoint.ts';

export const TOOL_NAME_CODES: Codes = {
  'mcp.duplicate_name': {
    title: 'Two endpoints with one tool name',
    help: 'The names of tools have no dots, so a.b and a_b are both a_b. Set mcp.name in one of the files; until then, both tools have names with a suffix.',
  },
  'mcp.reserved_name': {
    title: 'The name of a tool of the service',
    help: 'The service has tools of its own, such as query and find_endpoints. Set another mcp.name; until then, the tool has a name with a suffix.',
  },
};

/** Tools that the service has itself. */
const RESERVED_TOOL_NAMES: ReadonlySet<string> = new Set([
  'find_endpoints',
  'describe_endpoint',
  'call_endpoint',
  'describe_tables',
  'query',
  'explain',
  'export_rows',
]);

/** The strictest limit of common clients, in characters. */
const MAX_LENGTH = 64;

type Named = Pick<EndpointHead, 'name' | 'mcp'>;

/** The name that the tool of an endpoint should have: that of its file, or one derived from the endpoint's name. */
export function preferredToolName({ name, mcp }: Named): string {
  if (mcp?.name !== undefined) return mcp.name;
  const derived = name.replaceAll('.', '_');
  return derived.length > MAX_LENGTH ? withHash(derived, name) : derived;
}

/**
 * The endpoints that are tools, by the names of these. `endpoints` are those that one key may call: no name tells of others. A name
 * that several endpoints would have, or that is reserved, belongs to none of them, so that no agent calls another endpoint than the
 * one it knows: each gets a suffix that depends on its own name only.
 */
export function toolNames<E extends Named>(endpoints: readonly E[]): ReadonlyMap<string, E> {
  const tools = endpoints.filter(({ mcp }) => mcp !== undefined);
  const wanted = countBy(tools.map(preferredToolName));
  return new Map(
    tools.map((endpoint) => {
      const name = preferredToolName(endpoint);
      const isFree = wanted.get(name) === 1 && !RESERVED_TOOL_NAMES.has(name);
      return [isFree ? name : withHash(name, endpoint.name), endpoint];
    }),
  );
}

/** Findings of endpoints whose tools cannot have the names they should have. */
export function toolNameFindings(candidates: Iterable<Candidate<EndpointHead>>): readonly Finding[] {
  const tools = [...candidates].filter(({ endpoint }) => endpoint.mcp !== undefined);
  const first = new Map<string, EndpointHead>();
  return tools.flatMap(({ endpoint, tool }) => {
    const name = preferredToolName(endpoint);
    const other = first.get(name);
    if (other === undefined) first.set(name, endpoint);
    const isReserved = RESERVED_TOOL_NAMES.has(name);
    if (other?.name === endpoint.name) return []; // two files of one endpoint, which is another finding
    if (!isReserved && other === undefined) return [];
    const isSet = endpoint.mcp?.name !== undefined;
    const until = `until then, the tool is called ${withHash(name, endpoint.name)}`;
    return {
      file: endpoint.file,
      ...tool,
      severity: isSet ? ('error' as const) : ('warning' as const),
      code: isReserved ? 'mcp.reserved_name' : 'mcp.duplicate_name',
      message: isReserved
        ? `the name of the tool for agents, ${name}, is one of the service's own tools`
        : `${other?.file ?? ''} already has the name ${name} for its tool for agents`,
      hint: `${isSet ? 'Write another name' : `Add mcp: { name: ${suggestion(endpoint, name, first)} }`}; ${until}`,
    };
  });
}

/** A free name made of the endpoint's name. */
function suggestion({ name }: EndpointHead, taken: string, used: ReadonlyMap<string, unknown>): string {
  const parts = name.split('.');
  const plain = parts.length > 1 ? parts.join('-') : `${taken}_rows`;
  const isFree = plain.length <= MAX_LENGTH && plain !== taken && !used.has(plain);
  return isFree ? plain : withHash(taken, name);
}

function withHash(name: string, of: string): string {
  const suffix = hash('sha256', of, 'hex').slice(0, 8);
  return `${name.slice(0, MAX_LENGTH - suffix.length - 1)}_${suffix}`;
}

function countBy(names: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}
