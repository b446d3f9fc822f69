// Literals that are written for a dialect are read back as the same value.
import { expect, test } from 'vitest';
import { literalOf } from '../../../src/cli/convert/placeholders/source-lexer.ts';
import { DIALECTS } from '../../../src/sql/dialects/conversion.ts';
import { DIALECTS_BY_NAME } from '../../../src/sql/dialects/dialects.ts';
import { OFFLINE_LIMITS, read } from '../../../src/sql/dialects/read/read.ts';

const VALUES = [
  "it's",
  "''",
  'a\\b',
  "\\'",
  "\\\\'",
  'x"y',
  '`',
  '50%',
  'a_b',
  '\t',
  '$1',
  '-- x',
  '/* x',
  'ü€𝄞',
];

test.each(DIALECTS)('%s', (dialect) => {
  const options = { isStrict: false, limits: OFFLINE_LIMITS };
  const found = VALUES.map((value) => {
    const { query } = read(`SELECT ${literalOf(value, dialect)}`, DIALECTS_BY_NAME[dialect].grammar, options);
    const [item] = query.body.kind === 'select' ? query.body.items : [];
    return item?.kind === 'value' && item.value.kind === 'string' ? item.value.value : item;
  });
  expect(found).toEqual(VALUES);
});
