import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { significantTokens } from '../../../src/sql/clickhouse/cursor.ts';
import { tokenize } from '../../../src/sql/clickhouse/lexer.ts';
import { authorOffset, bindPlaceholders } from '../../../src/sql/clickhouse/placeholders.ts';

const typeOf = (name: string) => (name === 'unknown' ? undefined : 'String');
const bind = (query: string) => bindPlaceholders(query, typeOf);

test.each([
  ['an operand', 'SELECT a = @p', 'SELECT a = {p:String}'],
  ['several', 'SELECT @a+@b', 'SELECT {a:String}+{b:String}'],
  ['a call’s argument', 'SELECT f(@a,@b)', 'SELECT f({a:String},{b:String})'],
  ['a map’s value', "SELECT {'k': @a}", "SELECT {'k': {a:String}}"],
  [
    'before a dot',
    'SELECT @p.1, @p .5, f(@p.a.b)',
    'SELECT ({p:String}).1, {p:String} .5, f(({p:String}).a.b)',
  ],
  ['not in a string', "SELECT '@p', @p", "SELECT '@p', {p:String}"],
  ['not in a typographic string', 'SELECT ‘@p’', 'SELECT ‘@p’'],
  ['not in quoted names', 'SELECT `@p`, "@p"', 'SELECT `@p`, "@p"'],
  ['not in comments', 'SELECT 1 /* @p /* @p */ */ -- @p\n, 2', 'SELECT 1 /* @p /* @p */ */ -- @p\n, 2'],
  ['not in heredocs', 'SELECT $a$@p$a$', 'SELECT $a$@p$a$'],
  ['an undeclared name is left unchanged', 'SELECT @unknown', 'SELECT @unknown'],
  ['a trailing semicolon is removed', 'SELECT @p ; -- bye', 'SELECT {p:String}'],
  ['a trailing comment is removed', 'SELECT 1 -- bye', 'SELECT 1'],
])('%s', (_why, query, sql) => {
  const bound = bind(query);
  expect(bound.findings).toEqual([]);
  expect(bound.sql).toBe(sql);
  expect(bound.tokens).toEqual(significantTokens(sql));
});

describe('findings', () => {
  test.each([
    ['a lone @', 'SELECT @ a', 'stray_at', '@'],
    ['@ at the end', 'SELECT @', 'stray_at', '@'],
    ['two @', 'SELECT @@version', 'stray_at', '@@'],
    ['directly after a word', 'SELECT a@b', 'stray_at', '@b'],
    ['directly after a parameter', 'SELECT @a@b', 'stray_at', '@b'],
    ['directly after a bracket', 'SELECT (1)@b', 'stray_at', '@b'],
    ['a quoted name', 'SELECT @`a`', 'stray_at', '@'],
    ['a name with $', 'SELECT @a$b', 'parameter_name', '@a$b'],
    ['a name that starts with a digit', 'SELECT @1a', 'parameter_name', '@1a'],
    ['a name that is too long', `SELECT @${'a'.repeat(65)}`, 'parameter_name', `@${'a'.repeat(65)}`],
    ['a typed placeholder', 'SELECT {p:String}', 'typed_placeholder', '{p:String}'],
    [
      'a typed placeholder in pieces',
      'SELECT { `p` /**/ : String }',
      'typed_placeholder',
      '{ `p` /**/ : String }',
    ],
    ['a second statement', 'SELECT 1; SELECT 2', 'several_statements', ';'],
    ['\\G', 'SELECT 1 \\G', 'several_statements', '\\G'],
    ['FORMAT', 'SELECT 1 FORMAT JSON', 'format_clause', 'FORMAT'],
    ['FORMAT and a semicolon', 'SELECT 1 format CSV;', 'format_clause', 'format'],
    ['FORMAT before SETTINGS', 'SELECT 1 FORMAT JSON SETTINGS a = 1', 'format_clause', 'FORMAT'],
    ['INTO OUTFILE', "SELECT 1 INTO /**/ OUTFILE 'x'", 'into_outfile', 'INTO'],
    ['an unclosed string', "SELECT 'a", 'unclosed_string', "'a"],
    ['an unclosed comment', 'SELECT 1 /* a', 'unclosed_comment', '/* a'],
    ['an unexpected character', 'SELECT é', 'unexpected_character', 'é'],
    ['an empty query', ' -- a', 'empty', ' -- a'],
    ['only a semicolon', ';', 'empty', ';'],
  ])('%s', (_why, query, code, at) => {
    const seen = bind(query).findings.map((f) => [f.code, query.slice(f.start, f.end)]);
    expect(seen).toEqual([[`query.${code}`, at]]);
  });

  test.each([
    ['a column', 'SELECT format FROM t WHERE format = 1'],
    ['an alias', 'SELECT max(a) AS format'],
    ['ordered by', 'SELECT a FROM t ORDER BY a, format DESC'],
    ['a qualified column', 'SELECT t.format x'],
  ])('no FORMAT clause: %s', (_why, query) => {
    expect(bind(query).findings).toEqual([]);
  });
});

test('offsets map back to the author’s query', () => {
  const word = fc.constantFrom('@p', '@longer_name', 'a', "'@x'", '+', '\n', '/* @c */', '.5', '.');
  fc.assert(
    fc.property(fc.array(word), (words) => {
      const query = `SELECT ${words.join(' ')} x`;
      const { sql, uses, tokens, findings } = bind(query);
      if (findings.length === 0) expect(tokens).toEqual(significantTokens(sql));
      for (const use of uses) {
        expect(query.slice(use.start, use.end)).toBe(`@${use.name}`);
        expect(sql.slice(use.boundStart, use.boundEnd)).toBe(`{${use.name}:String}`);
      }
      for (const token of tokenize(sql).filter((t) => t.kind === 'word' || t.kind === 'string')) {
        const inside = uses.some((use) => token.start >= use.boundStart && token.start < use.boundEnd);
        const back = authorOffset(uses, token.start);
        const length = inside ? 1 : token.end - token.start;
        const expected = inside ? '@' : sql.slice(token.start, token.end);
        expect(query.slice(back, back + length)).toBe(expected);
      }
    }),
    { seed: 4 },
  );
});
