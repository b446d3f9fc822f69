import { describe, expect, test } from 'vitest';
import { parseYaml } from '../../../src/service/config/yaml-document.ts';

const TEXT = `# a comment
name: x
query: |
  SELECT a,
      b
  FROM t

plain: one two
quoted: "say \\"hi\\""
list: [10, { key: v }]
indented: |4
      two more
`;

function document() {
  const parsed = parseYaml('f.yaml', TEXT);
  if (!('document' in parsed)) throw new Error('the text is valid');
  return parsed.document;
}

describe('positions', () => {
  test.each([
    { why: 'a value', path: ['name'], at: [2, 7] },
    { why: 'a value in a list', path: ['list', 1, 'key'], at: [10, 19] },
    { why: 'the nearest ancestor of a missing node', path: ['list', 1, 'other'], at: [10, 12] },
    { why: 'the document itself', path: [], at: [2, 1] },
  ])('of $why', ({ path, at }) => {
    expect(document().locate(path)).toEqual({ line: at[0], column: at[1] });
  });

  test('of a key', () => {
    expect(document().locateKey(['list', 1, 'key'])).toEqual({ line: 10, column: 14 });
  });

  test.each([
    { why: 'the first line of a block', path: ['query'], find: 'a,', at: [4, 10] },
    { why: 'an indented line of a block', path: ['query'], find: 'b', at: [5, 7] },
    { why: 'a later line of a block', path: ['query'], find: 't\n', at: [6, 8] },
    { why: 'a plain scalar', path: ['plain'], find: 'two', at: [8, 12] },
    { why: 'a quoted scalar with escapes', path: ['quoted'], find: 'hi', at: [9, 16] },
    { why: 'a block with an indentation indicator', path: ['indented'], find: 'more', at: [12, 11] },
  ])('inside $why', ({ path, find, at }) => {
    const parsed = document();
    const text = (parsed.value as Record<string, string>)[path[0] ?? ''] ?? '';
    expect(parsed.locateInside(path, text.indexOf(find))).toEqual({ line: at[0], column: at[1] });
  });

  test('count lines that end in CRLF', () => {
    const parsed = parseYaml('f.yaml', 'a: 1\r\nquery: |\r\n  SELECT\r\n  x\r\n');
    if (!('document' in parsed)) throw new Error('the text is valid');
    expect(parsed.document.locateInside(['query'], 'SELECT\n'.length)).toEqual({ line: 4, column: 3 });
  });
});

describe('a word in a scalar of any style is found where it is written', () => {
  test.each<[why: string, text: string]>([
    ['plain', 'q: SELECT HERE FROM t\n'],
    ['plain, over several lines', 'q: SELECT a,\n   b\n\n   , HERE\n'],
    ['plain, in a list', 'q: SELECT 1\nl:\n  - a\n  - b HERE\n'],
    ['single quotes', "q: 'SELECT ''x'', HERE'\n"],
    ['single quotes, over several lines', "q: 'SELECT ''x'',\n\n\n    a,   \n  HERE'\n"],
    ['double quotes', 'q: "SELECT \\"x\\", HERE"\n'],
    [
      'double quotes, every escape',
      String.raw`q: "\x41\u0042\U00000043\0\a\b\e\f\v\N\_\L\P\t\n\r\\\/\ \U0001F600 HERE"`,
    ],
    ['double quotes, folded', 'q: "SELECT a,\n\n    b,\t \n  HERE"\n'],
    ['double quotes, continued lines', 'q: "SELECT a, \\\n    b, \\\n    \\  HERE"\n'],
    ['literal', 'q: |\n  SELECT a,\n\n      b,\n  HERE\n'],
    ['literal, stripped', 'q: |-\n  SELECT\n  HERE\n\n\nz: 1\n'],
    ['literal, kept', 'q: |+\n\n\n  SELECT\n  HERE\n\n\nz: 1\n'],
    ['literal, indented more', 'q: |2-\n    SELECT\n     HERE\n'],
    ['literal, with a comment', 'q: | # the word HER\n  SELECT 1, -- one\n  HERE\n'],
    ['literal, CRLF', 'q: |\r\n  SELECT a,\r\n  HERE\r\n'],
    ['folded', 'q: >\n  SELECT a,\n  b,\n\n  HERE\n  FROM t\n'],
    ['folded, with lines indented more', 'q: >-\n  SELECT a,\n    b,\n      c,\n  d, HERE\n'],
    ['folded, kept, indented', 'q: >1+\n  SELECT a,\n  b, HERE\n\n'],
    ['folded, CRLF', 'q: >\r\n  SELECT a,\r\n\r\n  b, HERE\r\n'],
    ['folded, characters of two code units', "q: >\n  SELECT '😀',\n  '漢', HERE\n"],
    ['an anchor', 'q: &a "SELECT \\"a\\", HERE"\n'],
    ['a flow mapping', '{ p: 1, q: "SELECT \\"a\\",\n  HERE" }\n'],
  ])('%s', (_why, text) => {
    const parsed = parseYaml('f.yaml', text);
    if (!('document' in parsed)) throw new Error(JSON.stringify(parsed.diagnostics));
    const value = parsed.document.value as { q: string; l?: string[] };
    const path = value.l === undefined ? ['q'] : ['l', 1];
    const offset = (value.l?.[1] ?? value.q).indexOf('HERE');
    const lines = text.slice(0, text.indexOf('HERE')).split(/\r\n|\n/);
    const expected = { line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1 };
    expect(offset).toBeGreaterThan(0);
    expect(parsed.document.locateInside(path, offset)).toEqual(expected);
  });

  test('an alias is located where its value is written', () => {
    const parsed = parseYaml('f.yaml', 'a: &x "SELECT \\"a\\", HERE"\nq: *x\n');
    if (!('document' in parsed)) throw new Error('the text is valid');
    expect(parsed.document.locateInside(['q'], 'SELECT "a", '.length)).toEqual({ line: 1, column: 22 });
  });
});
