// Values of other systems' SQL: each line of `values/` is equal to what the system returns, or rejected at a place; never another row.
import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DIALECTS, statusOf, type Conversion } from '../../../src/sql/dialects/conversion.ts';
import { createConverter, type Converter } from '../../../src/cli/convert/convert.ts';
import { openOracle, type Oracle } from '../../sql/clickhouse/oracle.ts';
import { some, someOfEach } from '../../support/runs.ts';
import {
  LIKE_NAN,
  OF_NAN,
  OF_NONE,
  OF_NUMBERS,
  PROPAGATING,
  SKIPPING,
  withoutNull,
  type BehaviourCase,
} from './behaviours.ts';
import { difference } from './compare-rows.ts';
import { columnsOf, statementsFor } from './corpus/tables.ts';
import { isOrdered, linesOf, textOf } from './values/line.ts';

/** Files are named by the dialect and what they are about: `sqlite-rows.jsonl`. */
const FILES = readdirSync(new URL('values/', import.meta.url)).filter((name) => name.endsWith('.jsonl'));

let oracle: Oracle;
let converter: Converter;
beforeAll(async () => {
  // Otherwise JSON has null for NaN and infinity.
  oracle = openOracle(['--output_format_json_quote_denormals=1']);
  converter = createConverter();
  for (const statement of statementsFor('clickhouse')) await oracle.ask(statement);
});
afterAll(async () => {
  oracle.close();
  await converter.close();
});

describe.each(FILES)('%s', (file) => {
  const dialect = DIALECTS.find((each) => each === file.split('-')[0]);
  const lines = linesOf(readFileSync(new URL(`values/${file}`, import.meta.url), 'utf8'));

  test('each line has a source, and is there once', () => {
    expect(dialect).toBeDefined();
    expect(lines.filter(({ source }) => source === '')).toEqual([]);
    const texts = lines.map(textOf);
    expect(texts.filter((text, index) => texts.indexOf(text) !== index)).toEqual([]);
  });

  const chosen = someOfEach(lines, ({ source }) => source, { each: 4 });

  test.each(chosen.map((line) => ({ ...line, text: textOf(line) })))('$text', async (line) => {
    const { text, rows, is, rejected, fails } = line;
    const conversion = await converter.convert(text, {
      dialect: dialect ?? 'postgresql',
      columnsOf: (table) => columnsOf(table.at(-1)?.toLowerCase() ?? ''),
    });
    if (rejected !== undefined) return expectRejected(conversion, text);
    const reasons = conversion.notes.filter(({ severity }) => severity !== 'note');
    if (fails !== undefined) {
      if (reasons.length > 0) return expectRejected(conversion, text);
      return expect(rowsOf(conversion.sql ?? '')).rejects.toThrow(/./);
    }
    expect(reasons).toEqual([]);
    const found = difference(rows ?? [[is]], await rowsOf(conversion.sql ?? ''), isOrdered(text));
    expect({ sql: conversion.sql, difference: found }).toEqual({
      sql: conversion.sql,
      difference: undefined,
    });
  });
});

/** Not converted, or not without a difference, with the place in the text that is the reason. */
function expectRejected(conversion: Conversion, text: string): void {
  expect(statusOf(conversion)).not.toBe('converted');
  const reasons = conversion.notes.filter(({ severity }) => severity !== 'note');
  expect(reasons.filter(({ start, end }) => start < 0 || end <= start || end > text.length)).toEqual([]);
}

async function rowsOf(sql: string): Promise<readonly (readonly unknown[])[]> {
  const answer = await oracle.ask(sql, 'JSONCompactEachRow');
  const lines = answer.split('\n').filter((line) => line !== '');
  return lines.map((line) => JSON.parse(line) as readonly unknown[]); // the format's lines are lists
}

/** The rows of all queries that are converted and that ClickHouse accepts. */
async function allOf(texts: BehaviourCase['texts']): Promise<readonly string[]> {
  const found: string[] = [];
  for (const text of texts) {
    const rows = await firstOf({ name: '', texts: [text] });
    if (rows !== undefined) found.push(rows);
  }
  return found;
}

/** The rows of the first query that is converted and that ClickHouse accepts; undefined if there is none. */
async function firstOf(
  { texts }: BehaviourCase,
  also = (text: string): string => text,
): Promise<string | undefined> {
  for (const { dialect, text } of texts) {
    const conversion = await converter.convert(also(text), {
      dialect,
      columnsOf: (table) => columnsOf(table.at(-1)?.toLowerCase() ?? ''),
    });
    if (statusOf(conversion) !== 'converted') continue;
    const rows = await rowsOf(conversion.sql ?? '').catch(() => undefined);
    if (rows !== undefined) return JSON.stringify(rows.map(([cell]) => cell));
  }
  return undefined;
}

/** Removes quotes and replaces NaN with a number. */
const plainNan = (rows: string): string => rows.replaceAll(/["\\]/g, '').replaceAll(/nan/gi, LIKE_NAN);

describe('what functions say that they do', () => {
  test.each(some(PROPAGATING, 4))('$name of NULL is NULL', async (own) => {
    // An array that is NULL is an empty array in ClickHouse.
    expect(['[null]', '[[]]']).toContain(await firstOf(own));
  });

  test.each(some(OF_NAN['propagate'] ?? [], 4))('$name of NaN is NaN', async ({ texts }) => {
    const found = await allOf(texts);
    expect(found).not.toEqual([]);
    expect(found.filter((rows) => /[^nan",[\]]/.test(rows))).toEqual([]);
  });

  test.each(some(OF_NAN['error'] ?? [], 4))('$name of NaN is an error', async ({ texts }) => {
    expect(await allOf(texts)).toEqual([]);
  });

  test.each(some(OF_NAN['keep'] ?? [], 4))('NaN is a value like others for $name', async (own) => {
    const [withNan, withNumber] = [await allOf(own.texts), await allOf(own.plain)];
    expect(withNumber).not.toEqual([]);
    expect(withNan.map(plainNan)).toEqual(withNumber.map(plainNan));
  });

  test.each(some(OF_NUMBERS, 4))('$name does not accept a time', async (own) => {
    expect(await firstOf(own)).toBeUndefined();
  });

  describe.each(Object.entries(OF_NONE))('%s over nothing', (expected, cases) => {
    test.each(some(cases, 3))('$name', async (own) => {
      expect(await firstOf(own)).toBe(`[${expected}]`);
    });
  });

  test.each(some(SKIPPING, 4))('$name leaves out NULL', async (own) => {
    const all = await firstOf(own);
    expect(all).toBeDefined();
    expect(await firstOf(own, withoutNull)).toBe(all);
  });
});
