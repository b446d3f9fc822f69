// Which examples of a file are shown to consumers and warmed: those that are meaningful to a caller.
import { expect, test } from 'vitest';
import { createCompile } from '../../../src/service/endpoints/compile.ts';

const compile = createCompile({ piiHashKey: undefined });

test.each([
  { why: 'a plain call', example: '', isShown: true },
  { why: 'a call with expected rows', example: 'expect: { rows: 1, status: 200 }', isShown: true },
  { why: 'a consumer query', example: 'sql: SELECT p FROM t', isShown: true },
  { why: 'one for tests only', example: 'test_only: true', isShown: false },
  { why: 'one with a fixed time', example: "now: '2024-05-01T00:00:00Z'", isShown: false },
  { why: 'one with fixtures', example: 'fixtures: { a.b: [] }', isShown: false },
  { why: 'one that expects a rejection', example: 'expect: { status: 400 }', isShown: false },
  { why: 'one that expects only a code', example: 'expect: { code: sandbox.table_denied }', isShown: false },
])('$why', ({ example, isShown }) => {
  const text = `id: 00000000-0000-4000-8000-000000000001
name: one
query: WITH t AS (SELECT @p AS p) SELECT p FROM t
parameters: { p: { type: String, default: x } }
sandbox: { enabled: true }
fixtures: { a.b: [{ c: 1 }] }
examples:
  - name: it
    ${example}
`;
  const { candidate, diagnostics } = compile('one.yaml', text);
  expect(diagnostics).toEqual([]);
  expect(candidate?.endpoint.examples.map(({ name }) => name)).toEqual(isShown ? ['it'] : []);
});
