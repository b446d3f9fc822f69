// Patterns of FORMAT_TIMESTAMP as calls of formatDateTime. Source: BigQuery, Format elements; ClickHouse, formatDateTime.
import { untranslated } from '../translation-error.ts';
import { joinSql, sql, type Sql } from '../../dialects/sql.ts';
import { quoteString } from '../../sql/literal.ts';

/** Elements of BigQuery, and of ClickHouse. */
const ELEMENTS: Readonly<Record<string, string>> = {
  '%%': '%%',
  '%A': '%W',
  '%a': '%a',
  '%B': '%M',
  '%b': '%b',
  '%h': '%b',
  '%C': '%C',
  '%c': '%a %b %e %T %Y',
  '%D': '%D',
  '%d': '%d',
  '%e': '%e',
  '%F': '%F',
  '%G': '%G',
  '%g': '%g',
  '%H': '%H',
  '%I': '%I',
  '%j': '%j',
  '%k': '%k',
  '%l': '%l',
  '%M': '%i',
  '%m': '%m',
  '%n': '%n',
  '%p': '%p',
  '%Q': '%Q',
  '%R': '%R',
  '%r': '%I:%i:%S %p',
  '%S': '%S',
  '%T': '%T',
  '%t': '%t',
  '%u': '%u',
  '%V': '%V',
  '%w': '%w',
  '%X': '%T',
  '%x': '%D',
  '%Y': '%Y',
  '%y': '%y',
  '%z': '%z',
  '%E4Y': '%Y',
  '%E0S': '%S',
};

/** Elements that need a call of their own. */
const CALLS: Readonly<Record<string, (time: Sql, zone: Sql) => Sql>> = {
  '%E*S': (time) => sql`replaceRegexpOne(${seconds(time)}, '\\\\.?0+$', '')`,
  '%Ez': (time, zone) => sql`replaceRegexpOne(${offset(time, zone)}, '^(...)', '\\\\1:')`,
  '%Z': (time, zone) =>
    sql`if(${offset(time, zone)} = '+0000', 'UTC', replaceRegexpOne(replaceRegexpOne(${offset(time, zone)}, '^(.)0?([0-9]+)(..)$', 'UTC\\\\1\\\\2:\\\\3'), ':00$', ''))`,
  '%s': (time) => sql`toString(toUnixTimestamp64Second(toDateTime64(${time}, 6, 'UTC')))`,
  '%P': (time, zone) => sql`lower(formatDateTime(${time}, '%p', ${zone}))`,
};

/** The seconds with six digits; offsets of zones are whole seconds. */
function seconds(time: Sql): Sql {
  return sql`formatDateTime(toDateTime64(${time}, 6, 'UTC'), '%S.%f')`;
}

/** The seconds with that many digits, of which six are known. */
function shortSeconds(time: Sql, digits: number): Sql {
  const length = String(3 + digits);
  return sql`rightPad(substring(${seconds(time)}, 1, ${length}), ${length}, '0')`;
}

function offset(time: Sql, zone: Sql): Sql {
  return sql`formatDateTime(${time}, '%z', ${zone})`;
}

const ELEMENT = /%(?:E[*\d]?[A-Za-z]?|.?)/s;

/** The time as a string; rejects elements without an equivalent. `at` is where the pattern is. */
export function formatTime(
  time: Sql,
  pattern: string,
  { zone = "'UTC'", at }: { readonly zone: Sql | undefined; readonly at: number },
): Sql {
  const parts: Sql[] = [];
  let plain = '';
  const flush = (): void => {
    if (plain !== '') parts.push(sql`formatDateTime(${time}, ${quoteString(plain)}, ${zone})`);
    plain = '';
  };
  for (const element of pattern.split(new RegExp(`(${ELEMENT.source})`, 's'))) {
    const digits = /^%E([1-9])S$/.exec(element)?.[1];
    const call = CALLS[element];
    if (call === undefined && digits === undefined) {
      plain += element.startsWith('%') ? timeElement(element, at) : element;
      continue;
    }
    flush();
    if (call !== undefined) parts.push(call(time, zone));
    else parts.push(shortSeconds(time, Number(digits)));
  }
  flush();
  const [only = "''"] = parts;
  return parts.length < 2 ? only : sql`concat(${joinSql(parts)})`;
}

/** The pattern for parseDateTime; rejects elements without an equivalent. */
export function timeFormat(pattern: string, at: number): string {
  return pattern.replace(new RegExp(ELEMENT.source, 'gs'), (element) => timeElement(element, at));
}

function timeElement(element: string, at: number): string {
  const known = ELEMENTS[element];
  if (known !== undefined) return known;
  const names = [...Object.keys(ELEMENTS), ...Object.keys(CALLS), '%E1S to %E9S'];
  return untranslated(at, `${element} is not supported`, `The elements are ${names.join(' ')}.`);
}
