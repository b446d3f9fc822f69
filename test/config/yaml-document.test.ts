import { describe, expect, test } from 'vitest';
import { parseYaml } from '../../src/config/yaml-document.ts';

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
    { why: 'a quoted scalar with escapes: its start', path: ['quoted'], find: 'hi', at: [9, 9] },
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
