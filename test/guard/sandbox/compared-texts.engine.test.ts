// Which columns a query only compares with texts.
import { expect, test } from 'vitest';
import { comparedTexts } from '../../../src/guard/sandbox/needed-names.ts';
import { scanTables } from './fixture.ts';

const compared = (sql: string): Record<string, readonly string[]> => {
  const all = Object.fromEntries(comparedTexts(scanTables(sql, ['t', 'u'])));
  return Object.fromEntries(
    ['id', 'level', 'doc.level'].flatMap((name) => (name in all ? [[name, all[name] ?? []]] : [])),
  );
};

test.each<[sql: string, texts: Record<string, readonly string[]>]>([
  ["SELECT count() FROM t WHERE id = 'a'", { id: ['a'] }],
  ["SELECT count() FROM t WHERE id <> 'a' AND level == 'b'", { id: ['a'], level: ['b'] }],
  ["SELECT count() FROM t WHERE NOT id = 'a' OR (id != 'b' AND n > 1)", { id: ['a', 'b'] }],
  ["SELECT countIf(id = 'it''s'), countIf(n, `id` = 'b') FROM t", { id: ["it's", 'b'] }],
  [
    "SELECT count() FROM t WHERE id IN ('a', 'b') AND level NOT IN ('c') LIMIT 1",
    { id: ['a', 'b'], level: ['c'] },
  ],
  ["SELECT count() FROM t WHERE t.id = 'a' AND id = 'b'", { id: ['a', 'b'] }],
  [
    "SELECT count() FROM t WHERE doc.level = 'a' AND n BETWEEN 1 AND 2 AND id = 'b'",
    { id: ['b'], 'doc.level': ['a'], level: ['a'] },
  ],
  ["SELECT id = 'a' FROM t GROUP BY id = 'a' HAVING id = 'a'", { id: ['a', 'a', 'a'] }],
])('%s', (sql, texts) => {
  expect(compared(sql)).toEqual(texts);
});

test.each([
  "SELECT id FROM t WHERE id = 'a'",
  "SELECT count() FROM t WHERE id = 'a' GROUP BY id",
  "SELECT count() FROM t WHERE id = 'a' || level",
  "SELECT count() FROM t WHERE 'x' || id = 'a'",
  "SELECT count() FROM t WHERE n BETWEEN 1 AND id = 'a'",
  "SELECT count() FROM t WHERE id = 'a'::FixedString(1)",
  "SELECT count() FROM t WHERE id = lower('a')",
  "SELECT count() FROM t WHERE id IN ('a', level)",
  "SELECT count() FROM t WHERE id IN ('a') + 1",
  "SELECT count() FROM t WHERE id IN (SELECT 'a')",
  'SELECT count() FROM t WHERE id IN u',
  "SELECT count() FROM t WHERE id = 'a' AND id LIKE 'b%'",
  "SELECT count() FROM t WHERE id = 'a' = 1",
  "SELECT count() FROM t WHERE id < 'a'",
  "SELECT 1 AS id FROM t WHERE id = 'a'",
  "SELECT count() FROM t JOIN u USING (id) WHERE id = 'a'",
  "SELECT arrayMap(id -> id = 'a', tags) FROM t",
  "SELECT CASE id WHEN 'a' THEN 1 END FROM t",
  "SELECT count() FROM t WHERE n ? id = 'a' : 0",
  "SELECT count() FROM t WHERE id.x = 'a'",
  "SELECT count() FROM t WHERE `id.x` = 'a' AND id = 'b'",
])('not in %s', (sql) => {
  expect(compared(sql)).not.toHaveProperty('id');
});
