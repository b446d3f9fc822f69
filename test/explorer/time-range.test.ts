// Ranges of time: the grammar against that of the service, texts of the URL, bounds, messages, words.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { momentOfCall, parseRelative, resolveFrom } from '../../src/service/params/relative.ts';
import { parseExpression, resolveSteps } from '../../explorer/src/time-range/expression.ts';
import {
  boundsAt,
  faultOf,
  fixedAt,
  fixedRange,
  PRESETS,
  rangeFaultOf,
  rangeOf,
  readRange,
  writeRange,
} from '../../explorer/src/time-range/range.ts';
import { rangeWords, toField } from '../../explorer/src/time-range/range-words.ts';
import { isPairShown, pairRange, timePairOf } from '../../explorer/src/form/time-pair.ts';

const NOW = Date.UTC(2024, 4, 15, 12, 34, 56, 789);
const space = fc.constantFrom('', '', '', ' ', '  ');
const count = fc.oneof(fc.constant(''), fc.integer({ min: 0, max: 1_200_000 }).map(String));
const step = fc
  .tuple(
    space,
    fc.constantFrom('-', '+', '/', ' '),
    space,
    count,
    fc.constantFrom(...'smhdwMQysmhdwMQyx'.split('')),
  )
  .map((parts) => parts.join(''));
const expression = fc
  .tuple(
    fc.constantFrom('now', 'now', 'now', ' now', 'Now', 'nowt', ''),
    fc.array(step, { maxLength: 12, size: 'small' }),
  )
  .map(([base, steps]) => base + steps.join(''));

describe('an expression', () => {
  test('is parsed and computed as the service does', () => {
    let [valid, computed] = [0, 0];
    const now = fc.integer({ min: 0, max: Date.UTC(2200) });
    fc.assert(
      fc.property(expression, now, fc.constantFrom('start', 'end'), (text, at, bound) => {
        const theirs = parseRelative(text);
        const ours = parseExpression(text);
        expect(ours === undefined).toBe(theirs === undefined);
        if (theirs === undefined || ours === undefined) return;
        valid++;
        const rounding = { bound, every: undefined, tick: 1_000_000n, offsetAt: undefined } as const;
        const moment = resolveFrom(momentOfCall(at), theirs.steps, rounding);
        const ms = moment === undefined ? undefined : Number(moment.nanos / 1_000_000n);
        expect(resolveSteps(ours, at, bound)).toBe(ms);
        if (ms !== undefined && ms !== at) computed++;
      }),
      { seed: 1, numRuns: 5000 },
    );
    expect(valid).toBeGreaterThan(500);
    expect(computed).toBeGreaterThan(200);
  });

  test('of an endpoint file is none: it names no parameter', () => {
    expect(parseRelative('@from + 1h')).toBeDefined();
    expect(parseExpression('@from + 1h')).toBeUndefined();
  });
});

describe('a range', () => {
  const fixed = fc
    .tuple(fc.integer({ min: Date.UTC(1971), max: Date.UTC(2200) }), fc.integer({ min: 1, max: 1e9 }))
    .map(([from, length]) => fixedRange(from, from + length));
  const ranges = fc.oneof(fixed, fc.constantFrom(...PRESETS.map(({ range }) => range)));

  test('reads back as it was written, and keeps its bounds when it is fixed', () => {
    fc.assert(
      fc.property(ranges, (range) => {
        expect(readRange(writeRange(range))).toEqual(range);
        const again = fixedAt(range, NOW);
        expect(again.kind).toBe('fixed');
        expect(boundsAt(again, NOW + 1e9)).toEqual(boundsAt(range, NOW));
      }),
      { seed: 1 },
    );
  });

  test('is read from any text without an error', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 300 }), fc.string(), (one, other) => {
        for (const text of [one, `now-1h..${other}`, `${one}..now`]) {
          const range = readRange(text);
          if (range === undefined) continue;
          const { from, to } = boundsAt(range, NOW);
          expect(Number.isFinite(from) && Number.isFinite(to)).toBe(true);
        }
      }),
      { seed: 1 },
    );
  });

  test.each([
    { text: 'now-15m..now', from: '2024-05-15T12:19:56.789Z', to: '2024-05-15T12:34:56.789Z' },
    { text: 'now-1d/d..now/d', from: '2024-05-14T00:00:00.000Z', to: '2024-05-16T00:00:00.000Z' },
    { text: '2024-05-01..now', from: '2024-05-01T00:00:00.000Z', to: '2024-05-15T12:34:56.789Z' },
    {
      text: '2024-05-01T02:00:00+02:00..2024-05-01 01:00',
      from: '2024-05-01T00:00:00.000Z',
      to: '2024-05-01T01:00:00.000Z',
    },
    { text: 'now-9000y..now+9000y', from: '1900-01-01T00:00:00.000Z', to: '2299-12-31T00:00:00.000Z' },
  ])('$text', ({ text, from, to }) => {
    const range = readRange(text);
    const bounds = range === undefined ? undefined : boundsAt(range, NOW);
    expect(bounds).toEqual({ from: Date.parse(from), to: Date.parse(to) });
  });

  test.each([
    '',
    'now',
    'now-1h',
    'a..b',
    'now..now..now',
    '2024-02-30..now',
    '2024-13-01..now',
    'now..',
    `${' '.repeat(300)}now..now`,
  ])('is not “%s”', (text) => {
    expect(readRange(text)).toBeUndefined();
  });

  test.each([
    { from: '', to: 'now', field: 'from', why: 'nothing' },
    { from: 'yesterday', to: 'now', field: 'from', why: 'a word' },
    { from: 'now-1h', to: 'now+1x', field: 'to', why: 'an unknown unit' },
    { from: 'now-3000y', to: 'now', field: 'from', why: 'a year that no type has' },
  ])('has a message for $why', ({ from, to, field }) => {
    expect(faultOf(from, to, NOW)?.field).toBe(field);
  });

  test('has a length', () => {
    expect(rangeFaultOf({ kind: 'relative', from: 'now', to: 'now-1h' }, NOW)?.field).toBe('to');
    for (const { range } of PRESETS) expect(rangeFaultOf(range, NOW)).toBeUndefined();
  });

  test.each([
    { text: 'now-7d..now', words: 'Last 7 days' },
    { text: 'now-1h..now', words: 'Last hour' },
    { text: 'now-45m..now', words: 'Last 45 minutes' },
    { text: 'now-y..now', words: 'Last year' },
    { text: 'now-2d..now-1d', words: 'now-2d to now-1d' },
    { text: '2024-05-01..2024-05-01T01:30:00Z', words: '2024-05-01 00:00 to 01:30 UTC' },
    { text: '2024-05-01..now', words: '2024-05-01 00:00 to now UTC' },
  ])('in words: $words', ({ text, words }) => {
    const range = readRange(text);
    expect(range === undefined ? undefined : rangeWords(range, 'utc')).toBe(words);
  });

  test('of local times is that of UTC where the tests run', () => {
    expect(rangeOf('2024-05-01T00:00', 'now', 'local')?.from).toBe('2024-05-01T00:00:00Z');
    expect(toField(NOW, 'local')).toBe('2024-05-15T12:34:56.789');
  });
});

describe('two parameters are one range', () => {
  const time = (name: string, rest = {}) => ({ name, type: 'DateTime', required: false, ...rest });

  test.each([
    { why: 'from and to', parameters: [time('to'), time('from')], pair: ['from', 'to'] },
    { why: 'words of a name', parameters: [time('ts_start'), time('ts_end')], pair: ['ts_start', 'ts_end'] },
    { why: 'no partner', parameters: [time('from'), time('until')], pair: undefined },
    { why: 'locked by the key', parameters: [time('from', { locked: true }), time('to')], pair: undefined },
    { why: 'text', parameters: [time('from', { type: 'String' }), time('to')], pair: undefined },
    {
      why: 'two pairs',
      parameters: [time('from'), time('to'), time('since'), time('until')],
      pair: undefined,
    },
  ])('by type and name: $why', ({ parameters, pair }) => {
    const found = timePairOf({ parameters });
    expect(found && [found.from.name, found.to.name]).toEqual(pair);
  });

  test.each([
    { why: 'an offset', from: '2024-05-01T00:00:00Z', range: '2024-05-01T00:00:00Z..now' },
    { why: 'an expression', from: 'now-1h', range: 'now-1h..now' },
    { why: 'local time of the zone', from: '2024-05-01T00:00:00', range: undefined },
    { why: 'a day of the zone', from: '2024-05-01', range: undefined },
  ])('of a zone: $why', ({ from, range }) => {
    const zoned = (name: string) => time(name, { type: "DateTime('Asia/Kolkata')" });
    const pair = timePairOf({ parameters: [zoned('from'), zoned('to')] });
    const found = pair && pairRange(pair, { from, to: 'now' });
    expect(found && writeRange(found)).toBe(range);
  });

  test('unless their values are none', () => {
    const pair = { from: time('from'), to: time('to') };
    expect(isPairShown(pair, {})).toBe(true);
    expect(isPairShown(pair, { from: 'now-1h', to: 'now' })).toBe(true);
    expect(isPairShown(pair, { from: 'now-1h' })).toBe(false);
    expect(isPairShown(pair, { from: '1714521600', to: 'now' })).toBe(false);
  });
});
