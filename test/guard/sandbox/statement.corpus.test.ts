// What a statement contains besides the consumer's query: the tables that it needs, and conditions below the barrier.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createFunctionPolicy } from '../../../src/guard/sandbox/functions/policy.ts';
import { parseSavedText } from '../../../src/sql/clickhouse/tree/parse.ts';
import { optionalConditions } from '../../../src/guard/sandbox/optional-conditions.ts';
import type { Sandbox } from '../../../src/guard/sandbox/sandbox.ts';
import { readTables } from '../../../src/guard/sandbox/statement.ts';
import type { IsNull } from '../../../src/guard/sandbox/read-table.ts';
import { outlineQuery } from '../../../src/sql/clickhouse/outline.ts';
import { bound, describeDotted, describeTables, openSandbox, openWorld } from './fixture.ts';
import type { World } from './fixture.ts';

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.oracle.close());

async function sandboxOf(saved: string): Promise<Sandbox> {
  const boundSql = bound(saved);
  const [columns, dotted] = [await describeTables(world, boundSql), await describeDotted(world, boundSql)];
  return openSandbox({ boundSql, explain: world.explain, columns, dotted });
}

async function statementOf(sandbox: Sandbox, sql: string, isNull?: IsNull): Promise<string> {
  return sandbox.assemble(await sandbox.check(sql), 100, isNull).sql;
}

describe('the elements that travel with a query', () => {
  const SAVED = `WITH 2 AS k, x -> x * k AS twice, (SELECT max(ms) FROM app.logs) AS top,
    a AS (SELECT id, ms FROM app.logs WHERE project = @project), b AS (SELECT id FROM a WHERE ms < top), c AS (SELECT 'a' AS n)
    SELECT 1`;

  test.each([
    ['SELECT n FROM c', ['k', 'twice', 'c']],
    ['SELECT id FROM a', ['k', 'twice', 'a']],
    ['SELECT id FROM b', ['k', 'twice', 'top', 'a', 'b']],
  ])('%s', async (sql, names) => {
    const statement = await statementOf(await sandboxOf(SAVED), sql);
    const inside = /FROM (?:view)?\((WITH.*)\nSELECT \* FROM `\w+`\)/s.exec(statement)?.[1] ?? '';
    const found = ['k', 'twice', 'top', 'a', 'b', 'c'].filter((name) =>
      new RegExp(`(?:^|,\n|WITH )${name} AS| AS ${name}(?:,|$)`).test(inside),
    );
    expect(found).toEqual(names);
    await expect(world.run(statement)).resolves.toBeDefined();
  });

  test('all of a recursive clause', async () => {
    const sandbox = await sandboxOf(
      'WITH RECURSIVE r AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM r WHERE n < 5), s AS (SELECT 1 AS m) SELECT 1',
    );
    expect(await statementOf(sandbox, 'SELECT sum(n) FROM r')).toMatch(/\(WITH RECURSIVE r AS .*s AS/s);
  });
});

describe('optional conditions', () => {
  const SAVED =
    'WITH a AS (SELECT id FROM app.logs WHERE (@project IS NULL OR project = @project) AND (length(id) BETWEEN 0 AND (@project IS NULL OR 1)) AND length(id) > 0) SELECT 1';
  const CONDITION = '{project:String} IS NULL OR';

  test('are left out with their AND after a comparison', async () => {
    const saved =
      "WITH a AS (SELECT id FROM app.logs WHERE project = 'mine' AND (@project IS NULL OR 1) AND length(id) > 0 AND (@project IS NULL OR (id = '' AND (@project IS NULL OR 1)))) SELECT 1";
    const sandbox = await sandboxOf(saved);
    const absent = await statementOf(sandbox, 'SELECT id FROM a', () => true);
    expect(absent).toContain("WHERE project = 'mine'  AND length(id) > 0 )");
    expect(absent).not.toContain('NULL');
    const present = await statementOf(sandbox, 'SELECT id FROM a', () => false);
    expect(present).toContain("project = 'mine' AND (0 OR 1) AND length(id) > 0 AND (0 OR (id = '' AND (");
    expect(await world.run(absent)).toContain('mine-');
  });

  test.each([
    ['are as written where values are not known', undefined, `(${CONDITION} project = {project:String})`],
    ['of a parameter with a value', () => false, '(0 OR project = {project:String})'],
    ['of a parameter without one', () => true, '(1)'],
  ])('%s', async (_why, isNull, condition) => {
    const statement = await statementOf(await sandboxOf(SAVED), 'SELECT id FROM a', isNull);
    expect(statement).toContain(`WHERE ${condition} AND (length(id) BETWEEN 0 AND (${CONDITION} 1))`);
  });
});

test.each([
  'SELECT not(id > 1 AND (@project IS NULL OR id > 2)) AS x FROM app.logs',
  'SELECT id FROM app.logs WHERE isNull(id > 1 AND (@project IS NULL OR id > 2))',
  'SELECT id FROM app.logs WHERE id BETWEEN 1 AND (@project IS NULL OR id > 2)',
])('optional conditions that have a type stay: %s', (body) => {
  const sql = bound(`WITH a AS (${body}) SELECT 1`);
  const tree = parseSavedText(sql);
  expect(optionalConditions(tree, tree.root)(() => true)).toEqual([]);
});

test('sorting stays for functions that the endpoint allows', async () => {
  const boundSql = bound(
    'WITH a AS (SELECT id, ms FROM app.logs WHERE project = @project ORDER BY id) SELECT 1',
  );
  const functions = createFunctionPolicy({ allow: ['rowNumberInAllBlocks'], deny: [] });
  const sandbox = openSandbox({ boundSql, functions, columns: await describeTables(world, boundSql) });
  const sql = (n: string): string => `SELECT ${n} AS n, count() FROM a WHERE intDiv(1, ms) = 0 GROUP BY n`;
  expect(await statementOf(sandbox, sql('rowNumberInAllBlocks()'))).toContain('ORDER BY id');
  expect(await statementOf(sandbox, sql('ms'))).not.toContain('ORDER BY id');
});

describe('below the barrier', () => {
  const SAVED = `WITH logs AS (SELECT id, timestamp, event_message, status, ms, tags, metadata FROM app.logs WHERE project = @project ORDER BY timestamp),
    renamed AS (SELECT event_message AS title, ms, length(id) AS made FROM (SELECT * FROM app.logs WHERE project = @project)),
    numbered AS (SELECT id, row_number() OVER (ORDER BY id) AS n FROM app.logs WHERE project = @project),
    few AS (SELECT id FROM app.logs WHERE project = @project ORDER BY id LIMIT 5) SELECT 1`;
  const FAILS = 'intDiv(1, status) = 0';

  test.each<[sql: string, conditions: string | undefined]>([
    [`SELECT id FROM logs WHERE metadata.a = 1 AND ${FAILS}`, '(metadata . a = 1)'],
    [
      `SELECT id FROM logs AS l WHERE ${FAILS} AND (l.metadata.a BETWEEN 1 AND 5 AND l.metadata.b LIKE 'a%')`,
      "(l . metadata . a BETWEEN 1 AND 5) AND (l . metadata . b LIKE 'a%')",
    ],
    [
      `SELECT id FROM (SELECT id FROM logs WHERE NOT metadata.a = 1 AND ${FAILS}) WHERE id != ''`,
      '(NOT metadata . a = 1)',
    ],
    [
      `WITH c AS (SELECT * FROM logs WHERE metadata.a > 1 AND ${FAILS}) SELECT count() FROM c`,
      '(metadata . a > 1)',
    ],
    [`SELECT id FROM few WHERE id != '' AND intDiv(1, length(id)) = 0`, "(id != '')"],
    [`SELECT id FROM logs WHERE id IN (SELECT id FROM few) AND ${FAILS}`, undefined],
    [`SELECT id FROM logs WHERE arrayJoin(tags) = 'a' AND ${FAILS}`, undefined],
    [`SELECT id FROM logs WHERE arrayExists(status -> status = 'a', tags) AND ${FAILS}`, undefined],
    ['SELECT id FROM logs WHERE metadata.a = 1', undefined],
  ])('%s', async (sql, conditions) => {
    const statement = await statementOf(await sandboxOf(SAVED), sql);
    const below = /\) AS `\w+` WHERE (.*) LIMIT 1000000000000000000\)/.exec(statement)?.[1];
    expect(below).toBe(conditions);
    const plain = statement.replace(
      / AS `\w+` WHERE .* LIMIT 1000000000000000000\)/,
      ' LIMIT 1000000000000000000)',
    );
    const run = (text: string) =>
      world.run(text).catch((error: unknown) => /Code: \d+/.exec(String(error))?.[0]);
    expect(await run(statement)).toBe(await run(plain));
  });

  test.each<[sql: string, stored: string | undefined]>([
    ['SELECT id FROM logs WHERE status > 200', '(`status` > 200)'],
    [`SELECT id FROM logs WHERE status > 200 AND ${FAILS} AND metadata.a = 1`, '(`status` > 200)'],
    [
      "SELECT l.id AS status FROM logs AS l WHERE (l.status /* of the response */ IN (1, -- or\n 2) AND l.id LIKE 'a%') AND status > 1",
      "(`status` IN ( 1 , 2 )) AND (`id` LIKE 'a%')",
    ],
    ['WITH c AS (SELECT * FROM logs WHERE status > 1) SELECT count() FROM c, c AS d', '(`status` > 1)'],
    ['SELECT title FROM renamed WHERE title != ms AND made != 1', undefined],
    ["SELECT title FROM renamed WHERE title = 'a' AND made != 1", "(`event_message` = 'a')"],
    ['SELECT id FROM logs WHERE status > 200 OR metadata.a = 1', undefined],
    ['SELECT id AS status FROM logs WHERE status > 200', undefined],
    ['SELECT id FROM logs WHERE logs.status > 200 AND id IN logs', undefined],
    ['SELECT id FROM logs ARRAY JOIN tags WHERE status > 1', undefined],
    ['SELECT l.id FROM logs AS l JOIN few USING id WHERE l.status > 200', undefined],
    ['SELECT id FROM logs WHERE status > 200 UNION ALL SELECT id FROM logs', undefined],
    [`SELECT id FROM few WHERE EXISTS(SELECT 1 FROM logs AS l WHERE l.id = few.id)`, undefined],
    ['SELECT metadata AS l FROM logs AS l WHERE l.status > 200', undefined],
    ["SELECT id FROM few WHERE id != ''", undefined],
    ["SELECT id FROM numbered WHERE id != ''", undefined],
  ])('beside the condition of the table: %s', async (sql, stored) => {
    const sandbox = await sandboxOf(SAVED);
    const verdict = await sandbox.check(sql);
    const statement = sandbox.assemble(verdict, 100).sql;
    expect(
      /WHERE (\((?:(?! AND \( *project).)*\)) AND \( *project = \{project:String\}/s.exec(statement)?.[1],
    ).toBe(stored);
    const run = (text: string) =>
      world.run(text).catch((error: unknown) => /Code: \d+/.exec(String(error))?.[0]);
    const plain = { ...verdict, below: new Map() };
    expect(await run(statement)).toBe(await run(sandbox.assemble(plain, 100).sql));
  });

  test('a column with the name of a clause is part of the condition', async () => {
    const saved =
      'WITH t AS (SELECT id, status AS "order" FROM (SELECT *, status AS "order" FROM app.logs WHERE project = @project) AS e WHERE e.order > 1 AND order > 2 ORDER BY id) SELECT 1';
    const statement = await statementOf(await sandboxOf(saved), "SELECT id FROM t WHERE id != 'a'");
    await expect(world.run(statement)).resolves.toBeDefined();
  });

  test.each([
    [
      'is left out for aggregates of sets',
      `SELECT status, count(), max(id) FROM logs WHERE ${FAILS} GROUP BY status`,
      false,
    ],
    ['stays for rows', `SELECT id FROM logs WHERE ${FAILS}`, true],
    [
      'stays for aggregates of sequences',
      `SELECT status, groupArray(id) FROM logs WHERE ${FAILS} GROUP BY status`,
      true,
    ],
    ['stays for windows', `SELECT status, count() OVER () FROM logs WHERE ${FAILS} GROUP BY status`, true],
    [
      'stays if a LIMIT depends on it',
      `SELECT id, count() FROM few WHERE intDiv(1, length(id)) = 0 GROUP BY id`,
      true,
    ],
  ])('sorting %s', async (_why, sql, isSorted) => {
    expect(/ORDER BY (?:timestamp|id)/.test(await statementOf(await sandboxOf(SAVED), sql))).toBe(isSorted);
  });
});

test.each([
  ['an expression', '1 ??? AS unknown,'],
  ['a condition', "b AS (SELECT id FROM app.logs WHERE project = 'x' ??? 1),"],
  ['a clause', 'c AS (SELECT id FROM app.logs UNKNOWN id),'],
])('a table has a barrier beside %s that is not read', async (_what, element) => {
  const boundSql = bound(`WITH ${element} a AS (SELECT id FROM app.logs WHERE project = @project) SELECT 1`);
  const columns = new Map([['a', [{ name: 'id', type: 'String' }]]]);
  const [read, unread] = [boundSql.replace(element, ''), boundSql].map((sql) =>
    openSandbox({ boundSql: sql, columns }),
  );
  const hasBarrier = async (sandbox: Sandbox | undefined): Promise<boolean> =>
    sandbox !== undefined &&
    (await statementOf(sandbox, "SELECT id FROM a WHERE id = 'x'")).includes('LIMIT 10000');
  expect([await hasBarrier(read), await hasBarrier(unread)]).toEqual([false, true]);
});

test('a table with the name of the stored table that it reads is no selection of that table', () => {
  const sql = 'WITH logs AS (SELECT id FROM logs), n AS (SELECT id FROM logs) SELECT 1';
  const { outline } = outlineQuery(sql);
  const tables = outline === undefined ? [] : readTables(parseSavedText(sql), outline);
  expect(tables.map(({ name, passes }) => [name, passes])).toEqual([
    ['logs', undefined],
    ['n', undefined],
  ]);
});

// Quadratic work on the larger ones would take minutes.
describe('large WITH clauses', () => {
  test('many tables', { timeout: 30_000 }, () => {
    const elements = Array.from({ length: 10_000 }, (_, n) => `t${n} AS (SELECT a FROM db.t ORDER BY 1)`);
    const sql = `WITH ${elements.join(', ')} SELECT * FROM t1`;
    const { outline } = outlineQuery(sql);
    const texts = outline === undefined ? [] : readTables(parseSavedText(sql), outline);
    expect(texts.filter(({ passes }) => passes !== undefined)).toHaveLength(10_000);
  });

  test('many optional conditions', { timeout: 30_000 }, () => {
    const conditions = Array.from({ length: 15_000 }, () => 'AND ({p:Nullable(String)} IS NULL OR a = 1)');
    const tree = parseSavedText(`SELECT a FROM db.t WHERE a = 1 ${conditions.join(' ')}`);
    expect(optionalConditions(tree, tree.root)(() => true)).toHaveLength(15_000);
  });
});
