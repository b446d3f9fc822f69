// Inserting a value into YAML: the value is present, and everything else is unchanged, including comments and layout.
import fc from 'fast-check';
import { parse } from 'yaml';
import { describe, expect, test } from 'vitest';
import { putAt } from '../../../src/cli/yaml/yaml-splice.ts';

const ROWS = [{ a: 'x, y', 'k: y': [1, { c: null }], t: '2024-01-01T00:00:00Z', m: 'two\nlines' }, {}];

describe('one location', () => {
  test.each([
    {
      why: 'a number among others in a flow mapping',
      text: 'a: {b: 1,c: [x,y]}   # tail\n',
      path: ['a', 'b'],
      value: 2,
      expected: 'a: {b: 2,c: [x,y]}   # tail\n',
    },
    {
      why: 'a new key in braces',
      text: 'a: { b: 1 } # tail\n',
      path: ['a', 'c'],
      value: ['x', 'y z'],
      expected: 'a: { b: 1, c: [x, y z] } # tail\n',
    },
    {
      why: 'a new key in empty braces',
      text: 'a: {}\n',
      path: ['a', 'c'],
      value: 1,
      expected: 'a: { c: 1 }\n',
    },
    {
      why: 'rows in braces, on one line',
      text: 'a: { b: [] }\n',
      path: ['a', 'b'],
      value: ROWS,
      expected: `a: { b: [{ a: 'x, y', 'k: y': [1, { c: null }], t: '2024-01-01T00:00:00Z', m: "two\\nlines" }, {}] }\n`,
    },
    {
      why: 'rows in lines, in place of an empty list',
      text: 'a:\n  b: [] # soon\n# end\n',
      path: ['a', 'b'],
      value: [{ c: 1 }, { c: 2 }],
      expected: 'a:\n  b:\n    - { c: 1 }\n    - { c: 2 } # soon\n# end\n',
    },
    {
      why: 'rows in lines, in place of others, as deep as those',
      text: 'b: # why\n- c: 1\n  d: 2\n# end\ne: 1\n',
      path: ['b'],
      value: [{ c: 3 }],
      expected: 'b: # why\n- { c: 3 }\n# end\ne: 1\n',
    },
    {
      why: 'a mapping after a block scalar',
      text: 'l:\n  - s: |\n      one\n      two\n\n  - s: x\n',
      path: ['l', 0, 'e'],
      value: { rows: 1, result: [{ n: 1 }] },
      expected:
        'l:\n  - s: |\n      one\n      two\n    e:\n      rows: 1\n      result:\n        - { n: 1 }\n\n  - s: x\n',
    },
    {
      why: 'a mapping in place of an empty value',
      text: 'a:\n  e:\nb: 1\n',
      path: ['a', 'e'],
      value: { c: 1 },
      expected: 'a:\n  e:\n    c: 1\nb: 1\n',
    },
    {
      why: 'an empty list in place of a block list',
      text: 'a:\n  - b: 1\n  - b: 2\nc: 1\n',
      path: ['a'],
      value: [],
      expected: 'a: []\nc: 1\n',
    },
    {
      why: 'after a comment, at the end of a file without a final newline',
      text: 'a:\n  b: 1 # one',
      path: ['a', 'c'],
      value: true,
      expected: 'a:\n  b: 1 # one\n  c: true',
    },
    {
      why: 'line endings are preserved',
      text: 'a:\r\n  b: 1\r\nc: 2\r\n',
      path: ['a', 'd'],
      value: [{ e: 1 }],
      expected: 'a:\r\n  b: 1\r\n  d:\r\n    - { e: 1 }\r\nc: 2\r\n',
    },
    {
      why: 'a value with an alias in it',
      text: 'a: &x { b: 1 }\nc: { d: *x, e: 1 }\n',
      path: ['c', 'd'],
      value: { b: 2 },
      expected: 'a: &x { b: 1 }\nc: { d: { b: 2 }, e: 1 }\n',
    },
  ])('$why', ({ text, path, value, expected }) => {
    expect(putAt(text, path, value)).toBe(expected);
  });

  test.each([
    { why: 'not a mapping', text: 'a: 1\n', path: ['a', 'b'] },
    { why: 'no such item', text: 'a: []\n', path: ['a', 0, 'b'] },
    { why: 'inside an alias', text: 'a: &x { b: 1 }\nc: *x\n', path: ['c', 'b'] },
    { why: 'an anchor that is used elsewhere', text: 'a: &x { b: 1 }\nc: *x\n', path: ['a'] },
    { why: 'a comment before the brace', text: 'a: { b: 1 # one\n  }\n', path: ['a', 'c'] },
  ])('is rejected, not corrupted: $why', ({ text, path }) => {
    expect(putAt(text, path, 2)).toBeUndefined();
  });
});

describe('any value', () => {
  const text = fc.string({
    unit: fc.constantFrom('a', '1', ' ', ':', '#', '-', '"', "'", '{', ',', '\n', '\\', '~', 'é', '😀'),
  });
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { depthSize: 'small' },
      text,
      fc.integer(),
      fc.boolean(),
      fc.constant(null),
      tie('list'),
      tie('map'),
    ),
    list: fc.array(tie('value'), { maxLength: 3 }),
    map: fc.dictionary(text, tie('value'), { maxKeys: 3 }).map((map) => ({ ...map })),
  }));

  test.each([
    {
      why: 'in lines',
      before: '# head\nl:\n  - a: 1 # one\n  - b:\n      old: [1, 2]\n# foot\nz: 1\n',
      path: ['l', 1, 'b'],
    },
    { why: 'in braces', before: '# head\nl: [{ a: 1 }, { b: x, c: 2 }] # tail\nz: 1\n', path: ['l', 1, 'b'] },
    { why: 'new', before: '# head\nl:\n  - a: 1 # one\n  - c: 1 # two\n# foot\nz: 1\n', path: ['l', 1, 'b'] },
  ])('$why is parsed back, and the comments are preserved', ({ before, path }) => {
    fc.assert(
      fc.property(value, (put) => {
        const after = putAt(before, path, put) ?? '';
        const wanted = parse(before) as { l: Record<string, unknown>[] };
        wanted.l[1] = { ...wanted.l[1], b: put };
        expect(parse(after)).toEqual(wanted);
        const comments = (of: string): string[] => of.match(/# (head|foot|tail|one|two)/g) ?? [];
        expect(comments(after)).toEqual(comments(before));
      }),
      { seed: 7, numRuns: 300 },
    );
  });
});
