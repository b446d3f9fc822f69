// Conditions: their values, what they do not have, what they are for every row, and the attack corpus as conditions and messages.
import { describe, expect, test } from 'vitest';
import { readCondition, type RowCondition, type JsonRow } from '../../../src/sql/condition/condition.ts';
import { plainLine, readTemplate } from '../../../src/sql/condition/message.ts';
import { outcomeOf } from '../../../src/sql/condition/outcomes.ts';
import { ATTACKS } from '../../guard/sandbox/fixture.ts';

function conditionOf(text: string): RowCondition {
  const read = readCondition(text);
  if (read.kind === 'fault') throw new Error(read.fault.message);
  return read.condition;
}

describe('values', () => {
  test.each<readonly [string, JsonRow, boolean | null]>([
    ['errors > 100', { errors: 101 }, true],
    ['errors > 100', { errors: null }, null],
    ['errors > 100', {}, null],
    ['a = 1 AND NOT b IN (2, 3)', { a: 1, b: 4 }, true],
    ['a = 1 OR b > 1', { a: null, b: 2 }, true],
    ['a = 1 AND b > 1', { a: null, b: 0 }, false],
    ['a = 1 AND b > 1', { a: null, b: 2 }, null],
    ['a BETWEEN 1 AND 5', { a: 5 }, true],
    ['a NOT BETWEEN 1 AND 5', { a: 5 }, false],
    ['a NOT IN (1, 2)', { a: null }, null],
    ['a IS NULL OR a <> 3', { a: null }, true],
    ['a IS NOT NULL', { a: 0 }, true],
    ['a + b * 2 >= 10', { a: 2, b: 4 }, true],
    ['a / b > 1', { a: 2, b: 0 }, null],
    ['-a < -5', { a: 6 }, true],
    ['(a) = (1)', { a: 1 }, true],
    ["s = 'it''s'", { s: "it's" }, true],
    ["s < 'b'", { s: 'a\u{10ffff}' }, true],
    ["s > '\uFFFF'", { s: '\u{10000}' }, true],
    ['flag', { flag: true }, true],
    ['flag = 1', { flag: true }, true],
    ['`odd name` > 1', { 'odd name': 2 }, true],
    ['n > 9007199254740990', { n: 2 ** 60 }, true],
    ['a > 1 -- a comment', { a: 2 }, true],
    ['constructor > 1', {}, null],
  ])('%s of %j is %s', (text, row, value) => expect(conditionOf(text).test(row)).toBe(value));

  test.each<readonly [string, JsonRow]>([
    ['a > 5', { a: [1] }],
    ['a > 5', { a: 'x' }],
    ["a = 'x'", { a: 5 }],
    ['a = b', { a: 2 ** 60, b: 2 ** 60 }],
    ['a + 1 > 5', { a: 2 ** 60 }],
    ['a', { a: 'x' }],
  ])('%s of %j is not decided by a guess', (text, row) => {
    const { test: evaluate } = conditionOf(text);
    expect(() => evaluate(row)).toThrow(/compared|condition|large/);
  });
});

test.each([
  ['', 0], ['count() > 1', 0], ['a > (SELECT 1)', 4], ['a, b', 3], ['a desc', 2], ['a = @p', 4], ['a = {p:UInt8}', 4], ['a LIKE 1', 0],
  ['a > 1 AS b', 0], ['a ? 1 : 0', 0], ['a IN t', 5], ['a IN (b)', 6], ['a IN (SELECT 1)', 5], ['a > 1; SELECT 1', 5], ['(a > 1', 0],
  ['a = 0x10', 4], ['a > 9007199254740993', 4], ['[1]', 0], ['a.b > 1', 0], ['*', 0], ['a || 1', 0], ['a::Int8 > 1', 0], ['CASE WHEN a THEN 1 END', 0],
  ['a % 2 = 1', 0], ['EXISTS (SELECT 1)', 0], ['x -> 1', 0], ['INTERVAL 1 DAY > a', 0], ['a <=> 1', 0], ['a IS DISTINCT FROM 1', 0], [`a = '${'x'.repeat(2000)}'`, 0],
] as const)('%s is no condition, from %i on', (text, start) => {
  const read = readCondition(text);
  expect(read).toMatchObject({ kind: 'fault', fault: { start } });
}); // prettier-ignore

test.each([
  ['a > 5', 'varies', 'varies'],
  ['a > 5 AND a < 3', 'never', 'never'],
  ['a >= 0', 'varies', 'always'],
  ['1 = 1', 'always', 'always'],
  ['1 = 2', 'never', 'never'],
  ['a > 5 OR a <= 5', 'always', 'always'],
  ['a IS NULL', 'varies', 'never'],
  ["s = 'x' AND s = 'y'", 'never', 'never'],
  ['a IN (1) AND a NOT IN (1)', 'never', 'never'],
  ['a < 0', 'varies', 'never'],
  ['a > b', 'varies', 'varies'],
  ["a > 1 OR a = 'x'", 'varies', 'varies'],
])('%s is true for rows: %s, and of unsigned values without NULL: %s', (text, any, unsigned) => {
  const traits = { isUnsigned: true, isNullable: false };
  const condition = conditionOf(text);
  expect([outcomeOf(condition, () => undefined), outcomeOf(condition, () => traits)]).toEqual([
    any,
    unsigned,
  ]);
});

/** A word alone is the name of a column. */
const QUERIES = ATTACKS.filter(({ sql }) => /\W/.test(sql.trim()));

describe('attacks', () => {
  test('no query of the corpus is a condition', () => {
    expect(QUERIES.length).toBeGreaterThan(300);
    expect(
      QUERIES.filter(({ sql }) => readCondition(sql).kind === 'condition').map(({ sql }) => sql),
    ).toEqual([]);
  });

  test('nor is one in place of a value, or after the end of a condition', () => {
    for (const { sql } of QUERIES)
      for (const text of [
        `a > (${sql})`,
        `a IN (${sql})`,
        `a > 1 OR ${sql}`,
        `a > 1; ${sql}`,
        `a = f((${sql}))`,
      ])
        expect([text, readCondition(text).kind]).toEqual([text, 'fault']);
  });

  test('in a message it is text, on one line', () => {
    for (const { sql } of QUERIES) {
      const row = { a: `${sql}\r\n{b}`, b: 'a secret' };
      const text = readTemplate('x {a} y').textFor(row);
      expect(text).not.toMatch(/[\r\n]|a secret/);
      expect(text.startsWith(plainLine(`x ${sql.slice(0, 100)}`))).toBe(true);
    }
  });

  test.each([
    ['{a}', { a: '{b}', b: 'x' }, '{b}'],
    ['{constructor}{__proto__}', {}, 'nullnull'],
    ['{a}', { a: 'x'.repeat(300) }, `${'x'.repeat(200)}…`],
    ['{a}', { a: 'a\u202Eb\u2028c\0d' }, 'a b c d'],
    ['{a} {b}', { a: null, b: { c: 1 } }, 'null {"c":1}'],
    ['{ a } {a-b}', { a: 1 }, '{ a } {a-b}'],
  ])('%s of %j is %s', (template, row, text) => expect(readTemplate(template).textFor(row)).toBe(text));
});
