// The OpenAPI document of a set of endpoints (https://spec.openapis.org/oas/v3.1.1.html).
import { setImmediate } from 'node:timers/promises';
import type { Catalog } from '../endpoints/catalog.ts';
import type { Endpoint } from '../endpoints/endpoint.ts';
import { addressOf, deprecationText, successorOf } from '../endpoints/versions.ts';
import { COMPONENTS, problemResponses } from './components.ts';
import { EXPORT_OPERATIONS, exportPaths } from './exports.ts';
import { pathItem, tagOf, type DescribedEndpoint, type OperationOptions } from './operations.ts';

/** The key, the endpoints that it may call, and the service. */
export interface DocumentOptions extends Pick<OperationOptions, 'principal' | 'headerPrefix'> {
  /** Of the endpoints: which versions are the defaults, and what succeeds a deprecated one. */
  readonly catalog: Catalog;
  /** The version of the service. */
  readonly version: string;
  /** Path or URL of the service, without a trailing slash; a path is relative to where the document was loaded from. */
  readonly server: string;
  /** An e-mail address or URL of the operator; undefined: not configured. */
  readonly contact: string | undefined;
}

/** Endpoints between pauses, in which other requests are answered. */
const SLICE = 20;

/** The paths that the principal may call, with all schemas, problems and security schemes. */
export async function openapiDocument(
  endpoints: readonly DescribedEndpoint[],
  options: DocumentOptions,
): Promise<Readonly<Record<string, unknown>>> {
  const { catalog } = options;
  const addresses = endpoints.map(({ endpoint }) => addressOf(catalog, endpoint));
  const ids = operationIds(addresses);
  const paths: Record<string, unknown> = {};
  for (const [index, described] of endpoints.entries()) {
    if (index % SLICE === SLICE - 1) await setImmediate();
    const { endpoint } = described;
    const [operationId, address] = [ids[index] ?? '', addresses[index] ?? endpoint.name];
    const versions = address === endpoint.name ? versionsOf(catalog, endpoint, endpoints) : [];
    const deprecation = deprecationText(endpoint, successorOf(catalog, endpoint));
    const own = { ...options, operationId, address, versions, deprecation };
    const url = `/api/endpoints/query/${address}`;
    const path = pathItem(described, own);
    paths[url] = path;
    Object.assign(paths, exportPaths(endpoint, { url, path, operationId }));
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Millrace endpoints',
      version: options.version,
      description: 'Saved ClickHouse queries with typed parameters, as currently served.',
      contact: contactOf(options.contact),
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: options.server }],
    security: [{ key: [] }, { bearer: [] }],
    tags: tagsOf(endpoints),
    paths: { ...paths, ...OTHER_PATHS },
    components: COMPONENTS,
  };
}

/** The numbers of the versions that the principal may call. */
function versionsOf(
  catalog: Catalog,
  { name, version }: Endpoint,
  endpoints: readonly DescribedEndpoint[],
): readonly number[] {
  if (version === undefined) return [];
  const callable = new Set(endpoints.map(({ endpoint }) => endpoint));
  return catalog.versions(name).flatMap((each) => (callable.has(each) ? (each.version ?? []) : []));
}

function contactOf(contact: string | undefined): Readonly<Record<string, string>> {
  const operator = { name: 'The operator of this service' };
  if (contact === undefined) return operator;
  return { ...operator, ...(contact.includes('://') ? { url: contact } : { email: contact }) };
}

/** The tags of the operations, in the order of the paths. */
function tagsOf(endpoints: readonly DescribedEndpoint[]): readonly unknown[] {
  const names = new Set(endpoints.map(({ endpoint }) => tagOf(endpoint)));
  names.delete(SERVICE_TAG.name);
  const tags = [...names].map((name) => ({ name, description: `Endpoints whose names start with ${name}.` }));
  return [...tags, SERVICE_TAG];
}

/** Unique operation ids, using only characters that code generators accept in identifiers. */
function operationIds(names: readonly string[]): readonly string[] {
  const taken = new Set<string>();
  return names.map((name) => {
    const plain = name.replace(/[^A-Za-z0-9]+/g, '_');
    let id = plain;
    const own = (): readonly string[] => ['', '_post', ...EXPORT_OPERATIONS].map((suffix) => id + suffix);
    for (let n = 2; own().some((each) => taken.has(each)); n++) id = `${plain}_${n}`;
    for (const each of own()) taken.add(each);
    return id;
  });
}

const JSON_ANSWER = (description: string, schema: unknown) => ({
  200: { description, content: { 'application/json': { schema } } },
});
const NO_KEY = { security: [] };
const SERVICE_TAG = { name: 'service', description: 'The service itself: its endpoints and its health.' };
const SERVICE = { tags: [SERVICE_TAG.name] };

const OTHER_PATHS = {
  '/api/endpoints': {
    get: {
      ...SERVICE,
      operationId: 'list_endpoints',
      summary: 'The endpoints that the key may call, with their parameters, columns and policies.',
      responses: {
        ...JSON_ANSWER('The endpoints, sorted by name.', {
          type: 'object',
          required: ['result'],
          properties: {
            result: { type: 'array', items: { type: 'object', additionalProperties: true } },
            function_sets: { type: 'object', additionalProperties: true },
          },
        }),
        ...problemResponses(),
      },
    },
  },
  '/api/usage': {
    get: {
      ...SERVICE,
      operationId: 'usage',
      summary: 'What the key has called, by day and endpoint, and what is left of its budgets.',
      parameters: [
        {
          name: 'days',
          in: 'query',
          description: 'Days in UTC, today among them.',
          schema: { type: 'integer', minimum: 1, maximum: 31, default: 7 },
        },
      ],
      responses: {
        ...JSON_ANSWER('Calls of this key only.', { $ref: '#/components/schemas/Usage' }),
        ...problemResponses(),
      },
    },
  },
  '/api/why': {
    get: {
      ...SERVICE,
      operationId: 'why',
      summary: 'Why a call of the key took its time.',
      parameters: [
        {
          name: 'request',
          in: 'query',
          required: true,
          description: 'The X-Request-Id of a call that is finished.',
          schema: { type: 'string' },
        },
      ],
      responses: {
        ...JSON_ANSWER('The report about the call.', {
          type: 'object',
          required: ['result'],
          properties: { result: { $ref: '#/components/schemas/CallReport' } },
        }),
        ...problemResponses(),
      },
    },
  },
  '/health/live': {
    get: {
      ...SERVICE,
      ...NO_KEY,
      operationId: 'health_live',
      summary: 'Whether the process is running.',
      responses: JSON_ANSWER('It is running.', { type: 'object', additionalProperties: true }),
    },
  },
  '/health/ready': {
    get: {
      ...SERVICE,
      ...NO_KEY,
      operationId: 'health_ready',
      summary: 'Whether the service can answer requests, and which checks failed if not.',
      responses: {
        ...JSON_ANSWER('It can.', { $ref: '#/components/schemas/Row' }),
        503: {
          description: 'It cannot.',
          content: { 'application/json': { schema: { $ref: '#/components/schemas/Row' } } },
        },
      },
    },
  },
} as const;
