// Patterns of PARSE_TIMESTAMP as regular expressions: what they match is written as a time that the engine reads, with fractions
// and offsets. Source: BigQuery, Format elements.
import { syntax } from '../translation-error.ts';
import { sql, type Sql } from '../../dialects/sql.ts';
import { quoteString } from '../../sql/literal.ts';
import { timeLiteral } from '../time-literal.ts';
import type { TimeType } from '../../sql/syntax-tree.ts';

type Field = 'year' | 'month' | 'name' | 'day' | 'hour' | 'minute' | 'second' | 'half' | 'offset' | 'epoch';

/** What an element matches; a group for a field, which begins with its name. Other elements are written as these. */
const ELEMENTS: Readonly<Record<string, string>> = {
  '%%': '%',
  '%Y': '<year>[0-9]{4}',
  '%m': '<month>[0-9]{1,2}',
  '%b': '<name>[A-Za-z]{3}',
  '%d': '<day> ?[0-9]{1,2}',
  '%H': '<hour> ?[0-9]{1,2}',
  '%M': '<minute>[0-9]{1,2}',
  '%S': '<second>[0-9]{1,2}',
  '%E*S': '<second>[0-9]{1,2}(?:[.][0-9]+)?',
  '%p': '<half>[AaPp][Mm]',
  '%z': '<offset>[Zz]|[+-][0-9]{2}(?::?[0-9]{2})?',
  '%Z': '<offset>Z|UTC|GMT',
  '%s': '<epoch>-?[0-9]{1,11}',
  '%a': '[A-Za-z]{3,9}',
};

const COMPOSED: Readonly<Record<string, string>> = {
  '%A': '%a',
  '%B': '%b',
  '%c': '%a %b %d %H:%M:%S %Y',
  '%e': '%d',
  '%E4Y': '%Y',
  '%Ez': '%z',
  '%F': '%Y-%m-%d',
  '%h': '%b',
  '%I': '%H',
  '%k': '%H',
  '%l': '%H',
  '%n': ' ',
  '%P': '%p',
  '%R': '%H:%M',
  '%r': '%H:%M:%S %p',
  '%T': '%H:%M:%S',
  '%t': ' ',
  '%X': '%H:%M:%S',
};

/** A pattern as a regular expression, and the number of each field's group. */
interface Expression {
  readonly source: string;
  readonly groups: ReadonlyMap<Field, number>;
}

const PIECE = /(%(?:E[*\d]?[A-Za-z]?|.?))/s;

/** Undefined for a pattern with other elements, or with one field twice. */
function expressionOf(pattern: string): Expression | undefined {
  const groups = new Map<Field, number>();
  let source = '';
  const simple = pattern.replace(new RegExp(PIECE.source, 'gs'), (element) => COMPOSED[element] ?? element);
  for (const piece of simple.replaceAll(/%E\dS/g, '%E*S').split(PIECE)) {
    const [, name, expression] = /^(?:<(\w+)>)?(.*)$/s.exec(ELEMENTS[piece] ?? '') ?? [];
    if (!piece.startsWith('%')) source += escaped(piece);
    else if (expression === undefined || ELEMENTS[piece] === undefined) return undefined;
    else if (name === undefined) source += expression;
    else {
      const field = name as Field; // the table contains only fields
      if (groups.has(field)) return undefined;
      groups.set(field, groups.size + 1);
      source += `(${expression})${field === 'name' ? '[a-z]*' : ''}`;
    }
  }
  if (groups.has('epoch') && groups.size > 1) return undefined;
  if (groups.size > 9 || (groups.has('name') && groups.has('month'))) return undefined;
  return { source: `^\\s*${source}\\s*$`, groups };
}

/** White space in a pattern matches any amount of it. */
function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replace(/\s+/g, '\\s*');
}

/** Fields of a time that the engine reads: `2026-11-19 10:00:00.5 +02:00`, or `19 Nov 2026 …` with the name of a month. */
function written(field: (name: Field) => string | undefined): string {
  const [year = '1970', day = '01', hour = '00'] = [field('year'), field('day'), field('hour')];
  const name = field('name');
  const date = name === undefined ? `${year}-${field('month') ?? '01'}-${day}` : `${day} ${name} ${year}`;
  const half = field('half');
  const time = `${hour}:${field('minute') ?? '00'}:${field('second') ?? '00'}`;
  return `${date} ${time}${half === undefined ? '' : ` ${half}`}${field('offset') ?? ''}`;
}

/** What to parse. */
export interface TimeText {
  readonly type: TimeType;
  readonly text: Sql;
  /** The string, if it is a literal, and where it is. */
  readonly literal: { readonly value: string; readonly at: number } | undefined;
  /** Of times without an offset. */
  readonly zone: string | undefined;
  /** NULL for a string that the pattern does not match, in place of an error. */
  readonly isSafe: boolean;
}

/** The time, in UTC; undefined if the pattern has other elements than those above. */
export function parseTime(pattern: string, { text, literal, zone, isSafe, type }: TimeText): Sql | undefined {
  const expression = expressionOf(pattern);
  if (expression === undefined) return undefined;
  const { source, groups } = expression;
  const hasOffset = groups.has('offset') || groups.has('epoch');
  const isPlace = zone === undefined || hasOffset || zone.includes('/'); // as time literals name zones
  if (literal !== undefined && !isSafe && isPlace) {
    const match = new RegExp(source).exec(literal.value);
    if (match === null) {
      syntax(
        literal.at,
        `'${literal.value.slice(0, 60)}' does not match the pattern '${pattern.slice(0, 60)}'`,
      );
    }
    const time = canonical((name) => match[groups.get(name) ?? -1]?.trim());
    return timeLiteral(type, hasOffset || zone === undefined ? time : `${time} ${zone}`, literal.at).sql;
  }
  const regex = quoteString(source);
  const group = (name: Field): string | undefined => (groups.has(name) ? `\\${groups.get(name)}` : undefined);
  const template = quoteString(groups.has('epoch') ? '\\1' : written(group));
  const found = sql`if(match(${text}, ${regex}) OR isNull(${text}), replaceRegexpOne(${text}, ${regex}, ${template}), '')`;
  if (groups.has('epoch')) {
    return sql`fromUnixTimestamp64Micro(${isSafe ? 'toInt64OrNull' : 'toInt64'}(${found}) * 1000000, 'UTC')`;
  }
  const parsed = sql`parseDateTime64BestEffort${isSafe ? 'OrNull' : ''}(${found}, 6, ${quoteString(zone ?? 'UTC')})`;
  return zone === undefined ? parsed : sql`toTimeZone(${parsed}, 'UTC')`;
}

const MONTHS = 'janfebmaraprmayjunjulaugsepoctnovdec';

/** The same with numbers alone, as time literals are written. */
function canonical(field: (name: Field) => string | undefined): string {
  const epoch = field('epoch');
  if (epoch !== undefined) return new Date(Number(epoch) * 1000).toISOString();
  const name = field('name');
  const month = name === undefined ? field('month') : String(MONTHS.indexOf(name.toLowerCase()) / 3 + 1);
  const half = field('half')?.toLowerCase();
  const hour =
    half === undefined ? field('hour') : String((Number(field('hour')) % 12) + (half === 'pm' ? 12 : 0));
  const offset = field('offset');
  return written((each) => {
    if (each === 'name' || each === 'half') return undefined;
    if (each === 'month') return month;
    if (each === 'hour') return hour;
    return each === 'offset' && offset === 'GMT' ? 'Z' : field(each);
  });
}
