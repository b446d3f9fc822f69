// How long units of time are: those of a fixed length, and those of months.

/** Lengths are in microseconds. */
export const MICROSECONDS: Readonly<Record<string, number>> = {
  MICROSECOND: 1,
  MILLISECOND: 1000,
  SECOND: 1e6,
  MINUTE: 6e7,
  HOUR: 3.6e9,
  DAY: 8.64e10,
  WEEK: 6.048e11,
};

/** Lengths are in months. */
export const MONTHS: Readonly<Record<string, number>> = {
  MONTH: 1,
  QUARTER: 3,
  YEAR: 12,
  DECADE: 120,
  CENTURY: 1200,
};

/** Returns seconds; undefined for units of months. */
export function secondsIn(unit: string): number | undefined {
  const length = MICROSECONDS[unit];
  return length === undefined ? undefined : length / 1e6;
}

/** Returns whether a unit is a number of days or months. */
export const isOfDays = (unit: string): boolean => unit in MONTHS || unit === 'DAY' || unit === 'WEEK';
