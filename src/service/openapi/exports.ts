// The exports of an endpoint as OpenAPI paths: asking for one, its state, its file.
import type { Endpoint, ExportPolicy } from '../endpoints/endpoint.ts';
import { FORMATS } from '../formats/formats.ts';
import { problemResponses } from './components.ts';
import type { EndpointPath } from './operations.ts';

/** The ids of the operations are that of the endpoint with one of these. */
export const EXPORT_OPERATIONS = [
  '_exports',
  '_exports_post',
  '_export',
  '_export_delete',
  '_export_result',
] as const;

/** Empty if the endpoint has no exports. The requests that ask for one are those of calls by POST. */
export function exportPaths(
  { export: policy, name }: Endpoint,
  {
    url,
    path,
    operationId,
  }: { readonly url: string; readonly path: EndpointPath; readonly operationId: string },
): Readonly<Record<string, unknown>> {
  if (policy === undefined) return {};
  const { tags, requestBody } = path.post;
  const operation = (suffix: (typeof EXPORT_OPERATIONS)[number], summary: string) => ({
    tags,
    operationId: `${operationId}${suffix}`,
    summary: `${summary} of ${name}.`,
  });
  const problems = problemResponses();
  return {
    [`${url}/exports`]: {
      get: {
        ...operation('_exports', 'The exports of the key'),
        responses: { 200: stateAnswer('The newest first.', EXPORTS), ...problems },
      },
      post: {
        ...operation('_exports_post', 'Asks for an export'),
        parameters: [...path.parameters, ...exportParameters(policy)],
        requestBody,
        responses: { 202: { ...stateAnswer('It waits or runs.', EXPORT), headers: LOCATION }, ...problems },
      },
    },
    [`${url}/exports/{id}`]: {
      parameters: [ID],
      get: {
        ...operation('_export', 'The state of an export'),
        responses: { 200: stateAnswer('Its state.', EXPORT), ...problems },
      },
      delete: {
        ...operation('_export_delete', 'Cancels or removes an export'),
        responses: { 204: { description: 'It is gone.' }, ...problems },
      },
    },
    [`${url}/exports/{id}/result`]: {
      parameters: [ID],
      get: {
        ...operation('_export_result', 'The file of an export'),
        parameters: [RANGE],
        responses: { 200: file(policy, 'The whole file.'), 206: file(policy, 'A part of it.'), ...problems },
      },
    },
  };
}

const EXPORT = { $ref: '#/components/schemas/Export' };
const EXPORTS = {
  type: 'object',
  required: ['result'],
  properties: { result: { type: 'array', items: EXPORT } },
};
const LOCATION = { Location: { description: 'The path of the export.', schema: { type: 'string' } } };
const ID = { name: 'id', in: 'path', required: true, schema: { type: 'string' } };
const RANGE = {
  name: 'Range',
  in: 'header',
  description: 'One range of bytes (RFC 9110, 14.2).',
  schema: { type: 'string', examples: ['bytes=1000-'] },
};

function stateAnswer(description: string, schema: unknown) {
  return { description, content: { 'application/json': { schema } } };
}

function exportParameters({ formats, places }: ExportPolicy): readonly unknown[] {
  const hasDefaults = { format: formats.includes('parquet'), place: places.includes('download') };
  return [
    {
      name: 'format',
      in: 'query',
      description: 'The format of the file.',
      schema: { type: 'string', enum: formats, ...(hasDefaults.format ? { default: 'parquet' } : {}) },
    },
    {
      name: 'export_to',
      in: 'query',
      description: 'Where the file is kept.',
      schema: { type: 'string', enum: places, ...(hasDefaults.place ? { default: 'download' } : {}) },
    },
    {
      name: 'Idempotency-Key',
      in: 'header',
      description: 'The same request with the same value returns the same export.',
      schema: { type: 'string', minLength: 1, maxLength: 255 },
    },
  ];
}

function file({ formats }: ExportPolicy, description: string): unknown {
  const types = formats.flatMap((format) => FORMATS[format].mediaTypes.slice(0, 1));
  const content = Object.fromEntries(types.map((type) => [type, {}]));
  return { description, headers: { ETag: { $ref: '#/components/headers/ETag' } }, content };
}
