// Conditions on parameters that a changed query may lose, in every SQL form, and forms that only look alike.
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import type { ChangeCode } from '../../../src/cli/compare/changes.ts';
import { isSignificant, tokenize } from '../../../src/sql/clickhouse/lexer.ts';
import { runs } from '../../support/runs.ts';
import { changesBetween, codesOf, fileOf, openComparer } from './fixture.ts';

const COLUMNS = '(a UInt64, b String, p String, q String, offset UInt8, internal UInt8)';
const DEFINITIONS = `CREATE DATABASE logs;
CREATE TABLE logs.t ${COLUMNS} ENGINE = MergeTree ORDER BY a;
CREATE TABLE logs.u ${COLUMNS} ENGINE = MergeTree ORDER BY a;
CREATE VIEW logs.v AS SELECT a FROM logs.t WHERE p = {project:String};`;

const comparer = await openComparer(DEFINITIONS);
afterAll(() => comparer.close());

/** Codes of the query's changes beside query.changed. */
async function compareQueries(before: string, after: string, sandbox: boolean): Promise<readonly string[]> {
  const [old = '', now = ''] = [before, after].map((query) =>
    fileOf({
      query: JSON.stringify(query),
      parameters: usedIn(query),
      sandbox: `{ enabled: ${String(sandbox)} }`,
    }),
  );
  const codes = codesOf(await comparer.changesBetween(old, now));
  return codes.filter((code) => !/^query\.(?:changed|rewritten)$|^parameter\./.test(code));
}

interface Row {
  readonly why: string;
  readonly before: string;
  readonly after: string;
  readonly codes: readonly ChangeCode[];
}

const CHANGED: readonly ChangeCode[] = ['tenant.filter_changed'];
const REMOVED: readonly ChangeCode[] = ['tenant.filter_removed'];
const OPEN: readonly ChangeCode[] = ['tenant.not_confined'];
const ADDED: readonly ChangeCode[] = ['query.rows_added'];
const FEWER: readonly ChangeCode[] = ['query.rows_removed'];
const MORE: readonly ChangeCode[] = ['column.exposes_more'];
const SOURCE: readonly ChangeCode[] = ['query.source_added'];
const T = 'SELECT a FROM logs.t WHERE p = @p';

const ROWS: readonly Row[] = [
  { why: 'an additional condition', before: T, after: `${T} AND a > 1`, codes: FEWER },
  { why: 'an additional condition at the start', before: T, after: 'SELECT a FROM logs.t WHERE a > 1 AND p = @p', codes: FEWER },
  { why: 'BETWEEN has its own AND', before: `${T} AND a BETWEEN 1 AND 2`, after: `${T} AND a BETWEEN 1 AND 3`, codes: ADDED },
  { why: 'other columns', before: T, after: T.replace('a FROM', 'a, b FROM'), codes: [] },
  { why: 'a condition without a parameter', before: `${T} AND a > 1`, after: T, codes: ADDED },
  { why: 'a comment that names it', before: T, after: 'SELECT a FROM logs.t /* p = @p */', codes: OPEN },
  { why: 'the parameter is shown only', before: T, after: 'SELECT a, @p AS shown FROM logs.t', codes: OPEN },
  { why: 'OR', before: T, after: `${T} OR a > 1`, codes: OPEN },
  { why: 'OR in parentheses', before: T, after: 'SELECT a FROM logs.t WHERE (p = @p OR 1)', codes: OPEN },
  { why: 'NOT', before: T, after: 'SELECT a FROM logs.t WHERE NOT p = @p', codes: [...FEWER, ...OPEN] },
  { why: 'a conditional', before: T, after: `${T} ? 1 : 1`, codes: OPEN },
  { why: 'another column', before: T, after: T.replace('p =', 'q ='), codes: [...FEWER, ...OPEN] },
  { why: 'HAVING', before: 'SELECT a FROM logs.t GROUP BY a, p HAVING p = @p', after: 'SELECT a FROM logs.t GROUP BY a, p', codes: OPEN },
  { why: 'PREWHERE', before: T.replace('WHERE', 'PREWHERE'), after: 'SELECT a FROM logs.t', codes: OPEN },
  { why: 'one of two', before: `${T} AND q = @q`, after: T, codes: OPEN },
  { why: 'a branch of a UNION without the condition', before: T, after: `${T} UNION ALL SELECT a FROM logs.t`, codes: OPEN },
  { why: 'a branch of a UNION with the condition', before: T, after: `${T} UNION ALL ${T} AND a > 1`, codes: [] },
  { why: 'a branch that reads no table', before: T, after: `${T} UNION ALL SELECT 1 AS a`, codes: [] },
  { why: 'the right side of EXCEPT', before: `SELECT a FROM logs.t EXCEPT SELECT a FROM logs.t WHERE p != @p`, after: 'SELECT a FROM logs.t EXCEPT SELECT a FROM logs.t WHERE p != @p AND a > 1', codes: [...FEWER, ...CHANGED] },
  { why: 'columns that EXCEPT omits', before: T.replace('a FROM', '* EXCEPT (b) FROM'), after: T.replace('a FROM', '* EXCEPT (c) FROM'), codes: [] },
  { why: 'an additional table', before: T, after: T.replace('logs.t', 'logs.t, logs.u'), codes: SOURCE },
  { why: 'an additional table in a JOIN', before: T, after: T.replace('logs.t', 'logs.t JOIN logs.u USING (a)'), codes: [...FEWER, ...SOURCE] },
  { why: 'another table', before: T, after: T.replace('logs.t', 'logs.u'), codes: [...MORE, ...ADDED, ...FEWER] },
  { why: 'a table function', before: T, after: T.replace('logs.t', "merge('logs', '.*')"), codes: [...MORE, ...FEWER, ...SOURCE] },
  { why: 'a table that was only a condition now returns rows', before: 'SELECT a FROM logs.t WHERE p = @p AND a IN (SELECT a FROM logs.u)', after: 'SELECT a FROM logs.u WHERE p = @p AND a IN (SELECT a FROM logs.u)', codes: [...MORE, ...ADDED, ...FEWER] },
  { why: 'a table in a condition', before: T, after: `${T} AND a IN (SELECT a FROM logs.u)`, codes: [...FEWER, ...SOURCE] },
  { why: 'an additional table without a parameter condition', before: 'SELECT a FROM logs.t', after: 'SELECT a FROM logs.t, logs.u', codes: SOURCE },
  { why: 'an argument of a view', before: 'SELECT a FROM logs.v(project = @p)', after: "SELECT a FROM logs.v(project = '')", codes: ['query.not_compared'] },
  { why: 'an enclosing subquery', before: `SELECT * FROM (${T})`, after: 'SELECT * FROM (SELECT a FROM logs.t)', codes: OPEN },
  { why: 'a condition around a subquery', before: 'SELECT * FROM (SELECT a, p FROM logs.t) WHERE p = @p', after: 'SELECT * FROM (SELECT a, p FROM logs.t) WHERE a = @p', codes: [...FEWER, ...OPEN] },
  { why: 'a condition in ON', before: 'SELECT a FROM logs.t AS t JOIN logs.u AS u ON t.a = u.a AND t.p = @p', after: 'SELECT a FROM logs.t AS t JOIN logs.u AS u ON t.a = u.a', codes: [...REMOVED, ...OPEN] },
  { why: 'a join that keeps unmatched rows', before: 'SELECT a FROM logs.t AS t JOIN logs.u AS u ON t.p = @p', after: 'SELECT a FROM logs.t AS t LEFT JOIN logs.u AS u ON t.p = @p', codes: OPEN },
  { why: 'an additional join after ON', before: 'SELECT a FROM logs.t AS t JOIN logs.t AS u ON t.p = @p', after: 'SELECT a FROM logs.t AS t JOIN logs.t AS u ON t.p = @p LEFT JOIN logs.t AS v ON v.a = 1', codes: [] },
  { why: 'other names of joined tables, by which the engine resolves the same column', before: 'SELECT a FROM logs.t AS t JOIN logs.u AS u USING (a) WHERE t.p = @p', after: 'SELECT a FROM logs.t AS u JOIN logs.u AS t USING (a) WHERE t.p = @p', codes: [] },
  { why: 'countIf', before: 'SELECT countIf(p = @p) AS n FROM logs.t', after: 'SELECT countIf(p = @p OR 1) AS n FROM logs.t', codes: [...MORE, ...OPEN] },
  { why: 'FILTER', before: 'SELECT count() FILTER (WHERE p = @p) AS n FROM logs.t', after: 'SELECT count() FILTER (WHERE p != @p) AS n FROM logs.t', codes: [...MORE, ...OPEN] },
  { why: 'multiIf selects the output', before: "SELECT multiIf(@p = 'x', 1, 2) AS n FROM logs.t", after: "SELECT multiIf(@p = 'x', 1, 3) AS n FROM logs.t", codes: [] },
  { why: 'LIMIT', before: 'SELECT a FROM logs.t LIMIT toUInt8(@p)', after: 'SELECT a FROM logs.t LIMIT 5', codes: [...FEWER, ...REMOVED] },
  { why: 'a column called offset', before: 'SELECT a FROM logs.t WHERE offset = 1 AND p = @p', after: 'SELECT a FROM logs.t WHERE offset = 1 AND p = @p OR a', codes: OPEN },
  { why: 'an alias that makes the condition true', before: T, after: T.replace('a FROM', 'a, @p AS p FROM'), codes: OPEN },
  { why: 'the same without AS', before: T, after: T.replace('a FROM', 'a, @p p FROM'), codes: OPEN },
  { why: 'the same in a subquery', before: T, after: T.replace('logs.t', '(SELECT *, @p AS p FROM logs.t)'), codes: OPEN },
  { why: 'a condition by the name of an expression', before: 'WITH @p AS wanted SELECT a FROM logs.t WHERE p = wanted', after: 'WITH @p AS wanted SELECT a, wanted FROM logs.t', codes: OPEN },
  { why: 'the expression that the name refers to', before: 'WITH lower(@p) AS wanted SELECT a FROM logs.t WHERE p = wanted', after: "WITH concat(@p, '') AS wanted SELECT a FROM logs.t WHERE p = wanted", codes: [...FEWER, ...CHANGED] },
  { why: 'a condition on a table with a parameter condition', before: 'WITH w AS (SELECT a FROM logs.u WHERE p = @p) SELECT a FROM logs.t WHERE a IN w', after: 'WITH w AS (SELECT a FROM logs.u WHERE p = @p) SELECT a FROM logs.t', codes: REMOVED },
  { why: 'a join with such a table', before: 'WITH w AS (SELECT a FROM logs.u WHERE p = @p) SELECT a FROM logs.t JOIN w USING (a)', after: 'WITH w AS (SELECT a FROM logs.u WHERE p = @p) SELECT a FROM logs.t', codes: [...ADDED, ...REMOVED] },
  { why: 'bypassing a table with a condition', before: `WITH w AS (${T}) SELECT a FROM w`, after: `WITH w AS (${T}) SELECT a FROM logs.t`, codes: OPEN },
  { why: 'an additional step with a condition', before: `WITH w AS (${T}) SELECT a FROM w`, after: `WITH w AS (${T}), x AS (SELECT a FROM w) SELECT a FROM x`, codes: [] },
  { why: 'an additional step without one', before: `WITH w AS (${T}) SELECT a FROM w`, after: `WITH w AS (${T}), x AS (SELECT a FROM logs.t) SELECT a FROM x`, codes: OPEN },
  { why: 'a table with the same condition, and one more', before: `WITH w AS (${T}), x AS (${T} AND a > 1) SELECT a FROM w`, after: `WITH w AS (${T}), x AS (${T} AND a > 1) SELECT a FROM x`, codes: FEWER },
  { why: 'a table without a condition', before: `WITH w AS (${T}), x AS (SELECT max(a) AS a FROM logs.t) SELECT a FROM w WHERE a = (SELECT a FROM x)`, after: `WITH w AS (${T}), x AS (SELECT max(a) AS a FROM logs.t) SELECT a FROM x`, codes: [...ADDED, ...FEWER, ...REMOVED] },
  { why: 'a column named by its one source', before: `WITH w AS (${T}) SELECT a FROM w WHERE w.a = 1`, after: `WITH w AS (${T}) SELECT a FROM w WHERE w.a = 2`, codes: [...ADDED, ...FEWER] },
  { why: 'FROM first', before: 'FROM logs.t SELECT a WHERE p = @p', after: 'FROM logs.t SELECT a', codes: OPEN },
  { why: 'FROM that reads no table', before: T, after: T.replace('a FROM', "trim(BOTH ' ' FROM b) AS a FROM"), codes: MORE },
  { why: 'ARRAY JOIN reads no table', before: T, after: T.replace('logs.t', 'logs.t ARRAY JOIN [1, 2] AS n'), codes: [] },
]; // prettier-ignore

const W = (body: string): string => `WITH w AS (${body}) SELECT a FROM w`;

/** If consumer queries read the table. */
const TABLES: readonly Row[] = [
  {
    why: 'no condition',
    before: W(`${T} AND NOT internal`),
    after: W(T),
    codes: ['query.rows_added'],
  },
  {
    why: 'a lower LIMIT',
    before: W(`${T} LIMIT 10`),
    after: W(`${T} LIMIT 20`),
    codes: ['query.limit_raised', ...ADDED],
  },
  { why: 'an additional condition', before: W(T), after: W(`${T} AND a > 1`), codes: FEWER },
  {
    why: 'any table',
    before: W('SELECT a FROM logs.t'),
    after: W('SELECT a FROM logs.u'),
    codes: [...MORE, ...FEWER, ...SOURCE],
  },
  {
    why: 'a table without a source',
    before: W('SELECT 1 AS a'),
    after: W('SELECT a FROM logs.u'),
    codes: [...MORE, ...SOURCE],
  },
  { why: 'the parameter', before: W(T), after: W(T.replace('p = @p', '1')), codes: OPEN },
  { why: 'conditions of the main query', before: `${W(T)} WHERE a > 1`, after: W(T), codes: ADDED },
  { why: 'another order', before: W(`${T} ORDER BY a`), after: W(`${T} ORDER BY a DESC`), codes: [] },
  {
    why: 'another order of the rows that LIMIT keeps',
    before: W(`${T} ORDER BY a LIMIT 2`),
    after: W(`${T} ORDER BY a DESC LIMIT 2`),
    codes: [...ADDED, ...FEWER],
  },
];

describe('conditions that queries may lose', () => {
  test.each(ROWS)('$why: $after', async ({ before, after, codes }) => {
    expect(await compareQueries(before, after, false)).toEqual(codes);
  });

  test.each(TABLES)('a table of the sandbox: $why', async ({ before, after, codes }) => {
    expect(await compareQueries(before, after, true)).toEqual(codes);
  });

  test.each([...ROWS, ...TABLES])('no changes without a change: $after', async ({ after }) => {
    expect(await compareQueries(after, after, false)).toEqual([]);
  });
});

describe('properties', () => {
  const space = fc.constantFrom(' ', '\n', '\t', ' -- @p\n', ' /* WHERE */ ');

  test('whitespace and comments do not matter', () => {
    fc.assert(
      fc.property(fc.array(space, { minLength: 60, maxLength: 60 }), (spaces) => {
        for (const { after } of ROWS) {
          const tokens = tokenize(after).filter(isSignificant);
          const spread = tokens.map(
            ({ start, end, kind }, i) => after.slice(start, end) + (kind === '@' ? '' : (spaces[i] ?? ' ')),
          );
          const [a, b] = [after, spread.join('')].map((query) =>
            fileOf({ query: JSON.stringify(query), parameters: usedIn(after) }),
          );
          expect(changesBetween(a ?? '', b ?? '')).toEqual([]);
        }
      }),
      { seed: 1, numRuns: runs(2) },
    );
  });
});

function usedIn(query: string): string {
  const sql = query.replaceAll(/\/\*.*?\*\//g, '');
  const used = ['p', 'q'].filter((name) => sql.includes(`@${name}`));
  return `{ ${used.map((name) => `${name}: { type: String }`).join(', ')} }`;
}
