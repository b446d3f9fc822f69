// Fills in the expected rows of test/convert/corpus/*.jsonl from the real database systems. Run by hand:
// `npm run convert:expected`, with the environment variables PSQL, MARIADB and SQLITE as commands that reach an empty database.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { statementsFor, type System } from '../test/convert/corpus/tables.ts';

/** A line of the corpus. `same_as` is a query for PostgreSQL with the same rows. */
interface Line {
  readonly text: string;
  readonly same_as?: string;
  readonly rows?: readonly (readonly unknown[])[];
}

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
    const answer = execute(psql, `SELECT row_to_json(corpus_row)::text FROM (\n${query}\n) AS corpus_row;`);
    const lines = answer.split('\n').filter((line) => line !== '');
    return lines.map((line) => Object.values(JSON.parse(line) as object)); // a row is an object
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

function fill(name: string, run: Run): void {
  const file = new URL(`../test/convert/corpus/${name}.jsonl`, import.meta.url);
  const lines = readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '');
  const filled = lines.map((line) => {
    const read = JSON.parse(line) as Line; // as the test checks
    try {
      return JSON.stringify({ ...read, rows: run((read.same_as ?? read.text).replace(/;\s*$/, '')) });
    } catch (error) {
      process.stderr.write(`${name}: ${read.text}\n${String(error)}\n`);
      process.exitCode = 1;
      return line;
    }
  });
  writeFileSync(file, `${filled.join('\n')}\n`);
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
    fill(name, (runs[system] ??= open[system]()));
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
