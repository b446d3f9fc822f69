// What all operations share: keys, header fields, and problems with every code there is.
import { PROBLEMS } from '../core/problems.ts';

const text = (description: string) => ({ description, schema: { type: 'string' } });
const number = (description: string) => ({ description, schema: { type: 'integer' } });

export const COMPONENTS = {
  securitySchemes: {
    key: { type: 'apiKey', in: 'header', name: 'X-API-KEY', description: 'A key of this service.' },
    bearer: {
      type: 'http',
      scheme: 'bearer',
      description: 'The same key, or a JSON Web Token of a known issuer.',
    },
  },
  headers: {
    ETag: text('Names these bytes; If-None-Match with it gives 304.'),
    'Cache-Control': text('How long the caller may keep the answer.'),
    'Cache-Status': text('How the answer came about (RFC 9211).'),
    Age: number('Seconds since the answer was made.'),
    'Server-Timing': text('Milliseconds of each stage.'),
    'X-Request-Id': text("The request's name in logs; the caller's own where it sent one."),
    'Millrace-Endpoint': text('Name and revision of the endpoint.'),
    'Millrace-Truncated': text('true where rows were cut at the maximum.'),
    'Millrace-Dialect': text("What the caller's SQL was read as."),
    RateLimit: text('What is left of the limits that hold.'),
    'RateLimit-Policy': text('The limits that hold.'),
    'Retry-After': number('Seconds to wait.'),
  },
  schemas: {
    Problem: {
      type: 'object',
      description: 'A refusal or a failure (RFC 9457).',
      required: ['type', 'title', 'status', 'detail', 'instance', 'code', 'hint', 'error'],
      properties: {
        type: { type: 'string', description: 'Where this kind of problem is explained.' },
        title: { type: 'string' },
        status: { type: 'integer' },
        detail: { type: 'string' },
        instance: { type: 'string', description: 'The request id.' },
        code: { type: 'string', description: 'Stable.', enum: Object.keys(PROBLEMS) },
        hint: { type: 'string', description: 'What to do.' },
        errors: { type: 'array', items: { $ref: '#/components/schemas/Fault' } },
        error: {
          type: 'object',
          description: 'For clients of older services.',
          required: ['code', 'message'],
          properties: { code: { type: 'string' }, message: { type: 'string' } },
        },
      },
    },
    Fault: {
      type: 'object',
      description:
        "One of several things that are wrong, at its parameter or its place in the caller's query.",
      required: ['message'],
      properties: {
        message: { type: 'string' },
        parameter: { type: 'string' },
        line: { type: 'integer' },
        column: { type: 'integer' },
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
    NotModified: { description: 'The caller has it already.' },
  },
} as const;

/** Every status that a call may end in, but for success. */
export function problemResponses(): Readonly<Record<string, unknown>> {
  const reachable = Object.entries(PROBLEMS).filter(([, { status }]) => status !== 499); // nobody reads that one
  const statuses = new Set(reachable.map(([, { status }]) => String(status)));
  const problem = { $ref: '#/components/responses/Problem' };
  return Object.fromEntries([...statuses].toSorted().map((status) => [status, problem]));
}
