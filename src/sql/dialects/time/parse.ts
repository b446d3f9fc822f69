// Strings as times, by a pattern: what a regular expression matches is written as a time that the engine reads.
import { unconverted } from '../context.ts';
import { quoteString } from '../../clickhouse/literal.ts';
import { sql, type Sql } from '../value.ts';
import { YEAR } from './argument.ts';
import type { Element, Piece } from './format.ts';

type Field =
  | 'year' | 'year2' | 'month' | 'name' | 'day' | 'hour' | 'hour12' | 'minute' | 'second' | 'fraction' | 'half' | 'offset' | 'epoch'; // prettier-ignore

const anyCase = (names: string): string =>
  names.replace(/[a-z]/g, (letter) => `[${letter.toUpperCase()}${letter}]`);
const MONTHS = anyCase('jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec');
const MONTH_ENDS = anyCase('uary|ruary|ch|il|e|y|ust|tember|ober|ember');
const DAYS = anyCase('(?:sun|mon|tues|wednes|thurs|fri|satur)day|sun|mon|tue|wed|thu|fri|sat');

const MONTH = '1[0-2]|0?[1-9]';
const DAY = '3[01]|[12][0-9]|0?[1-9]';

const OFFSET = '[+-](?:0[0-9]|1[0-4])(?::?[0-5][0-9])?';

/** What an element matches, and the field that it is. */
const MATCHES: Partial<Record<Element, readonly [field: Field | undefined, regex: string, after?: string]>> =
  {
    year: ['year', YEAR],
    year4: ['year', YEAR],
    year2: ['year2', '[0-9]{2}'],
    month: ['month', MONTH],
    month_plain: ['month', MONTH],
    month_short: ['name', MONTHS, `(?:${MONTH_ENDS})?`],
    month_name: ['name', MONTHS, `(?:${MONTH_ENDS})?`],
    day: ['day', ` ?(?:${DAY})`],
    day_plain: ['day', DAY],
    day_space: ['day', ` ?(?:${DAY})`],
    day_short: [undefined, `(?:${DAYS})`],
    day_name: [undefined, `(?:${DAYS})`],
    hour: ['hour', ' ?(?:2[0-3]|[01]?[0-9])'],
    hour_plain: ['hour', '2[0-3]|[01]?[0-9]'],
    hour_space: ['hour', ' ?(?:2[0-3]|[01]?[0-9])'],
    hour12: ['hour12', ' ?(?:1[0-2]|0?[1-9])'],
    hour12_plain: ['hour12', '1[0-2]|0?[1-9]'],
    hour12_space: ['hour12', ' ?(?:1[0-2]|0?[1-9])'],
    minute: ['minute', '[0-5]?[0-9]'],
    second: ['second', '60|[0-5]?[0-9]'],
    seconds: ['second', '(?:60|[0-5]?[0-9])(?:[.][0-9]+)?'],
    micros: ['fraction', '[0-9]{1,6}'],
    half: ['half', '[AaPp][Mm]'],
    half_lower: ['half', '[AaPp][Mm]'],
    offset: ['offset', OFFSET],
    offset_colon: ['offset', `Z|${OFFSET}`],
    zone: ['offset', 'UTC|GMT'],
    epoch: ['epoch', '-?[0-9]{1,11}'],
  };

export function matchOf(element: Element): (typeof MATCHES)[Element] {
  const [, digits] = /^seconds ([1-9])$/.exec(element) ?? [];
  if (digits === undefined) return MATCHES[element];
  return ['second', `(?:60|[0-5]?[0-9])(?:[.][0-9]{1,${digits}})?`];
}

/** A pattern as a regular expression, and the number of each field's group. */
export interface TimeExpression {
  readonly source: string;
  readonly groups: ReadonlyMap<Field, number>;
}

/** Undefined for a pattern with other elements, or with one field twice. */
export function expressionOf(pieces: readonly Piece[]): TimeExpression | undefined {
  const groups = new Map<Field, number>();
  let source = '';
  for (const piece of pieces) {
    if ('text' in piece) {
      source += escaped(piece.text);
      continue;
    }
    const [field, regex, after = ''] = matchOf(piece.element) ?? [];
    if (regex === undefined || (field !== undefined && groups.has(field))) return undefined;
    if (field !== undefined) groups.set(field, groups.size + 1);
    source += field === undefined ? regex : `(${regex})${after}`;
  }
  if (groups.size > 9 || ALONE.some((pair) => pair.every((field) => groups.has(field)))) return undefined;
  if (groups.has('epoch') && groups.size > 1) return undefined;
  return { source: `^\\s*${source}\\s*$`, groups };
}

/** Fields of which one would override the other. */
const ALONE: readonly (readonly Field[])[] = [
  ['name', 'month'],
  ['year', 'year2'],
  ['hour', 'hour12'],
];

/** White space in a pattern matches any amount of it. */
export function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replace(/\s+/g, '\\s*');
}

/** Fields of a time that the engine reads: `2026-11-19 10:00:00.5 +02:00`, or `19 Nov 2026 …` with the name of a month. */
function template(groups: ReadonlyMap<Field, number>, century: string): string {
  const field = (name: Field): string | undefined => (groups.has(name) ? `\\${groups.get(name)}` : undefined);
  if (groups.has('epoch')) return '\\1';
  const short = field('year2');
  const year = short === undefined ? (field('year') ?? '1970') : century + short;
  const day = field('day') ?? '01';
  const name = field('name');
  const date = name === undefined ? `${year}-${field('month') ?? '01'}-${day}` : `${day} ${name} ${year}`;
  // An hour of 24 makes no use of AM and PM.
  const half = groups.has('hour12') && groups.has('half') ? ` ${field('half')}` : '';
  const fraction = groups.has('fraction') ? `.${field('fraction')}` : '';
  const time = `${field('hour') ?? field('hour12') ?? '00'}:${field('minute') ?? '00'}:${field('second') ?? '00'}${fraction}`;
  return `${date} ${time}${half}${groups.has('offset') ? ` ${field('offset')}` : ''}`;
}

/** What to parse. */
interface TimeText {
  readonly text: Sql;
  /** The string, if it is a literal, and where it is. */
  readonly literal: { readonly value: string; readonly at: number } | undefined;
  /** Of times without an offset; UTC if undefined. */
  readonly zone: string | undefined;
  /** NULL for a string that the pattern does not match, in place of an error. */
  readonly isSafe: boolean;
  /** That of the pattern, if it is another one than usual. */
  readonly expression?: TimeExpression | undefined;
}

/** The time, in UTC; undefined if the pattern has elements that are not read. */
export function parseByPattern(pieces: readonly Piece[], from: TimeText): Sql | undefined {
  const expression = from.expression ?? expressionOf(pieces);
  if (expression === undefined) return parsedByEngine(pieces, from);
  const { groups } = expression;
  const { literal, isSafe, zone = 'UTC' } = from;
  const found =
    literal === undefined || isSafe
      ? matched(from.text, expression)
      : quoteString(expanded(literal, expression));
  if (groups.has('epoch'))
    return sql`fromUnixTimestamp64Micro(toInt64${isSafe ? 'OrNull' : ''}(${found}) * 1000000, 'UTC')`;
  const parsed = sql`parseDateTime64BestEffort${isSafe ? 'OrNull' : ''}(${found}, 6, ${quoteString(zone)})`;
  return zone === 'UTC' ? parsed : sql`toTimeZone(${parsed}, 'UTC')`;
}

/** A literal as the engine reads it. */
function expanded(
  { value, at }: { readonly value: string; readonly at: number },
  expression: TimeExpression,
): string {
  const { source, groups } = expression;
  const match = new RegExp(source).exec(value);
  if (match === null) return unconverted(at, 'syntax', `'${value.slice(0, 60)}' does not match the pattern`);
  const years = match[groups.get('year2') ?? -1];
  const form = template(groups, years !== undefined && Number(years) >= 69 ? '19' : '20');
  return form.replaceAll(/\\(\d)/g, (_, group: string) => match[Number(group)] ?? '');
}

/** The string as the engine reads it, or no time if it does not match. */
function matched(text: Sql, { source, groups }: TimeExpression): Sql {
  const one = (regex: string, century: string, otherwise: Sql): Sql => {
    const quoted = quoteString(regex);
    return sql`if(match(${text}, ${quoted}), replaceRegexpOne(${text}, ${quoted}, ${quoteString(template(groups, century))}), ${otherwise})`;
  };
  const none = sql`if(isNull(${text}), NULL, '')`;
  if (!groups.has('year2')) return one(source, '', none);
  const of = (years: string): string => source.replace('([0-9]{2})', `(${years})`);
  return one(of('[0-5][0-9]|6[0-8]'), '20', one(of('69|[7-9][0-9]'), '19', none));
}

/** Elements that the engine reads in the same way, of whole seconds. */
const BY_ENGINE: Partial<Record<Element, string>> = {
  year: '%Y',
  year4: '%Y',
  month: '%m',
  day: '%d',
  day_of_year: '%j',
  hour: '%H',
  minute: '%i',
  second: '%S',
};

/** With elements such as the day of a year. */
function parsedByEngine(pieces: readonly Piece[], { text, isSafe, zone = 'UTC' }: TimeText): Sql | undefined {
  if (!hasYear(pieces)) return undefined; // the engine assumes another year
  const parts = pieces.map((piece) =>
    'text' in piece ? piece.text.replaceAll('%', '%%') : BY_ENGINE[piece.element],
  );
  if (
    parts.includes(undefined) ||
    new Set(pieces.flatMap((piece) => ('element' in piece ? piece.element : []))).size <
      parts.filter((part) => part?.startsWith('%')).length
  )
    return undefined;
  const parsed = sql`parseDateTime64${isSafe ? 'OrNull' : ''}(${text}, ${quoteString(parts.join(''))}, ${quoteString(zone)})`;
  return zone === 'UTC' ? parsed : sql`toTimeZone(${parsed}, 'UTC')`;
}

/** Returns whether a pattern has the year, which some dialects do not assume. */
export const hasYear = (pieces: readonly Piece[]): boolean =>
  pieces.some((piece) => 'element' in piece && /^(?:year|epoch)/.test(piece.element));
