// The engine parses the shape of a query to the tree of the query itself, but for the values of constants.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Problem } from '../../../src/sql/base/problem.ts';
import { lexConsumerQuery, type LexedQuery } from '../../../src/guard/sandbox/lexed-query.ts';
import type { Explained } from '../../../src/guard/sandbox/sandbox.ts';
import { createTreeCache, shapeOf } from '../../../src/guard/sandbox/query-tree/shape.ts';
import { runs, sizeOf, some } from '../../support/runs.ts';
import { ATTACKS, BENIGN, openSandbox, openWorld, type World } from './fixture.ts';
import { mutants } from './mutants.ts';
import { oracles } from './oracles.ts';

const SEED = Number(process.env['FUZZ_SEED'] ?? 20_240_101);
const EXPLAIN = 'EXPLAIN QUERY TREE run_passes = 0 ';

/** Both are rejected before the engine is asked: a time is printed with the tree, or the values of settings. */
const PRINTED: ReadonlySet<string | undefined> = new Set(['FORMAT', 'SETTINGS']);

/** Values that could be read as something else. */
const HOSTILE = [
  "', alias: users'", "'\n  QUERY id: 0'", "'--'", "'/*'", "'1 DAY'", "'(SELECT 1)'", "'`'", "'\"'", "'users'", "'{project:String}'", "''",
  "'2024-05-01T00:00:00.123Z'", "'\\''", "'\\", "'a''b'", '0', '7', '007', '1e5', '0x1F', '1.5', '.5', '999999999999999', '18446744073709551616', 'inf',
]; // prettier-ignore

/** Where the grammar gives the words around a value a meaning; # is a number, and $ a string. */
const FORMS = [
  'SELECT sum(x) OVER (ORDER BY y ROWS BETWEEN # PRECEDING AND # FOLLOWING) FROM t',
  'SELECT sum(x) OVER (ORDER BY y RANGE BETWEEN UNBOUNDED PRECEDING AND # FOLLOWING) FROM t',
  'SELECT x FROM t LIMIT # BY x LIMIT # OFFSET #',
  'SELECT x FROM t ORDER BY x LIMIT # WITH TIES',
  'SELECT x FROM t ORDER BY x OFFSET # ROWS FETCH FIRST 3 ROWS ONLY',
  'SELECT x FROM t LIMIT #, 5',
  'SELECT x = # AS y, z < # w, z > $ v FROM t',
  'SELECT x AND # AS y, x AND $ AS z FROM t WHERE y AND #',
  "SELECT x FROM t ORDER BY x = # DESC NULLS LAST, y = $ COLLATE 'en'",
  'SELECT x FROM t ORDER BY x = # WITH FILL FROM 1 TO 5 STEP 2',
  'SELECT CASE WHEN x = # THEN $ WHEN x > # THEN 1 ELSE y = $ END FROM t',
  'SELECT CASE x = # WHEN # THEN 1 END FROM t',
  'SELECT x FROM t WHERE x BETWEEN # AND # AND y NOT BETWEEN $ AND $ OR x BETWEEN # AND # + 1',
  "SELECT x FROM t WHERE x LIKE $ ESCAPE '!' AND y NOT ILIKE $ AND z LIKE $ = #",
  'SELECT x FROM t WHERE x = # IN (1, 2) AND x = # IS NULL AND x = $ IS NOT NULL AND x = # DIV 2 = # MOD 3',
  'SELECT x = # ? $ : 5, (x = # ? 1 : y = #) FROM t',
  'SELECT arrayFilter(y -> y = $, tags), arrayMap((a, b) -> a > # AND b < #, x, y) FROM t',
  'SELECT [x = #], (x = #, y = $), (x = #), tuple(x = #) FROM t',
  'SELECT t.1 = #, t.2.3 > #, -x = #, NOT x = #, - # = # FROM t',
  "SELECT CAST((x = #, y), 'Tuple(a Bool, b Int64)'), CAST(x = # AS Bool), (x = #)::Bool FROM t",
  'SELECT x FROM t WHERE EXISTS (SELECT 1 FROM u WHERE x = #) AND y IN (SELECT id FROM u WHERE z = $ LIMIT #)',
  'WITH # AS n, x = $ AS c, a AS (SELECT x FROM t WHERE x = # LIMIT #) SELECT n, c FROM a WHERE x = # UNION ALL SELECT 1, 2 FROM a WHERE x = $',
  'SELECT x FROM t WHERE x = # UNION DISTINCT SELECT y FROM t WHERE y = # INTERSECT SELECT z FROM t LIMIT #',
  'SELECT x FROM t WHERE x > now() - INTERVAL # DAY AND y < DATE $ AND z = TIMESTAMP $ AND x = INTERVAL $ AND y = INTERVAL # DAY',
  'SELECT x, count() FROM t GROUP BY x WITH TOTALS HAVING count() > # QUALIFY row_number() OVER (PARTITION BY x = # ORDER BY y) = #',
  'SELECT x FROM t SAMPLE 1/10 WHERE x == # AND y <> $ AND z <=> #',
  'SELECT COLUMNS($) APPLY(x -> x > #), * EXCEPT (a) REPLACE (x = # AS x) FROM t',
  'SELECT EXTRACT(DAY FROM x) = #, SUBSTRING(x FROM 1 FOR 2) = $, TRIM(BOTH $ FROM x) = $, POSITION($ IN x) > # FROM t',
  'SELECT x FROM t JOIN u ON t.x = u.x AND t.y = # LEFT ARRAY JOIN z AS w WHERE w = $ LIMIT #',
  'SELECT * LIKE $, t.* ILIKE $ FROM t WHERE x LIKE $',
  'SELECT quantile(0.5)(x) > #, topK(#)(x) = #, x IS DISTINCT FROM #, x = ANY (SELECT 1 WHERE y = #) FROM t',
  'SELECT $ = $, # = #, # AND $, # BETWEEN # AND #, $ LIKE $ FROM t WINDOW w AS (ORDER BY x ROWS BETWEEN # PRECEDING AND CURRENT ROW)',
];

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.oracle.close());

test.each([
  ["a > 5 AND b = 'x'", "a > 0 AND b = '1'"],
  ["a = 'x' OR b = 'x' OR c = 'y'", "a = '0' OR b = '0' OR c = '1'"],
  ["t BETWEEN '2024-01-01' AND '2024-01-02' LIMIT 10 OFFSET 5", "t BETWEEN '0' AND '1' LIMIT 2 OFFSET 3"],
  ["a LIKE '%x%' AND (b <= 7)", "a LIKE '0' AND ( b <= 1 )"],
  ["a = 5 AND b = 6 AND c IN (0, '1') AND d = 'x'", "a = 1 AND b = 2 AND c IN ( 0 , '1' ) AND d = '3'"],
  ["a = '5' :: Int64", undefined],
  ['a > 5 + b', undefined],
  ["a = ['x'][1]", undefined],
  ["CAST(a, 'Int64') IN (1, 2)", undefined],
  ["a.1 = tupleElement(b, 'c')", undefined],
  ["a = 'it''s' AND b = 'x\\\\'", undefined],
  ['a > 1.5 AND a > 1e3 AND a > 007 AND a > 0x10', undefined],
  ['a > 1234567890123456', undefined],
])('%s', (condition, shape) => {
  const text = lexConsumerQuery(`SELECT a FROM t WHERE ${condition}`);
  expect(shapeOf(text)).toBe(shape === undefined ? text.joined : `SELECT a FROM t WHERE ${shape}`);
});

test.each(["* LIKE 'a%'", "t.* ILIKE 'a%'", "* NOT LIKE 'a%'"])(
  '%s, which selects columns, is kept',
  (columns) => {
    const query = lexConsumerQuery(`SELECT ${columns} FROM t`);
    expect(shapeOf(query)).toBe(query.joined);
  },
);

function lexed(sql: string): LexedQuery | undefined {
  try {
    return lexConsumerQuery(sql);
  } catch (error) {
    if (error instanceof Problem) return undefined;
    throw error;
  }
}

/** The tree without the values of its constants, or that there is none. */
function structureOf(explained: Explained): string {
  if (explained.kind === 'rejected') return 'rejected';
  return explained.text.replaceAll(/(CONSTANT id: \d+.*?), constant_value: .*$/gm, '$1');
}

function* formsWithValues(): Generator<string> {
  const [strings, numbers] = [
    HOSTILE.filter((each) => each.startsWith("'")),
    HOSTILE.filter((each) => /^[\d.]/.test(each)),
  ];
  let at = 0;
  const next = (values: readonly string[]): string => values[at++ % values.length] ?? '';
  for (let each = 0; each < runs(3, 16); each++)
    for (const form of FORMS)
      yield form.replaceAll(/[#$]/g, (place) => next(place === '#' ? numbers : strings));
}

/** The same query with other values in its comparisons. */
function* withValues(sql: string, from: number): Generator<string> {
  const literal = /([=<>] ?|\b(?:LIKE|BETWEEN|AND|LIMIT) )(?:'[^'\\]*'|\d+)(?![\w.])/gi;
  if (sql.search(literal) < 0) return;
  for (let each = 0; each < 3; each++) {
    let at = from + each;
    yield sql.replaceAll(literal, (_, before: string) => `${before}${HOSTILE[at++ % HOSTILE.length]}`);
  }
}

test('has the tree of the query', { timeout: 3_600_000 }, async () => {
  // Every sixth query, all of them with `npm run test:all`.
  const known = some([...BENIGN, ...ATTACKS], 9).map(({ sql }) => sql);
  const generated = oracles(runs(15, 50), SEED).flatMap(({ language, text }) =>
    language === 'sql' ? [text] : [],
  );
  const all = [...formsWithValues(), ...known, ...generated, ...mutants(runs(120, 1000), SEED)];
  const queries = new Set(all.flatMap((sql, index) => [sql, ...withValues(sql, index)]));
  const differences: string[] = [];
  let shaped = 0;
  for (const sql of queries) {
    const text = lexed(sql);
    const shape = text && shapeOf(text);
    if (text === undefined || shape === undefined || shape === text.joined) continue;
    if (text.cursor.tokens.some((_, at) => PRINTED.has(text.cursor.word(at)))) continue;
    const [own, other] = await Promise.all(
      [text.joined, shape].map((each) => world.explain(`${EXPLAIN}${each}`)),
    );
    if (own === undefined || other === undefined) throw new Error('both are asked');
    if (own.kind === 'tree') shaped++;
    if (structureOf(other) !== structureOf(own))
      differences.push(`${sql}\n${structureOf(own)}\n${structureOf(other)}`);
  }
  expect(differences).toEqual([]);
  expect(shaped).toBeGreaterThan(sizeOf(120, 1000));
});

describe('one tree', () => {
  test('is asked for once, whatever the values', async () => {
    const asked: string[] = [];
    const explain = createTreeCache()((sql) => {
      asked.push(sql);
      return world.explain(sql);
    });
    const sandbox = openSandbox({ explain });
    const query = (id: string): string => `SELECT id FROM edge_logs WHERE id = '${id}' AND id != 'x'`;
    const verdicts = [await sandbox.check(query('a')), await sandbox.check(query('b'))];
    expect(asked).toHaveLength(1);
    expect(verdicts.map(({ joined }) => joined)).toEqual([query('a'), query('b')]);
    await sandbox.check(query('x'));
    expect(asked).toHaveLength(2);
  });

  test('is not that of a query that the engine rejects, which is reported where it is', async () => {
    const sandbox = openSandbox({ explain: createTreeCache()(world.explain) });
    const rejected = sandbox.check("SELECT id FROM edge_logs WHERE id = 'a longer value' AND id NOT 5");
    await expect(rejected).rejects.toMatchObject({ errors: [{ line: 1, column: 61 }] });
  });
});
