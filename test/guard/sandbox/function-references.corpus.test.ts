// Names of functions in place of lambdas: the engine would call functions that no check has seen.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { takesFunction } from '../../../src/sql/clickhouse/higher-order.ts';
import { createFunctionPolicy } from '../../../src/guard/sandbox/functions/policy.ts';
import type { Sandbox } from '../../../src/guard/sandbox/sandbox.ts';
import { describeTables, openSandbox, openWorld, type World } from './fixture.ts';

let world: World;
let sandbox: Sandbox;
beforeAll(async () => {
  world = await openWorld();
  sandbox = openSandbox({ explain: world.explain, columns: await describeTables(world) });
  await world.run('CREATE FUNCTION IF NOT EXISTS one_of_one AS (x) -> 1');
  await world.run('CREATE FUNCTION IF NOT EXISTS one_of_two AS (x, y) -> 1');
});
afterAll(() => world.oracle.close());

describe('names in place of lambdas', () => {
  test.each([
    'SELECT arrayMap(leak_udf, [1])',
    'SELECT arrayMap(`leak_udf`, [1])',
    'SELECT arrayMap((leak_udf), [1])',
    'SELECT arrayMap(((leak_udf) AS f), [1])',
    'SELECT arrayMap((leak_udf AS f), [1])',
    'SELECT arrayMap(leak_udf AS f, [1])',
    'SELECT ARRAYMAP(leak_udf, [1])',
    'SELECT arraySort(leak_udf, [1])',
    'SELECT arrayPartialSort(leak_udf, 1, [1])',
    'SELECT x FROM edge_logs ARRAY JOIN arrayMap(leak_udf, tags) AS x',
    'SELECT * APPLY(x -> arrayMap(leak_udf, [x])) FROM (SELECT 1)',
    // A name that the query defines elsewhere, or that a column has, is still that of the function where it has no value.
    "SELECT arrayMap(file, ['/etc/passwd']) WHERE (SELECT 1 AS file) = 1",
    'SELECT arrayMap(leak_udf, [1]) WHERE (SELECT 1 AS leak_udf) = 1',
    "SELECT arrayMap(path, ['/x?y'])",
  ])('%s', async (sql) => {
    await expect(sandbox.check(sql)).rejects.toMatchObject({
      code: 'sandbox.function_denied',
    });
    await expect(openSandbox().check(sql)).rejects.toMatchObject({ code: 'sandbox.function_denied' });
  });

  test('a lambda, an expression and a path are none', async () => {
    const sql = `SELECT arrayMap(x -> upper(x), tags), arraySort(tags), arrayMap((x, i) -> x, tags, arrayEnumerate(tags)),
      arrayPartialSort(edge_logs.status, tags), arrayPartialSort(1, tags), arrayElement(tags, 1), arrayConcat(tags, ['x']) FROM edge_logs`;
    const verdict = await sandbox.check(sql);
    await expect(world.run(sandbox.assemble(verdict, 5).sql)).resolves.toContain('["A"]');
  });
});

test(
  'all functions of the engine that take the name of a function are known',
  { timeout: 600_000 },
  async () => {
    const { families } = createFunctionPolicy({ allow: [], deny: [] });
    // Of the others every tenth, all of them with `npm run test:all`: which do depends on the engine's release alone.
    const names = Object.entries(families)
      .flatMap(([family, all]) => (family === 'aggregate' ? [] : all))
      .filter(
        (name, index) => process.env['FUZZ_CASES'] !== undefined || takesFunction(name) || index % 10 === 0,
      );
    const calls = ['one_of_one, [1]', 'one_of_two, map(1, 2)', 'one_of_one, 1, [1]', 'one_of_two, [1], 1'];
    const found: string[] = [];
    for (const name of names) {
      const trees = calls.map((call) =>
        world.run(`EXPLAIN QUERY TREE SELECT ${name}(${call})`, { format: 'TSVRaw' }).catch(String),
      );
      // The name of the argument of the lambda that the engine writes in place of the name.
      if ((await Promise.all(trees)).some((tree) => tree.includes('__function_ref_arg'))) found.push(name);
    }
    expect(found.length).toBeGreaterThan(20);
    expect(found.filter((name) => !takesFunction(name))).toEqual([]);
  },
);
