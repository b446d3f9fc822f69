// Endpoints with WITH clauses of any shape, and the sandbox's internal state.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { FUNCTION_FAMILIES } from '../../../src/guard/sandbox/functions/families.ts';
import { createFunctionPolicy } from '../../../src/guard/sandbox/functions/policy.ts';
import { Problem } from '../../../src/sql/base/problem.ts';
import { createVerdictCache, type Verdict } from '../../../src/guard/sandbox/sandbox.ts';
import { bound, openSandbox, openWorld } from './fixture.ts';
import type { World } from './fixture.ts';

let world: World;

beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.oracle.close());

describe('saved queries', () => {
  test.each<[why: string, saved: string, consumer: string, rows: string]>([
    [
      'tables that read each other',
      `WITH a AS (SELECT id, ms FROM app.logs WHERE project = @project), b AS (SELECT * FROM a WHERE ms > 300) SELECT 1`,
      'SELECT (SELECT count() FROM a), (SELECT count() FROM b)',
      '[40,11]',
    ],
    [
      'a scalar that a table uses',
      `WITH (SELECT max(ms) FROM app.logs) AS top, a AS (SELECT id FROM app.logs WHERE ms = top AND project = @project) SELECT 1`,
      'SELECT id FROM a',
      '["mine-39"]',
    ],
    [
      'a constant and a lambda that a table uses',
      `WITH 2 AS k, x -> x * k AS twice, a AS (SELECT twice(number) AS n FROM numbers(3)) SELECT 1`,
      'SELECT sum(n) FROM a',
      '[6]',
    ],
    [
      'recursion',
      `WITH RECURSIVE r AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM r WHERE n < 5) SELECT 1`,
      'SELECT sum(n) FROM r',
      '[15]',
    ],
    [
      'quoted names and comments',
      `WITH -- first\n "My Table" AS (SELECT 1 AS n) -- last\nSELECT 1 -- end`,
      'SELECT n FROM "My Table"',
      '[1]',
    ],
    ['materialised tables', `WITH a AS MATERIALIZED (SELECT 1 AS n) SELECT 1`, 'SELECT n FROM a', '[1]'],
    [
      'a main query with further clauses',
      `WITH a AS (SELECT id FROM app.logs WHERE project = @project) SELECT id FROM a ORDER BY id LIMIT 3 SETTINGS max_threads = 1`,
      'SELECT count() FROM a',
      '[40]',
    ],
  ])('%s', async (_why, saved, consumer, rows) => {
    const sandbox = openSandbox({ boundSql: bound(saved), explain: world.explain });
    const { sql } = sandbox.assemble(await sandbox.check(consumer), 10);
    const settings = 'SET output_format_json_quote_64bit_integers = 0, enable_materialized_cte = 1;';
    expect(
      (await world.run(`${settings} ${sql}`, { format: 'JSONCompactEachRow' })).replaceAll(' ', '').trim(),
    ).toBe(rows);
  });

  test('scalars, lambdas and base tables are not exposed', async () => {
    const sandbox = openSandbox({
      boundSql: bound('WITH (SELECT 1) AS s, x -> x AS f, a AS (SELECT 1 AS n FROM app.logs) SELECT 1'),
    });
    expect(sandbox.tables).toEqual(['a']);
    for (const sql of ['SELECT * FROM s', 'SELECT * FROM f', 'SELECT * FROM logs']) {
      await expect(sandbox.check(sql)).rejects.toMatchObject({ code: 'sandbox.table_denied' });
    }
    await expect(sandbox.check('SELECT f(n) FROM a')).rejects.toMatchObject({
      code: 'sandbox.function_denied',
    });
  });
});

describe('the statement', () => {
  test('contains exactly the tables that are read', async () => {
    const sandbox = openSandbox();
    const statementOf = async (sql: string) => sandbox.assemble(await sandbox.check(sql), 11).sql;
    expect(await statementOf('SELECT 1')).toBe('SELECT * FROM (\nSELECT 1\n) LIMIT 11');
    const one = await statementOf('SELECT id -- x\n FROM auth_logs;');
    expect(one).toMatch(
      /^WITH `auth_logs` AS \(SELECT \* FROM view\(WITH .*\nSELECT \* FROM `auth_logs`\) LIMIT 10{18}\)\nSELECT/s,
    );
    expect(one).not.toContain('`edge_logs` AS');
    expect(one).toContain('(\nSELECT id FROM auth_logs\n) LIMIT 11');
  });

  test('is limited to the requested rows, whatever LIMIT the query has', async () => {
    const sandbox = openSandbox({ explain: world.explain });
    const { sql } = sandbox.assemble(await sandbox.check('SELECT id FROM edge_logs LIMIT 1000'), 5);
    expect((await world.run(sql, { format: 'TSV' })).trim().split('\n')).toHaveLength(5);
  });

  test('returns the offset of the consumer’s tokens', async () => {
    const sandbox = openSandbox();
    const verdict = await sandbox.check('SELECT id FROM edge_logs');
    const { sql, consumerStart } = sandbox.assemble(verdict, 5);
    expect(sql.slice(consumerStart, consumerStart + verdict.joined.length)).toBe(verdict.joined);
  });
});

describe('the query tree check', () => {
  test('of a query that the engine cannot parse is a rejection with a location', async () => {
    const sandbox = openSandbox({ explain: world.explain });
    const check = sandbox.check('SELECT 1,\n  substring(id) FROM edge_logs');
    await expect(check).rejects.toMatchObject({
      code: 'sandbox.syntax_unsupported',
      errors: [{ line: 2, column: 15 }],
    });
  });

  test('that fails otherwise is a different error, and is repeated', async () => {
    let calls = 0;
    const sandbox = openSandbox({
      explain: (sql) => {
        calls++;
        return calls === 1 ? Promise.reject(new Error('away')) : world.explain(sql);
      },
    });
    await expect(sandbox.check('SELECT 1')).rejects.toThrow('away');
    await expect(sandbox.check('SELECT 1')).resolves.toBeDefined();
  });

  test('is done once for the same query', async () => {
    let calls = 0;
    const explain = (sql: string) => {
      calls++;
      return world.explain(sql);
    };
    const sandbox = openSandbox({ explain });
    await Promise.all([sandbox.check('SELECT 1'), sandbox.check('SELECT 1')]);
    await sandbox.check('SELECT 1');
    expect(calls).toBe(1);
  });

  test('of one endpoint revision does not apply to another', async () => {
    const cache = createVerdictCache<Verdict>(1_000);
    const first = openSandbox({ cache, revision: 'r1' });
    const second = openSandbox({ cache, revision: 'r2', boundSql: bound('WITH x AS (SELECT 1) SELECT 1') });
    await expect(first.check('SELECT * FROM edge_logs')).resolves.toBeDefined();
    await expect(second.check('SELECT * FROM edge_logs')).rejects.toMatchObject({
      code: 'sandbox.table_denied',
    });
  });
});

describe('cached verdicts', () => {
  test('are bounded; the least recently used are evicted first', async () => {
    const cache = createVerdictCache<number>(6);
    const asked: string[] = [];
    const get = (key: string) =>
      cache.get(
        key,
        () => (asked.push(key), Promise.resolve(1)),
        () => true,
      );
    for (const key of ['aa', 'bb', 'cc', 'aa', 'dd', 'aa', 'bb']) await get(key);
    expect(asked).toEqual(['aa', 'bb', 'cc', 'dd', 'bb']);
  });

  test('are not shared if the check failed because of its caller', async () => {
    const cache = createVerdictCache<string>(100);
    const own = new Problem('budget.exceeded');
    const first = cache.get('q', () => Promise.reject(own), isFinal);
    const others = ['b', 'c'].map((name) => cache.get('q', () => Promise.resolve(name), isFinal));
    await expect(first).rejects.toBe(own);
    await expect(Promise.all(others)).resolves.toEqual(['b', 'b']);

    function isFinal(): boolean {
      return false;
    }
  });

  test('include rejections, but not failures', async () => {
    const cache = createVerdictCache<number>(100);
    let calls = 0;
    const get = (error: string) =>
      cache.get(
        error,
        () => (calls++, Promise.reject(new Error(error))),
        () => error === 'rejected',
      );
    for (const error of ['rejected', 'rejected', 'failure', 'failure'])
      await get(error).catch(() => undefined);
    expect(calls).toBe(3);
  });
});

describe('functions', () => {
  test.each([
    ['an ordinary one', 'toString', true],
    ['in any case', 'TOSTRING', true],
    ['an aggregate with combinators', 'uniqArrayIfState', true],
    ['combinators without a function', 'ifState', false],
    ['combinators of an ordinary one', 'toStringIf', false],
    ['one that reads files', 'file', false],
    ['nothing', '', false],
  ])('%s', (_why, name, allowed) => {
    expect(createFunctionPolicy({ allow: [], deny: [] }).allows(name)).toBe(allowed);
  });

  test('an endpoint can allow and deny; deny takes precedence', () => {
    const policy = createFunctionPolicy({ allow: ['dictGet', 'sleep'], deny: ['TOSTRING', 'sleep', 'sum'] });
    expect(['dictget', 'sleep', 'toString', 'sum', 'sumIf', 'max'].map(policy.allows)).toEqual([
      true,
      false,
      false,
      false,
      false,
      true,
    ]);
    expect(policy.families['of this endpoint']).toEqual(['dictGet']);
    expect(policy.denies('toString')).toBe(true);
  });

  test.each([
    ['an alias', 'array_agg'],
    ['another case', 'GROUPARRAY'],
    ['a combinator', 'groupArrayIf'],
    ['combinators on an alias', 'array_aggIfOrNull'],
    ['a function equivalent to it with a combinator', 'array_concat_agg'],
    ['the equivalent with a combinator', 'quantile'],
    ['the same with another combinator', 'quantileIf'],
    ['a name with a combinator', 'sumIf'],
    ['that name with further combinators', 'sumIfState'],
  ])('what is denied is denied as %s', (_why, name) => {
    const policy = createFunctionPolicy({ allow: [], deny: ['groupArray', 'median', 'sumIf'] });
    expect([policy.allows(name), policy.allowsAggregate(name)]).toEqual([false, false]);
    expect(createFunctionPolicy({ allow: [], deny: [] }).allowsAggregate(name)).toBe(true);
  });

  test('denying a function denies no other function', () => {
    const policy = createFunctionPolicy({ allow: [], deny: ['toInt8', 'sumIf', 'arrayFirst', 'any'] });
    const others = ['toInt8OrNull', 'sum', 'sumMap', 'arrayFirstOrNull', 'anyHeavy', 'uniqIf'];
    expect(others.filter((name) => !policy.allows(name))).toEqual([]);
  });

  test.each(['arrayReduce', 'arrayReduceInRanges', 'initializeAggregation'])(
    'in a string of %s, the endpoint’s list applies',
    async (name) => {
      const functions = createFunctionPolicy({ allow: ['aggThrow'], deny: ['groupArray'] });
      const own = openSandbox({ functions });
      const call = (text: string) =>
        own.check(`SELECT ${name}('${text}', ${name === 'arrayReduceInRanges' ? '[(1, 1)], ' : ''}[1])`);
      for (const denied of [
        'groupArray',
        'GROUPARRAY',
        'array_agg',
        'groupArray(3)',
        'groupArrayIf',
        'array_concat_agg',
      ])
        await expect(call(denied)).rejects.toMatchObject({
          code: 'sandbox.function_denied',
          errors: [{ line: 1, column: 9 + name.length }],
        });
      for (const allowed of ['groupUniqArray', 'aggThrow(0)', 'quantiles(0.5, 0.9)'])
        await expect(call(allowed)).resolves.toBeDefined();
    },
  );

  test('each family has a description, and no name is listed twice', () => {
    const families = Object.values(FUNCTION_FAMILIES);
    expect(families.filter(({ use }) => !/^[A-Z].{10,}\.$/.test(use))).toEqual([]);
    const names = families.flatMap(({ names: text }) => text.trim().split(/\s+/));
    expect(names.filter((name, i) => names.indexOf(name) !== i)).toEqual([]);
  });

  test.each([
    'aggThrow', 'stochasticLinearRegression', 'stochasticLogisticRegressionState', 'flameGraph', 'groupFormat',
    'groupNumericIndexedVector', 'numericIndexedVectorBuild', 'readWKB', 'MVTEncode', 'sqidDecode', 'h3ToChildren',
    'multiFuzzyMatchAny', 'convertCharset', 'randomString', 'nowInBlock', 'getSubcolumn', 'groupArrayInsertAt',
    'arrayLevenshteinDistance', '_CAST', '__bitSwapLastTwo', 'categoricalInformationValue',
  ])('%s, not needed for log analysis, is not allowed', (name) => {
    const policy = createFunctionPolicy({ allow: [], deny: [] });
    expect([policy.allows(name), policy.allowsAggregate(name)]).toEqual([false, false]);
  }); // prettier-ignore

  test('every allowed name is a function of the engine, or syntax that it parses', async () => {
    const names = await world.oracle.ask('SELECT lower(name) FROM system.functions');
    const known = new Set([
      ...names.trim().split('\n'),
      'untuple',
      'grouping',
      'date_add',
      'date_sub',
      'dateadd',
      'datesub',
      'timestamp_add',
      'timestamp_sub',
      'timestampadd',
      'timestampsub',
    ]);
    const allowed = Object.values(createFunctionPolicy({ allow: [], deny: [] }).families).flat();
    expect(allowed.filter((name) => !known.has(name.toLowerCase()))).toEqual([]);
  });
});
