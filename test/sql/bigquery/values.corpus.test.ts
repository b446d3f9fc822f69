// Values of BigQuery SQL: each line of `values/` is equal to what BigQuery documents, or rejected at a place; never another row.
import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Problem } from '../../../src/sql/base/problem.ts';
import { isOrdered, linesOf, textOf } from '../../cli/convert/values/line.ts';
import { someOfEach } from '../../support/runs.ts';
import { openLab, type Lab } from './lab.ts';

const FOLDER = new URL('values/', import.meta.url);
const FILES = readdirSync(FOLDER).filter((name) => name.endsWith('.jsonl'));

let lab: Lab;
beforeAll(async () => {
  const names = ['facts', 'nothing', 'small'];
  const elements = names.map((name) => `${name} AS (SELECT * FROM shapes.${name})`);
  lab = await openLab({
    files: ['values.sql'],
    saved: `WITH ${elements.join(', ')} SELECT id FROM facts`,
    tables: names,
  });
});
afterAll(() => lab.close());

describe.each(FILES)('%s', (file) => {
  const lines = linesOf(readFileSync(new URL(file, FOLDER), 'utf8'));

  test('each line has a source, and is there once', () => {
    expect(lines.filter(({ source }) => source === '')).toEqual([]);
    const texts = lines.map(textOf);
    expect(texts.filter((text, index) => texts.indexOf(text) !== index)).toEqual([]);
  });

  const chosen = someOfEach(lines, ({ source }) => source, { each: 4 });
  const named = chosen.map((line) => ({ ...line, text: textOf(line) }));

  test.each(named)('$text', async ({ text, rows, is, rejected, fails }) => {
    if (fails !== undefined) {
      await expect(rowsOf(text)).rejects.toThrow(/./);
      return;
    }
    if (rejected === undefined) {
      const inOrder = isOrdered(text) ? asIs : sorted;
      expect(inOrder(await rowsOf(text))).toEqual(inOrder(rows ?? [[is]]));
      return;
    }
    const problem = await rowsOf(text).catch((error: unknown) => error);
    expect(problem).toBeInstanceOf(Problem);
    expect(problem).toMatchObject({ errors: [{ line: expect.any(Number), column: expect.any(Number) }] });
  });
});

async function rowsOf(text: string): Promise<readonly (readonly unknown[])[]> {
  const rows = await lab.rows(text);
  return rows.map((row) => Object.values(row as object)); // the format's lines are objects
}

type Rows = readonly (readonly unknown[])[];

const asIs = (rows: Rows): Rows => rows.map((row) => row.map(normal));

/** Rows without ORDER BY have no order. */
const sorted = (rows: Rows): Rows =>
  asIs(rows).toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));

/** Times in one form, and Float64 to 14 digits. */
function normal(cell: unknown): unknown {
  if (Array.isArray(cell)) return cell.map(normal);
  if (typeof cell === 'number') return Number(cell.toPrecision(14));
  if (typeof cell !== 'string') return cell;
  if (cell === '-nan') return 'nan';
  const [, date, time, fraction = ''] =
    /^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d)(?:\.(\d+))?(?:Z|\+00(?::00)?)?$/.exec(cell) ?? [];
  return date === undefined ? cell : `${date} ${time}.${fraction.padEnd(6, '0')}`;
}
