// Offsets of time zones, compared with those of each instant.
import * as fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { zoneNamed, type OffsetAt } from '../../../src/service/params/zone.ts';

function offsetsOf(name: string): OffsetAt {
  const zone = zoneNamed(name);
  if (typeof zone !== 'function') throw new Error(`no zone ${name}`);
  return zone;
}

const CLOCK = {
  hourCycle: 'h23',
  era: 'short',
  year: 'numeric',
  month: 'numeric',
  day: 'numeric',
  hour: 'numeric',
  minute: 'numeric',
  second: 'numeric',
} as const;

/** From the local time of each instant, without anything remembered. */
function localOffsets(timeZone: string): OffsetAt {
  const clock = new Intl.DateTimeFormat('en-US', { timeZone, ...CLOCK });
  return (ms) => {
    const parts = Object.fromEntries(clock.formatToParts(ms).map(({ type, value }) => [type, value]));
    const [year = 0, month = 0, day = 0, hour, minute, second] = [
      'year',
      'month',
      'day',
      'hour',
      'minute',
      'second',
    ].map((type) => Number(parts[type]));
    const local = new Date(0);
    local.setUTCFullYear(parts['era'] === 'BC' ? 1 - year : year, month - 1, day);
    local.setUTCHours(hour ?? 0, minute, second);
    return local.getTime() - Math.floor(ms / 1000) * 1000;
  };
}

test.each([
  { why: 'daylight saving time', zone: 'Europe/Berlin', at: '2024-03-31T01:00:00Z', minutes: [60, 120] },
  { why: 'and its end', zone: 'Europe/Berlin', at: '2024-10-27T01:00:00Z', minutes: [120, 60] },
  { why: 'seconds', zone: 'Europe/Paris', at: '1911-03-10T23:50:39Z', minutes: [9.35, 0] },
  { why: 'minutes', zone: 'Africa/Monrovia', at: '1972-01-07T00:44:30Z', minutes: [-44.5, 0] },
  {
    why: 'a change at no quarter of an hour',
    zone: 'Antarctica/Casey',
    at: '2020-10-03T16:01:00Z',
    minutes: [480, 660],
  },
  { why: 'a day that was skipped', zone: 'Pacific/Apia', at: '2011-12-30T10:00:00Z', minutes: [-600, 840] },
  {
    why: 'the first of two changes in a week',
    zone: 'America/Recife',
    at: '2000-10-08T03:00:00Z',
    minutes: [-180, -120],
  },
  { why: 'the second of them', zone: 'America/Recife', at: '2000-10-15T02:00:00Z', minutes: [-120, -180] },
  { why: 'a year to come', zone: 'America/New_York', at: '2299-03-12T07:00:00Z', minutes: [-300, -240] },
])('$why', ({ zone, at, minutes }) => {
  const offsetAt = offsetsOf(zone);
  const instant = Date.parse(at);
  expect([instant - 1, instant].map((ms) => offsetAt(ms) / 60_000)).toEqual(minutes);
});

test('any instant of any zone', () => {
  const zones = new Map(
    Intl.supportedValuesOf('timeZone').map((name) => [name, [offsetsOf(name), localOffsets(name)] as const]),
  );
  const seconds = fc.oneof(
    { weight: 9, arbitrary: fc.integer({ min: Date.UTC(1899, 0) / 1000, max: Date.UTC(2302, 0) / 1000 }) },
    { weight: 1, arbitrary: fc.integer({ min: Date.UTC(-100, 0) / 1000, max: Date.UTC(9999, 0) / 1000 }) },
  );
  fc.assert(
    fc.property(fc.constantFrom(...zones.keys()), seconds, (name, second) => {
      const [found, expected] = zones.get(name) ?? [];
      expect(found?.(second * 1000)).toBe(expected?.(second * 1000));
    }),
    { numRuns: 3000 },
  );
});

test('the offsets of a year are computed once, however many instants are asked for', () => {
  const offsetAt = offsetsOf('Europe/Berlin');
  const getters: { readonly format: unknown } = Intl.DateTimeFormat.prototype;
  const computed = [
    vi.spyOn(getters, 'format', 'get'),
    vi.spyOn(Intl.DateTimeFormat.prototype, 'formatToParts'),
  ];
  try {
    const start = Date.UTC(2024, 0);
    for (let minute = 0; minute < 300_000; minute += 30) offsetAt(start + minute * 60_000);
    const counts = computed.map(({ mock }) => mock.calls.length);
    expect(Math.max(...counts)).toBeLessThan(1000);
  } finally {
    for (const spy of computed) spy.mockRestore();
  }
});
