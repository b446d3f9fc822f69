// The log views of an endpoint, declared or inferred, the fields of tables, severities and buckets.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fieldOf, fieldsOf } from '../../explorer/src/logs/fields.ts';
import { bucketsOf, readHistogram, withRows } from '../../explorer/src/logs/histogram.ts';
import { unseen } from '../../explorer/src/logs/older-rows.ts';
import { basisOf, rowsOf, type LogQuestion } from '../../explorer/src/logs/questions.ts';
import { severityOf } from '../../explorer/src/logs/severity.ts';
import { isoOf, microsOf } from '../../explorer/src/logs/sql.ts';
import { logViewsOf } from '../../explorer/src/logs/view.ts';
import type { Column, Endpoint, Sandbox, Table } from '../../explorer/src/service/listing.ts';

const table = (name: string, columns: Readonly<Record<string, string>>): Table => ({
  name,
  columns: Object.entries(columns).map(([column, type]): Column => ({ name: column, type })),
});

const JSON_TYPE =
  "JSON(max_dynamic_paths=8, level LowCardinality(String), request.method Enum8('GET' = 1, 'a, b' = 2), response.status UInt16, `a b`.c LowCardinality(Nullable(String)), SKIP secret)";

const SANDBOX: Sandbox = {
  languages: ['sql', 'lql'],
  dialects: ['clickhouse'],
  default_table: 'edge',
  functions: {},
  tables: [
    table('users', { id: 'UInt64', name: 'String' }),
    table('audit', { at: 'DateTime', body: 'String', who: 'LowCardinality(String)' }),
    table('edge', {
      id: 'String',
      seen: 'Date',
      timestamp: "DateTime64(6, 'UTC')",
      message: 'String',
      metadata: JSON_TYPE,
    }),
  ],
};

function endpointOf(more: Partial<Endpoint> = {}, sandbox: Partial<Sandbox> = {}): Endpoint {
  return {
    id: 'i',
    name: 'n',
    version: null,
    versions: [],
    deprecated: null,
    description: '',
    revision: '',
    parameters: [],
    tenant: null,
    columns: null,
    max_rows: 1000,
    cache: null,
    warming: null,
    pii: { redact: false },
    limits: { time: 1, rate: null, budget: {} },
    examples: [],
    sandbox: { enabled: true, ...SANDBOX, ...sandbox },
    ...more,
  };
}

const DECLARED = {
  table: 'edge',
  time: 'timestamp',
  message: null,
  level: 'metadata.level',
  columns: ['metadata.response.status', 'gone'],
  facets: ['id'],
  from: 'a',
  to: null,
};

function question(more: Partial<LogQuestion> = {}): LogQuestion {
  const endpoint = endpointOf({
    view: { logs: [DECLARED] },
    parameters: [{ name: 'a', type: 'DateTime', required: false }],
  });
  const [view] = logViewsOf(endpoint);
  if (view === undefined) throw new Error('it is declared');
  const bounds = { from: Date.UTC(2024, 0, 1, 0, 0, 0, 500), to: Date.UTC(2024, 0, 2) };
  return { endpoint, view, parameters: { a: 'other', p: 'x' }, lql: 'error  s:id', bounds, ...more };
}

describe('log views', () => {
  test('are inferred from the columns of tables with a time, the default table first', () => {
    expect(logViewsOf(endpointOf())).toEqual([
      {
        table: 'edge',
        time: 'timestamp',
        message: 'message',
        level: 'metadata.level',
        columns: [],
        facets: ['metadata.level', 'metadata.request.method', 'metadata.a b.c'],
        from: undefined,
        to: undefined,
        isDeclared: false,
      },
      {
        table: 'audit',
        time: 'at',
        message: 'body',
        level: undefined,
        columns: [],
        facets: ['who'],
        from: undefined,
        to: undefined,
        isDeclared: false,
      },
    ]);
  });

  test('are those that the file declares, without fields that the key cannot read', () => {
    const view = { logs: [DECLARED, { ...DECLARED, table: 'hidden' }, { ...DECLARED, time: 'no' }] };
    expect(logViewsOf(endpointOf({ view }))).toEqual([
      {
        ...DECLARED,
        message: undefined,
        columns: ['metadata.response.status'],
        to: undefined,
        isDeclared: true,
      },
    ]);
  });

  test('need LQL, and SQL for a time that is not called timestamp', () => {
    const tablesOf = (sandbox: Partial<Sandbox>) =>
      logViewsOf(endpointOf({}, sandbox)).map((view) => view.table);
    expect(tablesOf({ languages: ['sql'] })).toEqual([]);
    expect(tablesOf({ languages: ['lql'] })).toEqual(['edge']);
    expect(tablesOf({ tables: null })).toEqual([]);
    expect(logViewsOf({ ...endpointOf(), sandbox: { enabled: false } })).toEqual([]);
  });
});

describe('fields', () => {
  const odd = table('t', {
    tags: 'Array(LowCardinality(String))',
    attributes: 'Map(LowCardinality(String), Nullable(String))',
    pair: 'Tuple(a String, `b c` Nullable(Decimal(9, 2)))',
    point: 'Tuple(Float64, Bool)',
    events: 'Array(Tuple(name String, at DateTime))',
    'spans.name': 'Array(String)',
    metadata: JSON_TYPE,
  });

  test.each([
    ['tags', 'array'],
    ['attributes.http.method', 'string'],
    ['pair.a', 'string'],
    ['pair.b c', 'number'],
    ['point.2', 'boolean'],
    ['events.at', 'array'],
    ['spans.name', 'array'],
    ['metadata', 'nested'],
    ['metadata.response.status', 'number'],
    ['metadata.any.other', 'dynamic'],
    ['metadata.a b.c', 'string'],
  ])('%s is %s', (path, kind) => expect(fieldOf(odd, path)?.kind).toBe(kind));

  test.each(['none', 'tags.x', 'pair.c', 'tagsx'])('there is no %s', (path) =>
    expect(fieldOf(odd, path)).toBeUndefined(),
  );

  test('are listed with typed paths and elements', () => {
    const paths = fieldsOf(odd).map(({ path }) => path);
    expect(paths).toEqual(expect.arrayContaining(['pair.a', 'point.1', 'metadata.request.method']));
    expect(paths).not.toContain('metadata.secret');
  });

  test('a type that is cut off does no harm', () => {
    fc.assert(
      fc.property(fc.nat(JSON_TYPE.length), (end) => {
        expect(fieldsOf(table('t', { a: JSON_TYPE.slice(0, end) })).length).toBeGreaterThan(0);
      }),
    );
  });
});

test.each([
  ['ERROR', 'error'],
  ['error3', 'error'],
  ['Critical', 'error'],
  [503, 'error'],
  ['503', 'error'],
  [17, 'error'],
  ['warn', 'warning'],
  [404, 'warning'],
  ['NOTICE', 'info'],
  [200, 'info'],
  [9, 'info'],
  ['LOG', 'info'],
  ['trace', 'debug'],
  [20, 'debug'],
  ['', 'other'],
  ['errors found', 'other'],
  [null, 'other'],
  [undefined, 'other'],
  [600, 'other'],
] as const)('the severity of %j is %s', (level, severity) => {
  expect(severityOf(level)).toBe(severity);
});

describe('buckets', () => {
  test('are at most 60, of a usual width, and cover the bounds', () => {
    const time = fc.integer({ min: -(10 ** 13), max: 10 ** 13 });
    fc.assert(
      fc.property(
        time,
        fc.integer({ min: 0, max: 4 * 10 ** 12 }),
        fc.integer({ min: 1, max: 60 }),
        (from, span, most) => {
          const { start, width, count } = bucketsOf({ from, to: from + span }, most);
          expect(count).toBeLessThanOrEqual(Math.max(2, most));
          expect(start).toBeLessThanOrEqual(from);
          expect(start + width * count).toBeGreaterThanOrEqual(from + span);
        },
      ),
      { seed: 1 },
    );
  });

  test.each([
    [15 * 60_000, 15_000],
    [3_600_000, 60_000],
    [24 * 3_600_000, 30 * 60_000],
    [7 * 24 * 3_600_000, 3 * 3_600_000],
  ])('of %i ms are %i ms', (span, width) => {
    expect(bucketsOf({ from: 0, to: span })).toMatchObject({ width, count: span / width });
  });

  test('count new rows, and move to the newest of them', () => {
    const view = {
      buckets: readHistogram({ start: 60_000, width: 1000, count: 3 }, [{ bucket: 0, rows: 2, error: 1 }]),
      width: 1000,
      hasSeverities: true,
    };
    const row = (second: number, level: string | null) => ({
      timestamp: isoOf(BigInt(second) * 1_000_000n),
      metadata: { level },
    });
    const counted = withRows(view, [row(62, 'error'), row(60, 'warn'), row(59, 'error')], question());
    expect(counted.buckets.map(({ start, counts }) => [start, counts])).toEqual([
      [60_000, { error: 1, warning: 1, info: 0, debug: 0, other: 1 }],
      [61_000, { error: 0, warning: 0, info: 0, debug: 0, other: 0 }],
      [62_000, { error: 1, warning: 0, info: 0, debug: 0, other: 0 }],
    ]);
    const moved = withRows(counted, [row(64, null), row(63, 'info'), row(61, 'info')], question());
    expect(moved.buckets.map(({ start, rows }) => [start, rows])).toEqual([
      [62_000, 1],
      [63_000, 1],
      [64_000, 1],
    ]);
    expect(moved.buckets.at(-1)?.counts.other).toBe(1);
    const later = withRows({ ...moved, hasSeverities: false }, [row(3600, 'error')], question());
    expect(later.buckets.map(({ start, counts }) => [start, counts.other])).toEqual([
      [3_598_000, 0],
      [3_599_000, 0],
      [3_600_000, 1],
    ]);
  });

  test('without rows are there, and integers may be strings', () => {
    const rows = [{ bucket: '1', rows: '5', error: '2', warning: '0', info: '1', debug: '0' }];
    const [first, second, third] = readHistogram({ start: 1000, width: 10, count: 3 }, rows);
    expect([first?.rows, third?.rows]).toEqual([0, 0]);
    expect(second).toEqual({
      start: 1010,
      rows: 5,
      counts: { error: 2, warning: 0, info: 1, debug: 0, other: 2 },
    });
  });
});

describe('calls', () => {
  test('have the bounds in parameters, and in LQL where there is none', () => {
    expect(rowsOf(question())).toEqual({
      endpoint: 'n',
      parameters: { a: '2024-01-01T00:00:00Z', p: 'x' },
      own: { language: 'lql', text: 'f:edge error t:<2024-01-02T00:00:00.000000Z' },
    });
  });

  test('ask for older rows up to the microsecond of the last one, whose later digits LQL does not compare', () => {
    const before = '2024-01-01T00:00:07.123456789Z';
    const textOf = (page: Parameters<typeof rowsOf>[1]) => rowsOf(question(), page).own?.text;
    expect(textOf({ before })).toMatch(/ t:<2024-01-01T00:00:07\.123457Z$/);
    expect(textOf({ before, isStrict: true })).toMatch(/ t:<2024-01-01T00:00:07\.123456Z$/);
  });

  test('explain the fields under names that the table does not have', () => {
    const { ask, expressions } = basisOf(question({ lql: '' }));
    expect(ask.own?.text).toBe('f:edge t:<2024-01-02T00:00:00.000000Z s:timestamp@x0 s:m.level@x1 s:id@x2');
    expect([...expressions]).toEqual([
      ['timestamp', '`x0`'],
      ['metadata.level', '`x1`'],
      ['id', '`x2`'],
    ]);
  });
});

test('rows that are known are left out, as often as they are known', () => {
  const row = (t: string, n: number) => ({ t, n });
  const known = [row('b', 1), row('b', 1), row('a', 2)];
  const answer = [row('c', 1), row('b', 1), row('b', 1), row('b', 1), row('b', 2)];
  expect(unseen(known, answer, 't')).toEqual([row('c', 1), row('b', 1), row('b', 2)]);
  expect(unseen([], answer, 't')).toEqual(answer);
});

test('times keep their microseconds', () => {
  for (const text of ['2024-05-01T00:00:00.000001Z', '1969-12-31T23:59:59.999999Z'])
    expect(isoOf(microsOf(text) ?? 0n)).toBe(text);
  expect(microsOf('2024-05-01T00:00:00Z')).toBe(1_714_521_600_000_000n);
  expect(microsOf('yesterday')).toBeUndefined();
});
