// Fills in the expected rows of test/convert/corpus/*.jsonl, and the values of test/convert/values/*.jsonl, from the real database systems. Run by hand:
// `npm run convert:expected`, with the environment variables PSQL, MARIADB and SQLITE as commands that reach an empty database.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { statementsFor, type System } from '../test/convert/corpus/tables.ts';
import { textOf, type ValueLine } from '../test/convert/values/line.ts';

/** A line of the corpus. `same_as` is a query for PostgreSQL with the same rows. */
interface Line {
  readonly text: string;
  readonly same_as?: string;
  readonly rows?: readonly (readonly unknown[])[];
}

const FOLDER = new URL('../test/convert/', import.meta.url);

type Run = (query: string) => readonly (readonly unknown[])[];

const SOURCES: Readonly<Record<string, System>> = {
  postgresql: 'postgresql',
  mysql: 'mariadb',
  mariadb: 'mariadb',
  sqlite: 'sqlite',
  snowflake: 'postgresql',
  bigquery: 'postgresql',
  trino: 'postgresql',
  redshift: 'postgresql',
};

function command(variable: string, fallback: string): readonly [string, ...string[]] {
  const [program = fallback, ...options] = (process.env[variable] ?? fallback).split(' ');
  return [program, ...options];
}

function execute([program, ...options]: readonly [string, ...string[]], input: string): string {
  return execFileSync(program, options, {
    input,
    encoding: 'utf8',
    maxBuffer: 1 << 26,
    env: { ...process.env, PGTZ: 'UTC' },
  });
}

function openPostgresql(): Run {
  const psql = [...command('PSQL', 'psql'), '-XqAt', '-v', 'ON_ERROR_STOP=1'] as const;
  execute(psql, `${statementsFor('postgresql').join(';\n')};`);
  return (query) => {
    // Pairs rather than objects: columns may have the same name.
    const row = '(SELECT json_agg(value) FROM json_each(row_to_json(corpus_row)))';
    const answer = execute(psql, `SELECT ${row} FROM (\n${query}\n) AS corpus_row;`);
    const lines = answer.split('\n').filter((line) => line !== '');
    return lines.map((line) => JSON.parse(line) as readonly unknown[]); // a row is a list
  };
}

function openMariadb(): Run {
  const mariadb = command('MARIADB', 'mariadb');
  execute(mariadb, `${statementsFor('mariadb').join(';\n')};`);
  return (query) => {
    const xml = execute([...mariadb, '--xml'], `${query};`);
    const rows = [...xml.matchAll(/<row>(.*?)<\/row>/gs)];
    return rows.map(([, row = '']) =>
      [...row.matchAll(/<field name="[^"]*"(?: xsi:nil="true" \/>|>(.*?)<\/field>)/gs)].map(([, cell]) =>
        cell === undefined ? null : scalar(cell),
      ),
    );
  };
}

function scalar(cell: string): string | number {
  const text = cell.replace(
    /&(lt|gt|quot|amp);/g,
    (_, name: string) => ({ lt: '<', gt: '>', quot: '"' })[name] ?? '&',
  );
  return /^-?(?:0|[1-9]\d{0,14})(?:\.\d+)?$/.test(text) ? Number(text) : text;
}

function openSqlite(folder: string): Run {
  const sqlite = [...command('SQLITE', 'sqlite3'), join(folder, 'corpus.db')] as const;
  execute(sqlite, `${statementsFor('sqlite').join(';\n')};`);
  return (query) => {
    const answer = execute([...sqlite, '-json'], `${query};`);
    // A list of objects; no output for no rows.
    return answer.trim() === '' ? [] : (JSON.parse(answer) as object[]).map((row) => Object.values(row));
  };
}

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
  const open = {
    postgresql: openPostgresql,
    mariadb: openMariadb,
    sqlite: () => openSqlite(folder),
    clickhouse: openPostgresql,
  };
  const only = process.argv.slice(2);
  for (const [name, system] of Object.entries(SOURCES)) {
    if (only.length > 0 && !only.includes(name)) continue;
    fillDialect(name, (runs[system] ??= open[system]()));
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
