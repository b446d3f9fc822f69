// Patterns of times: their elements, and how times are written by them.
import type { Traits } from '../traits.ts';
import { quoteString } from '../../clickhouse/literal.ts';
import { joinSql, sql, type Sql } from '../value.ts';
import { startOfIsoYear } from './unit.ts';

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

/** Elements of formatDateTime. */
const DIRECT: Partial<Record<Element, string>> = {
  year4: '%Y', year2: '%y', century: '%C', iso_year: '%G', iso_year2: '%g', quarter: '%Q', month: '%m', month_name: '%M', month_short: '%b',
  iso_week: '%V', day_of_year: '%j', day: '%d', day_plain: '%e', day_name: '%W', day_short: '%a', weekday0: '%w', iso_weekday: '%u', hour: '%H',
  hour12: '%I', minute: '%i', second: '%S', micros: '%f', half: '%p', offset: '%z',
}; // prettier-ignore

/** A time to format: its SQL, and the argument for another zone than that of its type. */
interface Formatted {
  readonly time: Sql;
  /** Quoted; undefined for a time in the zone of its type, and for a day. */
  readonly zone: Sql | undefined;
}

/** A function of the time. */
const of = (name: string, { time, zone }: Formatted, mode = ''): Sql =>
  zone === undefined ? sql`${name}(${time}${mode})` : sql`${name}(${time}${mode}, ${zone})`;
const directly = (format: string, { time, zone }: Formatted): Sql =>
  zone === undefined
    ? sql`formatDateTime(${time}, ${quoteString(format)})`
    : sql`formatDateTime(${time}, ${quoteString(format)}, ${zone})`;
const padded = (own: Sql, length: number, fill: ' ' | '0'): Sql =>
  sql`leftPad(toString(${own}), ${String(length)}, '${fill}')`;
const hour12 = (own: Formatted): Sql => sql`(${of('toHour', own)} + 11) % 12 + 1`;
const named = (format: string, change = ''): ((own: Formatted) => Sql) => {
  return (own) => (change === '' ? directly(format, own) : sql`${change}(${directly(format, own)})`);
};
/** The seconds with six digits; offsets of zones make no difference to them that is shown. */
const seconds = (own: Formatted): Sql => sql`formatDateTime(toDateTime64(${own.time}, 6), '%S.%f')`;

/** Elements that need a call of their own. */
const CALLS: Partial<Record<Element, (own: Formatted) => Sql>> = {
  // BigQuery writes years before 1000 without zeros.
  year: (own) => sql`trimLeft(${directly('%Y', own)}, '0')`,
  iso_day_of_year: (own) => {
    const day = of('toDate32', own);
    return padded(sql`dateDiff('day', ${startOfIsoYear(day)}, ${day}) + 1`, 3, '0');
  },
  week_sunday: (own) => padded(of('toWeek', own, ', 0'), 2, '0'),
  week_monday: (own) => padded(of('toWeek', own, ', 5'), 2, '0'),
  week_first4: (own) => padded(of('toWeek', own, ', 1'), 2, '0'),
  month_plain: (own) => sql`toString(${of('toMonth', own)})`,
  day_space: (own) => padded(of('toDayOfMonth', own), 2, ' '),
  weekday1: (own) => sql`toString(${of('toDayOfWeek', own, ', 3')})`,
  hour_plain: (own) => sql`toString(${of('toHour', own)})`,
  hour_space: (own) => padded(of('toHour', own), 2, ' '),
  hour12_plain: (own) => sql`toString(${hour12(own)})`,
  hour12_space: (own) => padded(hour12(own), 2, ' '),
  millis: (own) => padded(sql`toMillisecond(toDateTime64(${own.time}, 6))`, 3, '0'),
  // They are rounded, but not to the next minute.
  seconds3: ({ time }) => {
    const rounded = sql`intDiv(toMicrosecond(toDateTime64(${time}, 6)) + 500, 1000)`;
    const millis = sql`least(toSecond(${time}) * 1000 + ${rounded}, 59999)`;
    return sql`concat(leftPad(toString(intDiv(${millis}, 1000)), 2, '0'), '.', leftPad(toString(${millis} % 1000), 3, '0'))`;
  },
  seconds: (own) => sql`replaceRegexpOne(${seconds(own)}, '[.]?0+$', '')`,
  half_lower: named('%p', 'lower'),
  epoch: ({ time }) =>
    sql`toString(toUnixTimestamp64Second(toStartOfSecond(toDateTime64(${time}, 6, 'UTC'))))`,
  offset_colon: (own) => sql`replaceRegexpOne(${directly('%z', own)}, '^(...)', '\\\\1:')`,
  zone: (own) =>
    sql`if(${directly('%z', own)} = '+0000', 'UTC', replaceRegexpOne(replaceRegexpOne(${directly('%z', own)}, '^(.)0?([0-9]+)(..)$', 'UTC\\\\1\\\\2:\\\\3'), ':00$', ''))`,
  MONTH_NAME: named('%M', 'upper'),
  MONTH_SHORT: named('%b', 'upper'),
  DAY_NAME: named('%W', 'upper'),
  DAY_SHORT: named('%a', 'upper'),
  month_name_lower: named('%M', 'lower'),
  month_short_lower: named('%b', 'lower'),
  day_name_lower: named('%W', 'lower'),
  day_short_lower: named('%a', 'lower'),
};

function written(element: Element, own: Formatted): Sql {
  const call = CALLS[element];
  if (call !== undefined) return call(own);
  const [, digits] = /^seconds ([1-9])$/.exec(element) ?? [];
  // Six digits are known.
  if (digits !== undefined) {
    const length = String(3 + Number(digits));
    return sql`rightPad(substring(${seconds(own)}, 1, ${length}), ${length}, '0')`;
  }
  const name = element.replace('padded ', '') as Element; // elements that are padded are elements
  return sql`rightPad(${DIRECT[name] === undefined ? written(name, own) : directly(DIRECT[name], own)}, 9, ' ')`;
}

/** Without a text of fraction and seconds that regular expressions would take apart: `00` stays. */
export function formatTime(own: Formatted, pieces: readonly Piece[]): Sql {
  const parts: Sql[] = [];
  let format = '';
  let isPlain = true;
  const flush = (): void => {
    if (format !== '')
      parts.push(isPlain ? quoteString(format.replaceAll('%%', '%')) : directly(format, own));
    format = '';
    isPlain = true;
  };
  for (const piece of pieces) {
    if ('text' in piece) {
      format += piece.text.replaceAll('%', '%%');
      continue;
    }
    const direct = DIRECT[piece.element];
    if (direct !== undefined) {
      format += direct;
      isPlain = false;
      continue;
    }
    flush();
    parts.push(written(piece.element, own));
  }
  flush();
  // A pattern without elements is NULL for no time.
  if (parts.every((each) => typeof each === 'string'))
    return sql`if(isNull(${own.time}), NULL, ${parts[0] ?? "''"})`;
  const [only = "''"] = parts;
  return parts.length < 2 ? only : sql`concat(${joinSql(parts)})`;
}
