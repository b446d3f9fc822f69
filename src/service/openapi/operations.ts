// One endpoint as OpenAPI operations: GET with parameters in the URL, POST with a body; consumer queries by POST.
import type { Principal } from '../auth/principal.ts';
import { sentColumns } from '../endpoints/sent-columns.ts';
import type { Endpoint } from '../endpoints/endpoint.ts';
import { alternatives, mergeShapes, type MergedColumn, type RowShapes } from '../endpoints/row-shapes.ts';
import { FORMATS } from '../formats/formats.ts';
import { columnSchema, type LargeNumbers } from './columns.ts';
import { problemResponses } from './components.ts';
import { parameterSchema } from './parameters.ts';
import { orNull, type Schema } from './schema.ts';
import { parseType } from '../../sql/types/type.ts';

/** An endpoint with the columns of its result. */
export interface DescribedEndpoint {
  readonly endpoint: Endpoint;
  /** Undefined if the engine does not have the tables. */
  readonly rows: RowShapes | undefined;
}

/** What an operation depends on besides its endpoint. */
export interface OperationOptions {
  readonly principal: Pick<Principal, 'languages' | 'locked' | 'redact' | 'resultShape'>;
  readonly headerPrefix: string;
  /** Unique among all operations. */
  readonly operationId: string;
  /** The name in the path. */
  readonly address: string;
  /** That `version` may select; empty for a path that has none or names one. */
  readonly versions: readonly number[];
  /** A sentence; undefined: not deprecated. */
  readonly deprecation: string | undefined;
}

/** The path item of an endpoint. */
export interface EndpointPath {
  readonly parameters: readonly unknown[];
  readonly get: unknown;
  readonly post: {
    readonly operationId: string;
    readonly tags: readonly string[];
    readonly parameters: readonly unknown[];
    readonly requestBody: unknown;
    readonly responses: unknown;
  };
}

export function pathItem(described: DescribedEndpoint, options: OperationOptions): EndpointPath {
  const { endpoint } = described;
  const { operationId, address, deprecation } = options;
  const [title = ''] = endpoint.description.trim().split(/(?<=\.)\s|\n/);
  const languages = [...endpoint.sandbox.languages].filter((each) => options.principal.languages.has(each));
  const own = endpoint.sandbox.enabled ? languages : [];
  const common = {
    tags: [tagOf(endpoint)],
    summary: title === '' ? address : title.slice(0, 120),
    description: [...(deprecation === undefined ? [] : [deprecation]), endpoint.description].join('\n\n'),
    ...(deprecation === undefined ? {} : { deprecated: true }),
  };
  const versions = versionParameters(options);
  return {
    parameters: headerParameters(endpoint, options.headerPrefix),
    get: {
      ...common,
      operationId,
      parameters: [
        ...queryParameters(described, options),
        ...consumerParameters(endpoint, own),
        ...versions,
        FORMAT_PARAMETER,
        ...answerParameters(endpoint),
      ],
      responses: responses(described, options, []),
    },
    post: {
      ...common,
      operationId: `${operationId}_post`,
      parameters: [...versions, FORMAT_PARAMETER, ...answerParameters(endpoint)],
      requestBody: requestBody(described, options, own),
      responses: responses(described, options, own),
    },
  };
}

/** Endpoints are grouped by the first part of their names. */
export function tagOf({ name }: Pick<Endpoint, 'name'>): string {
  return name.split('.', 1)[0] ?? name;
}

function queryParameters(
  { endpoint: { parameters, examples } }: DescribedEndpoint,
  { principal: { locked } }: OperationOptions,
): readonly unknown[] {
  const [example] = examples;
  return Object.entries(parameters).map(([name, spec]) => {
    const value = locked.get(name) ?? example?.parameters?.[name];
    return {
      name,
      in: 'query',
      required: spec.required === true && !locked.has(name),
      ...(spec.description === undefined ? {} : { description: spec.description }),
      schema: parameterSchema(spec, locked.get(name)),
      ...(parseType(spec.type).name === 'Array' ? { style: 'form', explode: false } : {}),
      ...(value === undefined ? {} : { example: value }),
    };
  });
}

function versionParameters({ versions }: OperationOptions): readonly unknown[] {
  if (versions.length === 0) return [];
  const description =
    'The version of the endpoint; parameters, columns and deprecation of the others are those of their own paths.';
  return [{ name: 'version', in: 'query', description, schema: { type: 'integer', enum: versions } }];
}

/** Consumer queries by GET; longer ones are sent by POST. */
function consumerParameters(endpoint: Endpoint, own: readonly ('sql' | 'lql')[]): readonly unknown[] {
  return consumerFields(endpoint, own).map(([name, { description = '', ...schema }]) => ({
    name,
    in: 'query',
    required: false,
    description:
      name === 'dialect' ? description : `${description} Rows then have the columns of this query.`,
    schema,
  }));
}

/** The fields of a consumer query that the caller may send. */
function consumerFields(
  { sandbox: { dialects } }: Endpoint,
  own: readonly ('sql' | 'lql')[],
): readonly (readonly [string, Schema])[] {
  const queries = own.map(
    (language) => [language, { type: 'string', description: CONSUMER_QUERIES[language] }] as const,
  );
  if (!own.includes('sql') || dialects.length < 2) return queries;
  const description = 'The dialect of sql; all of them are tried if it is omitted.';
  return [...queries, ['dialect', { type: 'string', enum: dialects, description }]];
}

/** Responses are documented as JSON alone: code generators lose the types of operations with several media types. */
const FORMAT_PARAMETER = {
  name: 'format',
  in: 'query',
  description: `The response format; the Accept header is an alternative. The schema of the response is that of json. ${mediaTypesText()}`,
  schema: { type: 'string', enum: Object.keys(FORMATS), default: 'json' },
};

const queryParameter = (name: string, description: string, schema: Schema) => ({
  name,
  in: 'query',
  description,
  schema,
});

/** Of live calls. */
function liveParameters({ live }: Endpoint): readonly unknown[] {
  if (live === undefined) return [];
  const description = `Answer with a stream of server-sent events: one with the result now, and one whenever it has changed, looked for every ${live.every} s. The same as \`Accept: text/event-stream\`. Events are \`result\` (data: the JSON response), \`rows\` (data: the rows that are new), \`error\` (data: a problem) and \`end\` (data: the reason).`;
  return [
    queryParameter('live', description, { type: 'boolean', default: false }),
    queryParameter(
      'last_event_id',
      'The id of the last event of a live call before, as in the header field Last-Event-ID.',
      { type: 'string' },
    ),
  ];
}

/** Live calls, pages and metadata. */
function answerParameters(endpoint: Endpoint): readonly unknown[] {
  const { page, parameters } = endpoint;
  const pages =
    page === undefined
      ? []
      : [
          queryParameter('page_size', 'Rows of a page; rows with equal keys stay on one page.', {
            type: 'integer',
            minimum: 1,
            maximum: page.max,
            default: page.size,
          }),
          queryParameter(
            'cursor',
            '`next` of the response before: continues after its last row. All other parameters stay the same.',
            {
              type: 'string',
            },
          ),
        ];
  const added = [...liveParameters(endpoint), ...pages];
  if (parameters['meta'] !== undefined) return added;
  const meta = queryParameter(
    'meta',
    'Add `meta` to a response in JSON: columns, rows, statistics and cache state.',
    {
      type: 'boolean',
      default: false,
    },
  );
  return [...added, meta];
}

/** The formats with their media types. */
function mediaTypesText(): string {
  const types = Object.entries(FORMATS).map(([name, { mediaTypes }]) => `${name}: ${mediaTypes[0] ?? ''}`);
  return `Media types: ${types.join(', ')}.`;
}

const NEXT: Schema = { type: 'string', description: 'The cursor of the next page; absent on the last one.' };

const PREFER_PARAMETER = {
  name: 'Prefer',
  in: 'header',
  description:
    'Preferences (RFC 7240), separated by commas. result-shape=bigquery or result-shape=standard: the shape of rows in JSON and NDJSON; the schema of the response is that of a request without it. non-finite=string: NaN and infinities as the texts nan, inf and -inf in JSON and NDJSON, where they are null without it. metadata: like meta=true, and ignored for other formats than JSON.',
  schema: { type: 'string' },
};

const REDACT_TEXT = 'Redact personal data in this response: any value but 0 and false.';

function headerParameters({ labels, reservation }: Endpoint, prefix: string): readonly unknown[] {
  const header = (name: string, description: string, schema: Schema) => ({
    name: `${prefix}-ENDPOINT-${name}`,
    in: 'header',
    description,
    schema,
  });
  return [
    PREFER_PARAMETER,
    header('REDACT-PII', REDACT_TEXT, { type: 'string', examples: ['true'] }),
    ...(labels.some(({ from }) => from.kind === 'header')
      ? [header('LABELS', 'Labels of this call, as comma-separated name=value pairs.', { type: 'string' })]
      : []),
    ...(reservation.enabled
      ? [
          header('RESERVATION', 'The workload to run in.', {
            type: 'string',
            enum: reservation.workloads,
          }),
        ]
      : []),
  ];
}

const CONSUMER_QUERIES = {
  sql: 'A SELECT over the tables of this endpoint, run instead of the saved query.',
  lql: 'An LQL query over the tables of this endpoint, run instead of the saved query.',
} as const;

function requestBody(
  { endpoint }: DescribedEndpoint,
  { principal: { locked } }: OperationOptions,
  own: readonly ('sql' | 'lql')[],
): unknown {
  const { parameters, examples } = endpoint;
  const declared = Object.entries(parameters).map(([name, spec]): [string, Schema] => {
    const { description } = spec;
    const sent = parameterSchema(spec, locked.get(name));
    const schema = spec.required === true ? sent : orNull(sent);
    return [name, { ...(description === undefined ? {} : { description }), ...schema }];
  });
  const schema: Schema = {
    type: 'object',
    properties: Object.fromEntries([...declared, ...consumerFields(endpoint, own)]),
    required: Object.keys(parameters).filter(
      (name) => parameters[name]?.required === true && !locked.has(name),
    ),
  };
  const shown = examples.map(({ name, parameters: sent = {}, sql, lql }) => {
    const value = {
      ...sent,
      ...Object.fromEntries([...locked].filter(([key]) => key in parameters)),
      ...(sql && { sql }),
      ...(lql && { lql }),
    };
    return [name, { value }] as const;
  });
  const sqlBody = own.includes('sql')
    ? { 'application/sql': { schema: { type: 'string', description: CONSUMER_QUERIES.sql } } }
    : {};
  return {
    required: (schema.required ?? []).length > 0,
    content: {
      'application/json': { schema, ...(shown.length === 0 ? {} : { examples: Object.fromEntries(shown) }) },
      'application/x-www-form-urlencoded': { schema },
      ...sqlBody,
    },
  };
}

const HEADERS = [
  'ETag',
  'Cache-Control',
  'Server-Timing',
  'X-Request-Id',
  'Millrace-Endpoint',
  'Millrace-Truncated',
  'Preference-Applied',
];
const DEPRECATION_HEADERS = ['Deprecation', 'Sunset', 'Link'];
const FRESH_HEADERS = ['Millrace-Data-Age', 'Millrace-Data-Stale'];
const CACHE_HEADERS = ['Age', 'Cache-Status'];
const LIMIT_HEADERS = ['RateLimit', 'RateLimit-Policy'];

function responses(
  described: DescribedEndpoint,
  { principal }: OperationOptions,
  own: readonly string[],
): unknown {
  const { endpoint } = described;
  const row = rowSchema(described, principal);
  // The columns of a consumer query are not known in advance.
  const items = own.length === 0 ? row : { anyOf: [row, { $ref: '#/components/schemas/Row' }] };
  const json: Schema = {
    type: 'object',
    required: ['result'],
    properties: {
      result: { type: 'array', maxItems: endpoint.maxRows, items },
      truncated: { const: true, description: 'Present if rows were truncated at the maximum.' },
      ...(endpoint.page === undefined ? {} : { next: NEXT }),
      meta: { $ref: '#/components/schemas/Metadata' },
    },
  };
  const names = [
    ...HEADERS,
    ...(endpoint.version === undefined ? [] : ['Millrace-Version']),
    ...(endpoint.deprecated === undefined ? [] : DEPRECATION_HEADERS),
    ...(own.includes('sql') ? ['Millrace-Dialect'] : []),
    ...(endpoint.fresh === undefined ? [] : FRESH_HEADERS),
    ...(endpoint.cache === undefined ? [] : CACHE_HEADERS),
    ...LIMIT_HEADERS,
  ];
  return {
    200: {
      description: `At most ${endpoint.maxRows} rows.${freshnessText(endpoint)}`,
      headers: Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }])),
      content: { 'application/json': { schema: json } },
    },
    304: { $ref: '#/components/responses/NotModified' },
    ...problemResponses(),
  };
}

/** How old responses may be after a change of the data, and whether shared caches may store them. */
function freshnessText({ cache }: Endpoint): string {
  const sharing = cache?.isPublic === true ? ' Shared caches may store responses.' : '';
  if (cache?.check === undefined) return sharing;
  return ` Cached until the data changes, which is checked every ${cache.check} s.${sharing}`;
}

/**
 * Callers can request redaction themselves: columns may then be other ones. Choices and optional parts
 * that change the columns make alternatives.
 */
export function rowSchema(
  { endpoint, rows }: DescribedEndpoint,
  principal: Pick<OperationOptions['principal'], 'redact' | 'resultShape'>,
  large: LargeNumbers = endpoint.int64,
): Schema {
  if (rows === undefined) return { $ref: '#/components/schemas/Row' };
  const isRedacted = endpoint.redaction.always || principal.redact;
  const shape = principal.resultShape ?? endpoint.resultShape;
  const { treats } = endpoint.redaction.redactor;
  const objectOf = (columns: readonly MergedColumn[]): Schema => {
    const shown = sentColumns(columns, endpoint.redaction, isRedacted);
    return {
      type: 'object',
      properties: Object.fromEntries(
        shown.map(({ name, types }) => [name, anyOf(types.map((type) => columnSchema(type, large, shape)))]),
      ),
      required: shown.flatMap(({ name, isAlways }) => (isAlways ? [name] : [])),
    };
  };
  const listed = alternatives(rows);
  const [only = [], ...others] = listed ?? [mergeShapes(rows.shapes)];
  if (others.length === 0) return objectOf(only);
  const each = [only, ...others].map((columns) => ({ ...objectOf(columns), additionalProperties: false }));
  const isAmbiguous = [only, ...others].flat().some(({ name }) => treats(name));
  return isAmbiguous ? { anyOf: each } : { oneOf: each };
}

function anyOf(schemas: readonly Schema[]): Schema {
  const [first = {}, ...others] = new Map(schemas.map((each) => [JSON.stringify(each), each])).values();
  return others.length === 0 ? first : { anyOf: [first, ...others] };
}
