// An endpoint's revision changes with everything that can change a response, and with nothing else.
import { describe, expect, test } from 'vitest';
import { createCompile } from '../../../src/service/endpoints/compile.ts';

const compile = createCompile({ piiHashKey: undefined });
const BASE: Readonly<Record<string, string>> = {
  id: '00000000-0000-4000-8000-000000000001',
  name: 'one',
  query: 'WITH t AS (SELECT @p AS p) SELECT p FROM t',
  parameters: '{ p: { type: String, required: true } }',
  unknown_parameters: 'reject',
  max_rows: '10',
  int64: 'number',
  cache: '{ ttl: 60 }',
  sandbox: '{ enabled: true }',
  limits: '{ time: 5 }',
  description: 'what it is',
  examples: '[{ name: a, parameters: { p: x } }]',
};

function revisionOf(changes: Readonly<Record<string, string>>): string | undefined {
  const text = Object.entries({ ...BASE, ...changes }).map(([key, value]) => `${key}: ${value}\n`);
  return compile('one.yaml', text.join('')).candidate?.endpoint.revision;
}

describe('the revision', () => {
  test.each([
    { id: '00000000-0000-4000-8000-000000000002' },
    { name: 'two' },
    { query: 'WITH t AS (SELECT @p AS p) SELECT p, 1 AS one FROM t' },
    { parameters: '{ p: { type: UInt8, required: true } }', examples: '[]' },
    { parameters: '{ p: { type: String, default: y } }' },
    { unknown_parameters: 'ignore' },
    { max_rows: '11' },
    { int64: 'string' },
    { result_shape: 'bigquery' },
    { cache: '{ ttl: 61 }' },
    { cache: 'disabled' },
    { sandbox: '{ enabled: true, functions: { deny: [count] } }' },
    { sandbox: '{ enabled: false }' },
    { limits: '{ time: 6 }' },
  ])('changes with %j', (changes) => {
    expect(revisionOf(changes)).toMatch(/^[0-9a-f]{12}$/);
    expect(revisionOf(changes)).not.toBe(revisionOf({}));
  });

  test.each([
    { description: 'said otherwise' },
    { examples: '[]' },
    { mcp: 'false' },
    { mcp: '{ name: a, hint: b, max_rows: 5 }' },
    { fixtures: '{ a.b: [{ c: 1 }] }' },
    { limits: '{ "time": 5 } # a comment' },
  ])('does not change with %j', (changes) => {
    expect(revisionOf(changes)).toBe(revisionOf({}));
  });
});
