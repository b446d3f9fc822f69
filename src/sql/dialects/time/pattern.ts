// Patterns of times in the notations of the dialects, as elements. Sources: BigQuery, Format elements; MySQL, DATE_FORMAT; SQLite,
// strftime; PostgreSQL, Template Patterns for Date/Time Formatting.
import type { Traits } from '../traits.ts';

/** A part of a time in a pattern. */
export type Element =
  | 'year' | 'year4' | 'year2' | 'century' | 'iso_year' | 'iso_year2' | 'quarter'
  | 'month' | 'month_plain' | 'month_name' | 'month_short'
  | 'iso_week' | 'week_sunday' | 'week_monday' | 'week_first4' | 'day_of_year' | 'iso_day_of_year'
  | 'day' | 'day_plain' | 'day_space' | 'day_name' | 'day_short' | 'weekday0' | 'weekday1' | 'iso_weekday'
  | 'hour' | 'hour_plain' | 'hour_space' | 'hour12' | 'hour12_plain' | 'hour12_space'
  | 'minute' | 'second' | 'seconds' | 'seconds3' | 'millis' | 'micros' | 'half' | 'half_lower' | 'epoch'
  | 'offset' | 'offset_colon' | 'zone'
  // Names in capitals, in small letters, and padded to nine characters.
  | 'MONTH_NAME' | 'MONTH_SHORT' | 'DAY_NAME' | 'DAY_SHORT' | 'month_name_lower' | 'month_short_lower' | 'day_name_lower' | 'day_short_lower'
  | `padded ${'month_name' | 'MONTH_NAME' | 'month_name_lower' | 'day_name' | 'DAY_NAME' | 'day_name_lower'}`
  | `seconds ${1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9}`; // prettier-ignore

/** A part of a pattern: an element, or other text, as it is. */
export type Piece = { readonly element: Element } | { readonly text: string; readonly isUnknown?: boolean };

/** A pattern, or why it is not supported. */
export type Pattern = { readonly pieces: readonly Piece[] } | { readonly reason: string };

/** Elements by a letter. */
export type Letters = Readonly<Record<string, Element | readonly Piece[]>>;

export const e = (element: Element): Piece => ({ element });
export const t = (text: string): Piece => ({ text });
export const joined = (elements: readonly Element[], separator: string): readonly Piece[] =>
  elements.flatMap((element, index) => (index === 0 ? [e(element)] : [t(separator), e(element)]));
export const CLOCK = joined(['hour', 'minute', 'second'], ':');
export const CLOCK12 = [...joined(['hour12', 'minute', 'second'], ':'), t(' '), e('half')];
/** The elements of date_format and its relatives, by the letter after %. */
const DATE_FORMAT: Letters = {
  Y: 'year4', y: 'year2', m: 'month', c: 'month_plain', M: 'month_name', b: 'month_short', d: 'day', e: 'day_plain', j: 'day_of_year',
  H: 'hour', k: 'hour_plain', h: 'hour12', I: 'hour12', l: 'hour12_plain', i: 'minute', s: 'second', S: 'second', f: 'micros', p: 'half',
  W: 'day_name', a: 'day_short', w: 'weekday0', U: 'week_sunday', u: 'week_first4', v: 'iso_week', x: 'iso_year', T: CLOCK, r: CLOCK12, '%': [t('%')],
}; // prettier-ignore

/** The elements of strftime and its relatives. */
export const STRFTIME: Letters = {
  y: 'year2', m: 'month', d: 'day', e: 'day_space', H: 'hour', k: 'hour_space', I: 'hour12', l: 'hour12_space', M: 'minute', S: 'second', j: 'day_of_year',
  p: 'half', P: 'half_lower', w: 'weekday0', u: 'iso_weekday', U: 'week_sunday', W: 'week_monday', V: 'iso_week', g: 'iso_year2', s: 'epoch',
  T: CLOCK, R: joined(['hour', 'minute'], ':'), '%': [t('%')],
}; // prettier-ignore
export function piecesOf(found: Element | readonly Piece[]): readonly Piece[] {
  return typeof found === 'string' ? [e(found)] : found;
}

export function byPercent(letters: Letters, pattern: string): Pattern {
  const pieces: Piece[] = [];
  for (const [whole, letter] of pattern.matchAll(/%(.?)|[^%]+/gsu)) {
    const found = letter === undefined ? [t(whole)] : letters[letter];
    if (found === undefined) return { reason: `${whole} in a pattern is not supported` };
    pieces.push(...piecesOf(found));
  }
  return { pieces };
}

export const dateFormatPattern = (pattern: string): Pattern => byPercent(DATE_FORMAT, pattern);

/** Of to_char, by pattern; longer ones first. FM before a name or a number leaves out its padding. */
const TO_CHAR: readonly (readonly [RegExp, Element])[] = [
  [/^YYYY/i, 'year4'], [/^IYYY/i, 'iso_year'], [/^YY/i, 'year2'], [/^IW/i, 'iso_week'], [/^MI/i, 'minute'],
  [/^FMMonth/, 'month_name'], [/^FMMONTH/, 'MONTH_NAME'], [/^FMmonth/, 'month_name_lower'],
  [/^Month/, 'padded month_name'], [/^MONTH/, 'padded MONTH_NAME'], [/^month/, 'padded month_name_lower'],
  [/^Mon/, 'month_short'], [/^MON/, 'MONTH_SHORT'], [/^mon/, 'month_short_lower'],
  [/^FMMM/i, 'month_plain'], [/^MM/i, 'month'], [/^MS/i, 'millis'],
  [/^FMDay/, 'day_name'], [/^FMDAY/, 'DAY_NAME'], [/^FMday/, 'day_name_lower'],
  [/^Day/, 'padded day_name'], [/^DAY/, 'padded DAY_NAME'], [/^day/, 'padded day_name_lower'],
  [/^Dy/, 'day_short'], [/^DY/, 'DAY_SHORT'], [/^dy/, 'day_short_lower'],
  [/^DDD/i, 'day_of_year'], [/^FMDD/i, 'day_plain'], [/^DD/i, 'day'], [/^ID/i, 'iso_weekday'], [/^D/i, 'weekday1'],
  [/^FMHH24/i, 'hour_plain'], [/^HH24/i, 'hour'], [/^FMHH(?:12)?/i, 'hour12_plain'], [/^HH(?:12)?/i, 'hour12'],
  [/^SS(?!SS)/i, 'second'], [/^(?:US|FF6)/i, 'micros'], [/^FF3/i, 'millis'], [/^(?:AM|PM)/, 'half'], [/^(?:am|pm)/, 'half_lower'], [/^Q/i, 'quarter'],
]; // prettier-ignore

/** Short names, in any case. */
const SHORT_NAMES: readonly (readonly [RegExp, Element])[] = [
  [/^MMMM/i, 'month_name'],
  [/^MON/i, 'month_short'],
  [/^DY/i, 'day_short'],
  [/^(?:AM|PM)/i, 'half'],
];

/** A pattern of to_char, to_date or to_timestamp. */
export function toCharPattern(pattern: string, { hasShortNames }: Traits): Pattern {
  const elements = hasShortNames ? [...SHORT_NAMES, ...TO_CHAR] : TO_CHAR;
  const pieces: Piece[] = [];
  for (let rest = pattern; rest !== '';) {
    const [quoted, inner] = /^"([^"]*)"/.exec(rest) ?? [];
    const found = quoted === undefined ? elements.find(([regex]) => regex.test(rest)) : undefined;
    const taken = quoted ?? found?.[0].exec(rest)?.[0] ?? rest.charAt(0);
    if (found !== undefined) pieces.push(e(found[1]));
    else if (quoted === undefined && /[A-Za-z]/.test(taken) && !isSeparatorT(taken, pieces))
      return { reason: `${/^[A-Za-z]+/.exec(rest)?.[0] ?? taken} in a pattern is not supported` };
    else pieces.push(t(inner ?? taken));
    rest = rest.slice(taken.length);
  }
  return { pieces };
}

/** The T of ISO 8601, after an element. */
function isSeparatorT(char: string, pieces: readonly Piece[]): boolean {
  const last = pieces.at(-1);
  return char === 'T' && last !== undefined && 'element' in last;
}
