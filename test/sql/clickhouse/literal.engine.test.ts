import * as fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { tokenize } from '../../../src/sql/clickhouse/lexer.ts';
import { identifierName, quoteIdentifier, quoteString } from '../../../src/sql/clickhouse/literal.ts';
import { openOracle } from './oracle.ts';
import { anyCharacter } from '../../support/any-character.ts';

const oracle = openOracle();
afterAll(() => oracle.close());

const SPECIAL = fc.constantFrom(
  '\\',
  "'",
  '"',
  '`',
  '\0',
  '\n',
  '\r',
  '\t',
  '\b',
  '\x1b',
  '\\x41',
  '\\N',
  '’',
  '$$',
  '😀',
  '--',
  'a',
);
const TEXT = fc.oneof(
  fc.string({ unit: anyCharacter }),
  fc.array(SPECIAL).map((parts) => parts.join('')),
);

test('the engine reads quoted strings back unchanged', async () => {
  const texts = fc.sample(TEXT, { numRuns: 2_000, seed: 1 }).filter((text) => !/\p{Surrogate}/u.test(text));
  const answer = await oracle.ask(`SELECT hex(arrayJoin([${texts.map(quoteString).join(', ')}]))`);
  const expected = texts.map((text) => Buffer.from(text).toString('hex').toUpperCase());
  expect(answer.split('\n').slice(0, -1)).toEqual(expected);
});

test('the engine reads quoted names back unchanged', async () => {
  const names = new Set(fc.sample(TEXT, { numRuns: 500, seed: 2 }));
  const usable = [...names].filter((name) => name !== '' && !/\p{Surrogate}/u.test(name));
  const columns = usable.map((name, index) => `${index} AS ${quoteIdentifier(name)}`);
  const answer = await oracle.ask(`SELECT ${columns.join(', ')}`, 'JSONCompactEachRowWithNames');
  const seen: unknown = JSON.parse(answer.split('\n')[0] ?? '');
  expect(seen).toEqual(usable);
});

test('a quoted string is one token', () => {
  fc.assert(
    fc.property(TEXT, (text) => {
      fc.pre(text !== '' && !/\p{Surrogate}/u.test(text));
      expect(tokenize(quoteString(text)).map((t) => t.kind)).toEqual(['string']);
      expect(tokenize(quoteIdentifier(text)).map((t) => t.kind)).toEqual(['quoted']);
    }),
    { seed: 3 },
  );
});

test('what the engine cannot represent is rejected', () => {
  expect(() => quoteString('a\ud800')).toThrow(RangeError);
  expect(() => quoteIdentifier('\udc00')).toThrow(RangeError);
  expect(() => quoteIdentifier('')).toThrow(RangeError);
});

test.each([
  ['bare', 'logs', 'logs'],
  ['double quotes', '"a b"', 'a b'],
  ['doubled quotes', '"a""b"', 'a"b'],
  ['backticks', '`a``b`', 'a`b'],
  ['typographic quotes', '“a”', 'a'],
  ['backslashes are not accepted', '`a\\`b`', undefined],
])('identifierName: %s', (_why, source, name) => {
  expect(identifierName(source)).toBe(name);
});
