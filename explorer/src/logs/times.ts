// Times of the log view, in UTC or in the zone of the browser.
import type { Zone } from '../time-range/range.ts';

/**
 * `2024-05-01 12:00:00.123`: a time as the service writes it, with its first three decimals. Other texts as they are. A time of `today` is
 * shown without its date, one of the same year without its year.
 */
export function timeText(value: string, zone: Zone, today = ''): string {
  const [, seconds = '', fraction = ''] = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d+))?Z$/.exec(value) ?? [];
  if (seconds === '') return value;
  const text = zone === 'utc' ? seconds : localText(Date.parse(`${seconds}Z`));
  const isToday = text.slice(0, 10) === today;
  const isThisYear = text.slice(0, 5) === today.slice(0, 5);
  const shown = text.slice(isToday ? 11 : isThisYear ? 5 : 0).replace('T', ' ');
  return `${shown}.${fraction.slice(0, 3).padEnd(3, '0')}`;
}

/** `2024-05-01`. */
export function dayOf(ms: number, zone: Zone): string {
  return zoned(ms, zone).slice(0, 10);
}

/** `05-01 12:00` or, for short widths, `12:00:05`; `width` is that of a bucket, in milliseconds. */
export function bucketText(ms: number, width: number, zone: Zone): string {
  const text = zoned(ms, zone);
  return width < 60_000 ? text.slice(11, 19) : text.slice(5, 16).replace('T', ' ');
}

/** `12:00:05 UTC`, `17:30:05 UTC+5:30`: a time of today with its zone. */
export function zonedTime(ms: number, zone: Zone): string {
  return dayText(ms, zone).slice(11);
}

/** `2024-05-01 12:00:05 UTC`. */
export function dayText(ms: number, zone: Zone): string {
  return `${zoned(ms, zone).replace('T', ' ')} ${offsetWords(ms, zone)}`;
}

/** A time as the service writes it with all of its decimals, in the zone and with its name. Other texts as they are. */
export function fullTimeText(value: string, zone: Zone): string {
  const [, seconds, fraction = ''] = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(\.\d+)?Z$/.exec(value) ?? [];
  if (seconds === undefined) return value;
  const ms = Date.parse(`${seconds}Z`);
  const text = zone === 'utc' ? seconds : localText(ms);
  return `${text.replace('T', ' ')}${fraction} ${offsetWords(ms, zone)}`;
}

/** `UTC`, `UTC+5:30`: that of the browser changes with the season. */
function offsetWords(ms: number, zone: Zone): string {
  const minutes = zone === 'utc' ? 0 : -new Date(ms).getTimezoneOffset();
  if (minutes === 0) return 'UTC';
  const rest = Math.abs(minutes) % 60;
  const hours = Math.floor(Math.abs(minutes) / 60);
  return `UTC${minutes < 0 ? '−' : '+'}${hours}${rest === 0 ? '' : `:${String(rest).padStart(2, '0')}`}`;
}

/** ISO 8601 without a zone. */
function zoned(ms: number, zone: Zone): string {
  return zone === 'utc' ? new Date(ms).toISOString().slice(0, 19) : localText(ms);
}

function localText(ms: number): string {
  return new Date(ms - new Date(ms).getTimezoneOffset() * 60_000).toISOString().slice(0, 19);
}
