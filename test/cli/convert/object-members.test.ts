// Names that every object of JavaScript has are names like others: no table of names finds them.
import { afterAll, expect, test } from 'vitest';
import { createConverter } from '../../../src/cli/convert/convert.ts';
import { DIALECTS_BY_NAME } from '../../../src/sql/dialects/dialects.ts';

const converter = createConverter();
afterAll(() => converter.close());

const DIALECTS = Object.keys(DIALECTS_BY_NAME) as (keyof typeof DIALECTS_BY_NAME)[];
const NAMES = ['constructor', 'toString', 'valueOf', 'hasOwnProperty', '__proto__'];
const TEXTS = [
  'SELECT NAME(1)',
  'SELECT * FROM NAME(1)',
  'SELECT CAST(1 AS NAME)',
  'SELECT EXTRACT(NAME FROM x) FROM t',
  "SELECT date_trunc('NAME', x) FROM t",
  'SELECT date_diff(x, y, NAME) FROM t',
];

test.each(NAMES)('%s', async (name) => {
  for (const dialect of DIALECTS)
    for (const text of TEXTS) {
      const { notes } = await converter.convert(text.replace('NAME', name), { dialect });
      expect([dialect, text, notes.map(({ severity }) => severity)]).toEqual([
        dialect,
        text,
        expect.arrayContaining(['not_converted']),
      ]);
    }
});
