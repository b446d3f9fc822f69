// The database systems that run here, with the tables of the corpus of conversions in them. The environment variables PSQL, MARIADB and
// SQLITE are commands that reach an empty database.
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { statementsFor, type System } from '../test/convert/corpus/tables.ts';

/** Runs a query, and returns the cells of its rows. Throws if the system rejects it. */
export type Run = (query: string) => readonly (readonly unknown[])[];

function command(variable: string, fallback: string): readonly [string, ...string[]] {
  const [program = fallback, ...options] = (process.env[variable] ?? fallback).split(' ');
  return [program, ...options];
}

function execute([program, ...options]: readonly [string, ...string[]], input: string): string {
  return execFileSync(program, options, {
    input,
    encoding: 'utf8',
    stdio: 'pipe',
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

/** Opens a system. `folder` is for its files. */
export function openSystem(system: Exclude<System, 'clickhouse'>, folder: string): Run {
  switch (system) {
    case 'postgresql':
      return openPostgresql();
    case 'mariadb':
      return openMariadb();
    case 'sqlite':
      return openSqlite(folder);
  }
}
