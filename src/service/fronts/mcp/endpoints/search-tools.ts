// Three tools for keys that may call many endpoints: find, describe and call them by name.
import { mergeShapes, rowShapes } from '../../../endpoints/row-shapes.ts';
import type { Endpoint } from '../../../endpoints/endpoint.ts';
import { didYouMean, nearest } from '../../../../sql/base/nearest.ts';
import { Problem } from '../../../../sql/base/problem.ts';
import type { Describe } from '../../../endpoints/describe.ts';
import type { Caller } from '../caller.ts';
import type { Tool, ToolDefinition, ToolResult } from '../tool.ts';
import type { Arguments } from './arguments.ts';
import { argumentsSchema, READ_ONLY } from './definition.ts';
import { callEndpoint } from './rows-tool.ts';
import { plainText } from './table-text.ts';
import { summaryOf, toolText } from './tool-text.ts';
import type { CatalogTools, ToolScope } from './catalog-tools.ts';

const NAME = { type: 'string', description: 'A name that find_endpoints shows.', maxLength: 100 } as const;

/** In the order in which an agent needs them. */
export const SEARCH_DEFINITIONS: readonly ToolDefinition[] = [
  {
    name: 'find_endpoints',
    title: 'Find endpoints',
    description:
      'Finds saved queries (endpoints) by words in their names, descriptions, arguments and columns, best first. Each has a name for describe_endpoint and call_endpoint; required arguments are marked with *.',
    inputSchema: {
      type: 'object',
      properties: {
        query: { type: 'string', description: 'Words; all endpoints without it.', maxLength: 200 },
        page: { type: 'integer', minimum: 1, default: 1 },
      },
      additionalProperties: false,
    },
    outputSchema: {
      type: 'object',
      properties: {
        endpoints: {
          type: 'array',
          items: {
            type: 'object',
            properties: {
              name: { type: 'string' },
              description: { type: 'string' },
              arguments: { type: 'array', items: { type: 'string' } },
            },
            required: ['name', 'description', 'arguments'],
          },
        },
        total: { type: 'integer' },
        page: { type: 'integer' },
        pages: { type: 'integer' },
      },
      required: ['endpoints', 'total', 'page', 'pages'],
    },
    annotations: READ_ONLY,
  },
  {
    name: 'describe_endpoint',
    title: 'Describe an endpoint',
    description: 'What an endpoint returns: description, schema of its arguments, columns of its rows.',
    inputSchema: {
      type: 'object',
      properties: { name: NAME },
      required: ['name'],
      additionalProperties: false,
    },
    annotations: READ_ONLY,
  },
  {
    name: 'call_endpoint',
    title: 'Call an endpoint',
    description: 'Calls an endpoint and returns its rows. describe_endpoint has the schema of its arguments.',
    inputSchema: {
      type: 'object',
      properties: {
        name: NAME,
        arguments: { type: 'object', description: 'Arguments by name.', additionalProperties: true },
      },
      required: ['name'],
      additionalProperties: false,
    },
    outputSchema: {
      type: 'object',
      properties: {
        rows: { type: 'array', items: { type: 'object' } },
        row_count: { type: 'integer' },
        complete: { type: 'boolean' },
        note: { type: 'string' },
      },
      required: ['rows', 'row_count', 'complete'],
    },
    annotations: READ_ONLY,
  },
];

/** What the tools need of a request besides its caller. */
export interface SearchDeps {
  readonly tools: CatalogTools;
  readonly describe: Pick<Describe, 'result'>;
}

/** The tool of this name; undefined: it is none of the three. */
export function searchTool(name: string, deps: SearchDeps): Tool | undefined {
  const run = RUN.get(name);
  return run && { run: (given, caller) => run(given, caller, deps) };
}

type Run = (given: Arguments, caller: Caller, deps: SearchDeps) => Promise<ToolResult>;

const PAGE = 20;

const find: Run = async (given, caller, { tools }) => {
  const query = textArgument(given, 'query') ?? '';
  const page = pageArgument(given);
  const scope = tools.scopeOf(caller.principal);
  const found = await tools.search(query.slice(0, 200), scope);
  const pages = Math.max(1, Math.ceil(found.length / PAGE));
  const shown = found.slice((page - 1) * PAGE, page * PAGE).map((endpoint) => ({
    name: scope.nameOf(endpoint),
    description: summaryOf(endpoint),
    arguments: argumentNames(endpoint, caller),
  }));
  const text = [
    `${found.length} ${found.length === 1 ? 'endpoint' : 'endpoints'}; page ${page} of ${pages}.`,
    ...shown.map((each) => plainText(`${each.name}(${each.arguments.join(', ')}): ${each.description}`)),
    ...(found.length === 0 ? ['Try other words, or no query for all endpoints.'] : []),
  ].join('\n');
  return {
    content: [{ type: 'text', text }],
    structuredContent: { endpoints: shown, total: found.length, page, pages },
  };
};

const MAX_ARGUMENTS = 12;

function argumentNames({ parameters }: Endpoint, { principal }: Caller): readonly string[] {
  const own = Object.entries(parameters).filter(([name]) => !principal.locked.has(name));
  const names = own
    .slice(0, MAX_ARGUMENTS)
    .map(([name, { required }]) => `${name}${required === true ? '*' : ''}`);
  return own.length > MAX_ARGUMENTS ? [...names, '…'] : names;
}

/** Characters of the schema of the arguments, and of the columns, each. */
const MAX_PART = 14_336;

const describeOne: Run = async (given, caller, { tools, describe }) => {
  const scope = tools.scopeOf(caller.principal);
  const endpoint = named(given, scope);
  const rows = await rowShapes(describe, endpoint);
  const columns = rows && mergeShapes(rows.shapes);
  const schema = argumentsSchema(endpoint, caller.principal.locked, MAX_PART);
  const shown: string[] = [];
  let length = 0;
  for (const { name, types, isAlways } of columns ?? []) {
    const type = `${types.join(' or ')}${isAlways ? '' : ' (depends on the arguments)'}`;
    length += name.length + type.length + 3;
    if (length > MAX_PART) break;
    shown.push(`${name} ${type}`);
  }
  const more = (columns?.length ?? 0) - shown.length;
  const described = {
    name: scope.nameOf(endpoint),
    description: toolText(endpoint, caller.principal.locked),
    arguments: schema,
    columns: [...shown, ...(more > 0 ? [`… and ${more} more columns`] : [])],
    max_rows: Math.min(endpoint.mcp?.maxRows ?? 0, endpoint.maxRows),
  };
  const text = [
    `${described.name}: ${described.description}`,
    `Arguments (JSON Schema): ${JSON.stringify(schema)}`,
    columns === undefined ? 'Columns: not known now.' : `Columns: ${plainText(described.columns.join(', '))}`,
    `At most ${described.max_rows} rows.`,
  ].join('\n');
  return { content: [{ type: 'text', text }], structuredContent: described };
};

const call: Run = async (given, caller, { tools }) => {
  const endpoint = named(given, tools.scopeOf(caller.principal));
  const { arguments: sent = {} } = given;
  if (typeof sent !== 'object' || sent === null || Array.isArray(sent))
    throw invalidArgument('arguments', 'must be an object of arguments by name');
  return callEndpoint(endpoint, { ...sent }, caller);
};

const RUN: ReadonlyMap<string, Run> = new Map([
  ['find_endpoints', find],
  ['describe_endpoint', describeOne],
  ['call_endpoint', call],
]);

/** The endpoint that the argument names, by the name of its tool or by its own. Throws Problem. */
function named(given: Arguments, { endpoints, find: byName, nameOf }: ToolScope): Endpoint {
  const name = textArgument(given, 'name');
  if (name === undefined) throw invalidArgument('name', 'is required');
  const endpoint = byName(name) ?? endpoints.find((each) => each.name === name);
  if (endpoint !== undefined) return endpoint;
  const guess = nearest(name, endpoints.map(nameOf));
  const detail = `There is no endpoint ${JSON.stringify(name.slice(0, 100))} that your key may call`;
  throw new Problem('route.endpoint_unknown', {
    detail,
    hint: didYouMean(guess) ?? 'find_endpoints lists the endpoints that your key may call.',
  });
}

function textArgument(given: Arguments, name: string): string | undefined {
  const value = given[name];
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'string') throw invalidArgument(name, 'must be a string');
  return value;
}

const MAX_PAGE = 1000;

function pageArgument({ page = 1 }: Arguments): number {
  const number = Number(page ?? 1);
  if (!Number.isInteger(number) || number < 1 || number > MAX_PAGE)
    throw invalidArgument('page', `must be a whole number from 1 to ${MAX_PAGE}`);
  return number;
}

function invalidArgument(parameter: string, message: string): Problem {
  return new Problem('request.parameters_invalid', {
    detail: `${parameter} ${message}`,
    errors: [{ parameter, message }],
  });
}
