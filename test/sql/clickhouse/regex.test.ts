// The size of the program of a regular expression, which bounds how long compiling it blocks other requests.
import { describe, expect, test } from 'vitest';
import { MAX_PROGRAM_SIZE, programSize, regexError } from '../../../src/sql/clickhouse/regex.ts';

describe('the size', () => {
  test.each([
    ['', 0],
    ['abc', 3],
    ['a{3}', 3],
    ['a{3,}', 3],
    ['a{3,5}', 10],
    ['a{0}', 1],
    ['a{', 2],
    ['a{,3}', 5],
    ['ab{10}', 11],
    ['(ab){10}', 31],
    ['(?:a{10}){10}', 131],
    ['[a-z]{10}', 15],
    ['[]({]{2}', 7],
    ['[^]]a', 6],
    ['[[:alpha:](]b', 14],
    [String.raw`\(\d{4}`, 10],
    [String.raw`\Q(a{9}\Ea`, 10],
    [String.raw`\pL{3}`, 205],
    [String.raw`[\pL]{3}`, 208],
    ['a{2000}', 1],
    ['(a', 2],
    ['a)', 2],
  ])('of %j is %i', (source, size) => {
    expect(programSize(source)).toBe(size);
  });

  test.each([
    ['a group', `(?:${'.'.repeat(985)}){1000}`],
    ['beside a parenthesis in a class', `(?:${'.'.repeat(980)}[(]){1000}`],
    ['beside one in a named class', `(?:${'.'.repeat(970)}[[:alpha:](]){1000}`],
    ['beside a quoted one', String.raw`(?:${'.'.repeat(970)}\Q(\E){1000}`],
    ['beside an escaped one', String.raw`(?:${'.'.repeat(970)}\(){1000}`],
    ['many classes by name', String.raw`(?i)${String.raw`\pL`.repeat(330)}`],
    ['wide ranges without regard to case', `(?i)[${'B-\u{1e942}'.repeat(247)}]`],
    ['the same with escapes', String.raw`(?i)[${String.raw`\x{42}-\x{1e942}`.repeat(60)}]`],
    ['one such range', '(?i)[!-\u{1ffff}]'],
    [
      'many letters without regard to case',
      `(?i)[${Array.from({ length: 900 }, (_, n) => String.fromCharCode(256 + n)).join('')}]`,
    ],
    ['many of them in classes', String.raw`[\pL\pN\pS\pP\pM\pZ\pC]`.repeat(41)],
  ])('is too large: %s', (_, source) => {
    expect(programSize(source)).toBeGreaterThan(MAX_PROGRAM_SIZE);
  });

  test.each([
    String.raw`^(?:[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}|\d{1,3}(?:\.\d{1,3}){3})$`,
    String.raw`[\pL\s.,-]{1,200}`,
    '(?i)^[a-zа-яё0-9 .,_-]+$',
    '^/api/v[0-9]+/(?:users|orders|items)/[A-Za-z0-9_-]{1,64}(?:\\?.*)?$',
  ])('of %s is not', (source) => {
    expect(regexError(source)).toBeUndefined();
    expect(programSize(source)).toBeLessThan(MAX_PROGRAM_SIZE / 10);
  });

  test.each(['[', '(', '{', '\\', '{1', '[[:', '\\Q', '[^', '{9,', 'a{9}', '[[:a:]', ')'])(
    'of many %j is known at once',
    (text) => {
      expect(programSize(text.repeat(200_000))).toBeGreaterThan(0);
    },
  );
});
