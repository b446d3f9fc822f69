// The calendar of times that people write: which dates and offsets exist. Which ways of writing them are accepted differs by language.

type CalendarDate = readonly [year: number, month: number, day: number];
type TimeOfDay = readonly [hour: number, minute: number, second: number];

const MIDNIGHT: TimeOfDay = [0, 0, 0];

/** Milliseconds since 1970 of a Gregorian date and a time of day, in UTC; undefined if there is no such day or time. */
export function utcMs(
  [year, month, day]: CalendarDate,
  [hour, minute, second]: TimeOfDay = MIDNIGHT,
): number | undefined {
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day); // Date.UTC reads the years 0 to 99 as 1900 to 1999
  const isDay =
    date.getUTCFullYear() === year && date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
  return isDay && hour < 24 && minute < 60 && second < 60
    ? date.setUTCHours(hour, minute, second)
    : undefined;
}

/** Milliseconds ahead of UTC of an offset such as `-`, `03`, `30`, under a day; undefined for others. Without a sign: 0. */
export function offsetMs(sign: string | undefined, hours = '0', minutes = '0'): number | undefined {
  if (Number(hours) > 23 || Number(minutes) > 59) return undefined;
  return (Number(hours) * 60 + Number(minutes)) * (sign === undefined ? 0 : sign === '+' ? 60_000 : -60_000);
}
