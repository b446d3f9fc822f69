// `millrace new --from-sql --dialect`: SQL of other database systems becomes an endpoint file that is valid with the tables here.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { run, scratch } from '../../support/command.ts';

const TABLES = `CREATE TABLE sales.orders (id UInt64, status String, total Decimal(10, 2), ordered_on Date, created_at DateTime)
ENGINE = MergeTree ORDER BY id;`;

interface EndpointFile {
  readonly query: string;
  readonly parameters?: Readonly<Record<string, { readonly type: string }>>;
  readonly examples?: readonly { readonly parameters?: object }[];
}

/** Converts a query in a folder with the tables; `file` is undefined if none was written. */
async function convert(sql: string, dialect: string) {
  const cwd = scratch();
  mkdirSync(join(cwd, 'schema'));
  writeFileSync(join(cwd, 'schema/1.sql'), TABLES);
  writeFileSync(join(cwd, 'q.sql'), sql);
  const result = await run(['new', 'x', '--from-sql', 'q.sql', '--dialect', dialect], { cwd });
  const path = join(cwd, 'endpoints/x.yaml');
  const file = existsSync(path) ? (parse(readFileSync(path, 'utf8')) as EndpointFile) : undefined; // it is valid YAML
  return { cwd, ...result, file };
}

test.each([
  [
    'a part that is not converted: the rest is written, with a comment at its place',
    'SELECT id,\n  status IS JSON AS j\nFROM orders',
    { code: 1, at: 'q.sql:2:', isWritten: true },
  ],
  ['an invalid query', 'SELECT id FROM', { code: 1, at: 'q.sql:1:15', isWritten: false }],
  ['another statement', 'INSERT INTO orders (id) SELECT 1', { code: 1, at: 'q.sql:1:1', isWritten: false }],
  [
    'hostile nesting',
    `SELECT ${'('.repeat(5000)}1${')'.repeat(5000)}`,
    { code: 1, at: 'q.sql:1:', isWritten: false },
  ],
])('%s', async (_why, sql, { code, at, isWritten }) => {
  const result = await convert(sql, 'postgresql');
  expect(result).toMatchObject({ code, err: expect.stringContaining(at) });
  expect(result.file !== undefined).toBe(isWritten);
  if (isWritten) expect(result.file?.query).toMatch(/\/\* line 2: /);
});

test.each([
  ['without --dialect, too', ['--from-sql', 'q.sql'], 'does not contain a query'],
  ['--dialect needs a query', ['--dialect', 'mysql'], '--from-sql'],
])('what is not a query is rejected: %s', async (_why, flags, message) => {
  const cwd = scratch();
  writeFileSync(join(cwd, 'q.sql'), 'INSERT INTO orders (id) SELECT 1');
  expect(await run(['new', 'x', ...flags], { cwd })).toMatchObject({
    code: 2,
    err: expect.stringContaining(message),
  });
  expect(existsSync(join(cwd, 'endpoints'))).toBe(false);
});
