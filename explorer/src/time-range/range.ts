// A range of time: relative to now or fixed, as text of the URL, and its bounds at a time.
import { parseExpression, resolveSteps, type Bound } from './expression.ts';

/** `from` is inclusive, `to` exclusive. */
export interface TimeRange {
  /** Relative: at least one of the bounds is an expression such as `now-15m`; fixed: both are times. */
  readonly kind: 'relative' | 'fixed';
  /** An expression, or an ISO time in UTC: `2024-05-01T00:00:00Z`. */
  readonly from: string;
  readonly to: string;
}

/** The zone in which times are shown and entered. */
export type Zone = 'utc' | 'local';

export interface Preset {
  /** `15 m`. */
  readonly label: string;
  /** `Last 15 minutes`. */
  readonly title: string;
  readonly range: TimeRange;
}

const PRESET_TITLES = {
  '15m': '15 minutes',
  '1h': 'hour',
  '6h': '6 hours',
  '24h': '24 hours',
  '3d': '3 days',
  '7d': '7 days',
} as const;

export const PRESETS: readonly Preset[] = Object.entries(PRESET_TITLES).map(([length, words]) => ({
  label: length.replace(/\D$/, ' $&'),
  title: `Last ${words}`,
  range: { kind: 'relative', from: `now-${length}`, to: 'now' },
}));

/** What the service's widest type of times can hold. */
const [MIN_MS, MAX_MS] = [Date.UTC(1900), Date.UTC(2299, 11, 31)];
const MAX_TEXT = 250;
const TIME = /^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)?)?$/i;

/** Reads `now-15m..now` and `2024-05-01T00:00:00Z..2024-05-01T01:00:00Z`; undefined for anything else. */
export function readRange(text: string): TimeRange | undefined {
  if (text.length > MAX_TEXT) return undefined;
  const parts = text.split('..');
  const [from, to] = parts;
  return parts.length !== 2 || from === undefined || to === undefined ? undefined : rangeOf(from, to);
}

export function writeRange({ from, to }: TimeRange): string {
  return `${from}..${to}`;
}

/** The range of two texts; undefined if one is no time. Times without an offset are in `zone`. */
export function rangeOf(from: string, to: string, zone: Zone = 'utc'): TimeRange | undefined {
  const [start, end] = [boundText(from, zone), boundText(to, zone)];
  if (start === undefined || end === undefined) return undefined;
  return { kind: isExpression(start) || isExpression(end) ? 'relative' : 'fixed', from: start, to: end };
}

export interface RangeFault {
  readonly field: 'from' | 'to';
  readonly message: string;
}

const EXAMPLES = 'such as now-6h, now-1d/d or 2024-05-01 12:00';

/** What is wrong with the texts of a range; undefined if nothing is. */
export function faultOf(from: string, to: string, now: number): RangeFault | undefined {
  for (const [field, text] of [
    ['from', from],
    ['to', to],
  ] as const) {
    if (text.trim() === '') return { field, message: `Enter a time ${EXAMPLES}.` };
    const parsed = boundText(text, 'utc');
    if (parsed === undefined)
      return { field, message: `“${text.slice(0, 40)}” is no time. Write one ${EXAMPLES}.` };
    if (msOf(parsed, now, field === 'from' ? 'start' : 'end') === undefined)
      return { field, message: 'The time must be between the years 1900 and 2299.' };
  }
  return undefined;
}

/** As faultOf, and that the range has a length. */
export function rangeFaultOf(range: TimeRange, now: number): RangeFault | undefined {
  const fault = faultOf(range.from, range.to, now);
  if (fault !== undefined) return fault;
  const { from, to } = boundsAt(range, now);
  return from < to ? undefined : { field: 'to', message: 'The range must end after it begins.' };
}

/** Milliseconds since 1970. A bound beyond what the service's types can hold is the first or last time that they can. */
export function boundsAt(
  { from, to }: TimeRange,
  now: number,
): { readonly from: number; readonly to: number } {
  return { from: msOf(from, now, 'start') ?? MIN_MS, to: msOf(to, now, 'end') ?? MAX_MS };
}

/** The same range, independent of the time of the call; in whole milliseconds. */
export function fixedAt(range: TimeRange, now: number): TimeRange {
  const { from, to } = boundsAt(range, now);
  return { kind: 'fixed', from: isoOf(from), to: isoOf(to) };
}

/** A fixed range between two times, in milliseconds since 1970. */
export function fixedRange(from: number, to: number): TimeRange {
  return { kind: 'fixed', from: isoOf(from), to: isoOf(to) };
}

export function isSameRange(one: TimeRange | undefined, other: TimeRange | undefined): boolean {
  return one?.from === other?.from && one?.to === other?.to;
}

/** `2024-05-01T00:00:00Z`, with milliseconds if there are any. */
function isoOf(ms: number): string {
  return new Date(ms).toISOString().replace('.000Z', 'Z');
}

/** Undefined if the text is no time, or one that cannot be expressed. */
export function msOf(text: string, now: number, bound: Bound): number | undefined {
  const steps = parseExpression(text);
  const ms = steps === undefined ? timeMs(text, 'utc') : resolveSteps(steps, now, bound);
  return ms !== undefined && ms >= MIN_MS && ms <= MAX_MS ? ms : undefined;
}

function isExpression(text: string): boolean {
  return text.startsWith('now');
}

function boundText(raw: string, zone: Zone): string | undefined {
  const text = raw.trim();
  if (isExpression(text)) return parseExpression(text) === undefined ? undefined : text;
  const ms = timeMs(text, zone);
  return ms === undefined ? undefined : isoOf(ms);
}

/** A date is its midnight. */
function timeMs(raw: string, zone: Zone): number | undefined {
  const text = raw.trim();
  if (!TIME.test(text)) return undefined;
  const iso = `${text.replace(' ', 'T').toUpperCase()}${text.length === 10 ? 'T00:00' : ''}`;
  const isZoned = /(?:Z|[+-]\d\d:?\d\d)$/.test(iso.slice(10));
  const date = new Date(isZoned || zone === 'local' ? iso : `${iso}Z`);
  const ms = date.getTime();
  // Days that a month does not have would be read as later ones.
  const isReal =
    Number(text.slice(8, 10)) <=
    new Date(Date.UTC(Number(text.slice(0, 4)), Number(text.slice(5, 7)), 0)).getUTCDate();
  return Number.isNaN(ms) || !isReal ? undefined : ms;
}
