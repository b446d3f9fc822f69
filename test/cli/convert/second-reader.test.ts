// The second reader of the clauses: it finds every part of every query in the same place, and notices parts that are not.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type * as NodeSqlParser from 'node-sql-parser';
import { describe, expect, test } from 'vitest';
import { disagreements } from '../../../src/cli/convert/parse/second-reader.ts';
import { DIALECTS, type ForeignDialect } from '../../../src/sql/dialects/conversion.ts';
import { DIALECTS_BY_NAME } from '../../../src/sql/dialects/dialects.ts';
import { OFFLINE_LIMITS, read } from '../../../src/sql/dialects/read/read.ts';
import type { Query, Select } from '../../../src/sql/dialects/tree.ts';
import { readingsOf } from './reading.ts';

// The grammar has the types of the whole package.
const { Parser } = createRequire(import.meta.url)(
  'node-sql-parser/build/postgresql.js',
) as typeof NodeSqlParser;
const parse = (text: string): unknown => new Parser().astify(text, { database: 'postgresql' });

const outlinesOf = (text: string, dialect: ForeignDialect) =>
  read(text, DIALECTS_BY_NAME[dialect].grammar, {
    isStrict: false,
    limits: OFFLINE_LIMITS,
    hasOutlines: true,
  }).outlines;

function queriesOf(dialect: ForeignDialect): readonly string[] {
  const lines = readFileSync(new URL(`corpus/${dialect}.jsonl`, import.meta.url), 'utf8')
    .trim()
    .split('\n');
  const read = readingsOf(dialect).filter(({ expected }) => !/^(?:syntax|statement) at/.test(expected));
  // Each line has a text.
  return [
    ...lines.map((line) => (JSON.parse(line) as { readonly text: string }).text),
    ...read.map(({ query }) => query),
  ];
}

test.each(DIALECTS)('%s: both readers agree about every query', (dialect) => {
  const different = queriesOf(dialect).filter(
    (text) => disagreements(outlinesOf(text, dialect), parse).length > 0,
  );
  expect(different).toEqual([]);
});

const TEXT = `WITH w AS (SELECT 1) SELECT a, b FROM t JOIN u ON x = y LEFT JOIN v USING (k) WHERE c GROUP BY d, e HAVING f
  UNION ALL SELECT g, h FROM s ORDER BY i LIMIT 3 OFFSET 4`;

/** A node without one of its optional fields. */
function without<T extends object>(node: T, field: keyof T): T {
  // Only an optional field is left out.
  return Object.fromEntries(Object.entries(node).filter(([name]) => name !== field)) as T;
}

/** A change of the tree: what a reader would have got wrong. */
type Change = (query: Query) => Query;

const inFirst =
  (change: (select: Select) => Select): Change =>
  (query) => {
    if (query.body.kind !== 'set') return query;
    const members = query.body.members.map((each, index) =>
      index === 0 && each.kind === 'select' ? change(each) : each,
    );
    return { ...query, body: { ...query.body, members } };
  };

describe('a part that is lost or elsewhere is noticed', () => {
  test.each<readonly [what: string, change: Change]>([
    ['a table of WITH', (query) => ({ ...query, tables: [] })],
    ['ORDER BY', (query) => ({ ...query, orderBy: [] })],
    ['LIMIT', (query) => without(query, 'limit')],
    ['OFFSET', (query) => without(query, 'offset')],
    [
      'the operator',
      (query) =>
        query.body.kind === 'set' ? { ...query, body: { ...query.body, operator: 'EXCEPT ALL' } } : query,
    ],
    [
      'a member',
      (query) =>
        query.body.kind === 'set'
          ? { ...query, body: { ...query.body, members: query.body.members.slice(0, 1) } }
          : query,
    ],
    ['a column', inFirst((select) => ({ ...select, items: select.items.slice(1) }))],
    ['the order of columns', inFirst((select) => ({ ...select, items: select.items.toReversed() }))],
    ['a table', inFirst((select) => ({ ...select, from: select.from.slice(0, 2) }))],
    [
      'the kind of a join',
      inFirst((select) => ({ ...select, from: select.from.map((each) => ({ ...each, join: 'FULL' })) })),
    ],
    [
      'the condition of a join',
      inFirst((select) => ({ ...select, from: select.from.map((each) => without(each, 'on')) })),
    ],
    ['WHERE', inFirst((select) => without(select, 'where'))],
    ['a key of GROUP BY', inFirst((select) => ({ ...select, groupBy: [] }))],
    ['HAVING', inFirst((select) => without(select, 'having'))],
    [
      'HAVING, which is in WHERE',
      inFirst(({ having, where, ...select }) => ({
        ...select,
        ...(having === undefined ? {} : { where: having }),
        ...(where === undefined ? {} : { having: where }),
      })),
    ],
  ])('%s', (_what, change) => {
    const outlines = outlinesOf(TEXT, 'postgresql');
    expect(disagreements(outlines, parse)).toEqual([]);
    const changed = outlines.map((each) => ({ ...each, query: change(each.query) }));
    expect(disagreements(changed, parse).length).toBeGreaterThan(0);
  });
});

test('tokens that are in no part of the tree are noticed', () => {
  const [outline] = outlinesOf('SELECT a FROM t', 'postgresql');
  const more = outline === undefined ? [] : [{ ...outline, text: `${outline.text} WHERE x` }];
  expect(disagreements(more, parse)).toEqual([0]);
});
