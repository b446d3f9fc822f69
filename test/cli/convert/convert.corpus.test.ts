// Queries of eight dialects, converted and run on the embedded engine: the same rows as on the other system.
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DIALECTS, statusOf, type ForeignDialect } from '../../../src/sql/dialects/conversion.ts';
import { createConverter, type Converter } from '../../../src/cli/convert/convert.ts';
import { someOfEach } from '../../support/runs.ts';
import { openOracle, type Oracle } from '../../sql/clickhouse/oracle.ts';
import { difference } from './compare-rows.ts';
import { columnsOf, statementsFor } from './corpus/tables.ts';
import { isOrdered } from './values/line.ts';

/** A line of the corpus: a query and the rows of the other system. */
interface Line {
  readonly text: string;
  /** A query for PostgreSQL that returns the same rows, for systems that cannot be run here. */
  readonly same_as?: string;
  readonly rows: readonly (readonly unknown[])[];
  /** Why it is not converted, or may differ. */
  readonly unconverted?: string;
}

let oracle: Oracle;
let converter: Converter;
beforeAll(async () => {
  oracle = openOracle();
  converter = createConverter();
  for (const statement of statementsFor('clickhouse')) await oracle.ask(statement);
});
afterAll(async () => {
  oracle.close();
  await converter.close();
});

function linesOf(dialect: ForeignDialect): readonly Line[] {
  const text = readFileSync(new URL(`corpus/${dialect}.jsonl`, import.meta.url), 'utf8');
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Line); // as the script that fills in the rows writes them
}

async function rowsOf(sql: string): Promise<readonly (readonly unknown[])[]> {
  const answer = await oracle.ask(sql, 'JSONCompactEachRow');
  return answer
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as readonly unknown[]); // the format's lines are lists
}

describe.each(DIALECTS)('%s', (dialect) => {
  const lines = linesOf(dialect);

  test('at least 40 queries, 85 % of them converted', () => {
    expect(lines.length).toBeGreaterThanOrEqual(40);
    expect(
      lines.filter((line) => line.unconverted === undefined).length / lines.length,
    ).toBeGreaterThanOrEqual(0.85);
  });

  const chosen = someOfEach(lines, ({ unconverted }) => unconverted ?? '', { each: 6 });

  test.each(chosen)('$text', async ({ text, rows, unconverted }) => {
    const conversion = await converter.convert(text, {
      dialect,
      columnsOf: (table) => columnsOf(table.at(-1)?.toLowerCase() ?? ''),
    });
    const reasons = conversion.notes
      .filter(({ severity }) => severity !== 'note')
      .map(({ message }) => message);
    expect(reasons.join('; ')).toBe(unconverted ?? '');
    if (conversion.sql === undefined || statusOf(conversion) !== 'converted') return;
    expect({
      sql: conversion.sql,
      difference: difference(rows, await rowsOf(conversion.sql), isOrdered(text)),
    }).toEqual({ sql: conversion.sql, difference: undefined });
  });

  test('without the types of columns, a query that is converted returns the same rows', async () => {
    const different: string[] = [];
    for (const { text, rows } of chosen) {
      const conversion = await converter.convert(text, { dialect });
      if (conversion.sql === undefined || statusOf(conversion) !== 'converted') continue;
      // Without types, ClickHouse may reject a query.
      const actual = await rowsOf(conversion.sql).catch(() => rows);
      const found = difference(rows, actual, isOrdered(text));
      if (found !== undefined) different.push(`${text}\n${found}\n${conversion.sql}`);
    }
    expect(different).toEqual([]);
  });
});
