// Finds the time buckets of a result (GROUP BY hour, day, month), and those that have no rows.

/** Buckets of `step` seconds, or of `step` calendar months in UTC. */
export interface Bucket {
  readonly unit: 'second' | 'month';
  readonly step: number;
}

export interface Filled {
  /** Seconds since 1970, ascending: those given and the missing ones. */
  readonly times: readonly number[];
  /** Buckets without rows, including any that `times` omits. */
  readonly missing: number;
}

/** More missing buckets than this are represented by the first and last of each interval without rows. */
const MAX_BUCKETS = 2000;
const UNITS: Readonly<Record<string, number>> = {
  second: 1,
  minute: 60,
  hour: 3600,
  day: 86_400,
  week: 604_800,
};

/** `times`: seconds, ascending, unique. A column that is named like a unit has buckets of that unit. Undefined for irregular times. */
export function bucketOf(times: readonly number[], column: string): Bucket | undefined {
  if (times.length < 2 || !times.every(Number.isInteger)) return undefined;
  const unit = UNITS[column.toLowerCase()];
  const months = times.map(monthOf);
  if (unit === undefined && months.every((each) => each !== undefined)) {
    const step = stepOf(months);
    return { unit: 'month', step: column.toLowerCase() === 'month' ? 1 : step };
  }
  const step = stepOf(times);
  return { unit: 'second', step: unit !== undefined && step % unit === 0 ? unit : step };
}

/** Adds the missing buckets between the first and the last time. */
export function fill(times: readonly number[], bucket: Bucket): Filled {
  const count = times.slice(1).map((at, i) => indexOf(at, bucket) - indexOf(times[i] ?? at, bucket) - 1);
  const missing = count.reduce((sum, each) => sum + each, 0);
  if (missing === 0) return { times, missing };
  const isBounded = missing > MAX_BUCKETS;
  const filled = times.flatMap((at, i) => {
    const gap = count[i] ?? 0;
    const offsets = isBounded && gap > 2 ? [1, gap] : Array.from({ length: gap }, (_, each) => each + 1);
    return [at, ...offsets.map((offset) => later(at, offset, bucket))];
  });
  return { times: filled, missing };
}

/** `1 h`, `15 min`, `1 month`. */
export function formatBucket({ unit, step }: Bucket): string {
  if (unit === 'month') return `${step} month${step === 1 ? '' : 's'}`;
  for (const [seconds, word] of [
    [86_400, 'd'],
    [3600, 'h'],
    [60, 'min'],
  ] as const)
    if (step % seconds === 0) return `${step / seconds} ${word}`;
  return `${step} s`;
}

/** The approximate length of a bucket, in seconds. */
export function secondsOf({ unit, step }: Bucket): number {
  return unit === 'month' ? step * 30 * 86_400 : step;
}

function stepOf(values: readonly number[]): number {
  return values.slice(1).reduce((step, value, i) => divisor(step, value - (values[i] ?? value)), 0);
}

function divisor(a: number, b: number): number {
  return b === 0 ? a : divisor(b, a % b);
}

/** Months since 1970 if the time is the start of a month, in UTC. */
function monthOf(seconds: number): number | undefined {
  const time = new Date(seconds * 1000);
  const isStart = time.getUTCDate() === 1 && seconds % 86_400 === 0;
  return isStart ? monthIndex(time) : undefined;
}

function monthIndex(time: Date): number {
  return (time.getUTCFullYear() - 1970) * 12 + time.getUTCMonth();
}

function indexOf(at: number, { unit, step }: Bucket): number {
  return unit === 'month' ? monthIndex(new Date(at * 1000)) / step : at / step;
}

/** The start of the bucket `offset` buckets after the one at `at`. */
function later(at: number, offset: number, { unit, step }: Bucket): number {
  if (unit === 'second') return at + offset * step;
  return Date.UTC(1970, monthIndex(new Date(at * 1000)) + offset * step, 1) / 1000;
}
