// Printing and parsing are inverses.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parse } from '../../../src/sql/lql/parse.ts';
import { print } from '../../../src/sql/lql/print.ts';
import type { Tree } from '../../../src/sql/lql/tree.ts';
import { anyClauses } from './arbitrary.ts';
import { withoutSpans } from './strip.ts';
import { runs } from '../../support/runs.ts';

function read(text: string): Tree {
  const result = parse(text);
  if ('findings' in result) throw new Error(`${text}: ${JSON.stringify(result.findings)}`);
  return result.tree;
}

test('printed queries parse to the same tree', () => {
  fc.assert(
    fc.property(anyClauses, (clauses) => {
      // Arbitrary builds clauses of the parser's shapes alone; that they are read back is what is tested.
      const text = print({ clauses } as unknown as Tree);
      expect(withoutSpans(read(text).clauses)).toEqual(withoutSpans(clauses));
    }),
    { numRuns: runs(500), seed: 7 },
  );
});

describe('the simplest spelling is chosen', () => {
  test.each([
    { lql: 'from:a   select:metadata.b', plain: 'f:a s:m.b' },
    { lql: 'chart:count(*) chart:group_by(timestamp::h)', plain: 'c:count(*) c:group_by(t::hour)' },
    { lql: 'm.x:"abc" m.y:(a) "b"', plain: 'm.x:abc m.y:a b' },
    { lql: '"OR" -"NOT" "or" m.x:"AND"', plain: '"OR" -"NOT" or m.x:AND' },
    { lql: 'm.x:"500" m.y:"true" m.z:"NULL"', plain: 'm.x:"500" m.y:"true" m.z:"NULL"' },
    { lql: 'm.x:"2024-01-01" m.y:2024-01-01', plain: 'm.x:"2024-01-01" m.y:2024-01-01' },
    { lql: String.raw`m.x:"\d" ~"a\\b"`, plain: String.raw`m.x:"\\d" ~a\b` },
    { lql: 'timestamp:1710683222', plain: 't:2024-03-17T13:47:02Z' },
    { lql: 't:2022-04-{07..09}T00:{00..40}:00', plain: 't:2022-04-07T00:00:00..2022-04-09T00:40:00' },
    { lql: 't:last@15m t:this@w', plain: 't:last@15minutes t:this@week' },
    { lql: 't:2024-01-01T01:00+02:00', plain: 't:2023-12-31T23:00:00Z' },
    { lql: 'c:"f(x)"', plain: 'c:"f(x)"' },
    { lql: '-~"a b"', plain: '-~"a b"' },
    { lql: 'm."a"."b c":1 "t":2 "m".x:3 "x":4', plain: 'm.a."b c":1 "t":2 "m".x:3 x:4' },
  ])('$lql', ({ lql, plain }) => {
    expect(print(read(lql))).toBe(plain);
  });
});
