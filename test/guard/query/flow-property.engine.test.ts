// A stored column whose values are exchanged changes only the result columns that it flows into.
import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { flowOf } from '../../../src/guard/query/flow/flow.ts';
import { readTree } from '../../../src/guard/query/tree/read-tree.ts';
import { openOracle } from '../../sql/clickhouse/oracle.ts';
import { runs } from '../../support/runs.ts';

const oracle = openOracle();
afterAll(() => oracle.close());

/** Rows that are joined and grouped by columns that are never exchanged: `id` and `part`. */
const TABLES = `
CREATE TABLE {db}.t (id UInt64, part UInt8, a String, b String, n Int64, tags Array(String), pair Tuple(x String, y String), attrs Map(String, String)) ENGINE = Memory;
CREATE TABLE {db}.u (id UInt64, part UInt8, c String, d String, k Int64) ENGINE = Memory;
`;
const ROWS = `
INSERT INTO base.t SELECT number, number % 3, 'a' || number, 'b' || number % 4, number * 7, ['p' || number, 'q'], ('x' || number, 'y' || number), map('k', 'v' || number, 'a' || number, 'w') FROM numbers(8);
INSERT INTO base.u SELECT number, number % 2, 'c' || number, 'd' || number % 3, number * 5 FROM numbers(6);
`;
const COLUMNS: Readonly<Record<string, string>> = {
  a: 't', b: 't', n: 't', tags: 't', pair: 't', attrs: 't', c: 'u', d: 'u', k: 'u',
}; // prettier-ignore

await oracle.ask(`CREATE DATABASE base; ${TABLES.replaceAll('{db}', 'base')} ${ROWS}`);
for (const [column, table] of Object.entries(COLUMNS)) {
  const other = table === 't' ? 'u' : 't';
  await oracle.ask(
    `CREATE DATABASE no_${column}; ${TABLES.replaceAll('{db}', `no_${column}`)}
    INSERT INTO no_${column}.${table} SELECT * REPLACE ((SELECT groupArray(${column}) FROM base.${table})[1 + (id + 1) % (SELECT count() FROM base.${table})] AS ${column}) FROM base.${table};
    INSERT INTO no_${column}.${other} SELECT * FROM base.${other};`,
  );
}

const texts = fc.letrec<{ text: string; number: string; test: string; list: string }>((tie) => {
  const [text, number, condition, list] = [tie('text'), tie('number'), tie('test'), tie('list')];
  const of = (parts: TemplateStringsArray, ...values: fc.Arbitrary<string>[]) =>
    fc.tuple(...values).map((all) => parts.map((part, index) => part + (all[index] ?? '')).join(''));
  const word = fc.constantFrom('a', 'b', 'c', 'd', 'pair.x', 'pair.y', "attrs['k']", "attrs['a1']", "'x'");
  return {
    text: fc.oneof(
      { maxDepth: 4, depthSize: 'small' },
      word,
      of`concat(${text}, ${text})`,
      of`if(${condition}, ${text}, ${text})`,
      of`CASE WHEN ${condition} THEN ${text} ELSE ${text} END`,
      of`CASE ${text} WHEN ${text} THEN ${text} ELSE ${text} END`,
      of`coalesce(nullIf(${text}, ${text}), ${text})`,
      of`upper(${text})`,
      of`hex(SHA256(${text}))`,
      of`toString(${number})`,
      of`(${text}, ${text}).1`,
      of`tupleElement(CAST((${text}, ${number}), 'Tuple(p String, q Int64)'), 'p')`,
      of`map('p', ${text}, 'q', ${text})['q']`,
      of`JSONExtractString(toJSONString(map('p', ${text}, 'q', ${text})), 'p')`,
      of`${list}[1]`,
      of`arrayStringConcat(${list}, ',')`,
      of`arrayFold((s, v) -> concat(s, v), ${list}, ${text})`,
      of`arrayMap(v -> v.2, arraySort([(${text}, ${text}), (${text}, ${text})]))[1]`,
      of`transform(${text}, ['a1', 'd1'], ['x', 'y'], ${text})`,
      of`multiIf(${condition}, ${text}, ${condition}, ${text}, ${text})`,
    ),
    number: fc.oneof(
      { maxDepth: 4, depthSize: 'small' },
      fc.constantFrom('n', 'k', '1'),
      of`toInt64(length(${text}))`,
      of`${number} + ${number}`,
      of`toInt64(arrayCount(v -> v = ${text}, ${list}))`,
      of`greatest(${number}, ${number})`,
      of`toInt64(cityHash64(${text}) % 1000)`,
    ),
    test: fc.oneof(
      { maxDepth: 4, depthSize: 'small' },
      of`${text} = ${text}`,
      of`${number} > ${number}`,
      of`${text} LIKE '%1'`,
      of`${condition} AND NOT ${condition}`,
      of`has(${list}, ${text})`,
      of`${text} IN (SELECT c FROM base.u WHERE k > 5)`,
    ),
    list: fc.oneof(
      { maxDepth: 4, depthSize: 'small' },
      fc.constantFrom('tags', 'mapKeys(attrs)', 'mapValues(attrs)'),
      of`[${text}, ${text}]`,
      of`arrayMap(v -> concat(v, ${text}), ${list})`,
      of`arrayMap((v, w) -> if(v = ${text}, w, ${text}), ${list}, ${list})`,
      of`arrayFilter(v -> v != ${text}, ${list})`,
      of`arraySort(v -> cityHash64(v, ${text}), ${list})`,
      of`arrayConcat(${list}, ${list})`,
    ),
  };
});

/** Around a value: what it is in the query that returns it. */
const AGGREGATES = [
  'max',
  'min',
  'any',
  'groupArray',
  'uniq',
  'count',
  'topK(2)',
  'anyLast',
  'groupUniqArray',
];
const FROM = 'FROM base.t AS t LEFT JOIN base.u AS u ON u.id = t.id';
const shapes = fc.oneof(
  fc.constant((x: string) => `SELECT t.id AS i, ${x} AS v ${FROM}`),
  fc.constant((x: string) => `WITH q AS (SELECT t.id AS i, ${x} AS w, a AS z ${FROM}) SELECT i, concat(toString(w), z) AS v FROM q`),
  fc.constant((x: string) => `SELECT i, v.1 AS v FROM (SELECT t.id AS i, (${x}, a) AS v ${FROM})`),
  fc.constant((x: string) => `SELECT t.id AS i, toString(${x}) AS v ${FROM} UNION ALL SELECT id + 100, d FROM base.u`),
  fc.constantFrom(...AGGREGATES).map((f) => (x: string) => `SELECT t.part AS i, ${f}(toString(${x})) AS v ${FROM} GROUP BY i`),
  fc.constantFrom(...AGGREGATES).map((f) => (x: string) => `SELECT t.part AS i, ${f.replace(/^\w+/, '$&If')}(b, toString(${x}) LIKE '%1%') AS v ${FROM} GROUP BY i`),
  fc.constant((x: string) => `SELECT t.part AS i, argMax(b, ${x}) AS v ${FROM} GROUP BY i`),
  fc.constant((x: string) => `SELECT t.id AS i, lagInFrame(b) OVER (PARTITION BY ${x} ORDER BY t.id) AS v ${FROM}`),
  fc.constant((x: string) => `SELECT t.id AS i, concat((SELECT max(c) FROM base.u WHERE d LIKE '%1'), toString(${x})) AS v ${FROM}`),
); // prettier-ignore

const ask = (sql: string): Promise<string> =>
  oracle.ask(`SET max_threads = 1, max_execution_time = 5, max_memory_usage = 300000000; ${sql}`);

test('an exchanged column is in the flow of the result columns that it changes', async () => {
  let accepted = 0;
  await fc.assert(
    fc.asyncProperty(shapes, fc.oneof(texts.text, texts.number), async (shape, expression) => {
      const sql = shape(expression);
      const tree = await ask(`EXPLAIN QUERY TREE run_passes = 1, passes = 1 ${sql}`).catch(() => undefined);
      if (tree === undefined) return; // an expression that the engine rejects
      const [, flow = []] = flowOf(readTree(tree, { marker: 'marker' }));
      if (flow.some(({ kind }) => kind === 'unknown')) throw new Error(`unknown in ${sql}`);
      const before = await ask(`SELECT * FROM (${sql}) ORDER BY i`).catch(() => undefined);
      if (before === undefined) return;
      accepted++;
      for (const [column, table] of Object.entries(COLUMNS)) {
        const isInFlow = flow.some(
          (each) => each.table === `base.${table}` && each.column.split('.')[0] === column,
        );
        if (isInFlow) continue;
        const after = await ask(`SELECT * FROM (${sql.replaceAll('base.', `no_${column}.`)}) ORDER BY i`);
        expect(after, `${table}.${column} changes ${sql}`).toBe(before);
      }
    }),
    { numRuns: runs(15) },
  );
  expect(accepted).toBeGreaterThan(0);
});
