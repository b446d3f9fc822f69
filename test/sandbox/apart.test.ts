// Tables without a scope of their own: only if no name of the query can have a meaning inside them, and with the same answers.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { bound, describeTables, openSandbox, openWorld, type World } from './fixture.ts';

const SAVED = `WITH 3 AS least, mine AS (SELECT id, ms AS elapsed, event_message FROM app.logs WHERE project = @project AND ms > least)
  SELECT count() FROM mine`;

let world: World;
let sandbox: Sandbox;
beforeAll(async () => {
  world = await openWorld();
  await world.run('CREATE TABLE events ENGINE = Memory AS SELECT id, project FROM app.logs');
  const boundSql = bound(SAVED);
  sandbox = openSandbox({
    boundSql,
    explain: world.explain,
    columns: await describeTables(world, boundSql),
  });
});
afterAll(() => world.oracle.close());

describe('whether the names are apart', () => {
  test.each([
    ['SELECT id FROM mine ORDER BY id', true, 'no names at all'],
    [
      'SELECT elapsed AS e FROM mine AS m WHERE m.id != m.event_message ORDER BY e',
      true,
      'aliases of other names',
    ],
    ['SELECT n FROM (SELECT count() AS n FROM mine) AS s', true, 'a subquery in FROM'],
    [
      'SELECT id FROM mine WHERE id IN (SELECT max(id) FROM mine) ORDER BY id',
      true,
      'a subquery of a condition',
    ],
    ['SELECT 1 AS project FROM mine', false, 'the column of a condition of the endpoint'],
    ['SELECT 1 AS PROJECT FROM mine', false, 'in another case'],
    ['SELECT 1 AS `project` FROM mine', false, 'quoted'],
    ['SELECT 1 project FROM mine', false, 'without AS'],
    ['SELECT elapsed AS ms FROM mine', false, 'a column of the stored table'],
    ['SELECT 1 AS least FROM mine', false, 'a WITH element of the endpoint'],
    ['SELECT id FROM mine AS app', false, 'a database of the endpoint'],
    ['SELECT id FROM (SELECT id FROM mine) AS logs', false, 'a stored table of the endpoint'],
    ['SELECT count() AS greater FROM mine', true, 'a function of an operator, as a value'],
    ['SELECT id AS event_message FROM mine', true, 'a column of the table, which is only a value inside'],
    ['SELECT m.id AS id, m.elapsed AS elapsed FROM mine AS m ORDER BY id', true, 'columns as themselves'],
    [
      'SELECT upper(event_message) AS event_message, count() AS id FROM mine GROUP BY 1 ORDER BY 1',
      true,
      'columns that are computed',
    ],
    [
      "SELECT elapsed FROM mine AS id WHERE id.id != '' ORDER BY 1",
      true,
      'a table with the name of a column',
    ],
    ['WITH 1 AS n SELECT n FROM mine', false, 'WITH'],
    ['WITH t AS (SELECT id FROM mine) SELECT id FROM t', false, 'WITH, a table'],
    ['SELECT id FROM mine UNION ALL SELECT id FROM mine', false, 'UNION'],
    ['SELECT id FROM mine EXCEPT SELECT id FROM mine', false, 'EXCEPT'],
    ['SELECT arrayMap(x -> x, [1]) FROM mine', false, 'a lambda'],
    ['SELECT count(id) OVER w FROM mine WINDOW w AS (ORDER BY id)', false, 'a window'],
    ['SELECT (SELECT max(id) FROM mine) FROM mine', false, 'a result column that the engine names by number'],
    ["SELECT ', alias: x' FROM mine", false, 'a text that looks like an alias'],
    ['SELECT 1 AS `a, alias: project` FROM mine', true, 'one name that looks like two'],
  ])('%s: %s', async (sql, isApart) => {
    const verdict = await sandbox.check(sql);
    expect(verdict.isApart).toBe(isApart);
    const { sql: statement } = sandbox.assemble(verdict, 100);
    expect(statement.includes('view(')).toBe(!isApart);
    const scoped = sandbox.assemble({ ...verdict, isApart: false }, 100).sql;
    expect(scoped).toContain('view(');
    expect(await world.run(statement)).toEqual(await world.run(scoped));
  });

  test('not if a column of the table has the name of a table or a function inside', async () => {
    const saved = `WITH one AS (SELECT id, ms AS logs, source AS upper, upper(event_message) AS text, project AS two, 1 AS l
      FROM app.logs AS l WHERE project = @project), two AS (SELECT id FROM one WHERE upper = 'edge') SELECT 1`;
    const boundSql = bound(saved);
    const columns = await describeTables(world, boundSql);
    const other = openSandbox({ boundSql, explain: world.explain, columns });
    for (const [name, isApart] of Object.entries({
      text: true,
      id: true,
      logs: false,
      upper: false,
      two: false,
      l: false,
    }))
      expect([name, (await other.check(`SELECT 5 AS ${name} FROM one`)).isApart]).toEqual([name, isApart]);
  });

  test('not if tables are read in a way that is not understood', async () => {
    const boundSql = bound(
      `WITH t AS (SELECT id FROM app.logs WHERE project = @project AND id IN ids) SELECT 1`,
    );
    const columns = new Map([['t', [{ name: 'id', type: 'String' }]]]);
    const other = openSandbox({ boundSql, explain: world.explain, columns });
    expect((await other.check('SELECT t.id AS id FROM t')).isApart).toBe(false);
  });

  test.each([
    [
      'one that has the name of the stored table',
      'WITH events AS (SELECT id, project FROM events WHERE project = @project) SELECT 1',
      'events',
    ],
    [
      'a union',
      'WITH u AS (SELECT id, project FROM app.logs WHERE project = @project UNION ALL (SELECT id, project FROM app.logs WHERE project = @project)) SELECT 1',
      'u',
    ],
    [
      'one that needs another',
      'WITH a AS (SELECT id, project FROM app.logs WHERE project = @project), b AS (SELECT * FROM a) SELECT 1',
      'b',
    ],
    [
      'a join',
      'WITH j AS (SELECT l.id AS id, r.project AS project FROM app.logs AS l JOIN app.logs AS r ON l.id = r.id AND l.project = r.project WHERE l.project = @project) SELECT 1',
      'j',
    ],
  ])('%s: the same rows, open and with a barrier', async (_, saved, table) => {
    const boundSql = bound(saved);
    const columns = await describeTables(world, boundSql);
    const other = openSandbox({ boundSql, explain: world.explain, columns });
    const sql = `SELECT s.id AS id, project FROM ${table} AS s WHERE id != 'none' ORDER BY id`;
    const verdict = await other.check(sql);
    expect(verdict.isApart).toBe(true);
    const scoped = await world.run(other.assemble({ ...verdict, isApart: false }, 100).sql);
    for (const isLeakproof of [true, false])
      expect(await world.run(other.assemble({ ...verdict, isLeakproof }, 100).sql)).toEqual(scoped);
  });

  test('not if the columns are unknown, or the engine has not read the query', async () => {
    const sql = 'SELECT id FROM mine';
    const boundSql = bound(SAVED);
    const unknown = openSandbox({ boundSql, explain: world.explain });
    expect((await unknown.check(sql)).isApart).toBe(false);
    const unread = openSandbox({ boundSql, columns: await describeTables(world, boundSql) });
    expect((await unread.check(sql)).isApart).toBe(false);
  });

  test('not over columns that the engine names by number', async () => {
    const boundSql = bound(
      'WITH t AS (SELECT id, (SELECT max(id) FROM app.logs) FROM app.logs WHERE project = @project) SELECT 1',
    );
    const columns = await describeTables(world, boundSql);
    const other = openSandbox({ boundSql, explain: world.explain, columns });
    expect((await other.check('SELECT id FROM t')).isApart).toBe(false);
  });

  test('not over columns that the engine computes by expressions of their own', async () => {
    const boundSql = bound(SAVED);
    const columns = await describeTables(world, boundSql);
    for (const computed of [
      { hasViews: true, aliases: [] },
      { hasViews: false, aliases: ['ms + 1'] },
    ]) {
      const other = openSandbox({ boundSql, explain: world.explain, columns, computed });
      expect((await other.check('SELECT id FROM mine')).isApart).toBe(false);
    }
  });
});
