// How queries of each dialect are read: operators by precedence, clauses, forms that the grammars of node-sql-parser reject.
import { afterAll, describe, expect, test } from 'vitest';
import { DIALECTS } from '../../../src/sql/dialects/conversion.ts';
import { createParser } from '../../../src/cli/convert/parse/parser.ts';
import { readingsOf, show } from './reading.ts';

const parser = createParser();
afterAll(() => parser.close());

describe.each(DIALECTS)('%s', (dialect) => {
  test.each(readingsOf(dialect))('$query', async ({ query, expected }) => {
    expect(await show(parser, dialect, query)).toBe(expected);
  });
});
