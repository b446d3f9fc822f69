// Time zones as ClickHouse names them, and the instants at which clocks show a time.
import { utcMs } from '../../clickhouse/calendar.ts';

const OFFSET = /^(?:UTC|GMT)?([+-])(\d{1,2})(?::?([0-5]\d))?$/;

/** A time zone by its name or its offset; undefined if there is none. */
export function zoneOf(name: string): string | undefined {
  const [, sign, hours = '', minutes = '00'] = OFFSET.exec(name) ?? [];
  if (sign === undefined) return clockOf(name) === undefined ? undefined : name;
  if (Number(hours) > 14) return undefined;
  // Etc/GMT would have the opposite sign, and whole hours only.
  return Number(hours) + Number(minutes) === 0
    ? 'UTC'
    : `Fixed/UTC${sign}${hours.padStart(2, '0')}:${minutes}:00`;
}

/** The clock of a zone; undefined if there is no such zone. Those of the runtime are those of the engine. */
function clockOf(name: string): Intl.DateTimeFormat | undefined {
  if (!/^[A-Za-z][A-Za-z0-9_+/-]*$/.test(name)) return undefined;
  const parts = { year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric', minute: 'numeric', second: 'numeric' } as const; // prettier-ignore
  try {
    return new Intl.DateTimeFormat('en', { ...parts, timeZone: name, hourCycle: 'h23', era: 'short' });
  } catch {
    return undefined; // a RangeError: there is no such zone
  }
}

/** Returns how many milliseconds the clocks of a zone are ahead of UTC at an instant; undefined if there is no such zone. */
export function offsetsIn(zone: string): ((ms: number) => number) | undefined {
  const [, sign, hours, minutes] = /^Fixed\/UTC([+-])(\d\d):(\d\d):00$/.exec(zone) ?? [];
  const fixed = (Number(hours) * 60 + Number(minutes)) * (sign === '+' ? 60_000 : -60_000);
  if (sign !== undefined) return () => fixed;
  const clock = clockOf(zone);
  if (clock === undefined) return undefined;
  return (ms) => {
    const parts = clock.formatToParts(ms);
    const part = (type: string): number => Number(parts.find((each) => each.type === type)?.value ?? 0);
    const shown = utcMs(
      [part('year'), part('month'), part('day')],
      [part('hour'), part('minute'), part('second')],
    );
    return (shown ?? ms) - Math.floor(ms / 1000) * 1000;
  };
}

const DAY = 86_400_000;

/** The first instant at which clocks in a zone show a time, given as if it were UTC; one that they skip is read with the offset before. */
export function instantOf(local: number, zone: string): number {
  const aheadAt = offsetsIn(zone) ?? inUtc;
  const before = local - aheadAt(local - DAY);
  const then = aheadAt(before);
  if (local - then === before) return before;
  const after = local - then;
  return aheadAt(after) === then ? after : before;
}

function inUtc(): number {
  return 0;
}
