// Times as strings, by a pattern.
import { quoteString } from '../../clickhouse/literal.ts';
import { joinSql, sql, type Sql } from '../value.ts';
import type { Element, Piece } from './pattern.ts';
import { startOfIsoYear } from './unit.ts';

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
