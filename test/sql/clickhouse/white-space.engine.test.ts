// The white space of SQL is exactly that of the engine, in each reader of SQL; other characters are named.
import { afterAll, describe, expect, test } from 'vitest';
import { translate } from '../../../src/sql/dialects/bigquery/translate.ts';
import { Problem } from '../../../src/sql/base/problem.ts';
import { lexConsumerQuery } from '../../../src/guard/sandbox/lexed-query.ts';
import { characterAt, unexpectedCharacter } from '../../../src/sql/clickhouse/character-name.ts';
import { tokenize } from '../../../src/sql/clickhouse/lexer.ts';
import { bindPlaceholders } from '../../../src/sql/clickhouse/placeholders.ts';
import {
  isSpaceUnit,
  plainSpaces,
  trimSpaces,
  WHITE_SPACE,
} from '../../../src/sql/clickhouse/white-space.ts';
import { openOracle } from './oracle.ts';

const oracle = openOracle();
afterAll(() => oracle.close());

/** The UTF-8 form of a code point `n`, as an expression of the engine. */
const UTF8 = `multiIf(
  n < 0x80, char(n),
  n < 0x800, char(0xc0 + intDiv(n, 0x40), 0x80 + n % 0x40),
  n < 0x10000, char(0xe0 + intDiv(n, 0x1000), 0x80 + intDiv(n, 0x40) % 0x40, 0x80 + n % 0x40),
  char(0xf0 + intDiv(n, 0x40000), 0x80 + intDiv(n, 0x1000) % 0x40, 0x80 + intDiv(n, 0x40) % 0x40, 0x80 + n % 0x40))`;

/** All code points that the engine reads as white space between two tokens. */
const ENGINE = (
  await oracle.ask(`SELECT n FROM (SELECT toUInt32(number) AS n FROM numbers(0x110000) WHERE n NOT BETWEEN 0xd800 AND 0xdfff)
    WHERE arrayMap(t -> toString(t.3), tokenizeQuery(concat('a', ${UTF8}, 'b'))) = ['BareWord', 'Whitespace', 'BareWord']`)
)
  .trim()
  .split('\n')
  .map(Number);

const spaces = ENGINE.map((code) => String.fromCodePoint(code));
const nameOf = (character: string): string => characterAt(character, 0);
const BMP = Array.from({ length: 0x10000 }, (_, code) => code);

test('the engine has white space', async () => {
  expect(ENGINE).toEqual(
    expect.arrayContaining([0x20, 0xa0, 0x2003, 0x200b, 0x2028, 0x202f, 0x3000, 0xfeff]),
  );
  const query = spaces.map((space) => `SELECT${space}${space}1`).join(' UNION ALL ');
  expect((await oracle.ask(query)).trim().split('\n')).toHaveLength(spaces.length);
});

test('the predicate and the class are the set of the engine', () => {
  expect(BMP.filter(isSpaceUnit)).toEqual(ENGINE);
  const pattern = new RegExp(`^[${WHITE_SPACE}]$`);
  expect(BMP.filter((code) => pattern.test(String.fromCharCode(code)))).toEqual(ENGINE);
});

/** Readers of SQL, each of a query with the character between two tokens. */
const READERS: readonly (readonly [name: string, accepts: (character: string) => boolean])[] = [
  [
    'the lexer',
    (c) =>
      tokenize(`a${c}b`)
        .map(({ kind }) => kind)
        .join(' ') === 'word whitespace word',
  ],
  ['consumer queries', (c) => !isRejected(() => lexConsumerQuery(`SELECT${c}1`))],
  ['saved queries', (c) => bindPlaceholders(`SELECT${c}1`, () => undefined).findings.length === 0],
  ['BigQuery', (c) => !isRejected(() => translate(`SELECT${c}1`, { tables: [], taken: new Set() }))],
];

function isRejected(read: () => unknown): boolean {
  try {
    read();
    return false;
  } catch (error) {
    if (error instanceof Problem) return true;
    throw error;
  }
}

/** What SQL has no token for: all but printable ASCII, and the minus of typographers, which the engine reads as one. */
const APART = BMP.filter((code) => (code <= 0x20 || code >= 0x7f) && code !== 0x2212);

test.each(READERS)('%s: exactly that white space is accepted', (_name, accepts) => {
  expect(APART.filter((code) => accepts(String.fromCharCode(code)))).toEqual(ENGINE);
});

describe('what is no white space is named, at its place', () => {
  const hidden = [
    '\0',
    '\x07',
    '\x1b',
    '\x7f',
    '\u0080',
    '\u00ad',
    '\u061c',
    '\u1680',
    '\u200e',
    '\u200f',
    '\u202e',
  ];
  const more = ['\u2061', '\u2066', '\ufe0f', '\u{e0020}', '\ue000'];
  test.each([...hidden, ...more])('%j', (character) => {
    const code = character.codePointAt(0) ?? 0;
    const name = `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;
    expect(nameOf(character)).toBe(name);
    const text = `SELECT\n 1,${character} 2`;
    const problems = [
      () => lexConsumerQuery(text),
      () => translate(text, { tables: [], taken: new Set() }),
    ].map(problemOf);
    const place = expect.objectContaining({ line: 2, column: 4, message: expect.stringContaining(name) });
    expect(problems.map(({ errors }) => errors)).toEqual([[place], [place]]);
    const first = problemOf(() => translate(`${character}SELECT 1`, { tables: [], taken: new Set() }));
    expect(first.errors).toEqual([expect.objectContaining({ message: expect.stringContaining(name) })]);
    const [finding] = bindPlaceholders(text, () => undefined).findings;
    expect(finding).toMatchObject({ start: 10, message: expect.stringContaining(name) });
  });

  test.each([
    ['é', '"é" (U+00E9)'],
    ['~', '"~"'],
    ['😀', '"😀" (U+1F600)'],
    ['\ud800', 'U+D800'],
    ['\u0301', 'U+0301'],
  ])('%s', (character, name) => expect(nameOf(character)).toBe(name));

  test.each([
    ['’', "write '"],
    ['“', 'write "'],
    ['—', 'write -'],
    ['，', 'write ,'],
  ])('%s has a character that is meant', (character, meant) => {
    expect(unexpectedCharacter(character, 0)).toContain(meant);
  });
});

function problemOf(read: () => unknown): Problem {
  try {
    read();
  } catch (error) {
    if (error instanceof Problem) return error;
    throw error;
  }
  throw new Error('accepted');
}

test('texts are trimmed by that set, and keep their length with plain spaces', () => {
  const all = spaces.join('');
  expect(trimSpaces(`${all}a${all}b${all}`)).toBe(`a${all}b`);
  expect(trimSpaces(all)).toBe('');
  const plain = plainSpaces(`${all}\u200e`);
  expect(plain).toMatch(/^[\t\n\r ]+\u200e$/);
  expect(plain).toHaveLength(all.length + 1);
});
