// Whatever a schema file contains: the loader reports it, in time proportional to its size, and never throws.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { definitionFile } from '../../../src/cli/schema/definition-file.ts';
import { readStatements } from '../../../src/cli/schema/dump.ts';
import { planSchema } from '../../../src/cli/schema/plan.ts';
import { referencesOf } from '../../../src/cli/schema/references.ts';
import { SchemaError } from '../../../src/cli/schema/schema-files.ts';
import { runs } from '../../support/runs.ts';
import { anyCharacter } from '../../support/any-character.ts';

const SETTINGS = { session: '', tree: '', engines: new Set<string>() };
const plan = (path: string, text: string): ReturnType<typeof planSchema> =>
  planSchema([{ path, text }], { database: 'd', settings: SETTINGS, engineSources: [] });

const WORDS =
  `CREATE OR REPLACE TABLE VIEW MATERIALIZED DICTIONARY DATABASE FUNCTION ATTACH ALTER DROP RENAME EXCHANGE TABLES USE SET IF NOT EXISTS ON CLUSTER UUID AS SELECT
FROM ENGINE = MergeTree ReplicatedMergeTree Distributed Kafka Buffer Alias ORDER BY PRIMARY KEY PARTITION SAMPLE TTL SETTINGS COMMENT TO INNER REFRESH EMPTY POPULATE ADD COLUMN MODIFY REMOVE
CODEC DEFAULT ALIAS EPHEMERAL INDEX TYPE PROJECTION CONSTRAINT CHECK SOURCE ( ) ( ) ( ) , , ; ; . . 'x' '' \`a\` \`\` "b" a b.c 1 -> :: :: { } [ ] $ \${A} {{.B}} CLICKHOUSE DB QUERY LAYOUT CACHE RANGE HTTP 'x.' EXPRESSION flatten_nested
-- /* */ ' \\n GRANT INSERT UNION merge REGEXP \uFFFF é`.split(/\s+/);

test('any sequence of words', () => {
  const text = fc.array(fc.constantFrom(...WORDS), { maxLength: 60 }).map((words) => words.join(' '));
  const path = fc.constantFrom('a.sql', 'a.tsv', 'a.json');
  fc.assert(
    fc.property(text, path, (sql, name) => {
      const { steps, findings } = plan(name, sql);
      for (const { line, column } of findings) expect(line * column).toBeGreaterThan(0);
      for (const { step } of steps) expect(step.attempts.length).toBeGreaterThan(0);
      referencesOf(sql);
      definitionFile({ database: 'd', name: '../a/b', sql });
    }),
    { numRuns: runs(750), seed: 1 },
  );
});

test('any value in the place of a definition', () => {
  const rows = fc.array(
    fc.record({ create_table_query: fc.oneof(fc.string({ unit: anyCharacter }), fc.jsonValue()) }),
  );
  fc.assert(
    fc.property(rows, (values) => {
      plan('a.json', JSON.stringify({ data: values }));
    }),
    { numRuns: 500, seed: 1 },
  );
  const lone = readStatements({
    path: 'a.json',
    text: String.raw`[{"q":"CREATE VIEW a AS SELECT '\ud800'"}]`,
  });
  expect(lone.statements[0]?.sql).toBe("CREATE VIEW a AS SELECT '\uFFFD'");
});

test.each([
  { why: 'deep parentheses', text: `CREATE TABLE a ${'('.repeat(50_000)}` },
  {
    why: 'many columns',
    text: `CREATE TABLE a (${'a UInt8 DEFAULT 1,'.repeat(20_000)}b UInt8) ENGINE = Log`,
  },
  { why: 'many clauses', text: `CREATE TABLE a (b UInt8) ${'ORDER BY a '.repeat(20_000)}` },
  { why: 'many clusters', text: `DROP TABLE a ${'ON CLUSTER c '.repeat(2000)}` },
  { why: 'many commands', text: `ALTER TABLE a ${'ADD COLUMN b UInt8, '.repeat(20_000)} DROP COLUMN c` },
  { why: 'an open string', text: `CREATE TABLE a (b String DEFAULT '${'x'.repeat(1_000_000)}` },
])('$why', ({ text }) => {
  const { steps, findings } = plan('a.sql', text);
  expect(steps.length + findings.length).toBe(1);
});

test('more statements than are read', () => {
  expect(() => plan('a.sql', 'SELECT 1;'.repeat(20_001))).toThrow(SchemaError);
});

test('names cannot leave the folder', () => {
  const { path } = definitionFile({
    database: '..',
    name: '../../etc/passwd',
    sql: 'CREATE TABLE x (a UInt8)',
  });
  expect(path.split('/')).toHaveLength(2);
  expect(path).toMatch(/^%2E/);
});
