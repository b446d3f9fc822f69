// Tests which statements are routed, to which table, and what the others lack.
import { describe, expect, test } from 'vitest';
import { storedAggregate } from '../../../src/guard/rollups/aggregates.ts';
import type { RollupInUse, RollupMeasure } from '../../../src/guard/rollups/model.ts';
import { isRoutedTree } from '../../../src/guard/rollups/opinion.ts';
import { createRouter } from '../../../src/guard/rollups/route.ts';

function measure(aggregate: string, list: readonly string[], type: string): RollupMeasure {
  const name = `${aggregate}(${list.join(', ')})`;
  return {
    name,
    aggregate,
    parameters: [],
    arguments: list,
    types: list.map(() => type),
    approximate: false,
  };
}

const IN_USE: RollupInUse = {
  rollup: {
    name: 'edge',
    version: '1',
    source: { database: 'logs', table: 'edge' },
    time: 'at',
    timeType: 'DateTime64(6)',
    dimensions: [
      { name: 'project', expression: 'project' },
      { name: 'level', expression: 'level' },
      { name: 'metadata.method', expression: 'metadata.method' },
      { name: 'failed', expression: 'status >= 500' },
      { name: 'shown', expression: 'shown' },
      { name: 'first', expression: "level = 'a'" },
      { name: '#level', expression: '`#level`' },
      { name: 'time', expression: 'bytes > 9' },
      { name: 'kinds', expression: 'arrayExists(x -> x = level, tags)' },
      // What a file declares is checked; these are not used if they come from elsewhere.
      { name: 'exact', expression: 'at' },
      { name: 'host', expression: '(region)' },
    ],
    measures: [
      measure('count', [], ''),
      measure('sum', ['bytes'], 'UInt32'),
      measure('sum', ['ms'], 'Float64'),
      measure('max', ['level'], 'String'),
    ],
    tables: [60, 3600, 86_400].map((every) => ({ every, database: 'r', table: `edge_${every}` })),
  },
  coverage: { from: 1_767_225_600_000_000n, until: 1_775_001_600_000_000n },
  columns: {
    all: new Set([
      'project',
      'level',
      'metadata',
      'status',
      'at',
      'bytes',
      'ms',
      'region',
      'shown',
      'edge',
      'tags',
    ]),
    hidden: new Set(['shown']),
    id: '1',
  },
};

const route = (sql: string) => createRouter({ zone: undefined }).route(sql, () => [IN_USE]);

describe('statements that are routed', () => {
  test.each([
    [
      'SELECT count() AS n FROM logs.edge WHERE project = {p:String} AND at > now() - INTERVAL 7 DAY',
      86_400,
      'no rounding',
    ],
    ["SELECT toStartOfDay(at, 'UTC') AS d, count() AS n FROM logs.edge GROUP BY d", 86_400, 'days'],
    [
      "SELECT toStartOfHour(at, 'Europe/Berlin') AS h, count() AS n FROM logs.edge GROUP BY h",
      3600,
      'a zone of whole hours',
    ],
    [
      "SELECT toStartOfHour(at, 'Asia/Kolkata') AS h, count() AS n FROM logs.edge GROUP BY h",
      60,
      'a zone of half hours',
    ],
    [
      "SELECT toStartOfInterval(at, INTERVAL 5 MINUTE, 'UTC') AS t, sum(bytes) AS b FROM logs.edge GROUP BY t",
      60,
      'minutes',
    ],
    [
      'SELECT metadata.method AS m, countIf(status >= 500) AS bad FROM logs.edge GROUP BY m',
      86_400,
      'an expression of the file',
    ],
    [
      'SELECT count() AS n FROM logs.edge WHERE at > now64(6) - INTERVAL 7 DAY',
      86_400,
      'a precision that the time has',
    ],
    ['SELECT DISTINCT level FROM logs.edge', 86_400, 'distinct values of dimensions'],
    [
      'SELECT e.level AS l, count() AS n FROM (SELECT * FROM logs.edge) AS e GROUP BY l',
      86_400,
      'qualified names',
    ],
    [
      'SELECT arrayExists(x -> x = level, tags) AS k, count() AS n FROM logs.edge GROUP BY k',
      86_400,
      'a lambda',
    ],
    ['SELECT shown, count() AS n FROM logs.edge GROUP BY shown', 86_400, 'a column that * leaves out'],
    ['SELECT DISTINCT 1 AS one FROM logs.edge', 86_400, 'no column'],
    [
      'WITH a AS (SELECT * FROM logs.edge), b AS (SELECT level AS l FROM a) SELECT l, count() AS n FROM b GROUP BY l',
      86_400,
      'layers',
    ],
  ] as readonly (readonly [string, number, string])[])('%s', (sql, every) => {
    expect(route(sql)).toMatchObject({ kind: 'rollup', table: { every } });
  });
});

describe('statements that read the rows', () => {
  test.each<readonly [string, string | undefined]>([
    ['SELECT count() AS n FROM logs.edge WHERE ms > 100', 'ms > 100'],
    ['SELECT count() AS n FROM logs.edge WHERE at = now()', 'at = now()'],
    ['SELECT at, count() AS n FROM logs.edge GROUP BY at', 'at'],
    ['SELECT avg(ms) AS m FROM logs.edge', 'avg(ms)'],
    ['SELECT quantile(0.5)(bytes) AS q FROM logs.edge GROUP BY level', 'quantile(0.5)(bytes)'],
    ["SELECT countIf(level = 'a' AND host = 'b') AS n FROM logs.edge", "host = 'b'"],
    ['SELECT level, rand() AS r, count() AS n FROM logs.edge GROUP BY level, r', 'rand()'],
    [
      'SELECT count() AS n FROM logs.edge WHERE level IN (SELECT level FROM other.levels)',
      'level IN (SELECT level FROM other.levels)',
    ],
    ['SELECT count() + toUInt64(now()) FROM logs.edge', 'count() + toUInt64(now())'],
    ["SELECT countIf(level = 'a' OR 1) FROM logs.edge", "countIf(level = 'a' OR 1)"],
    [
      "SELECT count() AS n FROM logs.edge WHERE at > toDateTime64('2024-01-01', 9)",
      "toDateTime64('2024-01-01', 9)",
    ],
    ['SELECT count() AS n FROM logs.edge WHERE at > now64(7) - INTERVAL 7 DAY', 'now64(7)'],
    ['SELECT count() AS n FROM logs.edge WHERE at > {since:DateTime64(9)}', 'DateTime64(9'],
    ['SELECT count() AS n FROM logs.edge WHERE at > now() - INTERVAL 5 NANOSECOND', 'NANOSECOND'],
    ['SELECT level FROM logs.edge', undefined],
    ['SELECT count() AS n FROM logs.edge FINAL', undefined],
    ['SELECT count() AS n FROM logs.edge JOIN other.t USING (level)', undefined],
    [
      'SELECT count() AS n FROM (SELECT level FROM logs.edge UNION ALL SELECT level FROM logs.edge)',
      undefined,
    ],
    ['WITH a AS (SELECT level FROM logs.edge) SELECT (SELECT count() FROM a) AS x, count() AS n FROM a', 'a'],
    ['SELECT toStartOfHour(at) AS h, count() AS n FROM logs.edge GROUP BY h', undefined],
    ['SELECT toStartOfSecond(at) AS s, count() AS n FROM logs.edge GROUP BY s', 'toStartOfSecond(at) AS s'],
    ['SELECT count() AS n FROM logs.edge SETTINGS max_threads = 1', undefined],
    ['SELECT count() OVER () AS n FROM logs.edge', 'count() OVER ()'],
    ['SELECT region, count() AS n FROM logs.edge GROUP BY region', 'region'],
    ...[
      'arrayJoin([1, 2])',
      'unnest([1, 2])',
      'any(kind)',
      'quantile(0.5)(ms)',
      'groupArray(kind)',
      'topK(3)(kind)',
      'anyIf(kind, ms > 1)',
      'ownFunction(kind)',
    ].map(
      (call) => [`SELECT count() AS n FROM (SELECT level, ${call} AS unread FROM logs.edge)`, call] as const,
    ),
    [
      'SELECT count() AS n FROM (WITH arrayJoin([1, 2]) AS j SELECT level FROM logs.edge)',
      'arrayJoin([1, 2])',
    ],
    [
      'SELECT count() AS n FROM (SELECT level FROM logs.edge WHERE arrayJoin([1, 1]) = 1)',
      'arrayJoin([1, 1])',
    ],
    [
      'SELECT count() AS n FROM (SELECT * REPLACE (arrayJoin([1, 2]) AS level) FROM logs.edge)',
      'arrayJoin([1, 2])',
    ],
    [
      "WITH 'a' AS level SELECT 1 AS n UNION ALL SELECT count() FROM logs.edge WHERE level = 'a'",
      "'a' AS level",
    ],
    [
      "(WITH 'a' AS level SELECT 1 AS n) UNION ALL (SELECT 2 UNION ALL SELECT count() FROM logs.edge WHERE level = 'a')",
      "'a' AS level",
    ],
    [
      'WITH a AS (SELECT count() AS c FROM t), t AS (SELECT level FROM logs.edge) SELECT count() AS n FROM t UNION ALL SELECT c FROM a',
      't',
    ],
    [
      "WITH ((x, z) -> x) AS toStartOfDay SELECT * FROM (SELECT toStartOfDay(at, 'UTC') AS d, count() AS n FROM logs.edge GROUP BY d)",
      undefined,
    ],
    ['SELECT level AS edge, count() AS n FROM logs.edge GROUP BY level', 'edge'],
    ["SELECT 'a' AS l FROM logs.edge GROUP BY GROUPING SETS (())", undefined],
    ["SELECT 'a' AS l FROM logs.edge GROUP BY ALL", undefined],
    ["WITH 'a' AS l SELECT l, 1 FROM logs.edge GROUP BY ALL", undefined],
    ['SELECT count(bytes, level) AS n FROM logs.edge', 'count(bytes, level)'],
    ['SELECT edge.level AS l, count() AS n FROM logs.edge GROUP BY l', 'edge.level'],
    ['SELECT metadata.level AS l, count() AS n FROM logs.edge AS metadata GROUP BY l', 'metadata.level'],
    ['SELECT edge.level AS l, count() AS n FROM (SELECT * FROM logs.edge) AS edge GROUP BY l', 'edge.level'],
    [
      'SELECT t.level AS l, count() AS n FROM (SELECT metadata AS t, level FROM logs.edge) AS t GROUP BY l',
      't.level',
    ],
    ['SELECT e.level AS l, count() AS n FROM (SELECT * FROM logs.edge AS e) AS t GROUP BY l', 'e.level'],
    ["SELECT count() AS n FROM (SELECT * FROM logs.edge) WHERE shown = 'a'", "shown = 'a'"],
    ["SELECT count() AS n FROM (SELECT bytes FROM logs.edge) WHERE `level` = 'a'", "`level` = 'a'"],
    [
      "SELECT arrayExists(x -> x = level, tags) AS k, count() AS n FROM (SELECT 'a' AS level, tags FROM logs.edge) GROUP BY k",
      'x -> x = level',
    ],
    [
      'SELECT count(level AS project) AS n, project FROM logs.edge GROUP BY project',
      'count(level AS project)',
    ],
    [
      'SELECT p AS q, count() AS n FROM (SELECT upper(level AS project) AS x, project AS p FROM logs.edge) GROUP BY q',
      'level AS project',
    ],
    [
      'SELECT p AS q, count() AS n FROM (SELECT project AS p FROM logs.edge ORDER BY level AS project) GROUP BY q',
      'level AS project',
    ],
    ['SELECT sum(bytes), count() AS `sum(bytes)` FROM logs.edge', 'sum(bytes)'],
    ['SELECT count(), `count()` AS l FROM (SELECT level AS `count()` FROM logs.edge) GROUP BY l', 'count()'],
    ...[
      'ORDER BY status WITH FILL FROM 1 TO 100',
      'ORDER BY status WITH FILL INTERPOLATE (level AS level)',
      'ORDER BY at LIMIT 1000000000000000000 WITH TIES',
      'LIMIT 1000000000000000000 OFFSET 1',
      'LIMIT 1, 1000000000000000000',
      'LIMIT 1 BY level',
      'ARRAY JOIN [1, 2] AS j',
    ].map((tail) => [`SELECT count() AS n FROM (SELECT level FROM logs.edge ${tail})`, undefined] as const),
  ])('%s', (sql, quoted) => {
    const found = route(sql);
    expect(found).toMatchObject({ kind: 'rows' });
    expect(found?.kind === 'rows' ? found.reason.quoted : '').toBe(quoted);
  });
});

test.each([
  ['a sum of itself', '+'],
  ['a tuple of itself', ','],
])('names of %s are not written out without end', (_, operator) => {
  const names = Array.from({ length: 60 }, (_, n) => `(a${n} ${operator} a${n}) AS a${n + 1}`);
  const sql = `SELECT level AS a0, ${names.join(', ')}, count() AS n FROM logs.edge GROUP BY a60`;
  expect(route(sql)).toMatchObject({ kind: 'rows' });
  const times = names.map((name) => name.replaceAll(operator, 'OR'));
  const compared = `SELECT at > now() AS a0, ${times.join(', ')}, count() AS n FROM logs.edge GROUP BY a60`;
  expect(route(compared)).toMatchObject({ kind: 'rows' });
});

const names = (n: number): readonly string[] => Array.from({ length: n }, (_, at) => `a${at} AS a${at + 1}`);

const sqlOf = (sql: string): string => {
  const found = route(sql);
  return found?.kind === 'rollup' ? found.sql : '';
};

test('an expression that is computed from dimensions belongs to their groups', () => {
  const text = sqlOf("SELECT level = 'a' AS a, count() AS n FROM logs.edge GROUP BY level");
  expect(text).toMatch(/^SELECT level = 'a' AS a, /);
});

interface Sized {
  readonly groups: number;
  readonly of: number;
  /** Days that are covered, up to the same end. */
  readonly days?: number;
}

test.each([
  ['the one with fewer groups', { groups: 500, of: 10_000 }, { groups: 400, of: 10_000 }, 'b'],
  ['the first of equals', { groups: 400, of: 10_000 }, { groups: 400, of: 10_000 }, 'a'],
  [
    'the rows that it does not cover count',
    { groups: 500, of: 10_000 },
    { groups: 10, of: 10_000, days: 45 },
    'a',
  ],
  ['the first if a size is not known', { groups: 500, of: 10_000 }, undefined, 'a'],
] as readonly (readonly [string, Sized, Sized | undefined, string])[])(
  'of several rollups: %s',
  (_, one, two, name) => {
    const { coverage, rollup } = IN_USE;
    const all = [one, two].map((size, index): RollupInUse => {
      const from = coverage.until - BigInt(size?.days ?? 90) * 86_400_000_000n;
      const named = { ...rollup, name: index === 0 ? 'a' : 'b' };
      const ofTables = new Map(rollup.tables.map(({ table }) => [table, size?.groups ?? 0]));
      return {
        ...IN_USE,
        rollup: named,
        coverage: { ...coverage, from },
        size: size && { ofSource: size.of, ofTables },
      };
    });
    const found = createRouter({ zone: 'UTC' }).route('SELECT count() AS n FROM logs.edge', () => all);
    expect(found).toMatchObject({ kind: 'rollup', rollup: { name } });
  },
);

test.each([
  [
    'the ends of a range are rows of the finest width',
    "SELECT level, count() AS n FROM logs.edge WHERE project = 'p' AND at > now() - INTERVAL 7 DAY GROUP BY level",
    'minutes',
  ],
  ['all rows have no ends', 'SELECT level, count() AS n FROM logs.edge GROUP BY level', 'hours'],
  [
    'states are more work than the ends',
    "SELECT level, uniq(user) AS n FROM logs.edge WHERE project = 'p' AND at > now() - INTERVAL 7 DAY GROUP BY level",
    'hours',
  ],
])('of rollups of minutes and of hours: %s', (_, sql, name) => {
  const { rollup } = IN_USE;
  const measures = [...rollup.measures, measure('uniq', ['user'], 'String')];
  const of = (name: string, groups: readonly number[]): RollupInUse => {
    const tables = rollup.tables.slice(-groups.length);
    const ofTables = new Map(tables.map(({ table }, index) => [table, groups[index] ?? 0]));
    return {
      ...IN_USE,
      rollup: { ...rollup, name, measures, tables },
      size: { ofSource: 90_000_000, ofTables },
    };
  };
  const all = [of('hours', [90_000, 4000]), of('minutes', [9_000_000, 600_000, 30_000])];
  expect(createRouter({ zone: 'UTC' }).route(sql, () => all)).toMatchObject({
    kind: 'rollup',
    rollup: { name },
  });
});

test.each([
  'SELECT count() AS n FROM (SELECT nothing, level FROM logs.edge)',
  'SELECT count() AS n FROM (SELECT level AS l, nothing + 1 AS m FROM logs.edge)',
  'WITH a AS (SELECT level FROM logs.edge), b AS (SELECT level, bytes FROM a) SELECT count() AS n FROM b',
  'SELECT count() AS n FROM (SELECT level FROM logs.edge ORDER BY nothing)',
])('%s: the engine rejects a column that nothing reads', (sql) => {
  expect(route(sql)).toMatchObject({ kind: 'rows', reason: { text: 'is no column' } });
});

test('parentheses around a column leave the column', () => {
  expect(sqlOf('SELECT level, count() AS n FROM logs.edge GROUP BY (level)')).toMatch(/GROUP BY \(level\)$/);
});

test('dimensions and measures of which a column begins with # are not used', () => {
  expect(route('SELECT `#level` AS a, level AS b, count() AS n FROM logs.edge GROUP BY a, b')).toMatchObject({
    kind: 'rows',
  });
});

test('a dimension with the name of the time of rows is another column', () => {
  const text = sqlOf(
    "SELECT bytes > 9 AS b, toStartOfDay(at, 'UTC') AS d, count() AS n FROM logs.edge GROUP BY b, d",
  );
  expect(text).toContain('`bytes` > 9 AS `#time`');
  expect(text.match(/AS `#time`/g)).toHaveLength(4); // of rows, and of each table
});

test.each([
  [
    'a chain of names',
    (n: number) => `SELECT level AS a0, ${names(n).join(', ')}, count() AS n FROM logs.edge GROUP BY a${n}`,
  ],
  [
    'a chain of names backwards',
    (n: number) =>
      `SELECT ${names(n).toReversed().join(', ')}, level AS a0, count() AS n FROM logs.edge GROUP BY a${n}`,
  ],
  [
    'operators',
    (n: number) => `SELECT level${' + level'.repeat(n)} AS l, count() AS n FROM logs.edge GROUP BY l`,
  ],
  [
    'casts',
    (n: number) => `SELECT level${'::String'.repeat(n)} AS l, count() AS n FROM logs.edge GROUP BY l`,
  ],
  [
    'layers',
    (n: number) =>
      `SELECT count() AS n FROM ${'(SELECT * FROM '.repeat(Math.min(n, 40))}logs.edge${')'.repeat(Math.min(n, 40))}`,
  ],
])('%s of any length are read', (_, sql) => {
  expect(route(sql(10))).toMatchObject({ kind: 'rollup' });
  for (const n of [1000, 8000]) expect(() => route(sql(n))).not.toThrow();
});

test('many comparisons with the time, and many tables, are read as rows', () => {
  const bounds = Array.from({ length: 40 }, (_, n) => `at > now() - INTERVAL ${n} DAY`);
  expect(route(`SELECT count() AS n FROM logs.edge WHERE ${bounds.join(' OR ')}`)).toMatchObject({
    kind: 'rows',
  });
  const tables = Array.from({ length: 50 }, () => '(SELECT ms FROM logs.edge)');
  const last = '(SELECT count() FROM logs.edge)';
  expect(route(`SELECT * FROM ${[...tables, last].join(', ')}`)).toMatchObject({ kind: 'rows' });
});

test.each([
  ['min', 'Nullable(String)', true],
  ['min', 'LowCardinality(Nullable(Decimal(9, 2)))', true],
  ['max', 'Tuple(String, UInt8)', true],
  ['min', 'Array(Float64)', false],
  ['max', 'Tuple(a Nullable(UInt8))', false],
  ['min', 'Array(Nullable(Int8))', false],
  ['min', 'Dynamic', false],
  ['sum', 'Nullable(Float32)', false],
  ['uniq', 'Array(Nullable(Float64))', true],
])('whether %s of %s of groups is that of their rows: %s', (name, type, isExact) => {
  expect(storedAggregate(name)?.isExact([type])).toBe(isExact);
});

test('a reading of the engine with another table or function is not accepted', () => {
  const tree = (table: string, name: string): string =>
    `QUERY id: 0\n  PROJECTION\n    LIST id: 1, nodes: 1\n      FUNCTION id: 2, function_name: ${name}, function_type: ordinary\n  JOIN TREE\n    IDENTIFIER id: 3, identifier: ${table}`;
  const sql = 'SELECT sum(n) FROM r.edge_60';
  expect(isRoutedTree(tree('r.edge_60', 'sum'), sql)).toBe(true);
  expect(isRoutedTree(tree('r.other', 'sum'), sql)).toBe(false);
  expect(isRoutedTree(tree('r.edge_60', 'file'), sql)).toBe(false);
});
