// Rows as CSV, without an engine.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { csvHeader, csvRows } from '../../../src/service/formats/csv.ts';
import { namesOf } from '../../../src/service/formats/members.ts';

const csv = (lines: readonly string[], columns: readonly string[] = []): string => {
  const rows = Buffer.from(lines.map((line) => `${line}\n`).join(''));
  const [first] = lines;
  const names = first === undefined ? columns : namesOf(first);
  return `${csvHeader(names).toString()}${csvRows(rows).toString()}`;
};

describe('CSV', () => {
  test.each<{ why: string; lines: string[]; expected: string }>([
    { why: 'strings and numbers', lines: ['{"a":"x","b":1.50}'], expected: 'a,b\r\nx,1.50\r\n' },
    {
      why: 'whole numbers keep their digits',
      lines: ['{"n":18446744073709551615}'],
      expected: 'n\r\n18446744073709551615\r\n',
    },
    { why: 'null is empty', lines: ['{"a":null,"b":"null"}'], expected: 'a,b\r\n,null\r\n' },
    {
      why: 'quotes, commas, line breaks',
      lines: ['{"a":"x\\"y","b":"1,2","c":"p\\r\\nq"}'],
      expected: 'a,b,c\r\n"x""y","1,2","p\r\nq"\r\n',
    },
    {
      why: 'nested values are JSON',
      lines: ['{"a":{"b":[1,"}"]},"c":[]}'],
      expected: 'a,c\r\n"{""b"":[1,""}""]}",[]\r\n',
    },
    {
      why: 'column names are escaped like cells',
      lines: ['{"a,b":1,"\\u00e9\\"":true}'],
      expected: '"a,b","é"""\r\n1,true\r\n',
    },
    {
      why: 'backslashes before quotes',
      lines: ['{"a":"\\\\","b":"\\\\\\""}'],
      expected: 'a,b\r\n\\,"\\"""\r\n',
    },
    { why: 'no columns', lines: ['{}'], expected: '\r\n\r\n' },
  ])('$why', ({ lines, expected }) => {
    expect(csv(lines)).toBe(expected);
  });

  test('without rows, the header is still written', () => {
    expect(csv([], ['a', 'b c'])).toBe('a,b c\r\n');
  });

  test('every value can be read back', () => {
    const row = fc.record({ a: fc.string(), b: fc.jsonValue(), c: fc.integer() });
    fc.assert(
      fc.property(fc.array(row, { minLength: 1, maxLength: 5 }), (rows) => {
        const cells = readCsv(csv(rows.map((each) => JSON.stringify(each)))).slice(1);
        const expected = rows.map(({ a, b, c }) => [
          a,
          b === null ? '' : typeof b === 'string' ? b : JSON.stringify(b),
          String(c),
        ]);
        expect(cells).toEqual(expected);
      }),
      { seed: 3, numRuns: 300 },
    );
  });
});

/** A plain reader of RFC 4180. */
function readCsv(text: string): string[][] {
  const rows: string[][] = [[]];
  for (const [, quoted, plain, end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/g)) {
    rows.at(-1)?.push(quoted === undefined ? (plain ?? '') : quoted.replaceAll('""', '"'));
    if (end === '\r\n') rows.push([]);
  }
  return rows.slice(0, -1);
}
