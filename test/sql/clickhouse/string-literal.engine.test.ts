// The values of string literals, compared with the engine's own parser.
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { stringValue } from '../../../src/sql/clickhouse/literal.ts';
import { openOracle } from './oracle.ts';
import type { Oracle } from './oracle.ts';

let oracle: Oracle;

beforeAll(() => {
  oracle = openOracle();
});
afterAll(() => oracle.close());

/** The bytes that the engine reads, in hexadecimal. */
async function engineValues(literals: readonly string[]): Promise<readonly string[]> {
  const text = await oracle.ask(`SELECT arrayJoin([${literals.map((each) => `hex(${each})`).join(', ')}])`);
  return text.replace(/\n$/, '').split('\n');
}

function hexOf(value: string | undefined): string | undefined {
  return value === undefined ? undefined : Buffer.from(value).toString('hex').toUpperCase();
}

test('every escape of one ASCII character is decoded as by the engine', async () => {
  const characters = Array.from({ length: 127 }, (_, code) => String.fromCharCode(code + 1));
  const literals = characters.filter((each) => each !== 'x').map((each) => `'(\\${each})'`);
  expect(literals.map((literal) => hexOf(stringValue(literal)))).toEqual(await engineValues(literals));
});

test('literals of any pieces are decoded as by the engine', async () => {
  const piece = fc.constantFrom(
    "''",
    "\\'",
    '\\\\',
    '\\x28',
    '\\x41',
    '\\x5c',
    '\\0',
    '\\N',
    '\\%',
    '\\n',
    'a',
    '(',
    'é',
    '\\é',
    '"',
    '`',
    '\\😀',
  );
  const literals = fc
    .sample(fc.array(piece, { minLength: 1, maxLength: 12 }), { numRuns: 300, seed: 1 })
    .map((pieces) => `'${pieces.join('')}'`);
  expect(literals.map((literal) => hexOf(stringValue(literal)))).toEqual(await engineValues(literals));
});

test.each([
  ['no quotes', 'a'],
  ['one quote', "'"],
  ['another kind of quotes', '"a"'],
  ['a quote inside', "'a'b'"],
  ['a backslash before the closing quote', "'a\\'"],
  ['an incomplete hexadecimal escape', "'\\x4'"],
  ['an invalid hexadecimal escape', "'\\xzz'"],
])('%s has no value', (_why, source) => {
  expect(stringValue(source)).toBeUndefined();
});
