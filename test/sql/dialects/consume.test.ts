// Nodes of the syntax tree are consumed: what a writer or a rule has not read is an error at its place.
import { expect, test } from 'vitest';
import { consumed } from '../../../src/sql/dialects/consume.ts';
import { UnconvertedError } from '../../../src/sql/dialects/context.ts';

const PATH = { kind: 'path', at: 7, parts: [{ name: 'x', at: 7 }] } as const;

function failureOf(node: object, read: (node: Readonly<Record<string, unknown>>) => void): unknown {
  try {
    // The node is a record of its parts.
    consumed(node as Readonly<Record<string, unknown>>, 'this node', read);
    return undefined;
  } catch (error) {
    return error;
  }
}

test.each([
  { why: 'a part that is an expression', node: { kind: 'select', at: 3, where: PATH }, at: 7 },
  { why: 'a list', node: { kind: 'call', at: 3, orderBy: [{ value: PATH, isDescending: false }] }, at: 7 },
  { why: 'a part without a place', node: { kind: 'query', at: 3, limit: '5' }, at: 3 },
  { why: 'a flag', node: { kind: 'call', at: 3, isDistinct: true }, at: 3 },
])('not read: $why', ({ node, at }) => {
  const error = failureOf(node, () => undefined);
  expect(error).toBeInstanceOf(UnconvertedError);
  expect(error).toMatchObject({ at });
});

test.each([
  {
    why: 'nothing is there',
    node: { kind: 'call', at: 3, orderBy: [], isDistinct: false, limit: undefined },
  },
  { why: 'each part is read', node: { kind: 'call', at: 3, isDistinct: true, limit: '5' } },
])('no error: $why', ({ node }) => {
  expect(failureOf(node, (each) => [each['isDistinct'], each['limit']])).toBeUndefined();
});

test('a copy reads all parts', () => {
  expect(failureOf({ kind: 'call', at: 3, limit: '5' }, (each) => ({ ...each }))).toBeUndefined();
});
