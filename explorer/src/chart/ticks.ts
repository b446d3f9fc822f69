// Values and times for the lines of an axis: few, and at round numbers.
import { formatTicks } from './format-time.ts';

/** The most lines behind a chart: more would be read before the data. */
const MAX_LINES = 6;

/** Multiples of 1, 2 or 5 times a power of ten from `min` to `max`; at most `most` of them. */
export function ticksOf(
  min: number,
  max: number,
  { most = MAX_LINES, isWhole = false } = {},
): readonly number[] {
  const span = max - min;
  if (!(span > 0) || !Number.isFinite(span)) return [min];
  for (let power = Math.floor(Math.log10(span / most)); ; power++) {
    for (const factor of [1, 2, 5]) {
      const step = factor * 10 ** power;
      const [first, last] = [Math.ceil(min / step), Math.floor(max / step)];
      if (last - first + 1 > most || (isWhole && step < 1)) continue;
      // Divided, so that decimals are those that are meant: 3 / 10, not 3 * 0.1.
      const value = (index: number): number => (power < 0 ? (index * factor) / 10 ** -power : index * step);
      const values = Array.from({ length: last - first + 1 }, (_, index) => value(first + index));
      return values.filter((each) => each >= min && each <= max); // doubles may be rounded beyond
    }
  }
}

const [SECOND, MINUTE, HOUR, DAY] = [1, 60, 3600, 86_400];
const TIME_STEPS = [
  ...[1, 2, 5, 10, 15, 30].map((each) => each * SECOND),
  ...[1, 2, 5, 10, 15, 30].map((each) => each * MINUTE),
  ...[1, 2, 3, 6, 12].map((each) => each * HOUR),
  ...[1, 2, 7, 14, 28, 91, 182, 364].map((each) => each * DAY),
];

export interface TimeTick {
  /** Seconds since 1970. */
  readonly at: number;
  /** `12:00`; the first one and midnight have the day on a second line. */
  readonly text: string;
}

/** Round times between two, in seconds; `offset`: how far the clock that is shown is ahead of UTC, in seconds. */
export function timeTicks(from: number, to: number, most: number, offset = 0): readonly TimeTick[] {
  const step = TIME_STEPS.find((each) => (to - from) / each <= most) ?? Math.ceil((to - from) / most);
  const first = Math.ceil((from + offset) / step) * step - offset;
  const count = Math.max(0, Math.floor((to - first) / step) + 1);
  const format = formatTicks(step);
  return Array.from({ length: count }, (_, index) => {
    const at = first + index * step;
    return { at, text: format(at + offset, index) };
  });
}

/** `12k`, `1.5M`: numbers short enough for an axis. */
export function shortNumber(value: number): string {
  return Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 2 }).format(value);
}
