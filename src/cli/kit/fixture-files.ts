// Reads the folder of fixtures: SQL statements to run, and rows for the tables that the files are named after.
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { leadsOutside, outsideFinding } from '../../service/config/leads-outside.ts';
import { FIXTURE_ROWS } from '../../service/endpoints/ignored-files.ts';
import type { Finding } from '../../sql/base/finding.ts';
import type { Rows } from './rows.ts';

export interface FixtureFiles {
  /** Sorted by name. */
  readonly statements: readonly { readonly file: string; readonly text: string }[];
  readonly rows: readonly Rows[];
  readonly findings: readonly Finding[];
}

const MAX_BYTES = 32 * 2 ** 20;

/** Reads the folder; a missing folder counts as empty. */
export async function readFixtures(folder: string): Promise<FixtureFiles> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const names = entries
    .filter((entry) => !entry.isDirectory() && !/^\.|\.md$/.test(entry.name))
    .map(({ name }) => name)
    .toSorted();
  const statements: { file: string; text: string }[] = [];
  const rows: Rows[] = [];
  const findings: Finding[] = [];
  for (const name of names) {
    const file = join(folder, name);
    const [, table, kind] = FIXTURE_ROWS.exec(name) ?? [];
    if (table === undefined && !name.endsWith('.sql')) {
      findings.push(misnamed(file));
      continue;
    }
    const text = await readBounded(file);
    if (typeof text !== 'string') findings.push(text);
    else if (table === undefined) statements.push({ file, text });
    else if (kind === 'csv') rows.push(csvRows(file, table, text));
    else collect(ndjsonRows(file, table, text), rows, findings);
  }
  return { statements, rows, findings };
}

function collect(read: Rows | Finding, rows: Rows[], findings: Finding[]): void {
  if ('code' in read) findings.push(read);
  else rows.push(read);
}

async function readBounded(file: string): Promise<string | Finding> {
  if (leadsOutside(file)) return outsideFinding(file);
  const { size } = await stat(file);
  if (size <= MAX_BYTES) return readFile(file, 'utf8');
  const message = 'a fixture may have at most 32 MiB';
  const hint =
    'Keep only the rows that examples need; to generate many, use INSERT … SELECT FROM numbers(…) in a *.sql file';
  return { file, line: 0, column: 0, severity: 'error', code: 'fixture.too_large', message, hint };
}

function misnamed(file: string): Finding {
  return {
    file,
    line: 0,
    column: 0,
    severity: 'error',
    code: 'fixture.misnamed',
    message: 'the file name is not that of a fixture',
    hint: 'Name it database.table.ndjson, database.table.csv or anything.sql',
  };
}

/** One JSON object per line; empty lines are ignored. */
function ndjsonRows(file: string, table: string, text: string): Rows | Finding {
  const lineOf: number[] = [0];
  for (const [index, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue;
    const broken = jsonError(line);
    if (broken !== undefined) {
      const place = { line: index + 1, column: broken.column };
      return { file, ...place, severity: 'error', code: 'fixture.rejected', message: broken.message };
    }
    lineOf.push(index + 1);
  }
  const locate: Rows['locate'] = (row) => ({ line: lineOf[row] ?? 0, column: 1 });
  return { table, format: 'JSONEachRow', text, file, locate };
}

function jsonError(line: string): { readonly column: number; readonly message: string } | undefined {
  try {
    const value: unknown = JSON.parse(line);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return undefined;
    return { column: 1, message: 'each line must be a JSON object' };
  } catch (error) {
    const position = Number(/at position (\d+)/.exec(String(error))?.[1] ?? 0);
    return { column: position + 1, message: 'invalid JSON; each line must be a JSON object' };
  }
}

/** A header line with the column names (RFC 4180). */
function csvRows(file: string, table: string, text: string): Rows {
  const lines = csvRecordLines(text);
  const locate: Rows['locate'] = (row) => ({ line: lines[row] ?? 1, column: 1 });
  return { table, format: 'CSVWithNames', text, file, locate };
}

/** The line on which each record begins, including the header; line breaks inside quotes do not start a record. */
function csvRecordLines(text: string): readonly number[] {
  const lines: number[] = [1];
  let isQuoted = false;
  let line = 1;
  for (const char of text) {
    if (char === '"') isQuoted = !isQuoted;
    if (char !== '\n') continue;
    line++;
    if (!isQuoted) lines.push(line);
  }
  return lines;
}
