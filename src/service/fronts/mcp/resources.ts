// Resources: endpoints and their tables as Markdown, and the guides.
import type { Resource, ResourceTemplateType, TextResourceContents } from '@modelcontextprotocol/server';
import { isCallable } from '../../endpoints/callable.ts';
import type { Endpoint } from '../../endpoints/endpoint.ts';
import { visibleTables } from '../../request/consumer/visible-tables.ts';
import type { Caller } from './caller.ts';
import { describeColumns } from './query/described-paths.ts';
import { openEndpoint, openEndpoints } from './query/open-endpoints.ts';
import { schemaText } from './query/schema-text.ts';
import { createTexts, GUIDES, type TextsDeps } from '../texts/texts.ts';
import { firstSentence } from '../texts/first-sentence.ts';

export type ResourcesDeps = Omit<TextsDeps, 'mcp'>;

export interface Resources {
  /** The guides, and the endpoints if they are few. */
  readonly list: (caller: Caller) => readonly Resource[];
  readonly templates: (caller: Caller) => readonly ResourceTemplateType[];
  /** Undefined: there is no such resource for this caller. */
  readonly read: (caller: Caller, uri: string) => Promise<TextResourceContents | undefined>;
}

/** More endpoints are not listed, and found by the tools or by completion. */
const MAX_LISTED = 40;
const MARKDOWN = 'text/markdown';
const ENDPOINT = 'millrace://endpoints/{endpoint}';
const TABLE = `${ENDPOINT}/tables/{table}`;

/** `exportText`: the state of an export of the caller; undefined: the service makes none. It throws Problem `export.unknown`. */
export function createResources(
  deps: ResourcesDeps,
  exportText?: (caller: Caller, endpoint: Endpoint, id: string) => string,
): Resources {
  const texts = createTexts({ ...deps, mcp: undefined });
  const hasQueries = ({ catalog, principal }: Caller): boolean =>
    deps.sandboxes.offBecause() === undefined && openEndpoints(catalog, principal).length > 0;
  const table = async (caller: Caller, endpoint: Endpoint, name: string): Promise<string | undefined> => {
    const isOpen = hasQueries(caller) && openEndpoint(endpoint, caller.principal) !== undefined;
    const tables = isOpen ? await visibleTables(endpoint, caller.principal, deps) : undefined;
    const found = tables?.find((each) => each.name === name);
    if (found === undefined) return undefined;
    const described = {
      name,
      columns: describeColumns(found.columns, undefined),
      sampled: undefined,
      conditional: found.conditional,
    };
    return `${schemaText([described], MAX_TABLE_BYTES)}\n`;
  };
  return {
    list: (caller) => {
      const endpoints = endpointsOf(caller);
      const listed = endpoints.length > MAX_LISTED ? [] : endpoints;
      return [...(hasQueries(caller) ? GUIDE_RESOURCES : []), ...listed.map(endpointResource)];
    },
    templates: (caller) => (hasQueries(caller) ? TEMPLATES : TEMPLATES.slice(0, 1)),
    read: async (caller, uri) => {
      const guide = hasQueries(caller) ? GUIDES.get(`${uri.slice(GUIDE_START.length)}.md`) : undefined;
      if (uri.startsWith(GUIDE_START) && guide !== undefined) return { uri, mimeType: MARKDOWN, text: guide };
      const place = readPlace(uri);
      const endpoint = place && findEndpoint(caller, place.endpoint);
      if (place === undefined || endpoint === undefined) return undefined;
      if (place.export !== undefined)
        return (
          exportText && {
            uri,
            mimeType: 'application/json',
            text: exportText(caller, endpoint, place.export),
          }
        );
      const text =
        place.table === undefined
          ? await texts.endpoint(endpoint, caller.principal)
          : await table(caller, endpoint, place.table);
      return text === undefined
        ? undefined
        : { uri, mimeType: place.table === undefined ? MARKDOWN : 'text/plain', text };
    },
  };
}

const MAX_TABLE_BYTES = 64 * 1024;
const GUIDE_START = 'millrace://guides/';

const GUIDE_RESOURCES: readonly Resource[] = [
  {
    uri: `${GUIDE_START}sql`,
    name: 'sql-guide',
    title: 'SQL in queries',
    description: 'What SQL the tool query accepts, with examples: times, JSON paths, maps, aggregates.',
    mimeType: MARKDOWN,
  },
  {
    uri: `${GUIDE_START}lql`,
    name: 'lql-guide',
    title: 'LQL in queries',
    description: 'The language for searching logs, with examples.',
    mimeType: MARKDOWN,
  },
];

const TEMPLATES: readonly ResourceTemplateType[] = [
  {
    uriTemplate: ENDPOINT,
    name: 'endpoint',
    title: 'An endpoint',
    description: 'Parameters, result columns, limits, tables and examples of an endpoint.',
    mimeType: MARKDOWN,
  },
  {
    uriTemplate: TABLE,
    name: 'table',
    title: 'A table of an endpoint',
    description: 'Columns and paths with their types, as the tool query reads them.',
    mimeType: 'text/plain',
  },
];

function findEndpoint({ catalog, principal }: Caller, name: string): Endpoint | undefined {
  const endpoint = catalog.find(name);
  return endpoint?.mcp !== undefined && isCallable(endpoint, principal) ? endpoint : undefined;
}

/** Those that agents may use, sorted by name. */
export function endpointsOf({ catalog, principal }: Caller): readonly Endpoint[] {
  return catalog.endpoints.filter(
    (endpoint) => endpoint.mcp !== undefined && isCallable(endpoint, principal),
  );
}

function endpointResource({ name, description }: Endpoint): Resource {
  return {
    uri: `millrace://endpoints/${encodeURIComponent(name)}`,
    name,
    description: firstSentence(description),
    mimeType: MARKDOWN,
  };
}

interface ResourcePlace {
  readonly endpoint: string;
  readonly table: string | undefined;
  readonly export: string | undefined;
}

/** Undefined if the URI is neither that of an endpoint, nor of a table or an export of one. */
function readPlace(uri: string): ResourcePlace | undefined {
  const [, endpoint = '', table, id] =
    /^millrace:\/\/endpoints\/([^/]{1,400})(?:\/tables\/([^/]{1,400})|\/exports\/([\w-]{1,64}))?$/.exec(
      uri,
    ) ?? [];
  try {
    if (endpoint === '') return undefined;
    return {
      endpoint: decodeURIComponent(endpoint),
      table: table === undefined ? undefined : decodeURIComponent(table),
      export: id,
    };
  } catch {
    return undefined; // not percent-encoded UTF-8
  }
}
