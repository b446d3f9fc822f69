// Explorer logic that needs no browser: URLs, visible rows, locations, digits.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fromPicker, isPickable, timeTypeOf, toPicker } from '../../explorer/src/form/time.ts';
import { layOut } from '../../explorer/src/query/layout.ts';
import { errorRanges } from '../../explorer/src/query/error-ranges.ts';
import { HIDDEN } from '../../src/sql/lql/source.ts';
import { tablesRead } from '../../explorer/src/query/vocabulary.ts';
import { WHITE_SPACE } from '../../explorer/src/query/white-space.ts';
import { isWhite } from '../../src/sql/lql/source.ts';
import { isSpaceUnit } from '../../src/sql/clickhouse/white-space.ts';
import { moved } from '../../explorer/src/result/cell-keys.ts';
import { sortRows } from '../../explorer/src/result/columns.ts';
import { topOf, visibleRows } from '../../explorer/src/result/window.ts';
import { cacheFact } from '../../explorer/src/frame/cache-fact.ts';
import { readAnswer } from '../../explorer/src/service/answer.ts';
import { createRowReader, readBody, type Body } from '../../explorer/src/service/body.ts';
import { DIALECT_NAMES } from '../../explorer/src/service/dialects.ts';
import { parseJson, preview, printJson, type Row } from '../../explorer/src/service/json.ts';
import { sentence } from '../../explorer/src/service/problem.ts';
import { readAddress, writeAddress, type Address } from '../../explorer/src/state/address.ts';

test('the page has a name for every dialect of endpoint files', () => {
  const schema = readFileSync(join(import.meta.dirname, '../../schemas/endpoint.schema.json'), 'utf8');
  const [, list = ''] = /"dialects":[^}]*"items": \{ "enum": \[([^\]]*)\]/.exec(schema) ?? [];
  expect(Object.keys(DIALECT_NAMES)).toEqual(JSON.parse(`[${list}]`));
});

describe('an address', () => {
  const name = fc.stringMatching(/^[a-z][a-z0-9_]{0,8}$/);
  const text = fc.string({ unit: 'grapheme', maxLength: 30 });
  const addresses: fc.Arbitrary<Address> = fc.record({
    endpoint: name,
    parameters: fc
      .dictionary(
        name,
        text.filter((value) => value !== ''),
      )
      .map((each) => ({ ...each })),
    query: fc.constantFrom('saved', 'sql', 'lql'),
    dialect: fc.constantFrom(undefined, 'clickhouse', 'bigquery'),
    texts: fc.record({ sql: text, lql: text }),
    view: fc.constantFrom(undefined, 'table', 'chart', 'json', 'code'),
    sort: fc.option(fc.record({ column: name, isDescending: fc.boolean() }), { nil: undefined }),
    chart: fc.constantFrom(undefined, { time: 'hour', series: '', value: 'a b' }, { series: ':time' }),
    code: fc.constantFrom(undefined, 'python'),
  });

  test('reads back as it was written, but for what is not shown', () => {
    fc.assert(
      fc.property(addresses, (address) => {
        const { query, dialect, texts, view, code } = address;
        const shown = {
          ...address,
          texts: { sql: query === 'sql' ? texts.sql : '', lql: query === 'lql' ? texts.lql : '' },
          dialect: query === 'sql' ? dialect : undefined,
          code: view === 'code' ? code : undefined,
        };
        expect(readAddress(writeAddress(address))).toEqual(shown);
      }),
      { seed: 1 },
    );
  });

  test.each(['', '#', '#/', '#/%', '#/a?%%%&:view=nothing&:sort=&:query=x'])(
    'is read from whatever is there: %s',
    (fragment) => {
      expect(readAddress(fragment)).toMatchObject({ query: 'saved', view: undefined, sort: undefined });
    },
  );
});

describe('JSON', () => {
  test('is printed as it was read', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom('', '  '), (value, indent) => {
        const text = JSON.stringify(value);
        expect(JSON.parse(printJson(parseJson(text), indent))).toEqual(JSON.parse(text));
      }),
      { seed: 1 },
    );
  });

  test('has whole numbers beyond a double with all their digits', () => {
    expect(printJson({ n: 18_446_744_073_709_551_615n, l: [], o: {} }, '  ')).toBe(
      '{\n  "n": 18446744073709551615,\n  "l": [],\n  "o": {}\n}',
    );
  });

  test.each([
    { why: 'beyond 64 bits', source: '340282366920938463463374607431768211455' },
    { why: 'next to the largest safe integer', source: '-9007199254740993' },
    { why: 'Decimal(18, 4)', source: '12345678901234.5678' },
    { why: 'a long fraction', source: '0.12345678901234567891' },
    { why: 'an exponent beyond a double', source: '1e400' },
  ])('has numbers as they were sent: $why', ({ source }) => {
    const text = `{"n":${source},"l":[${source}, 1.5, -0, 2e3],"${source}":"${source}"}`;
    expect(printJson(parseJson(text))).toBe(text.replace('-0, 2e3', '0,2000').replaceAll(', ', ','));
    expect(preview(parseJson(source), 80)).toBe(source);
  });

  test('keeps strings that look like the marks of numbers, and rejects what is no number', () => {
    const marks = ['\ue0f7123', '\ue0f7', '\ue0f7\ue0f71'];
    const value = { '\ue0f7key': 1, marks };
    const text = JSON.stringify({ ...value, n: 1 }).replace('"n":1', '"n":12345678901234567');
    expect(parseJson(text)).toEqual({ ...value, n: 12_345_678_901_234_567n });
    expect(parseJson(text.replaceAll('\ue0f7', String.raw`\ue0f7`))).toEqual({
      ...value,
      n: 12_345_678_901_234_567n,
    });
    expect(() => parseJson('[1234567890.1234567.8]')).toThrow(SyntaxError);
  });

  test('is the same from any parser, with long numbers in it', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = `{"value":${JSON.stringify(value)},"n":0.12345678901234567891}`;
        expect(JSON.parse(printJson(parseJson(text)))).toEqual(JSON.parse(text));
      }),
      { seed: 1 },
    );
  });

  test('is previewed to a length, however wide and deep it is', () => {
    const wide = Object.fromEntries(
      Array.from({ length: 10_000 }, (_, i) => [`key${i}`, { value: 'x'.repeat(100) }]),
    );
    expect(preview(wide, 50).length).toBeLessThan(120);
    expect(preview({ a: [1, null], b: { c: 'd' } }, 50)).toBe('{a: [1, null], b: {c: d}}');
  });
});

describe('a window of rows', () => {
  const heights = { row: 30, detail: 300 };

  test('covers what is in sight, wherever it is scrolled to and whatever is unfolded', () => {
    const unfolded = fc
      .uniqueArray(fc.nat(999), { maxLength: 20 })
      .map((rows) => rows.toSorted((a, b) => a - b));
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1000 }), fc.nat(40_000), unfolded, (count, top, rows) => {
        const open = rows.filter((row) => row < count);
        const { first, end, offset, total } = visibleRows(count, { top, height: 500 }, (row) =>
          topOf(row, open, heights),
        );
        expect(offset).toBe(topOf(first, open, heights));
        expect(total).toBe(count * 30 + open.length * 300);
        expect(end - first).toBeLessThan(60);
        if (top < total) {
          expect(offset).toBeLessThanOrEqual(top);
          expect(topOf(end, open, heights)).toBeGreaterThanOrEqual(Math.min(top + 500, total));
        }
      }),
      { seed: 1 },
    );
  });

  test.each([
    { key: 'ArrowDown', from: [0, 0], to: [1, 0] },
    { key: 'ArrowUp', from: [0, 1], to: [0, 1] },
    { key: 'End', from: [0, 1], to: [9, 1] },
    { key: 'PageDown', from: [5, 0], to: [9, 0] },
    { key: 'ArrowRight', from: [0, 1], to: [0, 1] },
    { key: 'x', from: [0, 0], to: undefined },
  ])('$key leads from $from to $to', ({ key, from: [row = 0, column = 0], to }) => {
    const next = moved({ row, column }, key, { rows: 10, columns: 2 });
    expect(next && [next.row, next.column]).toEqual(to);
  });

  test('is sorted with NaN after numbers, nothing last, and equal rows as they came', () => {
    const rows = [
      { n: 10, i: 0 },
      { n: null, i: 1 },
      { n: 9, i: 2 },
      { n: 'nan', i: 4 },
      { n: 10, i: 3 },
    ];
    const order = (isDescending: boolean) => sortRows(rows, { column: 'n', isDescending }).map(({ i }) => i);
    expect(order(false)).toEqual([2, 0, 3, 4, 1]);
    expect(order(true)).toEqual([0, 3, 2, 4, 1]);
  });
});

describe('a phrase of the service', () => {
  test.each([
    { phrase: 'this parenthesis is never closed', expected: 'This parenthesis is never closed.' },
    {
      phrase: 'logs.all does not accept consumer queries',
      expected: 'logs.all does not accept consumer queries.',
    },
    { phrase: 'limit must be at most 10', expected: 'limit must be at most 10.' },
    { phrase: 'Unknown table "x"', expected: 'Unknown table "x".' },
    { phrase: 'write ~a|b; or not', expected: 'Write ~a|b; or not.' },
    { phrase: 'the_name is reserved', expected: 'the_name is reserved.' },
  ])('$phrase', ({ phrase, expected }) => {
    expect(sentence(phrase)).toBe(expected);
  });
});

describe('a query', () => {
  test.each([
    { why: 'a word', text: 'a\nSELECT nope', place: { line: 2, column: 8 }, expected: 'nope' },
    { why: 'a word behind CRLF', text: 'a\r\nb nope.x c', place: { line: 2, column: 3 }, expected: 'nope.x' },
    {
      why: 'the end, by what stands before it',
      text: 'SELECT',
      place: { line: 1, column: 7 },
      expected: 'T',
    },
    { why: 'a line that is not there', text: 'one', place: { line: 9, column: 1 }, expected: 'one' },
  ])('is marked at $why', ({ text, place, expected }) => {
    const [mark] = errorRanges(text, [{ ...place, message: 'm' }]);
    expect(text.slice(mark?.from, mark?.to)).toBe(expected);
  });

  test('is marked inside itself, whatever is told', () => {
    fc.assert(
      fc.property(fc.string(), fc.integer(), fc.integer(), (text, line, column) => {
        for (const { from, to } of errorRanges(text, [{ line, column, message: '' }])) {
          expect(from).toBeGreaterThanOrEqual(0);
          expect(to).toBeLessThanOrEqual(text.length);
          expect(from).toBeLessThanOrEqual(to);
        }
      }),
      { seed: 1 },
    );
  });

  test('white space and hidden characters are those of the service', () => {
    const codes = Array.from({ length: 0x10000 }, (_, code) => String.fromCharCode(code));
    const space = new RegExp(`^[${WHITE_SPACE}]$`);
    expect(codes.filter((each) => space.test(each))).toEqual(
      codes.filter((each) => isSpaceUnit(each.charCodeAt(0))),
    );
    const hidden = new RegExp(`^[${HIDDEN}]$`);
    expect(codes.filter((each) => hidden.test(each))).toEqual(codes.filter(isWhite));
  });

  test('reads tables by the names that it gives them', () => {
    const tables = ['edge_logs', 'auth_logs'].map((name) => ({ name, columns: [] }));
    const sandbox = {
      languages: ['sql'],
      dialects: ['clickhouse'],
      default_table: 'edge_logs',
      tables,
      functions: {},
    } as const;
    const read = (text: string) =>
      [...tablesRead(text, sandbox)].map(([alias, { name }]) => `${alias}=${name}`);
    expect(read('SELECT 1')).toEqual(['edge_logs=edge_logs']);
    expect(read('SELECT * FROM\u200bauth_logs\u2060AS\u00a0a')).toEqual(['a=auth_logs']);
    expect(read('SELECT * FROM edge_logs AS e JOIN auth_logs a ON 1')).toEqual([
      'e=edge_logs',
      'a=auth_logs',
    ]);
    expect(read('select 1 from auth_logs where x')).toEqual(['auth_logs=auth_logs']);
  });

  test('is laid out by its outermost clauses', () => {
    const sql = "SELECT `a`, '(FROM' FROM (SELECT 1 FROM t) WHERE `a` = 1 AND b LIMIT 1";
    expect(layOut(sql)).toBe("SELECT a, '(FROM'\nFROM (SELECT 1 FROM t)\nWHERE a = 1\n  AND b\nLIMIT 1");
  });
});

describe('a moment', () => {
  test.each([
    { value: '2024-01-01T00:00:00Z', picked: '2024-01-01T00:00:00', sent: '2024-01-01T00:00:00Z' },
    { value: '2024-01-01 10:30', picked: '2024-01-01T10:30:00', sent: '2024-01-01T10:30:00Z' },
    { value: '2024-01-01', picked: '2024-01-01T00:00:00', sent: '2024-01-01T00:00:00Z' },
    { value: '', picked: '', sent: '' },
  ])('$value is picked as $picked', ({ value, picked, sent }) => {
    expect(isPickable(value, { isDay: false, zone: undefined })).toBe(true);
    expect(toPicker(value, false)).toBe(picked);
    expect(fromPicker(picked, false)).toBe(sent);
  });

  test.each(['2024-01-01T00:00:00+02:00', '2024-01-01T00:00:00.123456Z', 'yesterday'])(
    '%s is left to be typed',
    (value) => {
      expect(isPickable(value, { isDay: false, zone: undefined })).toBe(false);
    },
  );

  test.each([
    { type: 'DateTime', time: { isDay: false, zone: undefined }, local: true },
    { type: "DateTime('UTC')", time: { isDay: false, zone: undefined }, local: true },
    { type: "DateTime('Asia/Kolkata')", time: { isDay: false, zone: 'Asia/Kolkata' }, local: false },
    { type: "DateTime64(3, 'Asia/Kolkata')", time: { isDay: false, zone: 'Asia/Kolkata' }, local: false },
    { type: "Nullable(DateTime64(6, 'UTC'))", time: { isDay: false, zone: undefined }, local: true },
    { type: 'Date32', time: { isDay: true, zone: undefined }, local: false },
    { type: 'Array(DateTime)', time: undefined, local: false },
    { type: 'String', time: undefined, local: false },
  ])('$type: without an offset it is picked only if it is of UTC', ({ type, time, local }) => {
    expect(timeTypeOf(type)).toEqual(time);
    if (time === undefined) return;
    expect(isPickable('2024-01-01 10:30', time)).toBe(local);
    expect(isPickable('2024-01-01T10:30:00Z', time)).toBe(!time.isDay);
  });
});

test.each([
  [null, 'not cached'],
  [{ ttl: 90 }, 'cached for 90 s'],
  [
    { ttl: 86_400, until: 'data', check: 2 },
    'cached until the data changes (checked every 2 s), at most 1440 min',
  ],
] as const)('how responses are cached: %j', (cache, fact) => {
  expect(cacheFact(cache)).toBe(fact);
});

describe('a response', () => {
  const read = (...parts: readonly string[]): Promise<Body> => readBody(new Response(new Blob([...parts])));

  test('has its metadata apart from the rest of its body', async () => {
    const columns = [{ name: 'a,"meta":', type: 'UInt8' }];
    const statistics = { rows_read: 7, bytes_read: null };
    const meta = JSON.stringify({ columns, statistics });
    const text = `{"result":[{"a,\\"meta\\":":1}],"next":"x","meta":${meta}}`;
    const body = await read(text);
    const answer = readAnswer(new Headers(), body, 1);
    expect(answer).toMatchObject({
      rows: [{ 'a,"meta":': 1 }],
      rest: { next: 'x' },
      columns,
      read: undefined,
    });
    expect([answer.next, answer.size]).toEqual(['x', text.length]);
  });

  const json = fc.jsonValue({ maxDepth: 3 });
  test('is read in parts, wherever they end', () => {
    fc.assert(
      fc.property(
        fc.array(fc.dictionary(fc.string(), json), { maxLength: 5 }),
        fc.dictionary(
          fc.stringMatching(/^[a-z]+$/).filter((name) => name !== 'result'),
          json,
        ),
        fc.array(fc.nat(12), { minLength: 1 }),
        (rows, envelope, sizes) => {
          const text = JSON.stringify({ result: rows, ...envelope });
          const found: Row[] = [];
          const reader = createRowReader((row) => found.push(row));
          for (let at = 0, i = 0; at < text.length; i++) {
            const end = at + 1 + (sizes[i % sizes.length] ?? 0);
            reader.take(text.slice(at, end));
            at = end;
          }
          expect(printJson([reader.end(), found])).toBe(
            printJson(parseJson(JSON.stringify([envelope, rows]))),
          );
        },
      ),
    );
  });

  test.each(['', '{"result":[', '{"result":[{"a":1}', '{"result":[{"a":1}],"next":', '{"result":[{"a":1'])(
    'that is cut off is no response: %s',
    (text) => expect(read(text)).rejects.toThrow(SyntaxError),
  );

  test('has rows also if it is written otherwise', async () =>
    expect(await read('{ "result": [{"a": 1}] }')).toMatchObject({ rows: [{ a: 1 }], envelope: {} }));
});

test.each([
  { field: null, kind: { kind: 'none' } },
  { field: 'millrace; hit; ttl=890', kind: { kind: 'hit', age: 10, ttl: 890 } },
  {
    field: 'millrace; hit; ttl=1; detail=unchanged',
    kind: { kind: 'hit', age: 10, ttl: 1, isUnchanged: true },
  },
  { field: 'millrace; hit; ttl=-1; detail=changed', kind: { kind: 'hit', age: 10, ttl: -1 } },
  { field: 'millrace; fwd=uri-miss; stored; ttl=900', kind: { kind: 'stored', ttl: 900 } },
  { field: 'millrace; fwd=uri-miss; collapsed; ttl=900', kind: { kind: 'shared', ttl: 900 } },
  { field: 'millrace; hit; ttl=-5', kind: { kind: 'hit', age: 10, ttl: -5 } },
])('Cache-Status $field is understood', ({ field, kind }) => {
  const headers = new Headers({ Age: '10', 'Server-Timing': 'auth;dur=0.02, engine;dur=3' });
  if (field !== null) headers.set('Cache-Status', field);
  const { cache, stages } = readAnswer(headers, { rows: [], envelope: {}, size: 0 }, 1);
  expect(cache).toEqual(kind);
  expect(stages).toEqual([
    { name: 'auth', ms: 0.02 },
    { name: 'engine', ms: 3 },
  ]);
});
