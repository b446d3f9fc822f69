// Ranges of time in words, and times as the browser's date-time fields have them.
import { isSameRange, msOf, PRESETS, type TimeRange, type Zone } from './range.ts';

const UNITS: Readonly<Record<string, string>> = {
  s: 'second',
  m: 'minute',
  h: 'hour',
  d: 'day',
  w: 'week',
  M: 'month',
  Q: 'quarter',
  y: 'year',
};

/** `Last 6 hours`, `now-2d to now-1d`, `2024-05-01 00:00 to 01:00 UTC`. */
export function rangeWords(range: TimeRange, zone: Zone): string {
  const preset = PRESETS.find((each) => isSameRange(each.range, range));
  if (preset !== undefined) return preset.title;
  const { from, to } = range;
  const [, count, unit = ''] = /^now-(\d{1,6})?([smhdwMQy])$/.exec(from) ?? [];
  const noun = UNITS[unit];
  if (to === 'now' && noun !== undefined) {
    const number = Number(count ?? 1);
    return number === 1 ? `Last ${noun}` : `Last ${number.toLocaleString('en')} ${noun}s`;
  }
  const [start, end] = [boundWords(from, zone), boundWords(to, zone)];
  const isSameDay = range.kind === 'fixed' && start.slice(0, 11) === end.slice(0, 11);
  const isTimed = range.kind === 'fixed' || !from.startsWith('now') || !to.startsWith('now');
  return `${start} to ${isSameDay ? end.slice(11) : end}${isTimed ? ` ${zoneWords(zone)}` : ''}`;
}

function boundWords(text: string, zone: Zone): string {
  const ms = text.startsWith('now') ? undefined : msOf(text, 0, 'start');
  return ms === undefined ? text : toField(ms, zone).replace('T', ' ').replace(/:00$/, '');
}

function zoneWords(zone: Zone): string {
  return zone === 'utc' ? 'UTC' : 'local time';
}

/** The text of a `datetime-local` field: `2024-05-01T12:00:00`, with milliseconds if there are any. */
export function toField(ms: number, zone: Zone): string {
  const ahead = zone === 'utc' ? 0 : -new Date(ms).getTimezoneOffset() * 60_000;
  return new Date(ms + ahead)
    .toISOString()
    .slice(0, -1)
    .replace(/\.000$/, '');
}

/** The name of the browser's zone, such as `Asia/Kolkata`. */
export function localZone(): string {
  return new Intl.DateTimeFormat('en').resolvedOptions().timeZone;
}

/** `UTC`; of the browser's zone the last part, such as `Kolkata`. */
export function zoneName(zone: Zone): string {
  return zone === 'utc' ? 'UTC' : (localZone().split('/').at(-1) ?? '').replaceAll('_', ' ');
}
