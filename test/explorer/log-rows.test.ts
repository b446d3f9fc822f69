// Rows of the log view without a browser: keys, messages, marks, filters by severity, ticks and axes of charts.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { partOf, readChart } from '../../explorer/src/chart/series.ts';
import { sidesOf } from '../../explorer/src/chart/sides.ts';
import { ticksOf, timeTicks } from '../../explorer/src/chart/ticks.ts';
import { partsOf } from '../../src/sql/lql/parse.ts';
import { matchesOf } from '../../explorer/src/logs/matches.ts';
import { messageOf } from '../../explorer/src/logs/message.ts';
import { findRow, hashOf, keyOf, timeOfKey } from '../../explorer/src/logs/row-key.ts';
import { measuredTops } from '../../explorer/src/logs/row-tops.ts';
import { severitiesOf, withSeverities } from '../../explorer/src/logs/severity-filter.ts';
import { SEVERITIES, severityOf } from '../../explorer/src/logs/severity.ts';
import { timeText } from '../../explorer/src/logs/times.ts';
import { isTraceId } from '../../explorer/src/logs/trace.ts';
import { placesOf } from '../../explorer/src/parts/places.ts';
import type { Json, Row } from '../../explorer/src/service/json.ts';

describe('the key of a row', () => {
  const at = '2024-05-01T00:00:00.000001Z';

  test('is the same for equal rows, whatever the order of their fields', () => {
    const one = { t: at, m: { a: 1, b: [null, 'x'] } };
    expect(hashOf({ m: { b: [null, 'x'], a: 1 }, t: at })).toBe(hashOf(one));
    expect(timeOfKey(keyOf(one, 't'))).toBe(at);
    expect(findRow([{ t: at, m: 1 }, one], keyOf(one, 't'), 't')).toBe(one);
  });

  test('differs between rows that differ', () => {
    const values: readonly Json[] = [
      0,
      '0',
      null,
      'null',
      '',
      [],
      {},
      [''],
      ['', ''],
      { a: 1, b: 2 },
      { a: 12 },
      'a',
      'ab',
      { b: '' },
      ['a', 'b'],
      ['ab'],
      true,
      'true',
      18_446_744_073_709_551_615n,
      18_446_744_073_709_551_614n,
    ];
    expect(new Set(values.map((value) => hashOf({ value }))).size).toBe(values.length);
    const rows = Array.from({ length: 20_000 }, (_, n): Row => ({ t: at, n, text: `row ${n}` }));
    expect(new Set(rows.map(hashOf)).size).toBe(rows.length);
  });
});

test.each([
  { value: 'plain\ntext', expected: { text: 'plain\ntext', fields: '' } },
  {
    value: '{"level":"info","msg":"done","n":3,"none":null}',
    expected: { text: 'done', fields: 'level=info  n=3' },
  },
  { value: { message: 'x', user: { id: 7 } }, expected: { text: 'x', fields: 'user={id: 7}' } },
  { value: '{"a":1}', expected: { text: '', fields: 'a=1' } },
  { value: '{not json}', expected: { text: '{not json}', fields: '' } },
  { value: '[1,2]', expected: { text: '[1,2]', fields: '' } },
  { value: undefined, expected: { text: '', fields: '' } },
])('a message as a row shows it: $value', ({ value, expected }) => {
  expect(messageOf(value)).toEqual(expected);
});

test.each([
  { filter: 'out', text: 'timed out, outer', marked: ['out', 'out'] },
  { filter: 'a.b', text: 'aab a.b', marked: ['a.b'] },
  { filter: '"time out" ~"(?i)ERR\\w+"', text: 'error: time out', marked: ['error', 'time out'] },
  { filter: '-out m.x:out', text: 'out', marked: [] },
  { filter: '~(a+)+$', text: 'aaaa', marked: [] },
  { filter: '~(?P<n>a', text: 'a', marked: [] },
  { filter: 'abc bcd', text: 'abcd', marked: ['abcd'] },
])('$filter marks $marked', ({ filter, text, marked }) => {
  expect(placesOf(text, matchesOf(filter)).map(([start, end]) => text.slice(start, end))).toEqual(marked);
});

describe('a filter by severity', () => {
  const level = { path: 'metadata.level', isNumber: false };

  test('reads back what it wrote, and leaves the rest of the filter', () => {
    const some = fc.subarray([...SEVERITIES], { minLength: 1, maxLength: SEVERITIES.length - 1 });
    fc.assert(
      fc.property(some, some, fc.boolean(), (first, second, isNumber) => {
        const field = { ...level, isNumber };
        const filter = withSeverities('error -m.x:1', field, first);
        expect(severitiesOf(filter, field)).toEqual(first);
        const changed = withSeverities(filter, field, second);
        expect(severitiesOf(changed, field)).toEqual(second);
        expect(withSeverities(changed, field, [])).toBe('error -m.x:1');
        expect(severitiesOf('error', field)).toEqual(SEVERITIES);
      }),
      { seed: 1 },
    );
  });

  test.each([
    'error',
    'FATAL',
    'warn',
    'notice',
    'trace',
    '503',
    '404',
    '200',
    '17',
    '13',
    '9',
    '1',
    'odd',
    '',
  ])('matches the levels that have the severity: %s', (value) => {
    for (const severity of SEVERITIES) {
      const [part] = partsOf(withSeverities('', level, [severity]));
      const clause = part?.clause?.kind === 'field' ? part.clause : undefined;
      const [first] = clause?.values ?? [];
      const text = first?.value.kind === 'text' ? first.value.text : '';
      const [, flags = '', source = ''] = /^(?:\(\?(i)\))?(.*)$/.exec(text) ?? [];
      const isFound = new RegExp(source, flags).test(value) !== clause?.negated;
      expect(isFound).toBe(severityOf(value) === severity);
    }
  });
});

test.each([
  ['2024-05-01T12:00:00.1234Z', '2024-05-01', '12:00:00.123'],
  ['2024-04-30T12:00:00Z', '2024-05-01', '04-30 12:00:00.000'],
  ['2023-05-01T12:00:00.5Z', '2024-05-01', '2023-05-01 12:00:00.500'],
  ['2024-05-01T12:00:00Z', '', '2024-05-01 12:00:00.000'],
])('the time %s on %s is %s', (value, today, expected) => {
  expect(timeText(value, 'utc', today)).toBe(expected);
});

test.each([
  ['trace_id', true],
  ['metadata.request.headers.cf_ray', true],
  ['log_attributes.request.id', true],
  ['metadata.requestId', true],
  ['metadata.user_id', false],
  ['identity', false],
])('%s is an id that other tables may have: %s', (path, expected) => {
  expect(isTraceId(path, 'abcdef-123')).toBe(expected);
});

test('rows of measured heights are where they are drawn', () => {
  const rows: readonly Row[] = [{ n: 1 }, { n: 2 }, { n: 3 }];
  const [first, , third] = rows;
  if (first === undefined || third === undefined) throw new Error('they are there');
  const { topOf } = measuredTops(
    rows,
    new WeakMap([
      [first, 60],
      [third, 40],
    ]),
    26,
  );
  expect([0, 1, 2, 3].map(topOf)).toEqual([0, 60, 86, 126]);
});

describe('lines of a chart', () => {
  test('are at most six, at round numbers within the range', () => {
    const bound = fc.double({ min: -1e12, max: 1e12, noNaN: true });
    fc.assert(
      fc.property(bound, fc.double({ min: 1e-6, max: 1e12, noNaN: true }), (min, span) => {
        const ticks = ticksOf(min, min + span);
        expect(ticks.length).toBeLessThanOrEqual(6);
        for (const tick of ticks) expect(tick >= min && tick <= min + span).toBe(true);
      }),
      { seed: 1 },
    );
    expect(ticksOf(0, 1226, { most: 5 })).toEqual([0, 500, 1000]);
    expect(ticksOf(0, 0.5)).toEqual([0, 0.1, 0.2, 0.3, 0.4, 0.5]);
    expect(ticksOf(0, 3, { isWhole: true })).toEqual([0, 1, 2, 3]);
  });

  test('have times at round hours of the clock that is shown', () => {
    const day = Date.UTC(2024, 4, 1) / 1000;
    const textsOf = (offset: number) => timeTicks(day, day + 86_400, 8, offset).map(({ text }) => text);
    expect(textsOf(0)).toEqual([
      '00:00\n1 May',
      '03:00',
      '06:00',
      '09:00',
      '12:00',
      '15:00',
      '18:00',
      '21:00',
      '00:00\n2 May',
    ]);
    expect(textsOf(5.5 * 3600)[0]).toBe('06:00\n1 May');
  });
});

describe('a chart of columns', () => {
  const rows = [0, 1, 2].map((hour) => ({
    at: `2024-01-01T0${hour}:00:00Z`,
    requests: 50_000 + hour,
    p95: 0.3 + hour,
  }));

  test('of different magnitudes has two axes, and says which is on the right', () => {
    const reading = readChart(rows);
    if (reading.kind !== 'chart') throw new Error(reading.kind);
    expect(reading.chart.sides).toEqual(['left', 'right']);
    expect(reading.chart.shape).toBe('lines');
    expect(reading.chart.notes).toContain('On the right axis: p95.');
  });

  test.each([
    [
      [1, 2, 3],
      ['left', 'left', 'left'],
    ],
    [
      [1000, 999, 3],
      ['left', 'left', 'right'],
    ],
    [
      [5, 5000, 0],
      ['right', 'left', 'left'],
    ],
    [[7], ['left']],
  ])('with the largest values %j: %j', (sizes, expected) => {
    expect(sidesOf(sizes.map((size, index) => ({ name: `c${index}`, values: [null, size] })))).toEqual(
      expected,
    );
  });

  test('has the part between two times', () => {
    const reading = readChart(rows);
    if (reading.kind !== 'chart') throw new Error(reading.kind);
    const [, second = 0] = reading.chart.times;
    const part = partOf(reading.chart, second - 10, second + 10);
    expect(part.times).toEqual([second]);
    expect(part.series.map(({ values }) => values)).toEqual([[50_001], [1.3]]);
  });
});
