import { describe, expect, test } from 'vitest';
import fc from 'fast-check';
import type { DeclaredParameter as Parameter } from '../../../src/service/params/declared.ts';
import { Problem } from '../../../src/sql/base/problem.ts';
import { createBinder, type Bindings } from '../../../src/service/params/binder.ts';
import { compileParameter } from '../../../src/service/params/parameter.ts';
import { parseRelative } from '../../../src/service/params/relative.ts';
import { runs } from '../../support/runs.ts';

/** A Wednesday. */
const NOW = Date.UTC(2024, 4, 15, 12, 34, 56, 789);
const BERLIN = "DateTime('Europe/Berlin')";

function bind(
  specs: Record<string, Parameter>,
  sent: Record<string, string | null> = {},
  now = NOW,
  locked = new Map<string, string>(),
): Bindings {
  const parameters = Object.entries(specs).map(([name, spec]) => {
    const { parameter, findings } = compileParameter(name, spec);
    if (parameter === undefined) throw new Error(JSON.stringify(findings));
    return parameter;
  });
  const raw = new Map(Object.entries(sent).map(([name, value]) => [name, [value]]));
  return createBinder(parameters, { unknown: 'reject' }).bind(raw, now, locked);
}

/** The value of one parameter; DateTime in UTC by default. */
function value(text: string, spec: Partial<Parameter> = {}, now = NOW): string | null | undefined {
  return bind({ t: { type: 'DateTime', ...spec } }, { t: text }, now).values['t'];
}

function problemOf(run: () => unknown): Problem {
  try {
    run();
  } catch (error) {
    if (error instanceof Problem) return error;
    throw error;
  }
  throw new Error('nothing was rejected');
}

describe("Grafana's grammar", () => {
  test.each([
    ['now', '2024-05-15 12:34:56'],
    ['now-5s', '2024-05-15 12:34:51'],
    ['now-90m', '2024-05-15 11:04:56'],
    ['now+1h', '2024-05-15 13:34:56'],
    ['now-h', '2024-05-15 11:34:56'],
    ['now-1d', '2024-05-14 12:34:56'],
    ['now-2w', '2024-05-01 12:34:56'],
    ['now-1M', '2024-04-15 12:34:56'],
    ['now-1Q', '2024-02-15 12:34:56'],
    ['now-1y', '2023-05-15 12:34:56'],
    ['now/s', '2024-05-15 12:34:56'],
    ['now/m', '2024-05-15 12:34:00'],
    ['now/h', '2024-05-15 12:00:00'],
    ['now/d', '2024-05-15 00:00:00'],
    ['now/w', '2024-05-13 00:00:00'],
    ['now/M', '2024-05-01 00:00:00'],
    ['now/Q', '2024-04-01 00:00:00'],
    ['now/y', '2024-01-01 00:00:00'],
    ['now-1d/d', '2024-05-14 00:00:00'],
    ['now/d-8h', '2024-05-14 16:00:00'],
    ['now-1M/M+1d', '2024-04-02 00:00:00'],
    [' now - 1d / d ', '2024-05-14 00:00:00'],
    ['now 1h', '2024-05-15 13:34:56'],
  ])('%s is %s', (text, expected) => {
    expect(value(text)).toBe(expected);
  });

  test.each([
    ['2024-03-31T10:00:00Z', 'now-1M', '2024-02-29 10:00:00', 'the last day of a shorter month'],
    ['2024-02-29T10:00:00Z', 'now-1y', '2023-02-28 10:00:00', 'a leap day'],
    ['2024-01-01T00:00:00Z', 'now-1M/Q', '2023-10-01 00:00:00', 'the quarter of another year'],
    ['2024-05-13T00:00:00Z', 'now/w', '2024-05-13 00:00:00', 'a Monday'],
    ['2024-05-12T23:59:59Z', 'now/w', '2024-05-06 00:00:00', 'a Sunday belongs to the week before'],
  ])('at %s, %s is %s: %s', (now, text, expected) => {
    expect(value(text, {}, Date.parse(now))).toBe(expected);
  });

  test.each([
    'now-',
    'now-1',
    'now-1x',
    'now-1fQ',
    'now/1d',
    'now-1.5h',
    'now-1d/',
    'now1h',
    'now 1hh',
    'now-9999999h',
    `now${'-1h'.repeat(11)}`,
    `now${' '.repeat(200)}-1h`,
    'NOW',
    'nowhere',
    '@t',
    'today',
    "now'; DROP TABLE x",
  ])('%s is rejected', (text) => {
    expect(problemOf(() => value(text)).code).toBe('request.parameters_invalid');
  });

  test.each(['now-5000y', 'now-100y', 'now+999999d', 'now+100y/y'])('%s is out of range', (text) => {
    expect(problemOf(() => value(text)).code).toBe('request.parameters_invalid');
  });

  test('strings are not interpreted for other types', () => {
    const specs = { s: { type: 'String', default: 'now-1d' }, t: { type: 'Array(DateTime)', default: [] } };
    expect(bind(specs, { s: 'now/d' }).values).toEqual({ s: 'now/d', t: '[]' });
    expect(bind(specs).values['s']).toBe('now-1d');
    expect(problemOf(() => bind(specs, { t: 'now-1d' })).code).toBe('request.parameters_invalid');
  });

  test('no input takes long or throws anything but a problem', () => {
    const text = fc.array(
      fc.constantFrom('now', '-', '+', '/', '1', '99', 'd', 'M', 'Q', 'y', 's', ' ', '@a', 'x'),
      {
        maxLength: 30,
      },
    );
    fc.assert(
      fc.property(text, (parts) => {
        const relative = parseRelative(parts.join(''));
        expect(relative === undefined || relative.steps.length <= 10).toBe(true);
      }),
      { numRuns: runs(500) },
    );
  });
});

describe('types', () => {
  test.each([
    ['Date', 'now-1d', '2024-05-14'],
    ['Date32', 'now/M', '2024-05-01'],
    ['Nullable(Date)', 'now', '2024-05-15'],
    ['DateTime64(3)', 'now-1s', '2024-05-15 12:34:55.789'],
    ['DateTime64(6)', 'now', '2024-05-15 12:34:56.789000'],
    ['DateTime64(9)', 'now/d', '2024-05-15 00:00:00.000000000'],
    ['DateTime64(0)', 'now', '2024-05-15 12:34:56'],
    // 2024-05-14T22:00:00Z
    [BERLIN, 'now/d', '1715724000'],
    // 12:30 of UTC, where it is 18:00
    ["DateTime64(3, 'Asia/Kolkata')", 'now/h', '1715776200.000'],
  ])('%s: %s is %s', (type, text, expected) => {
    expect(value(text, { type })).toBe(expected);
  });

  test.each([
    // The day on which clocks go forward has 23 hours; the one on which they go back has 25.
    ['2024-03-31T12:00:00Z', 'now/d', '2024-03-30T23:00:00Z'],
    ['2024-04-01T12:00:00Z', 'now-1d/d', '2024-03-30T23:00:00Z'],
    ['2024-04-01T10:00:00Z', 'now-1d', '2024-03-31T10:00:00Z'],
    ['2024-03-31T12:00:00Z', 'now-1d', '2024-03-30T13:00:00Z'],
    ['2024-10-27T12:00:00Z', 'now/d', '2024-10-26T22:00:00Z'],
    // 02:30 occurs twice: each hour is one of its own.
    ['2024-10-27T01:30:00Z', 'now/h', '2024-10-27T01:00:00Z'],
    ['2024-10-27T00:30:00Z', 'now/h', '2024-10-27T00:00:00Z'],
  ])('in Berlin at %s, %s is %s', (now, text, expected) => {
    expect(value(text, { type: BERLIN }, Date.parse(now))).toBe(String(Date.parse(expected) / 1000));
  });
});

describe('bounds and rounding', () => {
  test.each<[spec: Partial<Parameter>, text: string, expected: string]>([
    [{ bound: 'end' }, 'now/d', '2024-05-16 00:00:00'],
    [{ bound: 'last' }, 'now/d', '2024-05-15 23:59:59'],
    [{ bound: 'last', type: 'DateTime64(3)' }, 'now-1d/d', '2024-05-14 23:59:59.999'],
    [{ bound: 'last', type: 'Date' }, 'now/M', '2024-05-31'],
    [{ bound: 'end', type: 'Date' }, 'now/M', '2024-06-01'],
    [{ bound: 'last', type: 'Date' }, 'now/h', '2024-05-15'],
    [{ bound: 'last', type: 'Date', round: '60s' }, 'now', '2024-05-15'],
    [{ bound: 'end' }, 'now', '2024-05-15 12:34:57'],
    [{ bound: 'last' }, 'now', '2024-05-15 12:34:56'],
    [{ round: '60s' }, 'now', '2024-05-15 12:34:00'],
    [{ round: '5m' }, 'now-1h', '2024-05-15 11:30:00'],
    [{ round: '1h', bound: 'end' }, 'now', '2024-05-15 13:00:00'],
    [{ round: '1m', bound: 'last' }, 'now', '2024-05-15 12:34:59'],
    [{ round: '1m', bound: 'last' }, 'now/d', '2024-05-15 23:59:59'],
    [{ round: '1m', bound: 'end' }, 'now/d', '2024-05-16 00:00:00'],
    [{ round: '1d' }, 'now', '2024-05-15 00:00:00'],
    [{ round: '60s' }, '2024-05-15T12:34:56Z', '2024-05-15 12:34:56'],
  ])('%j: %s is %s', (spec, text, expected) => {
    expect(value(text, spec)).toBe(expected);
  });

  test('days of a zone are rounded in the zone', () => {
    expect(value('now', { type: BERLIN, round: '1d' })).toBe(
      String(Date.parse('2024-05-14T22:00:00Z') / 1000),
    );
  });
});

describe('defaults', () => {
  const RANGE: Record<string, Parameter> = {
    to: { type: 'DateTime', default: '@from + 1h' },
    from: { type: 'DateTime', default: 'now-24h', round: '60s' },
  };

  test.each<[why: string, sent: Record<string, string | null>, values: Record<string, string>]>([
    ['both from the call', {}, { from: '2024-05-14 12:34:00', to: '2024-05-14 13:34:00' }],
    [
      'computed from what is sent',
      { from: '2024-01-01T00:00:30Z' },
      { from: '2024-01-01 00:00:30', to: '2024-01-01 01:00:30' },
    ],
    ['relative ones', { from: 'now-7d' }, { from: '2024-05-08 12:34:00', to: '2024-05-08 13:34:00' }],
    [
      'nothing computed',
      { from: 'now-7d', to: 'now' },
      { from: '2024-05-08 12:34:00', to: '2024-05-15 12:34:56' },
    ],
    ['empty and null', { from: '', to: null }, { from: '2024-05-14 12:34:00', to: '2024-05-14 13:34:00' }],
  ])('%s', (_why, sent, values) => {
    expect(bind(RANGE, sent).values).toEqual(values);
  });

  test('an invalid base is reported once', () => {
    const { errors } = problemOf(() => bind(RANGE, { from: 'x' }));
    expect(errors.map(({ parameter }) => parameter)).toEqual(['from']);
  });

  test('a chain, from a literal default, between types and zones', () => {
    const { values } = bind({
      day: { type: 'Date', default: '2024-05-01' },
      from: { type: BERLIN, default: '@day' },
      to: { type: "DateTime64(3, 'Europe/Berlin')", default: '@from + 1M', bound: 'end' },
      last: { type: 'Date', default: '@to - 1s' },
    });
    expect(values).toEqual({
      day: '2024-05-01',
      from: String(Date.parse('2024-04-30T22:00:00Z') / 1000),
      to: `${Date.parse('2024-05-31T22:00:00Z') / 1000}.000`,
      last: '2024-05-31',
    });
  });

  test('nanoseconds are kept', () => {
    const specs: Record<string, Parameter> = {
      from: { type: 'DateTime64(9)', required: true },
      to: { type: 'DateTime64(9)', default: '@from + 1d' },
    };
    expect(bind(specs, { from: '2024-01-01T00:00:00.123456789Z' }).values['to']).toBe(
      '2024-01-02 00:00:00.123456789',
    );
  });

  test('constraints apply to the value', () => {
    const specs: Record<string, Parameter> = {
      t: { type: 'DateTime', min: '2024-05-01', default: 'now-1d' },
    };
    expect(bind(specs).values['t']).toBe('2024-05-14 12:34:56');
    expect(problemOf(() => bind(specs, { t: 'now-30d' })).errors[0]?.parameter).toBe('t');
  });

  test('locks are compared by value', () => {
    const locked = new Map([['from', 'now-24h']]);
    expect(bind(RANGE, {}, NOW, locked).values['from']).toBe('2024-05-14 12:34:00');
    expect(bind(RANGE, { from: 'now-1d' }, NOW, locked).values['to']).toBe('2024-05-14 13:34:00');
    expect(problemOf(() => bind(RANGE, { from: 'now-2d' }, NOW, locked)).code).toBe('auth.forbidden');
    const fixed = new Map([['from', '2024-05-14T12:34:00Z']]);
    expect(bind(RANGE, { from: 'now-24h' }, NOW, fixed).values['from']).toBe('2024-05-14 12:34:00');
    expect(problemOf(() => bind(RANGE, { from: 'now-24h' }, NOW + 60_000, fixed)).code).toBe(
      'auth.forbidden',
    );
  });

  test.each<[spec: Parameter, code: string]>([
    [{ type: 'DateTime', default: 'now-1x' }, 'parameter.default_invalid'],
    [{ type: 'DateTime', default: '@from + 1 hour' }, 'parameter.default_invalid'],
    [{ type: 'DateTime', default: 'now', required: true }, 'parameter.default_unused'],
    [{ type: 'String', round: '60s' }, 'parameter.constraint_misplaced'],
    [{ type: 'UInt8', bound: 'end' }, 'parameter.constraint_misplaced'],
    [{ type: 'DateTime', min: 'now-1d' }, 'parameter.bound_invalid'],
  ])('%j: %s', (spec, code) => {
    expect(compileParameter('t', spec).findings?.map((finding) => finding.code)).toEqual([code]);
  });
});

describe('how long the values stay', () => {
  const UNTIL: Record<string, string> = {
    'now/d': '2024-05-15T12:45:00Z',
    'now/m': '2024-05-15T12:35:00Z',
    'now-1M/m': '2024-05-15T12:35:00Z',
    now: '2024-05-15T12:34:57Z',
  };

  test.each(Object.entries(UNTIL))('%s: until %s', (text, until) => {
    expect(bind({ t: { type: 'DateTime' } }, { t: text }).until).toBe(Date.parse(until));
  });

  test('literals stay forever', () => {
    const specs: Record<string, Parameter> = {
      a: { type: 'DateTime', default: '2024-01-01', round: '60s' },
      b: { type: 'DateTime', default: '@a/d' },
    };
    expect(bind(specs).until).toBe(Infinity);
  });

  test('the values of calls until then are the same', () => {
    const type = fc.constantFrom('Date', 'DateTime', 'DateTime64(3)', BERLIN, "DateTime('America/St_Johns')");
    const bound = fc.constantFrom('start' as const, 'end' as const, 'last' as const);
    const round = fc.constantFrom(undefined, '1s', '60s', '7m', '1h', '1d');
    const text = fc.constantFrom('now', 'now/d', 'now-1M/d', 'now-1h/h', 'now/w+1d', 'now-1Q/M', 'now-1d');
    const now = fc.integer({ min: Date.UTC(2023, 9, 1), max: Date.UTC(2024, 10, 1) });
    fc.assert(
      fc.property(
        fc.record({ type, bound, round, text, now, share: fc.double({ min: 0, max: 1, noNaN: true }) }),
        (row) => {
          const specs: Record<string, Parameter> = {
            a: { type: row.type, bound: row.bound, ...(row.round === undefined ? {} : { round: row.round }) },
            b: { type: 'DateTime64(3)', default: '@a + 90s', bound: row.bound, round: '5m' },
          };
          const first = bind(specs, { a: row.text }, row.now);
          expect(first.until).toBeGreaterThan(row.now);
          const later = Math.min(first.until - 1, row.now + Math.floor((first.until - row.now) * row.share));
          expect(bind(specs, { a: row.text }, later).canonical).toBe(first.canonical);
        },
      ),
      { numRuns: runs(500) },
    );
  });
});
