// Fills in the expected rows of test/cli/convert/corpus/*.jsonl, and the values of test/cli/convert/values/*.jsonl, from the real database systems. Run by hand:
// `npm run generate -- --expected`, with the environment variables PSQL, MARIADB and SQLITE as commands that reach an empty database.
// `--generated` compares generated expressions instead.
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { System } from '../../test/cli/convert/corpus/tables.ts';
import { textOf, type ValueLine } from '../../test/cli/convert/values/line.ts';
import { compareGenerated } from './convert-generated.ts';
import { openSystem, runOf, type Run } from './systems.ts';

/** A line of the corpus. `same_as` is a query for PostgreSQL with the same rows. */
interface Line {
  readonly text: string;
  readonly same_as?: string;
  readonly rows?: readonly (readonly unknown[])[];
}

const FOLDER = new URL('../../test/cli/convert/', import.meta.url);

const SOURCES: Readonly<Record<string, Exclude<System, 'clickhouse'>>> = {
  postgresql: 'postgresql',
  mysql: 'mariadb',
  mariadb: 'mariadb',
  sqlite: 'sqlite',
  snowflake: 'postgresql',
  bigquery: 'postgresql',
  trino: 'postgresql',
  redshift: 'postgresql',
};

/** The line with its rows, or undefined if it has them from elsewhere: the documentation of a system that cannot be run here. */
type Fill<T> = (line: T, run: Run) => T | undefined;

const fillRows: Fill<Line> = (line, run) => ({ ...line, rows: run(withoutEnd(line.same_as ?? line.text)) });

/** The systems that run here; the lines of others are filled in if they have a query for PostgreSQL. */
const RUNNING: ReadonlySet<string> = new Set(['postgresql', 'mysql', 'mariadb', 'sqlite']);

function fillValue(dialect: string): Fill<ValueLine> {
  return (line, run) => {
    if (line.same_as === undefined && !RUNNING.has(dialect)) return undefined;
    const query = withoutEnd(line.same_as ?? textOf(line));
    if (line.fails !== undefined) return withFailure(line, () => run(query));
    const rows = run(query);
    // A value is one row of one column.
    return line.sql === undefined ? { ...line, is: rows[0]?.[0] ?? null } : { ...line, rows };
  };
}

function withFailure(line: ValueLine, run: () => unknown): ValueLine {
  try {
    run();
  } catch {
    return line;
  }
  throw new Error('It does not fail');
}

const withoutEnd = (query: string): string => query.replace(/;\s*$/, '');

function fillFile<T extends object>(path: string, run: Run, fill: Fill<T>): void {
  const file = new URL(path, FOLDER);
  const lines = readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '');
  const filled = lines.map((line) => {
    try {
      const read = JSON.parse(line) as T; // as the test checks
      return JSON.stringify(fill(read, run) ?? read);
    } catch (error) {
      process.stderr.write(`${path}: ${line}\n${String(error)}\n`);
      process.exitCode = 1;
      return line;
    }
  });
  writeFileSync(file, `${filled.join('\n')}\n`);
}

function fillDialect(dialect: string, run: Run): void {
  fillFile(`corpus/${dialect}.jsonl`, run, fillRows);
  const values = readdirSync(new URL('values/', FOLDER)).filter(
    (name) => name.startsWith(`${dialect}-`) && name.endsWith('.jsonl'),
  );
  for (const name of values) fillFile(`values/${name}`, run, fillValue(dialect));
}

const folder = mkdtempSync(join(tmpdir(), 'millrace-convert-'));
try {
  const runs: Partial<Record<System, Run>> = {};
  const only = process.argv.slice(2).filter((each) => !each.startsWith('-'));
  if (process.argv.includes('--generated')) await compareGenerated(folder, only);
  else
    for (const [name, system] of Object.entries(SOURCES)) {
      if (only.length > 0 && !only.includes(name)) continue;
      fillDialect(name, (runs[system] ??= runOf(openSystem(system, folder))));
    }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
