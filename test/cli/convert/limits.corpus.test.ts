// Limits on texts that are converted: time, memory, length and nesting. A conversion never rejects for its text.
import { afterAll, expect, test } from 'vitest';
import { DIALECTS } from '../../../src/sql/dialects/conversion.ts';
import { createConverter } from '../../../src/cli/convert/convert.ts';
import { createParser } from '../../../src/cli/convert/parse/parser.ts';
import { MissingPackageError } from '../../../src/sql/base/observation.ts';

const converter = createConverter();
afterAll(() => converter.close());

const nest = (open: string, close: string, inner = 'a') => open.repeat(1000) + inner + close.repeat(1000);

test.each([
  ['parentheses', `SELECT ${nest('(', ')')}`],
  ['calls', `SELECT ${nest('f(', ')')}`],
  ['calls whose arguments may be separated by words', `SELECT ${nest('substring(', ', 1)')}`],
  ['CASE', `SELECT ${nest('CASE WHEN a THEN ', ' END')}`],
  ['lists', `SELECT ${nest('a IN (', ')')}`],
  ['subqueries', `SELECT ${nest('(SELECT ', ')')}`],
  ['derived tables', nest('SELECT * FROM (', ') x', 'SELECT 1')],
  ['WITH', nest('WITH a AS (', ') SELECT 2', 'SELECT 1')],
  ['queries in parentheses', nest('(', ')', 'SELECT 1')],
  ['joins in parentheses', `SELECT * FROM ${nest('(a JOIN ', ' ON x)', 'b')}`],
  ['NOT', `SELECT ${'NOT '.repeat(5000)}a`],
  ['operators', `SELECT a${' + a'.repeat(20_000)}`],
  ['casts', `SELECT a${'::int'.repeat(5000)}`],
  ['types', `SELECT CAST(a AS ${nest('ARRAY(', ')', 'int')})`],
  ['set operations', `SELECT 1${' UNION SELECT 2 UNION ALL SELECT 3'.repeat(3000)}`],
  ['a long text', `SELECT '${'x'.repeat(300_000)}'`],
])('%s nested or repeated too often are reported', async (_what, text) => {
  const { sql, notes } = await converter.convert(text, { dialect: 'postgresql' });
  expect({ sql, codes: notes.map(({ code }) => code) }).toEqual({ sql: undefined, codes: ['too_large'] });
});

test.each(DIALECTS)('%s: what is nested 20 levels deep is read', async (dialect) => {
  const inner = 'CASE WHEN (a IN (1)) THEN substring(f((a + 1)), 1) END';
  const expression = `${'coalesce(trim('.repeat(20)}${inner}${'))'.repeat(20)}`;
  const text = `${'SELECT * FROM ('.repeat(20)}SELECT ${expression} AS x FROM t${') AS y'.repeat(20)}`;
  const { notes, reads } = await converter.convert(text, { dialect });
  expect(notes.filter(({ code }) => code === 'too_large' || code === 'timeout' || code === 'syntax')).toEqual(
    [],
  );
  expect(reads.tables).toEqual([['t']]);
});

test('a tree that is deep without being nested or long is reported, however far it gets', async () => {
  const sum = ' + 1'.repeat(390);
  const text = `SELECT ${'('.repeat(60)}a${`${sum})`.repeat(60)}`;
  const { sql, notes } = await converter.convert(text, { dialect: 'mysql' });
  expect({ sql, codes: notes.map(({ code }) => code) }).toEqual({ sql: undefined, codes: ['too_large'] });
});

const columns = `SELECT ${'a, '.repeat(20_000)}a FROM t`;

test('a text that takes longer than the limit is reported, and the next one is read', async () => {
  const parser = createParser({ milliseconds: 1, mebibytes: 256 });
  expect(await parser.parse({ dialect: 'mysql', text: columns })).toEqual({ kind: 'timeout' });
  await parser.close();
  const again = createParser();
  expect((await again.parse({ dialect: 'mysql', text: 'SELECT 1' })).kind).toBe('read');
  await again.close();
});

test('a text that takes more memory than the limit is reported, and the next one is read by a new thread', async () => {
  const parser = createParser({ milliseconds: 60_000, mebibytes: 20 });
  expect(await parser.parse({ dialect: 'mysql', text: columns })).toEqual({ kind: 'too_large' });
  expect((await parser.parse({ dialect: 'mysql', text: 'SELECT 1' })).kind).toBe('read');
  await parser.close();
});

test('without the package of the grammars, a sentence says so, for every text', async () => {
  const parser = createParser(undefined, 'a-package-that-is-not-installed/grammar.js');
  const request = { dialect: 'mysql', text: 'SELECT 1' } as const;
  await expect(parser.parse(request)).rejects.toThrow(MissingPackageError);
  await expect(parser.parse(request)).rejects.toThrow(MissingPackageError);
  await parser.close();
});
