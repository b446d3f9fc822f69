// Where pages end, compared with a naive implementation on generated pages.
import * as fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { after } from '../../../src/sql/base/clock.ts';
import { createPause } from '../../../src/service/request/transform/pause.ts';
import { Problem } from '../../../src/sql/base/problem.ts';
import { openCursor } from '../../../src/service/request/pages/page-cursor.ts';
import { cutPage } from '../../../src/service/request/pages/cut-page.ts';
import type { Page } from '../../../src/service/request/pages/page-statement.ts';
import { createTransformer } from '../../../src/service/request/transform/transformer.ts';

const SECRET = Buffer.alloc(32, 1);
const SCOPE: Page['scope'] = {
  endpoint: { id: 'x', version: undefined, revision: 'r', variant: 'v' },
  secret: SECRET,
  source: '{}',
};

interface Row {
  readonly a: number;
  readonly b: string;
}

function pageOf(size: number): Page {
  const keys = ['a', 'b'].map((name) => ({ name, descending: false }));
  return { policy: { keys, size, max: size, secret: SECRET }, size, scope: SCOPE, at: undefined };
}

/** Rows between other columns, as lines. */
function linesOf(rows: readonly Row[]): Uint8Array {
  const lines = rows.map((row) => `${JSON.stringify({ before: ['}"\\', [1]], ...row, after: 'ä' })}\n`);
  return new TextEncoder().encode(lines.join(''));
}

/** How many rows a page has: undefined if it is not divisible. `isLast`: there are no more rows. */
function naiveEnd(
  rows: readonly Row[],
  size: number,
  maxRows: number,
): { readonly end: number; readonly isLast: boolean } | undefined {
  const isSame = (x: Row | undefined, y: Row | undefined): boolean => x?.a === y?.a && x?.b === y?.b;
  if (rows.length <= size) return { end: rows.length, isLast: true };
  const first = rows[size];
  if (!isSame(rows[size - 1], first)) return { end: size, isLast: false };
  if (rows.length <= maxRows) return { end: rows.length, isLast: false };
  let end = size - 1;
  while (end > 0 && isSame(rows[end - 1], first)) end--;
  return end === 0 ? undefined : { end, isLast: false };
}

const transformer = createTransformer({ pause: createPause(), after });
const context = { signal: new AbortController().signal, key: undefined };

async function cut(lines: Uint8Array, size: number, maxRows: number) {
  try {
    return await cutPage({ transformer, context }, lines, pageOf(size), maxRows);
  } catch (cause) {
    if (cause instanceof Problem) return cause.code;
    throw cause;
  }
}

test('a page ends where a naive search ends it', async () => {
  const row = fc.record({ a: fc.integer({ min: 0, max: 3 }), b: fc.constantFrom('', 'x', 'y"', 'ü') });
  const runs = fc.array(fc.tuple(row, fc.integer({ min: 1, max: 12 })), { maxLength: 8 });
  await fc.assert(
    fc.asyncProperty(
      runs,
      fc.integer({ min: 1, max: 40 }),
      fc.integer({ min: 0, max: 20 }),
      async (given, size, more) => {
        const rows = given
          .flatMap(([each, count]) => Array.from({ length: count }, () => each))
          .toSorted((x, y) => x.a - y.a || (x.b < y.b ? -1 : Number(x.b > y.b)));
        const lines = linesOf(rows);
        const expected = naiveEnd(rows, size, size + more);
        const found = await cut(lines, size, size + more);
        if (expected === undefined || typeof found === 'string') {
          expect([expected, found]).toEqual([undefined, 'page.not_divisible']);
          return;
        }
        const { end, isLast } = expected;
        const last = rows[end - 1];
        expect(found).toMatchObject({ rows: end, truncated: false });
        expect(found.lines).toEqual(linesOf(rows.slice(0, end)));
        expect(found.next && openCursor(SCOPE, found.next)?.keys).toEqual(
          isLast ? undefined : [String(last?.a), last?.b],
        );
      },
    ),
    { numRuns: 500 },
  );
});

test.each([
  { why: 'all rows have the same keys', from: 0, found: 'page.not_divisible' },
  { why: 'all rows but the first', from: 1, found: { rows: 1 } },
  { why: 'the last rows', from: 9_000, found: { rows: 9_000 } },
])('few rows are read if $why', async ({ from, found }) => {
  const rows = Array.from({ length: 10_001 }, (_, n) => ({ a: Math.min(n, from), b: 'x' }));
  const lines = linesOf(rows);
  const read = vi.spyOn(lines, 'subarray');
  const end = await cut(lines, 9_999, 10_000);
  if (typeof found === 'string') expect(end).toBe(found);
  else expect(end).toMatchObject(found);
  expect(read.mock.calls.length).toBeLessThan(20);
});
