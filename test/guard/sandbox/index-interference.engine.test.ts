// Skip indexes and sort keys, which the engine reads with the query's conditions before the endpoint's own: of other tenants' entries,
// nothing changes an answer. Tables of plain columns: a failure over others is retried over columns built again.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createCompile } from '../../../src/service/endpoints/compile.ts';
import { createDescribe } from '../../../src/service/endpoints/describe.ts';
import type { Engine } from '../../../src/service/engine/engine.ts';
import { createSandboxes } from '../../../src/service/request/consumer/sandboxes.ts';
import { some } from '../../support/runs.ts';
import { openTestEngine } from '../../support/test-engine.ts';
import { createRun, type Query, type Run } from './tenants.ts';
import { planWith } from '../../support/plan-with.ts';

/** Of one length, so that texts that name them are as well. */
const DATABASES = ['calm', 'rude'] as const;

interface Case {
  /** The column of the table, and what else is in its parentheses. */
  readonly column: string;
  readonly index?: string;
  readonly key?: string;
  /** The caller's rows, and those of others beside each other's rows: SQL values of the column. */
  readonly mine: readonly string[];
  readonly calm: readonly string[];
  readonly rude: readonly string[];
  /** Queries over `t (id, v)`. */
  readonly queries: readonly string[];
}

const ENLARGED = (value: string): string => {
  const more = (text: string): string => `replaceAll(${text}, '~', '${'~'.repeat(1000)}')`;
  return more(more(more(more(value))));
};
const LARGE = (matching: string): string =>
  `length(${ENLARGED(`replaceRegexpAll(v, '${matching}', '~')`)}) > 0`;
const count = (condition: string): string => `SELECT count() AS n FROM t WHERE ${condition}`;
const ids = (condition: string): string => `SELECT id FROM t WHERE ${condition} ORDER BY id`;

const SET = 'INDEX s v TYPE set(100) GRANULARITY 1';
const MINMAX = 'INDEX m v TYPE minmax GRANULARITY 1';
const BLOOM = 'INDEX b v TYPE bloom_filter GRANULARITY 1';
const MAP_KEYS = (type: string): string => `INDEX k mapKeys(v) TYPE ${type} GRANULARITY 1`;

const CASES: Readonly<Record<string, Case>> = {
  'a value that a condition makes larger than memory': {
    column: 'String',
    index: SET,
    mine: ["'info'"],
    calm: ["'warn'"],
    rude: ["'pw:Zebra'"],
    queries: [
      count(LARGE('^pw:[N-Z]')),
      count(`${LARGE('^pw:[N-Z]')} AND intDiv(1, id) >= 0`),
      count(
        `length(arrayStringConcat(arrayMap(x -> '${'~'.repeat(60_000)}', extractAll(repeat(if(v LIKE 'pw%', v, ''), 9999), 'e')))) >= 0`,
      ),
    ],
  },
  'an Enum on the right of IN': {
    column: 'String',
    index: SET,
    mine: ["'a'"],
    calm: ["'guess'"],
    rude: ["'secret'"],
    queries: [
      ids("v IN (SELECT CAST('a' AS Enum8('a' = 1, 'guess' = 2)))"),
      ids("v IN (SELECT(CAST('a' AS Enum8('a' = 1, 'guess' = 2))))"),
      ids("v NOT IN (SELECT 'guess'::Enum8('a' = 1, 'guess' = 2))"),
      ids("v IN (WITH 1 AS one SELECT CAST('a' AS Enum8('a' = 1, 'guess' = 2)))"),
    ],
  },
  'a number in a list of truths': {
    column: 'Int64',
    index: MINMAX,
    mine: ['5'],
    calm: ['7'],
    rude: ['1'],
    queries: [ids('v IN (SELECT true)')],
  },
  'a text in a list of fixed length': {
    column: 'String',
    index: 'INDEX n v TYPE ngrambf_v1(3, 256, 2, 0) GRANULARITY 1',
    mine: ["'abc'"],
    calm: ["'x'"],
    rude: ["'abc\\0\\0'"],
    queries: [ids("v IN (SELECT 'abc'::FixedString(4))"), ids("v IN (SELECT 'abc\\0'::FixedString(4))")],
  },
  'an absent key of a map, by tokens': {
    column: 'Map(String, String)',
    index: MAP_KEYS('tokenbf_v1(256, 2, 0)'),
    mine: ["{'z':'1'}"],
    calm: ["{'x':'z'}"],
    rude: ["{'secretkey':'b'}"],
    queries: [
      ids("v['secretkey'] LIKE '%'"),
      ids("v['secretkey'] NOT LIKE 'b%'"),
      ids("v['secretkey'] ILIKE '%%'"),
      ids("like(v['secretkey'], '%') AND intDiv(1, id) = 1"),
      ids("v['secretkey'] LIKE 'b%'"),
    ],
  },
  'an absent key of a map, by parts of texts': {
    column: 'Map(String, String)',
    index: MAP_KEYS('ngrambf_v1(3, 256, 2, 0)'),
    mine: ["{'z':'1'}"],
    calm: ["{'x':'z'}"],
    rude: ["{'secretkey':'b'}"],
    queries: [
      ids("match(v['secretkey'], '^.*')"),
      ids("v['secretkey'] REGEXP 'a*'"),
      ids("notLike(v['secretkey'], 'b')"),
    ],
  },
  NaN: {
    column: 'Float64',
    index: MINMAX,
    mine: ['5', 'nan'],
    calm: ['5'],
    rude: ['7'],
    queries: [
      ids('v != 5'),
      ids('v <> 5'),
      ids('v NOT IN (5)'),
      ids('v NOT BETWEEN 4 AND 6'),
      ids('v IN (nan, 6)'),
      ids('v != 5 AND intDiv(1, id) = 0'),
      ids('coalesce(v, 0) != 5'),
      ids('NOT v = 5'),
    ],
  },
  'NaN, compared as a truth': {
    column: 'Float64',
    index: MINMAX,
    mine: ['5', 'nan'],
    calm: ['6'],
    rude: ['5'],
    queries: [
      ...[
        '+0',
        '-0',
        '00',
        '0x0',
        '0b0',
        '(0)',
        'toUInt8(0)',
        'CAST(0 AS UInt8)',
        "'0'::UInt8",
        "'false'::Bool",
        "length('')",
      ].map((truth) => ids(`(v = 5) = ${truth}`)),
      ids('(0) = (v = 5)'),
      ids('5 = v = 0'),
      ids('5 = t.v = 0'),
      ids('((v = 5), 1) = (0, 1)'),
      ids('tuple(v = 5) = tuple(0)'),
      'WITH 0 AS z SELECT id FROM t WHERE (v = 5) = z ORDER BY id',
      ids('(v BETWEEN 4 AND 6) = 0'),
    ],
  },
  'NaN in a point': {
    column: 'Point',
    index: 'INDEX m v.1 TYPE minmax GRANULARITY 1',
    mine: ['(5, 1)', '(nan, 1)'],
    calm: ['(6, 1)'],
    rude: ['(5, 1)'],
    queries: [ids('v.1 != 5'), ids('v.1 NOT IN (5)'), ids('NOT (v.1 = 5)')],
  },
  'NaN of a text': {
    column: 'String',
    index: 'INDEX m toFloat64OrNull(v) TYPE minmax GRANULARITY 1',
    mine: ["'5'", "'nan'"],
    calm: ["'6'"],
    rude: ["'5'"],
    queries: [
      ids('toFloat64OrNull(v) != 5'),
      ids('toFloat64OrNull(v) NOT IN (5)'),
      ids('NOT (toFloat64OrNull(v) = 5)'),
    ],
  },
  'the text of an Enum': {
    column: "Nullable(Enum8('zz' = 1, 'mm' = 2, 'aa' = 3))",
    index: MINMAX,
    mine: ["'mm'"],
    calm: ["'mm'"],
    rude: ["'zz'", "'aa'"],
    queries: [
      ids("toString(v) = 'mm'"),
      ids("CAST(v, 'Nullable(String)') = 'mm'"),
      ids("toString(t.v) LIKE 'm%'"),
    ],
  },
  'NaN in a sort key': {
    column: 'Nullable(Float64)',
    key: 'v, id',
    mine: ['5', 'nan'],
    calm: ['5'],
    rude: ['7'],
    queries: [ids('v != 5'), ids('v NOT IN (5)'), ids('ifNull(v, 0) != 5')],
  },
  'zero without a sign': {
    column: 'Float64',
    index: BLOOM,
    mine: ['-0.0'],
    calm: ['7'],
    rude: ['0'],
    queries: [
      ids('v = 0'),
      ids('(v, 1) = (0, 1)'),
      ids('has([0], v)'),
      ids('equals(v, 0)'),
      ids('v = 1 - 1'),
    ],
  },
  'zero in an array': {
    column: 'Array(Float64)',
    index: BLOOM,
    mine: ['[-0.0]'],
    calm: ['[7]'],
    rude: ['[0]'],
    queries: [ids('has(v, 0)'), ids('hasAny(v, [0, 1])')],
  },
  'NaN as a truth': {
    column: 'Float64',
    index: MINMAX,
    mine: ['nan'],
    calm: ['0'],
    rude: ['5'],
    queries: [ids('v'), ids('v AND intDiv(1, id) >= 0'), ids('id > 0 AND (v)'), ids('coalesce(v, 0)')],
  },
  'an empty array': {
    column: 'Array(UInt8)',
    index: BLOOM,
    mine: ['[]'],
    calm: ['[7]'],
    rude: ['[0]'],
    queries: [
      ids('v IN ([])'),
      ids('v IN ([], [1])'),
      ids('v = [] OR id > 1000'),
      ids('tuple(v) IN (tuple([]))'),
    ],
  },
  'NULL in an array': {
    column: 'Array(Nullable(String))',
    key: 'v, id',
    mine: ["['a']"],
    calm: ["['a', NULL]"],
    rude: ["[NULL, 'a']"],
    queries: [ids("v = ['a']"), ids("v >= ['']"), ids("v <=> ['a']")],
  },
  'fractions of a second': {
    column: "DateTime64(3, 'UTC')",
    index: MINMAX,
    mine: ["'2024-01-01 12:00:00.900'"],
    calm: ["'2024-01-01 10:00:00'"],
    rude: ["'2024-01-01 12:00:05'"],
    queries: [
      ids("v > toDateTime('2024-01-01 12:00:00')"),
      ids("toDateTime('2024-01-01 12:00:00') < v"),
      ids("NOT v <= toDateTime('2024-01-01 12:00:01') - INTERVAL 1 SECOND"),
      ids("v > '2024-01-01 12:00:00'::DateTime"),
      ids('v > 1704110400'),
      ids("v NOT BETWEEN '2023-01-01 00:00:00' AND toDateTime('2024-01-01 12:00:00')"),
      ids("v > toDateTime('2024-01-01 12:00:00') AND intDiv(1, id) >= 0"),
    ],
  },
  'an Enum in a list of texts': {
    column: "Enum8('z' = 1, 'a' = 2, 'm' = 3)",
    index: MINMAX,
    mine: ["'z'"],
    calm: ["'m'"],
    rude: ["'a'"],
    queries: [ids("has(['z'], v)"), ids("has(['m', 'z'], v)")],
  },
  'the text of an Enum that may be NULL': {
    column: "Nullable(Enum16('a' = 2, 'z' = 1, 'm' = 300))",
    index: MINMAX,
    mine: ["'a'"],
    calm: ["'a'", "'a'"],
    rude: ["'z'", "'a'"],
    queries: [ids("toString(v) = 'a'"), ids("toString(v) LIKE 'a%'")],
  },
  'a text shorter than its column': {
    column: 'FixedString(4)',
    index: 'INDEX t v TYPE text(tokenizer = array)',
    mine: ["'ab'"],
    calm: ["'xy'"],
    rude: ["'ab'"],
    queries: [ids("v = 'ab'"), ids("(v, 1) = ('ab', 1)")],
  },
  'a constant of fixed length': {
    column: 'String',
    index: MINMAX,
    mine: ["'a'"],
    calm: ["'a'"],
    rude: ["'a\\0\\0\\0'"],
    queries: [ids("v = 'a'::FixedString(4)"), ids("v >= CAST('a' AS FixedString(4))")],
  },
  'a number other than 0 and 1 beside a Bool': {
    column: 'Nullable(Bool)',
    index: MINMAX,
    mine: ['true'],
    calm: ['true'],
    rude: ['false'],
    queries: [ids('v NOT IN (127)'), ids('v != 2')],
  },
  'NULL in a negated search': {
    column: 'Nullable(String)',
    index: 'INDEX t v TYPE text(tokenizer = splitByNonAlpha)',
    mine: ['NULL', "'b'"],
    calm: ["'hello big World'"],
    rude: ["'x'"],
    queries: [
      ids("v NOT LIKE '%big World'"),
      ids("NOT (v LIKE '%big World')"),
      ids("NOT startsWith(v, 'abc')"),
    ],
  },
  'NULL in a tuple': {
    column: 'Nullable(Int64)',
    index: SET,
    mine: ['NULL'],
    calm: ['5'],
    rude: ['NULL'],
    queries: [ids('tuple(v) IN (tuple(NULL))'), ids('has([NULL, 1], v)'), ids('NOT has([NULL, 1], v)')],
  },
  'a count of NULL in a sort key': {
    column: 'Nullable(Int64)',
    key: 'project, v',
    mine: ['1', 'NULL', 'NULL', '2', 'NULL', 'NULL', '3'],
    calm: ['5'],
    rude: ['NULL', '7'],
    queries: [count('v != 5'), count('v NOT IN (2)')],
  },
  'characters of several bytes before a repetition': {
    column: 'String',
    index: MINMAX,
    mine: ["'az'"],
    calm: ["'ay'"],
    rude: ["'b'"],
    queries: [
      ids("match(v, '^aé*')"),
      ids("v REGEXP '^aé?z'"),
      ids("match(v, '^aé{0,1}z') AND intDiv(1, id) = 1"),
    ],
  },
  'hours of a time that wraps': {
    column: "DateTime64(3, 'UTC')",
    index: MINMAX,
    mine: ["'2024-01-01 15:00:00'"],
    calm: ["'2024-01-01 10:00:00'", "'2024-01-01 12:00:00'"],
    rude: ["'2024-01-01 10:00:00'", "toDateTime64('2024-01-01 12:00:00', 3, 'UTC') + toIntervalDay(65536)"],
    queries: [ids('toHour(v) = 15'), ids("toHour(v, 'UTC') = 15 AND intDiv(1, id) = 1")],
  },
  'minutes of a time before 1970': {
    column: "DateTime64(3, 'UTC')",
    index: MINMAX,
    mine: ["'1970-01-01 00:30:00'"],
    calm: ["'1970-01-01 00:10:00'", "'1970-01-01 00:40:00'"],
    rude: ["'1969-12-31 23:59:59.999'", "'1970-01-01 00:40:00'"],
    queries: [ids('toMinute(v) = 30'), ids('toSecond(v) = 0'), ids('toDayOfWeek(v) = 4')],
  },
  'the text of a time when clocks go back': {
    column: "DateTime('America/New_York')",
    index: MINMAX,
    mine: ['1730613300'],
    calm: ['1730613300'],
    rude: ['1730613700'],
    queries: [
      ids("toString(v) = '2024-11-03 01:55:00'"),
      ids("v::String >= '2024-11-03 01:50:00'"),
      ids("CAST(v AS String) >= '2024-11-03 01:50:00'"),
    ],
  },
  'the text of a large number': {
    column: 'UInt64',
    index: MINMAX,
    mine: ['1000000000000000001'],
    calm: ['1000000000000000003'],
    rude: ['999999999999999999'],
    queries: [
      ids("toString(v) = '1000000000000000001'"),
      ids("toString(v) LIKE '1%'"),
      ids("accurateCastOrNull(v, 'String') = '1000000000000000001'"),
    ],
  },
};

const NAMES = Object.keys(CASES);
let engine: Engine;
let run: Run;
const endpoints = new Map<string, Parameters<Run>[0]>();

beforeAll(async () => {
  engine = await openTestEngine(2);
  const described = createDescribe(engine);
  run = createRun(
    engine,
    planWith({ sandboxes: createSandboxes(engine, described), describe: described }),
    'service',
  );
  const compile = createCompile({ piiHashKey: undefined });
  for (const [at, database] of DATABASES.entries()) {
    await engine.execute(`CREATE DATABASE ${database}`);
    for (const [index, { column, index: skip, key = 'id', mine, ...others }] of Object.values(
      CASES,
    ).entries()) {
      const table = `${database}.t${index}`;
      await engine.execute(
        `CREATE TABLE ${table} (project String, id UInt32, v ${column}${skip === undefined ? '' : `, ${skip}`}) ENGINE = MergeTree ORDER BY (${key}) SETTINGS allow_nullable_key = 1`,
      );
      const values = [
        ...mine.map((value, id) => `('mine', ${id + 1}, ${value})`),
        ...others[database].map((value, id) => `('other', ${id + 50}, ${value})`),
      ];
      await engine.execute(`INSERT INTO ${table} VALUES ${values.join(', ')}`);
      const id = `00000000-0000-4000-8000-${String(at * 100 + index).padStart(12, '0')}`;
      const { candidate, diagnostics } = compile(
        'e.yaml',
        `id: ${id}\nname: t${index}.${database}\nquery: WITH t AS (SELECT id, v FROM ${table} WHERE project = @project) SELECT * FROM t\nparameters: { project: { type: String, required: true } }\nlimits: { memory: 256MiB }\nsandbox: { enabled: true }\n`,
      );
      if (candidate === undefined) throw new Error(JSON.stringify(diagnostics));
      endpoints.set(`${database} ${index}`, candidate.endpoint);
    }
  }
});
afterAll(() => engine.close(0));

const queryOf = (text: string): Query => ({ language: 'sql', dialect: 'clickhouse', text });

describe.each(NAMES)('%s', (name) => {
  test.each(some(CASES[name]?.queries ?? [], 2).map((sql) => [sql.slice(0, 120), sql] as const))(
    '%s',
    async (_, sql) => {
      const seen = [];
      for (const database of DATABASES) {
        const endpoint = endpoints.get(`${database} ${NAMES.indexOf(name)}`);
        if (endpoint !== undefined) seen.push(await run(endpoint, queryOf(sql)));
      }
      const [calm, rude] = seen;
      expect(rude).toEqual(calm);
      expect(calm?.status).toBe(200);
    },
  );
});
