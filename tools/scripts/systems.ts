// The database systems that run here, with the tables of the corpus of conversions in them. The environment variables PSQL, MARIADB and
// SQLITE are commands that reach an empty database.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { statementsFor, type System } from '../../test/cli/convert/corpus/tables.ts';

/** The cells of the rows of a query, or why the system rejects it. */
export type Answer = readonly (readonly unknown[])[] | Error;

/** Runs queries, each by itself. */
export type RunAll = (queries: readonly string[]) => readonly Answer[];

/** Runs a query. Throws if the system rejects it. */
export type Run = (query: string) => readonly (readonly unknown[])[];

export const runOf =
  (runAll: RunAll): Run =>
  (query) => {
    const [answer = []] = runAll([query]);
    if (answer instanceof Error) throw answer;
    return answer;
  };

function command(variable: string, fallback: string): readonly [string, ...string[]] {
  const [program = fallback, ...options] = (process.env[variable] ?? fallback).split(' ');
  return [program, ...options];
}

interface Output {
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a client to its end. Programs of queries that fail are expected to fail. */
function execute([program, ...options]: readonly [string, ...string[]], input: string): Output {
  const { stdout, stderr, error } = spawnSync(program, options, {
    input,
    encoding: 'utf8',
    maxBuffer: 1 << 28,
    env: { ...process.env, PGTZ: 'UTC' },
  });
  if (error !== undefined) throw error;
  return { stdout, stderr };
}

function prepare(client: readonly [string, ...string[]], system: System): void {
  const { stderr } = execute(client, `${statementsFor(system).join(';\n')};\n`);
  if (/error/i.test(stderr)) throw new Error(stderr);
}

/** A client prints this between the answers of two queries. */
const MARK = '@@ next';

/** The output of a program of queries, by query. */
const answersOf = (stdout: string, mark: string | RegExp): readonly string[] =>
  stdout.split(mark).map((each) => each.trim());

/** A query that takes longer has no answer. */
const SECONDS = 5;

function openPostgresql(): RunAll {
  const psql = [...command('PSQL', 'psql'), '-XqAt'] as const;
  prepare(psql, 'postgresql');
  // Pairs rather than objects: columns may have the same name.
  const row = '(SELECT json_agg(value) FROM json_each(row_to_json(corpus_row)))';
  return (queries) => {
    const program = queries.map(
      (query) =>
        `SELECT ${row} FROM (\n${query}\n) AS corpus_row;\n\\echo ${MARK} :ERROR :LAST_ERROR_MESSAGE`,
    );
    const { stdout } = execute(psql, `SET statement_timeout = '${SECONDS}s';\n${program.join('\n')}\n`);
    const parts = stdout.split(new RegExp(`^${MARK} (true .*|false.*)$`, 'm'));
    return queries.map((_, index) => {
      const [answer = '', status = 'true'] = parts.slice(index * 2, index * 2 + 2);
      if (status.startsWith('true')) return new Error(status.slice(5));
      const lines = answer.split('\n').filter((line) => line !== '');
      return lines.map((line) => JSON.parse(line) as readonly unknown[]); // a row is a list
    });
  };
}

function openMariadb(): RunAll {
  const mariadb = command('MARIADB', 'mariadb');
  prepare(mariadb, 'mariadb');
  return (queries) => {
    const program = queries.map((query) => `${query};\nSELECT '${MARK}';`);
    const start = `SET max_statement_time = ${SECONDS};\n`;
    const { stdout, stderr } = execute([...mariadb, '--xml', '--force'], `${start}${program.join('\n')}\n`);
    const mark = /<resultset statement="SELECT '@@ next'.*?<\/resultset>/s;
    const answers = answersOf(stdout, mark);
    return queries.map((_, index) => {
      const xml = answers[index] ?? '';
      if (!xml.includes('</resultset>')) return new Error(queries.length === 1 ? stderr : 'rejected');
      return [...xml.matchAll(/<row>(.*?)<\/row>/gs)].map(([, cells = '']) => cellsOf(cells));
    });
  };
}

function cellsOf(row: string): readonly unknown[] {
  const cells = row.matchAll(/<field name="[^"]*"(?: xsi:nil="true" \/>|>(.*?)<\/field>)/gs);
  return [...cells].map(([, cell]) => (cell === undefined ? null : scalar(cell)));
}

function scalar(cell: string): string | number {
  const text = cell.replace(
    /&(lt|gt|quot|amp);/g,
    (_, name: string) => ({ lt: '<', gt: '>', quot: '"' })[name] ?? '&',
  );
  return /^-?(?:0|[1-9]\d{0,14})(?:\.\d+)?(?:e[+-]?\d+)?$/.test(text) ? Number(text) : text;
}

function openSqlite(folder: string): RunAll {
  const sqlite = [...command('SQLITE', 'sqlite3'), join(folder, 'corpus.db')] as const;
  prepare(sqlite, 'sqlite');
  return (queries) => {
    let line = 1;
    const lines = queries.map((query) => {
      const start = line;
      line += query.split('\n').length + 2;
      return start;
    });
    const program = queries.map((query) => `${query}\n;\n.print ${MARK}`);
    const { stdout, stderr } = execute([...sqlite, '-json'], `${program.join('\n')}\n`);
    const answers = answersOf(stdout, MARK);
    const errors = new Map(
      [...stderr.matchAll(/^.*near line (\d+):.*/gm)].map(([text, at]) => [Number(at), text]),
    );
    return queries.map((_, index) => {
      const error = errors.get(lines[index] ?? 0);
      const answer = answers[index] ?? '';
      if (error !== undefined) return new Error(error);
      // A list of objects; no output for no rows.
      return answer === '' ? [] : (JSON.parse(answer) as object[]).map((row) => Object.values(row));
    });
  };
}

/** Opens a system. `folder` is for its files. */
export function openSystem(system: Exclude<System, 'clickhouse'>, folder: string): RunAll {
  switch (system) {
    case 'postgresql':
      return openPostgresql();
    case 'mariadb':
      return openMariadb();
    case 'sqlite':
      return openSqlite(folder);
  }
}
