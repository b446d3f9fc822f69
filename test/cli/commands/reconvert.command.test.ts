// `millrace reconvert` as a command: files of `new`, of an older release, and of neither.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { run, scratch } from '../../support/command.ts';

const TABLES =
  'CREATE TABLE sales.orders (id UInt64, status String, total Decimal(10, 2)) ENGINE = MergeTree ORDER BY id;';

test('lists files that are converted otherwise now, and exits 1', async () => {
  const cwd = scratch();
  mkdirSync(join(cwd, 'schema'));
  writeFileSync(join(cwd, 'schema/1.sql'), TABLES);
  writeFileSync(join(cwd, 'q.sql'), 'SELECT status, sum(total) AS total FROM orders GROUP BY status');
  expect(await run(['new', 'x', '--from-sql', 'q.sql', '--dialect', 'postgresql'], { cwd })).toMatchObject({
    code: 0,
  });
  expect(await run(['validate'], { cwd })).toMatchObject({ code: 0 });
  expect(await run(['reconvert'], { cwd })).toMatchObject({
    code: 0,
    out: '1 endpoint file, 1 with the source of a conversion, none to look at\n',
  });

  const path = join(cwd, 'endpoints/x.yaml');
  const text = readFileSync(path, 'utf8');
  writeFileSync(
    path,
    text.replace(/hash: \S+/, 'hash: 0123456789abcdef').replace('SELECT status,', 'SELECT lower(status),'),
  );
  const { code, out } = await run(['reconvert', 'endpoints'], { cwd });
  expect(code).toBe(1);
  expect(out).toContain('endpoints/x.yaml is converted otherwise now, and was edited after it was converted');
  expect(out).toMatch(/^ {2}-SELECT lower\(status\),.*\n {2}\+SELECT status,/m);

  const written = text
    .replace(/^converted:[^]*/m, '')
    .replace('SELECT status,', "SELECT toDate('1950-01-01'),");
  writeFileSync(path, written);
  const json = await run(['reconvert', '--format', 'json', '--write', 'human=report.txt'], { cwd });
  expect(json.code).toBe(1);
  expect(JSON.parse(json.out)).toMatchObject({
    files: 1,
    with_source: 0,
    changed: [
      { file: 'endpoints/x.yaml', status: 'suspect', findings: [{ code: 'convert.saved_early_time' }] },
    ],
  });
  expect(readFileSync(join(cwd, 'report.txt'), 'utf8')).toContain('toDate32');
});

test.each([[['nothing.yaml']], [['--format', 'xml']], [['broken.yaml']]])('%j: exit 2', async (args) => {
  const cwd = scratch();
  writeFileSync(join(cwd, 'broken.yaml'), 'query: [');
  expect(await run(['reconvert', ...args], { cwd })).toMatchObject({ code: 2 });
});
