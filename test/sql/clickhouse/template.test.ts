// Templates of queries: choices and optional parts, and the text of each variant.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { significantTokens } from '../../../src/sql/clickhouse/cursor.ts';
import { expandTemplate } from '../../../src/sql/clickhouse/expand.ts';
import { readFragment } from '../../../src/sql/clickhouse/fragment.ts';
import { readTemplate } from '../../../src/sql/clickhouse/template.ts';

function expand(sql: string, choices: Record<string, Record<string, string>>, given: readonly string[] = []) {
  const template = readTemplate(sql, (name) => name in choices);
  expect(template.findings).toEqual([]);
  const fragments = new Map(
    Object.entries(choices).map(([name, all]) => [
      name,
      new Map(Object.entries(all).map(([value, text]) => [value, readFragment(text)])),
    ]),
  );
  const chosen = new Map(Object.entries(choices).map(([name, all]) => [name, Object.keys(all)]));
  return expandTemplate(template, fragments, { choices: chosen, given: new Set(given) });
}

const wordsOf = (sql: string): string =>
  significantTokens(sql)
    .map(({ start, end }) => sql.slice(start, end))
    .join(' ');

describe('a fragment', () => {
  test.each<[why: string, fragment: string, text: string]>([
    ['a column', 'a', 'SELECT a'],
    ['a path', '`a b`.c', 'SELECT `a b`.c'],
    ['a call', 'f(a, b + 1)', 'SELECT f(a, b + 1)'],
    ['a condition', 'a OR b', 'SELECT (a OR b)'],
    ['in other case', 'a or b', 'SELECT (a or b)'],
    ['a sum', 'a + b AS c', 'SELECT (a + b) AS c'],
    ['a negative number', '-1', 'SELECT (-1)'],
    ['an order', 'a DESC', 'SELECT a DESC'],
    ['an order of an expression', 'a % 2 DESC NULLS LAST, b', 'SELECT (a % 2) DESC NULLS LAST, b'],
    ['a collation', "lower(a) COLLATE 'en'", "SELECT lower(a) COLLATE 'en'"],
    ['a fill', 'a WITH FILL STEP 1 + 1', 'SELECT a WITH FILL STEP 1 + 1'],
    ['all columns', '*', 'SELECT *'],
    ['all columns of a table', 't.* EXCEPT (a)', 'SELECT t.* EXCEPT (a)'],
    ['an interval', 'INTERVAL 1 DAY', 'SELECT (INTERVAL 1 DAY)'],
    ['a cast', 'a::UInt8', 'SELECT a::UInt8'],
    ['a lambda', 'x -> x + 1', 'SELECT (x -> x + 1)'],
    ['a ternary', 'a ? b : c', 'SELECT (a ? b : c)'],
    ['a subquery', '(SELECT 1 FROM t)', 'SELECT (SELECT 1 FROM t)'],
    ['a comment at the end', 'a -- all of it', 'SELECT a'],
    ['a comment inside', 'a /* one */, b -- two\n, c', 'SELECT a, b, c'],
    ['a name after a dot', 't.order', 'SELECT t.order'],
    ['an alias that is a keyword', 'a AS from', 'SELECT a AS from'],
    ['distinct', 'DISTINCT a OR b', 'SELECT DISTINCT a OR b'],
  ])('%s: %s', (_why, fragment, text) => {
    expect(wordsOf(expand('SELECT @x', { x: { one: fragment } }).sql)).toBe(wordsOf(text));
  });

  test.each<[fragment: string, code: string, start: number]>([
    ['', 'query.choice_empty', 0],
    ['-- nothing', 'query.choice_empty', 0],
    ['a,', 'query.choice_empty', 1],
    [', a', 'query.choice_empty', 0],
    ['a,, b', 'query.choice_empty', 1],
    ['f(a', 'query.unbalanced_bracket', 1],
    ['a)', 'query.unbalanced_bracket', 1],
    ['a) OR (b', 'query.unbalanced_bracket', 1],
    ['a FROM system.one', 'query.choice_clause', 2],
    ['1 UNION ALL SELECT 2', 'query.choice_clause', 2],
    ['a LIMIT 1', 'query.choice_clause', 2],
    ['a settings x = 1', 'query.choice_clause', 2],
    ['a; DROP TABLE t', 'query.several_statements', 1],
  ])('%s is none', (fragment, code, start) => {
    expect(readFragment(fragment).findings[0]).toMatchObject({ code, start });
  });

  test('what surrounds a condition keeps its meaning', () => {
    const operand = fc.constantFrom('a', 'f(b)', '(c OR d)', "'OR'", '1');
    const operator = fc.constantFrom('OR', 'AND', '+', '=', 'IN', '||', 'xor', '?');
    const fragment = fc
      .array(fc.tuple(operator, operand), { maxLength: 4 })
      .map((rest) => ['x', ...rest.flat()].join(' '));
    fc.assert(
      fc.property(fragment, (text) => {
        const { sql } = expand('SELECT 1 WHERE p = 1 AND @x AND q = 2', { x: { one: text } });
        const inner = sql.slice('SELECT 1 WHERE p = 1 AND '.length, -' AND q = 2'.length);
        expect(inner === text ? text.split(' ').length : 0).toBeLessThan(2); // one operand, or in parentheses
        expect(inner === text || inner === `(${text})`).toBe(true);
      }),
    );
  });
});

describe('optional parts', () => {
  test.each<[why: string, sql: string, given: readonly string[], text: string]>([
    ['without', 'SELECT a /* if @p */ , b /* end */ FROM t', [], 'SELECT a FROM t'],
    ['with', 'SELECT a /* if @p */ , b /* end */ FROM t', ['p'], 'SELECT a , b FROM t'],
    ['in comments of one line', 'SELECT a\n-- if @p\n, b\n-- end\nFROM t', ['p'], 'SELECT a , b FROM t'],
    ['that are absent', 'SELECT a\n-- if @p\n, b\n-- end\nFROM t', [], 'SELECT a FROM t'],
    [
      'with a parameter named or',
      'SELECT 1 WHERE p /* if @or */ AND q < @or /* end */',
      ['or'],
      'SELECT 1 WHERE p AND q < @ or',
    ],
    ['of two parameters', 'SELECT 1 -- IF @a AND @b\n, 2 -- End', ['a', 'b'], 'SELECT 1 , 2'],
    ['of which one is not given', 'SELECT 1 -- IF @a AND @b\n, 2 -- End', ['a'], 'SELECT 1'],
    ['inside another', 'SELECT 1 /*if @a*/ , 2 /*if @b*/ , 3 /*end*/ /*end*/', ['a'], 'SELECT 1 , 2'],
    ['inside an absent one', 'SELECT 1 /*if @a*/ , 2 /*if @b*/ , 3 /*end*/ /*end*/', ['b'], 'SELECT 1'],
    ['of one that is not given', 'SELECT 1 /* if not @a */ , 2 /* end */', [], 'SELECT 1 , 2'],
    ['of one that is', 'SELECT 1 /* if not @a */ , 2 /* end */', ['a'], 'SELECT 1'],
    [
      'of whole queries with OR',
      '/* if @a */ WITH r AS (SELECT 1) SELECT 1 FROM r WHERE x OR y /* end */ /* if not @a */ SELECT 2 WHERE x OR y /* end */',
      [],
      'SELECT 2 WHERE x OR y',
    ],
    ['of both kinds', 'SELECT 1 -- if @a and NOT @b\n, 2 -- end', ['a'], 'SELECT 1 , 2'],
    ['between tokens', 'SELECT a/* if @p */+b/* end */FROM t', [], 'SELECT a FROM t'],
    ['other comments', 'SELECT a -- if only\n/* the end */ # if @p\n, b', [], 'SELECT a , b'],
    [
      'with wide spaces',
      'SELECT 1 /*\u200bif\u00a0@a\u2003and\ufeff@b\u3000*/ , 2 --\u2060end\u2028\n',
      ['a'],
      'SELECT 1',
    ],
    ['in strings', 'SELECT \'/* if @p */\', "-- end"', [], 'SELECT \'/* if @p */\' , "-- end"'],
  ])('%s', (_why, sql, given, text) => {
    expect(wordsOf(expand(sql, {}, given).sql)).toBe(text);
  });

  test.each<[why: string, sql: string, code: string, start: number]>([
    ['no end', 'SELECT 1 /* if @a */, 2', 'query.part_unclosed', 9],
    ['no beginning', 'SELECT 1 /* end */', 'query.part_unopened', 9],
    ['nothing inside', 'SELECT 1 /* if @a */ -- none\n /* end */', 'query.part_empty', 9],
    ['no else', 'SELECT 1 /* if @a */, 2 /* else */, 3 /* end */', 'query.part_marker', 24],
    ['a value without a parameter', 'SELECT 1 /* if a = 1 @a */, 2 /* end */', 'query.part_marker', 9],
    ['other comparisons', 'SELECT 1 /* if @a > 1 */, 2 /* end */', 'query.part_marker', 9],
    ['a value with a quote', "SELECT 1 /* if @a = 'it''s' */, 2 /* end */", 'query.part_marker', 9],
    [
      'a wide space in what is no marker',
      'SELECT 1 /*\u200bif @a\u200bor @b */, 2 /* end */',
      'query.part_marker',
      9,
    ],
    ['no or', 'SELECT 1 /* if @a or @b */, 2 /* end */', 'query.part_marker', 9],
    ['half of a pair', 'SELECT (1 /* if @a */) /* end */', 'query.part_unbalanced', 21],
    ['OR', 'SELECT 1 WHERE p /* if @a */ AND b OR c /* end */', 'query.part_or', 35],
    [
      'OR in a part of a whole query',
      '/* if @a */ SELECT 1 WHERE x /* if @b */ OR y /* end */ /* end */ /* if not @a */ SELECT 2 /* end */',
      'query.part_or',
      41,
    ],
    [
      'OR in a whole query before a condition of all',
      '/* if @a */ SELECT 1 WHERE x OR y /* end */ /* if not @a */ SELECT 1 WHERE x /* end */ AND tenant = 1',
      'query.part_or',
      29,
    ],
    ['OR in a column', 'SELECT 1 WHERE p AND /* if @a */ SELECT x OR c /* end */', 'query.part_or', 42],
    ['OR at the beginning', 'SELECT 1 HAVING p /* if @a */ OR c /* end */', 'query.part_or', 30],
    ['OR in a join', 'SELECT 1 FROM a JOIN b ON x /* if @a */ OR c /* end */', 'query.part_or', 40],
  ])('%s', (_why, sql, code, start) => {
    expect(readTemplate(sql, () => false).findings[0]).toMatchObject({ code, start });
  });

  test.each([
    'SELECT 1 WHERE p AND (x /* if @a */ OR c /* end */)',
    'SELECT 1 WHERE p /* if @a */ AND (b OR c) /* end */',
    'SELECT 1 /* if @a */ WHERE p OR c /* end */',
    'SELECT 1 /* if @a */ , a OR b AS c /* end */ FROM t WHERE p',
  ])('%s is no widened condition', (sql) => {
    expect(readTemplate(sql, () => false).findings).toEqual([]);
  });

  test('nesting and number are bounded', () => {
    const nested = `SELECT 1 ${'/* if @a */ + 1 '.repeat(20_000)}${'/* end */'.repeat(20_000)}`;
    expect(readTemplate(nested, () => false).findings.map(({ code }) => code)).toEqual(['query.part_marker']);
    const many = `SELECT 1 ${'/* if @a */ + 1 /* end */'.repeat(101)}`;
    expect(readTemplate(many, () => false).findings.map(({ code }) => code)).toEqual(['query.part_marker']);
  });
});

test('each character of a variant comes from where it is written', () => {
  const sql = 'SELECT @x /* if @p */ , @p + @x /* end */ FROM t';
  const { sql: text, originOf } = expand(sql, { x: { one: 'aa OR bb', two: 'cc DESC' } }, ['p']);
  for (const word of ['SELECT', 'FROM', 'OR', 'bb', 'cc', 'DESC', 't']) {
    const at = new RegExp(String.raw`\b${word}\b`).exec(text)?.index ?? -1;
    const { choice, offset } = originOf(at);
    const source = choice === undefined ? sql : choice[1] === 'one' ? 'aa OR bb' : 'cc DESC';
    expect(source.slice(offset, offset + word.length)).toBe(word);
  }
});
