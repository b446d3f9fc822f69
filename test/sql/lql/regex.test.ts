// Regular expressions: everything rejected here is also rejected by the engine, and the engine's own rejections are located.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createRegexCheck, rejectedRegex } from '../../../src/sql/lql/regex.ts';
import { failureOf, rows, statement } from '../../support/engine-statements.ts';
import { type Lab, openLab } from './corpus.ts';

let lab: Lab;
beforeAll(async () => {
  lab = await openLab();
});
afterAll(() => lab.close());

const TAKEN = [
  '',
  'a',
  'a|',
  'a]',
  '^a$',
  '.',
  '()',
  '(|a)',
  'a{2}',
  'a{0,2}',
  'a{,2}',
  'a{1000}',
  '{',
  '(?i)x',
  '(?i:a)',
  '(?-i:a)',
  '(?s-i:a)',
  '(?P<n>x)',
  '(?<n>x)',
  String.raw`\d\D\s\S\w\W\b\B`,
  String.raw`\pL\PN`,
  String.raw`\p{Greek}`,
  String.raw`\p{^Greek}`,
  String.raw`[\pL\d]`,
  String.raw`\Q(\E`,
  String.raw`\A\z`,
  String.raw`\x{10FFFF}`,
  String.raw`\x41`,
  '[[:alpha:]]',
  '[[:^alpha:]]',
  '[]a]',
  '[^]a]',
  '[a-z&&[b]]',
  'a??',
  'a*?',
  '(a*)*',
  '(?U)a+',
  '(?m)^a$',
  'é',
  '[é-ü]',
  '😀',
  'a\nb',
  String.raw`\-\"\/`,
  String.raw`\a\f\n\r\t\v`,
  String.raw`\07`,
  '(x+x+)+y',
  String.raw`a\C`,
] as const;

const REJECTED = [
  '(',
  '(a',
  '[a',
  '*a',
  '+',
  '?i',
  'a**',
  'a++',
  'a|*',
  'a{2,1}',
  'a{1001}',
  '(?=x)',
  '(?!x)',
  '(?<=x)',
  '(?>a)',
  String.raw`(a)\1`,
  String.raw`\8`,
  String.raw`\p{Foo}`,
  String.raw`\x{110000}`,
  String.raw`\xZZ`,
  '[b-a]',
  '[[:foo:]]',
  String.raw`[a-\d]`,
  String.raw`\y`,
  String.raw`\Z`,
  String.raw`\u0041`,
  String.raw`\h`,
  '(?i',
  '(?x) a',
  '(?#c)',
  '(?P=n)',
  '(?R)',
  '(?z)',
  '(?P<1 a>x)',
  String.raw`[a\]`,
] as const;

/** What the engine reads some other way than RE2: no one means it. */
const STRICTER = ['a)', 'a\\', 'x{99999999999}'] as const;

/** Left to the engine: costly to check, or beyond its own limit of size. */
const LEFT = ['(a{1000}){2}', String.raw`\p{L}{1000}`, String.raw`(\p{L}{1000}|\p{N}{1000})`] as const;

async function engineTakes(pattern: string): Promise<boolean> {
  const sql = 'SELECT match(materialize({text:String}), {pattern:String})';
  const run = rows(lab.engine, { ...statement(sql), parameters: { text: 'abc', pattern } });
  return run.then(
    () => true,
    () => false,
  );
}

describe('the check and the engine', () => {
  test.each(TAKEN)('both accept %j', async (pattern) => {
    expect(createRegexCheck()(pattern)).toBeUndefined();
    expect(await engineTakes(pattern)).toBe(true);
  });

  test.each(REJECTED)('both reject %j', async (pattern) => {
    expect(createRegexCheck()(pattern)?.code).toBe('lql.regex_invalid');
    expect(await engineTakes(pattern)).toBe(false);
  });

  test.each(STRICTER)('only the check rejects %j', async (pattern) => {
    expect(createRegexCheck()(pattern)?.code).toBe('lql.regex_invalid');
    expect(await engineTakes(pattern)).toBe(true);
  });
});

describe('what only the engine rejects', () => {
  test.each(LEFT)('%j is located by the error message', async (pattern) => {
    const lql = `hello m.request.path:~"${pattern.replaceAll('\\', '\\\\')}" -~x`;
    const { message } = await failureOf(lab.ask(lql));
    const span = rejectedRegex(message, [
      { pattern: 'x', span: { start: 1, end: 2 } },
      { pattern, span: { start: 3, end: 4 } },
    ]);
    expect(span).toEqual({ start: 3, end: 4 });
  });

  test('another kind of error refers to no expression', async () => {
    const { message } = await failureOf(lab.sql('SELECT nothing FROM edge_logs'));
    expect(rejectedRegex(message, [{ pattern: 'a', span: { start: 0, end: 1 } }])).toBeUndefined();
  });
});

describe('the budget of one query', () => {
  test('is used up by long expressions, and by many', () => {
    const check = createRegexCheck();
    expect(check('a'.repeat(999))).toBeUndefined();
    expect(check('(a')).toBeUndefined();
    expect(createRegexCheck()('(a')?.code).toBe('lql.regex_invalid');
  });

  test('is used up by counted repetitions', () => {
    const check = createRegexCheck();
    expect(check('a{999}')).toBeUndefined();
    expect(check('(a')).toBeUndefined();
  });
});
