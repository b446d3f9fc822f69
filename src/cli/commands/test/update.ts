// Writes actual results into endpoint files as expectations; everything else in them is preserved.
import { readFile } from 'node:fs/promises';
import { replaceFile } from '../../../service/config/replace-file.ts';
import type { Path } from '../../../service/config/yaml-document.ts';
import { putAt } from '../../yaml/yaml-splice.ts';
import type { Answered, Outcome } from './compare.ts';
import type { Case } from './call-example.ts';

/** Larger results are written as a row count, unless the file already lists the rows. */
const WRITTEN_ROWS = 50;
const MOST_ROWS = 1000;

/** One value to write. */
interface Edit {
  readonly path: Path;
  readonly value: unknown;
}

/** Returns whether the file now expects the actual result. The file is not written if it has changed since. */
export async function updateExample(each: Case, outcome: Outcome, text: TextOf): Promise<boolean> {
  const edits = editsOf(each, outcome);
  const { file } = each.file.document;
  const before = text.get(file) ?? each.file.document.text;
  if (edits.length === 0 || (await readFile(file, 'utf8')) !== before) return false;
  let after = before;
  for (const { path, value } of edits) {
    const put = putAt(after, path, value);
    if (put === undefined) return false;
    after = put;
  }
  if (after !== before) await replaceFile(file, after);
  text.set(file, after);
  return true;
}

/** Files as last written here, by path. */
export type TextOf = Map<string, string>;

/** Empty if the actual result must not become the expectation: a call that should succeed failed. */
function editsOf({ index, example }: Case, outcome: Outcome): readonly Edit[] {
  const path = ['examples', index, 'expect'];
  const { expect = {} } = example;
  const given = Object.keys(expect);
  if (given.length === 0) return outcome.kind === 'answered' ? [{ path, value: allOf(outcome) }] : [];
  const actual = actualOf(outcome);
  const isRejectionExpected = expect.status !== undefined || expect.code !== undefined;
  const isExpected = outcome.kind === 'answered' || isRejectionExpected;
  if (!isExpected || !given.every((key) => actual.has(key))) return [];
  return given.map((key) => ({ path: [...path, key], value: actual.get(key) }));
}

/** The values to write, by key of `expect`. */
function actualOf(outcome: Outcome): ReadonlyMap<string, unknown> {
  if (outcome.kind === 'rejected')
    return new Map<string, unknown>([
      ['status', outcome.status],
      ['code', outcome.code],
    ]);
  const { rows, columns, truncated } = outcome;
  const known = new Map<string, unknown>([
    ['status', 200],
    ['rows', rows.length],
    ['truncated', truncated],
  ]);
  if (columns !== undefined) known.set('columns', columns);
  if (rows.length <= MOST_ROWS) known.set('result', rows);
  return known;
}

function allOf({ columns, rows }: Answered): Readonly<Record<string, unknown>> {
  const result = rows.length <= WRITTEN_ROWS ? { result: rows } : {};
  return { columns, rows: rows.length, ...result };
}
