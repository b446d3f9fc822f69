// Values of BigQuery SQL: each line of `values/` is equal to what BigQuery documents, or rejected at a place; never another row.
import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Problem } from '../../src/core/problem.ts';
import { someOfEach } from '../support/runs.ts';
import { openLab, type Lab } from './lab.ts';

/** A query and its rows, or an expression and its value; with `rejected`, the reason why it is not translated. */
interface Line {
  readonly sql?: string;
  readonly rows?: readonly (readonly unknown[])[];
  readonly value?: string;
  readonly is?: unknown;
  /** The section of the documentation, or the published suite, that says so. */
  readonly source: string;
  readonly rejected?: string;
  /** Why BigQuery rejects it: it is rejected, or rejected by ClickHouse when it runs. */
  readonly fails?: string;
}

const FOLDER = new URL('values/', import.meta.url);
const FILES = readdirSync(FOLDER).filter((name) => name.endsWith('.jsonl'));

let lab: Lab;
beforeAll(async () => {
  const names = ['facts', 'nothing'];
  const elements = names.map((name) => `${name} AS (SELECT * FROM shapes.${name})`);
  lab = await openLab({
    files: ['values.sql'],
    saved: `WITH ${elements.join(', ')} SELECT id FROM facts`,
    tables: names,
  });
});
afterAll(() => lab.close());

function linesOf(file: string): readonly Line[] {
  const text = readFileSync(new URL(file, FOLDER), 'utf8');
  const lines = text.split('\n').filter((line) => line !== '');
  return lines.map((line) => JSON.parse(line) as Line); // the files are lists of such lines
}

describe.each(FILES)('%s', (file) => {
  const lines = linesOf(file);

  test('each line has a source, and is there once', () => {
    expect(lines.filter(({ source }) => source === '')).toEqual([]);
    const texts = lines.map(({ sql, value }) => sql ?? value);
    expect(texts.filter((text, index) => texts.indexOf(text) !== index)).toEqual([]);
  });

  const chosen = someOfEach(lines, ({ source }) => source, { each: 4 });
  const named = chosen.map((line) => ({ ...line, text: line.sql ?? `SELECT ${line.value} AS x` }));

  test.each(named)('$text', async ({ text, rows, is, rejected, fails }) => {
    if (fails !== undefined) {
      await expect(rowsOf(text)).rejects.toThrow(/./);
      return;
    }
    if (rejected === undefined) {
      expect(normal(await rowsOf(text))).toEqual(normal(rows ?? [[is]]));
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
