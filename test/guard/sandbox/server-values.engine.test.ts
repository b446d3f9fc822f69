// Names that the engine reads as calls without parentheses show its user and database: only columns and aliases pass.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Sandbox } from '../../../src/guard/sandbox/sandbox.ts';
import { describeTables, openSandbox, openWorld, type World } from './fixture.ts';

let world: World;
let sandbox: Sandbox;
beforeAll(async () => {
  world = await openWorld();
  sandbox = openSandbox({ explain: world.explain, columns: await describeTables(world) });
});
afterAll(() => world.oracle.close());

describe('values of the server', () => {
  test.each([
    'SELECT currentUser WHERE (SELECT 1 AS currentUser) = 1',
    'SELECT user AS user',
    'SELECT database AS database FROM edge_logs',
    'SELECT upper(user) AS user',
    'SELECT x AS user, user AS x',
    'SELECT x AS user GROUP BY user, (user AS x)',
    'SELECT user FROM (SELECT 1 AS x) AS user',
    'SELECT user FROM edge_logs AS user',
    'WITH user AS (SELECT 1 AS x) SELECT user FROM user',
    'SELECT * REPLACE (3 AS user), user FROM (SELECT 1 AS a)',
    'SELECT user FROM (SELECT * EXCEPT (user) FROM (SELECT 1 AS user, 2 AS b))',
    'SELECT user FROM (SELECT 1 AS a UNION ALL SELECT 2 AS user)',
    'SELECT sum(1) OVER w AS user FROM edge_logs WINDOW w AS (ORDER BY user)',
    'SELECT "SCHEMA" AS x, (SELECT 1 AS SCHEMA)',
    'SELECT id FROM edge_logs ORDER BY id WITH FILL INTERPOLATE (user AS 1)',
    'SELECT user FROM (SELECT untuple((1, 2)) AS user)',
    'WITH u AS (SELECT (Untuple(tuple(1))) AS user) SELECT user FROM u',
    'SELECT user FROM (SELECT * REPLACE 3 AS user FROM (SELECT 1 AS b))',
    "SELECT user FROM (SELECT COLUMNS('b') REPLACE 3 AS user FROM (SELECT 1 AS b))",
    'SELECT user FROM (SELECT t.* REPLACE 3 AS user FROM (SELECT 1 AS b) AS t)',
    "SELECT 1 AS a, * REPLACE 3 AS database FROM (SELECT 1 AS b) HAVING database LIKE 'n%'",
  ])('%s', async (sql) => {
    await expect(sandbox.check(sql)).rejects.toMatchObject({ code: 'sandbox.function_denied' });
    await expect(openSandbox().check(sql)).rejects.toMatchObject({ code: 'sandbox.function_denied' });
  });

  test('the engine decides: where it cannot resolve the query, nothing says that the name is a column', async () => {
    const sql = 'SELECT user FROM (SELECT 1 AS user) WHERE nope = 1';
    await expect(openSandbox().check(sql)).resolves.toBeDefined();
    await expect(sandbox.check(sql)).rejects.toMatchObject({ code: 'sandbox.function_denied' });
  });

  test.each([
    'SELECT id AS user, count() AS n FROM edge_logs GROUP BY user ORDER BY user',
    "SELECT id AS user FROM edge_logs WHERE user != ''",
    'SELECT upper(user) AS user FROM (SELECT id AS user FROM edge_logs) LIMIT 1',
    'WITH u AS (SELECT id AS user FROM edge_logs) SELECT user FROM u',
    'SELECT user FROM (SELECT * FROM (SELECT id AS user FROM edge_logs))',
    'SELECT t.user FROM (SELECT id AS user FROM edge_logs) AS t',
    'SELECT 1 AS user',
    "SELECT ms, '' AS user FROM edge_logs ORDER BY ms WITH FILL INTERPOLATE (user AS user) LIMIT 3",
  ])('columns and aliases of that name: %s', async (sql) => {
    const { sql: statement } = sandbox.assemble(await sandbox.check(sql), 10);
    const result = await world.run(statement);
    expect(result).not.toContain('default');
  });
});
