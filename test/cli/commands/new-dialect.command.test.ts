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
    'postgresql',
    `SELECT status, count(*) FILTER (WHERE total > 5) AS n FROM public.orders
WHERE ordered_on >= DATE '2024-01-01' AND id BETWEEN 1 AND 9 AND status IN ('paid', 'new') AND total < :most GROUP BY 1 FETCH FIRST 3 ROWS ONLY`,
    {
      most: 'Decimal(10, 2)',
      ordered_on_from: 'Date32',
      id_from: 'Int64',
      id_to: 'Int64',
      statuses: 'Array(String)',
    },
  ],
  [
    'mysql',
    "SELECT `id`, IFNULL(total, 0) AS t FROM orders WHERE id = 7 AND status <> 'Paid' LIMIT 2, 3",
    { id: 'Int64', status: 'String' },
  ],
  [
    'snowflake',
    "SELECT TOP 5 id FROM db.sales.ORDERS WHERE created_at >= TIMESTAMP '2024-01-01 00:00:00' QUALIFY row_number() OVER (PARTITION BY status ORDER BY id) = 1",
    { created_at_from: 'DateTime64(6)' },
  ],
])('%s: a file that is valid with the tables', async (dialect, sql, parameters) => {
  const { cwd, code, file, err } = await convert(sql, dialect);
  expect([code, err]).toEqual([0, expect.stringContaining('Wrote endpoints/x.yaml')]);
  expect(file?.query).toContain('sales.orders');
  const types = Object.entries(file?.parameters ?? {}).map(([name, { type }]) => [name, type]);
  for (const [name, type] of Object.entries(parameters))
    expect(types).toContainEqual([name, expect.stringContaining(type)]);
  expect(types.length).toBe(Object.keys(parameters).length);
  expect(await run(['validate'], { cwd })).toMatchObject({
    code: 0,
    out: expect.not.stringContaining('error'),
  });
});

test('literals in conditions become parameters beside those of placeholders, without changing these', async () => {
  const { file } = await convert(
    "SELECT id FROM orders WHERE id = :status AND status = 'paid'",
    'postgresql',
  );
  expect(file?.query).toMatch(/id = @status AND status = @status_2/);
});

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
  ['a table that the repository does not have', 'SELECT id FROM refunds', 'engine.unknown_table'],
  ['a column that the table does not have', 'SELECT id, refunded FROM orders', 'engine.'],
])('what the engine rejects is written, and not said to be converted: %s', async (_why, sql, errorCode) => {
  const { code, err, file } = await convert(sql, 'postgresql');
  expect([code, file !== undefined]).toEqual([1, true]);
  expect(err).toContain('endpoints/x.yaml:');
  expect(err).toContain(errorCode);
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
