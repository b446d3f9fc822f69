// Components shared by all operations: security schemes, header fields, and problems with all codes.
import { PROBLEMS } from '../../sql/base/problems.ts';
import { orNull } from './schema.ts';

const text = (description: string) => ({ description, schema: { type: 'string' } });
const number = (description: string) => ({ description, schema: { type: 'integer' } });

export const COMPONENTS = {
  securitySchemes: {
    key: { type: 'apiKey', in: 'header', name: 'X-API-KEY', description: 'An API key of this service.' },
    bearer: {
      type: 'http',
      scheme: 'bearer',
      description: 'The same key, or a JSON Web Token from a configured issuer.',
    },
  },
  headers: {
    ETag: text('The entity tag of this response; send it in If-None-Match to get 304 if nothing changed.'),
    'Cache-Control': text(
      'How long the client may cache the response, from the time when its Age was 0; with public, shared caches too.',
    ),
    'Cache-Status': text(
      'How the cache handled the request (RFC 9211). For endpoints that are cached until their data changes, detail says what is known about the data of the cached response: unchanged, changed, unchecked or unwatched.',
    ),
    Age: number(
      'Seconds since the response was generated, or since the last check that found its data unchanged.',
    ),
    'Server-Timing': text('The duration of each stage in milliseconds.'),
    'X-Request-Id': text("The request id used in logs; the client's own if it sent one."),
    'Millrace-Endpoint': text('The name and revision of the endpoint.'),
    'Millrace-Version': text('The number of the version that answered.'),
    Deprecation: text('Since when the endpoint, or this version, is deprecated (RFC 9745).'),
    Sunset: text('From when it may no longer be served (RFC 8594).'),
    Link: text('The successor of a deprecated endpoint, with rel="successor-version" (RFC 8288, RFC 5829).'),
    'Millrace-Truncated': text('true if rows were truncated at the maximum.'),
    'Millrace-Data-Age': number(
      'Seconds since the newest time in the data when the response was sent; caches between add Age to it.',
    ),
    'Millrace-Data-Stale': text('true if the data is older than the endpoint allows, or has no time.'),
    'Millrace-Dialect': text('The dialect that the consumer query was parsed as.'),
    'Preference-Applied': text('The preferences of the request that were applied (RFC 7240).'),
    RateLimit: text('What remains of the rate limits that apply.'),
    'RateLimit-Policy': text('The rate limits that apply.'),
    'Retry-After': number('Seconds to wait before retrying.'),
  },
  schemas: {
    Problem: {
      type: 'object',
      description: 'A rejected request or a failure (RFC 9457).',
      required: ['type', 'title', 'status', 'detail', 'instance', 'code', 'hint', 'error'],
      properties: {
        type: { type: 'string', description: 'A URL that explains this kind of problem.' },
        title: { type: 'string' },
        status: { type: 'integer' },
        detail: { type: 'string' },
        instance: { type: 'string', description: 'The request id.' },
        code: { type: 'string', description: 'A stable code.', enum: Object.keys(PROBLEMS) },
        hint: { type: 'string', description: 'What to do.' },
        errors: { type: 'array', items: { $ref: '#/components/schemas/Fault' } },
        error: {
          type: 'object',
          description: 'For older clients.',
          required: ['code', 'message'],
          properties: { code: { type: 'string' }, message: { type: 'string' } },
        },
      },
    },
    Fault: {
      type: 'object',
      description: 'One of several errors, with its parameter or its position in the consumer query.',
      required: ['message'],
      properties: {
        message: { type: 'string' },
        parameter: { type: 'string' },
        line: { type: 'integer' },
        column: { type: 'integer' },
      },
    },
    Metadata: {
      type: 'object',
      description: 'Present with meta=true, or the preference metadata.',
      required: ['columns', 'rows', 'truncated', 'statistics', 'cache'],
      properties: {
        columns: {
          type: 'array',
          description: 'Of the rows sent, in their order.',
          items: {
            type: 'object',
            required: ['name', 'type'],
            properties: {
              name: { type: 'string' },
              type: { type: 'string', description: 'The ClickHouse type.' },
            },
          },
        },
        rows: { type: 'integer' },
        truncated: { type: 'boolean' },
        statistics: {
          type: 'object',
          description:
            'Of the run that made the response; rows and bytes read only where they say nothing about others.',
          required: ['elapsed'],
          properties: {
            rows_read: orNull({ type: 'integer' }),
            bytes_read: orNull({ type: 'integer' }),
            elapsed: { ...orNull({ type: 'number' }), description: 'Seconds in the engine.' },
          },
        },
        cache: {
          description: 'Null for endpoints without caching.',
          ...orNull({
            type: 'object',
            required: ['status', 'age', 'ttl'],
            properties: {
              status: { type: 'string', enum: ['hit', 'stale', 'stored', 'unstored', 'collapsed'] },
              age: { type: 'integer', description: 'Seconds.' },
              ttl: { type: 'integer', description: 'Seconds; negative if the response is stale.' },
            },
          }),
        },
        data: {
          type: 'object',
          description: 'How old the data is, for endpoints that declare it.',
          required: ['age', 'stale'],
          properties: {
            age: { ...orNull({ type: 'integer' }), description: 'Seconds; null if no row has a time.' },
            stale: { type: 'boolean' },
          },
        },
      },
    },
    Export: {
      type: 'object',
      description: 'The state of an export. Times are null until they are reached.',
      required: [
        'id',
        'endpoint',
        'state',
        'format',
        'to',
        'rows',
        'bytes',
        'created',
        'error',
        'url',
        'result',
      ],
      properties: {
        id: { type: 'string' },
        endpoint: { type: 'string' },
        version: { type: 'integer' },
        state: { type: 'string', enum: ['waiting', 'running', 'finished', 'failed', 'canceled'] },
        format: { type: 'string' },
        to: { type: 'string', enum: ['download', 's3'] },
        rows: { type: 'integer', description: 'Until now; of Parquet and Arrow, 0 until its end.' },
        bytes: { type: 'integer', description: 'Until now.' },
        created: { type: 'string', format: 'date-time' },
        ...Object.fromEntries(
          ['started', 'finished', 'expires'].map((name) => [
            name,
            orNull({ type: 'string', format: 'date-time' }),
          ]),
        ),
        error: { oneOf: [{ $ref: '#/components/schemas/Problem' }, { type: 'null' }] },
        url: { type: 'string', description: 'The path of the export.' },
        result: { ...orNull({ type: 'string' }), description: 'The path of its file, once it is finished.' },
      },
    },
    UsageCount: {
      type: 'object',
      required: ['calls', 'errors', 'rows', 'bytes'],
      properties: {
        calls: { type: 'integer' },
        errors: { type: 'integer', description: 'Calls that were rejected or failed.' },
        rows: { type: 'integer', description: 'Rows in the responses.' },
        bytes: { type: 'integer', description: 'Bytes of the response bodies as sent.' },
      },
    },
    CallReport: {
      type: 'object',
      required: ['request', 'endpoint', 'time', 'status', 'ms', 'cache', 'returned', 'beside', 'reasons'],
      properties: {
        request: { type: 'string' },
        endpoint: { type: 'string' },
        time: { type: 'string', format: 'date-time', description: 'When it ended.' },
        status: { type: 'integer' },
        ms: { type: 'number' },
        stages: { type: 'object', additionalProperties: { type: 'number' }, description: 'Milliseconds.' },
        cache: { ...orNull({ type: 'string' }), description: 'How the cache handled it.' },
        returned: { type: 'object', additionalProperties: { type: 'integer' } },
        read: { type: 'object', additionalProperties: { type: 'integer' } },
        plan: { type: 'object', additionalProperties: true },
        beside: { type: 'array', items: { type: 'object', additionalProperties: true } },
        reasons: {
          type: 'array',
          items: {
            type: 'object',
            required: ['kind', 'text'],
            properties: { kind: { type: 'string' }, text: { type: 'string' }, fix: { type: 'string' } },
          },
        },
      },
      additionalProperties: true,
    },
    Usage: {
      type: 'object',
      required: ['result', 'total', 'budgets'],
      properties: {
        since: {
          type: 'string',
          format: 'date-time',
          description: 'Calls before this time may be missing; absent: the days are whole.',
        },
        result: {
          type: 'array',
          description: 'The newest day first.',
          items: {
            allOf: [
              {
                type: 'object',
                required: ['day', 'endpoint'],
                properties: {
                  day: { type: 'string', format: 'date' },
                  endpoint: {
                    ...orNull({ type: 'string' }),
                    description: 'Null: the endpoints without an entry of their own, together.',
                  },
                },
              },
              { $ref: '#/components/schemas/UsageCount' },
            ],
          },
        },
        total: { $ref: '#/components/schemas/UsageCount' },
        budgets: {
          type: 'array',
          items: {
            type: 'object',
            required: ['endpoint', 'resource', 'unit', 'limit', 'window', 'remaining', 'reset'],
            properties: {
              endpoint: {
                ...orNull({ type: 'string' }),
                description: 'Null: the budget of the key, for all endpoints.',
              },
              resource: { type: 'string', enum: ['read', 'time'] },
              unit: { type: 'string', enum: ['read-bytes', 'engine-seconds'] },
              limit: { type: 'number' },
              window: { type: 'integer', description: 'Seconds.' },
              remaining: { type: 'number' },
              reset: { type: 'integer', description: 'Seconds until the window ends.' },
            },
          },
        },
      },
    },
    Row: { type: 'object', description: 'Columns by name.', additionalProperties: true },
  },
  responses: {
    Problem: {
      description: 'A problem document.',
      headers: { 'X-Request-Id': { $ref: '#/components/headers/X-Request-Id' } },
      content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
    },
    NotModified: { description: 'The client has the current response.' },
  },
} as const;

/** All error statuses that a call can return. */
export function problemResponses(): Readonly<Record<string, unknown>> {
  const reachable = Object.entries(PROBLEMS).filter(([, { status }]) => status !== 499); // 499 is only logged: the client is gone
  const statuses = new Set(reachable.map(([, { status }]) => String(status)));
  const problem = { $ref: '#/components/responses/Problem' };
  return Object.fromEntries([...statuses].toSorted().map((status) => [status, problem]));
}
