// The statement of a retry over redacted tables: it has the columns that the query reads, and parses those with JSON again.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createRedactor } from '../../../src/guard/redact/redactor.ts';
import { createRedactTable } from '../../../src/guard/sandbox/redaction/source-redaction.ts';
import { bound, describeTables, openSandbox, openWorld, type World } from './fixture.ts';

const SAVED = bound(
  `WITH t AS (SELECT 'a@b.example' AS mail, 'plain' AS word, '{"a":1}'::JSON AS doc, '{"b":2}'::JSON AS other,
    ['x'] AS "parts.name", [1] AS "parts.n") SELECT 1`,
);

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.oracle.close());

test.each<[query: string, read: readonly string[], row: string]>([
  ['SELECT mail FROM t', ['mail'], '["REDACTED"]'],
  ['SELECT count() AS n FROM t', [], '[1]'],
  ['SELECT word, doc.a AS a FROM t', ['word', 'doc'], '["plain",1]'],
  ['SELECT p.name AS name FROM t ARRAY JOIN parts AS p', ['parts.name', 'parts.n'], '["x"]'],
  [
    'SELECT * FROM t',
    ['mail', 'word', 'doc', 'other', 'parts.name', 'parts.n'],
    '["REDACTED","plain",{"a":1},{"b":2},["x"],[1]]',
  ],
])('%s', async (query, read, row) => {
  const { source } = createRedactor({ detectors: ['email'] });
  const sandbox = openSandbox({
    boundSql: SAVED,
    explain: world.explain,
    columns: await describeTables(world, SAVED),
    redact: source && createRedactTable(source),
  });
  const sql = sandbox.assembleReread(await sandbox.check(query), 10)?.sql ?? '';
  // Inside the view, each column that is read has an item of its own.
  const names = ['mail', 'word', 'doc', 'other', 'parts.name', 'parts.n'];
  const [, view = ''] = /FROM view\(SELECT ([\s\S]*?)\nFROM \(WITH/.exec(sql) ?? [];
  expect(names.filter((name) => view.includes(`\`${name}\``))).toEqual(read);
  const settings = 'SET output_format_json_quote_64bit_integers = 0;';
  const answer = await world.oracle.ask(`${settings} ${sql}`, 'JSONCompactEachRow');
  expect(answer.trim().replaceAll(', ', ',')).toBe(row);
});
