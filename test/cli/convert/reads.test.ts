// The tables and columns that queries of other systems read.
import { afterAll, expect, test } from 'vitest';
import { createConverter } from '../../../src/cli/convert/convert.ts';
import type { ForeignDialect } from '../../../src/sql/dialects/conversion.ts';

const converter = createConverter();
afterAll(() => converter.close());

test.each<
  readonly [dialect: ForeignDialect, text: string, tables: readonly string[], columns: readonly string[]]
>([
  ['postgresql', 'SELECT a, b AS c FROM s.t WHERE d = 1 ORDER BY c', ['s.t'], ['s.t/a', 's.t/b', 's.t/d']],
  [
    'postgresql',
    'SELECT x.a, y.b FROM t x JOIN u y ON x.i = y.j WHERE z = 1',
    ['t', 'u'],
    ['t/i', 'u/j', 't/a', 'u/b', '?/z'],
  ],
  ['mysql', 'SELECT t.a FROM t JOIN u USING (k) GROUP BY t.a', ['t', 'u'], ['t/k', 'u/k', 't/a']],
  ['postgresql', 'WITH c AS (SELECT a FROM t) SELECT a, b FROM c', ['t'], ['t/a']],
  ['postgresql', 'SELECT *, u.*, count(*) FROM t, u', ['t', 'u'], ['t/*', 'u/*']],
  ['bigquery', 'SELECT * REPLACE (a + b AS a) FROM t', ['t'], ['t/*', 't/a', 't/b']],
  ['postgresql', "SELECT data->'a'->>'b' FROM t", ['t'], ['t/data.a.b']],
  [
    'snowflake',
    'SELECT v:a.b::int, f.value:c FROM t, LATERAL FLATTEN(input => t.w:items) f',
    ['t'],
    ['t/w.items', '?/v.a.b'],
  ],
  ['bigquery', 'SELECT t.m.x, e.y FROM `p.d.t` t, UNNEST(t.arr) e', ['p.d.t'], ['p.d.t/arr', 'p.d.t/m.x']],
  ['trino', 'SELECT transform(a, x -> x + b) FROM t', ['t'], ['t/a', 't/b']],
  [
    'postgresql',
    'SELECT (SELECT max(u.a) FROM u WHERE u.i = t.j) FROM t WHERE EXISTS (SELECT 1 FROM v)',
    ['t', 'u', 'v'],
    ['u/a', 'u/i', 't/j'],
  ],
  [
    'postgresql',
    'SELECT sum(a) OVER (PARTITION BY b ORDER BY c) FROM t WINDOW w AS (ORDER BY d)',
    ['t'],
    ['t/a', 't/b', 't/c', 't/d'],
  ],
  ['mysql', 'SELECT a FROM t UNION SELECT b FROM u ORDER BY 1', ['t', 'u'], ['t/a', 'u/b']],
  ['trino', 'SELECT u.n FROM t CROSS JOIN UNNEST(t.a) AS u (n)', ['t'], ['t/a']],
  [
    'snowflake',
    'SELECT DATEADD(month, 1, a), DATEDIFF(day, b, c), date_part(epoch_second, d), day FROM t',
    ['t'],
    ['t/a', 't/b', 't/c', 't/d', 't/day'],
  ],
  [
    'bigquery',
    'SELECT timestamp_trunc(a, HOUR), date_trunc(b, WEEK(MONDAY)), timestamp_diff(c, d, DAY) FROM t',
    ['t'],
    ['t/a', 't/b', 't/c', 't/d'],
  ],
  [
    'sqlite',
    "SELECT a FROM t WHERE b LIKE 'x' AND c IN (SELECT d FROM u)",
    ['t', 'u'],
    ['t/a', 't/b', '?/d', 't/c'],
  ],
])('%s: %s', async (dialect, text, tables, columns) => {
  const { reads } = await converter.convert(text, { dialect });
  expect(reads.tables.map((table) => table.join('.')).toSorted()).toEqual([...tables].toSorted());
  const found = reads.columns.map(({ table, path }) => `${table?.join('.') ?? '?'}/${path.join('.')}`);
  expect(found.toSorted()).toEqual([...columns].toSorted());
});
