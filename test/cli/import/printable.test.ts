// SQL in files: characters that YAML cannot hold are escapes in literals, and nothing else changes a literal.
import { expect, test } from 'vitest';
import { printable, printableLines } from '../../../src/cli/convert/printable.ts';

const ROWS: readonly (readonly [why: string, sql: string, printed: string])[] = [
  ['tabs', "SELECT\t'a\tb'\tFROM t", String.raw`SELECT  'a\tb'  FROM t`],
  ['other controls, in names too', "SELECT 'a\u0001' AS `b\u2028`", 'SELECT \'a\\x01\' AS `b\\xe2\\x80\\xa8`'],
  ['spaces at the ends of lines', "SELECT 'a \nb',  \n  c", "SELECT 'a\\x20\nb',\n  c"],
  ['line ends of other systems', "SELECT 'a\r\nb', -- c \r\n  d", "SELECT 'a\\x0d\nb', -- c\n  d"],
  ['a heredoc has no escapes', 'SELECT $$a\tb$$', 'SELECT $$a\tb$$'],
]; // prettier-ignore

test.each(ROWS)('%s', (_, sql, printed) => {
  expect(printable(sql)).toBe(printed);
});

test('lines that tags leave empty are removed, those of literals stay', () => {
  const sql = "SELECT 'a\n\nb'\n\n  \n\nFROM t -- c\n\n\nWHERE x";
  expect(printableLines(sql)).toBe("SELECT 'a\n\nb'\nFROM t -- c\nWHERE x");
});
