// Tables without a scope of their own: only if no name of the query can have a meaning inside them, and with the same answers.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { callsUnknown } from '../../../src/guard/sandbox/apart.ts';
import type { Sandbox } from '../../../src/guard/sandbox/sandbox.ts';
import { parseSavedText } from '../../../src/sql/clickhouse/tree/parse.ts';
import { bound, describeTables, openSandbox, openWorld, type World } from './fixture.ts';

const SAVED = `WITH 3 AS least, mine AS (SELECT id, ms AS elapsed, event_message FROM app.logs WHERE project = @project AND ms > least)
  SELECT count() FROM mine`;

let world: World;
let sandbox: Sandbox;
beforeAll(async () => {
  world = await openWorld();
  await world.run("CREATE TABLE kinds ENGINE = Memory AS SELECT 'mine' AS v");
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
    ['SELECT id AS event_message FROM mine', false, 'a column of the table'],
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

  test('not over tables that call a function of the server, whose names the query could define', async () => {
    await world.run(`CREATE FUNCTION isAllowed AS x -> x IN kinds`);
    const boundSql = bound('WITH t AS (SELECT id FROM app.logs WHERE isAllowed(project)) SELECT 1');
    const columns = new Map([['t', [{ name: 'id', type: 'String' }]]]);
    const other = openSandbox({ boundSql, explain: world.explain, columns });
    const verdict = await other.check("SELECT 'other' AS kinds, id FROM t ORDER BY id");
    expect(verdict.isApart).toBe(false);
    expect(await world.run(other.assemble(verdict, 100).sql)).not.toContain('other-');
    // Which is what the names are for.
    expect(await world.run(other.assemble({ ...verdict, isApart: true }, 100).sql)).toContain('other-');
  });

  test.each([
    [
      'WITH t AS (SELECT toDate(ts), countIf(a > 1), x IN (1, 2), CAST(a AS DateTime64(3)), b::Decimal(9, 2) FROM numbers(3) WHERE f = {p:Nullable(DateTime64(3))})',
      false,
    ],
    [
      'WITH t AS MATERIALIZED (SELECT DISTINCT (a) FROM (SELECT a FROM x) JOIN (SELECT 1) ON (1) WHERE NOT (a) AND (b)) ',
      false,
    ],
    ['WITH t AS (SELECT a FROM x UNION ALL (SELECT count() OVER (PARTITION BY b) FROM x))', false],
    ['WITH t AS (SELECT own(a) FROM x)', true],
    ['WITH t AS (SELECT `own`(a) FROM x)', true],
    ['WITH t AS MATERIALIZED (SELECT own(a) FROM x)', true],
    ['WITH t AS (SELECT CAST(own(a) AS String) FROM x)', true],
    ['WITH t AS (SELECT EXTRACT(DAY FROM own(a)) FROM x)', true],
    ['WITH t AS (SELECT window(a), `in`(a, b) FROM x)', true],
    ['WITH own(a) AS k, t AS (SELECT 1)', true],
    ['WITH t AS (SELECT a FROM x WHERE [own(a)])', true],
  ])('%s calls a function that the engine does not come with: %s', (clause, calls) => {
    expect(callsUnknown(parseSavedText(clause))).toBe(calls);
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
    const sql = `SELECT s.id, project FROM ${table} AS s WHERE id != 'none' ORDER BY id`;
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
