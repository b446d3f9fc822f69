// Times in strings that a query compares with dates and times: `ts >= '2026-11-19T00:00:00.000Z'`. The engine is asked for the
// types that they are compared with, and those that it would reject or misread are written as literals of these types.
import { offsetMs, utcMs } from '../../../sql/clickhouse/calendar.ts';
import { quoteString, stringValue } from '../../../sql/clickhouse/literal.ts';
import { innerType, type ClickHouseType } from '../../../sql/types/type.ts';
import { nameTokens } from '../../../sql/clickhouse/tree/tokens.ts';
import { nameOf, stringTokens, wordOf } from '../../../sql/clickhouse/tree/visit.ts';
import type { LexedQuery, TokenEdit } from '../lexed-query.ts';
import { overDefaults, RESOLVE, type DefaultsContext } from '../over-defaults.ts';
import { placeholders } from '../query-tree/shape.ts';
import { parseQueryTree } from '../query-tree/tree.ts';
import type { Explain } from '../explain.ts';
import { comparedTypes } from './compared-types.ts';

/** What the query reads, and the engine to ask. */
interface TimesContext extends DefaultsContext {
  readonly evaluate: Explain;
}

/** A string in the query, and its replacement while the engine is asked. */
interface Candidate {
  readonly index: number;
  readonly time: WrittenTime;
  /** The same form with another date, at midnight: unique in the query, and valid wherever the string is. */
  readonly marker: string;
}

/**
 * The edits that write every compared time in a form that the engine reads correctly. Strings that are compared with strings stay. The
 * query must have passed the checks: the engine evaluates its constants, and its scalar subqueries over one row of default values.
 */
export async function timeEdits(text: LexedQuery, context: TimesContext): Promise<readonly TokenEdit[]> {
  const candidates = candidatesIn(text);
  if (candidates.length === 0) return [];
  if (candidates.every(({ time }) => isReadByEngine(time)) && !mayHaveDates(text, context)) return [];
  const explained = await context.evaluate(resolvable(text, context, candidates));
  if (explained.kind === 'rejected') return []; // running the query reports it
  const tree = parseQueryTree(explained.text);
  if ('violation' in tree) return [];
  const markers = new Set(candidates.map(({ marker }) => marker));
  const compared = comparedTypes(tree.root, (each) => markers.has(each));
  return candidates.flatMap(({ index, time, marker }) => {
    const source = text.cursor.text(index);
    const forms = new Set(
      (compared.get(marker) ?? []).map(({ type, isElement }) => timeFor(time, type, { source, isElement })),
    );
    const [form] = forms;
    if (forms.size !== 1 || form === undefined || form === source) return [];
    return [{ from: index, to: index + 1, sql: form }];
  });
}

/**
 * Returns whether the engine can resolve all names and types of a query that has passed the checks. The question is that of `timeEdits`, word
 * for word, so that the cache of trees answers the second of them.
 */
export async function isResolved(text: LexedQuery, context: TimesContext): Promise<boolean> {
  return (await context.evaluate(resolvable(text, context, candidatesIn(text)))).kind === 'tree';
}

function resolvable(text: LexedQuery, context: TimesContext, candidates: readonly Candidate[]): string {
  const markers = candidates.map(({ index, marker }) => {
    return { from: index, to: index + 1, sql: quoteString(marker) };
  });
  return `${RESOLVE}${overDefaults(text, context, [...markers, ...placeholders(text)])}`;
}

/** The engine's own form, which it reads wherever a time is compared, except beside a Date. */
function isReadByEngine({ hasOffset, digits }: WrittenTime): boolean {
  return !hasOffset && digits === 0;
}

/** Returns whether a column that the query names, or the result of a function in it, may be a Date. */
function mayHaveDates(text: LexedQuery, { tables, columns }: TimesContext): boolean {
  const types = tables.flatMap((table) => columns.get(table) ?? []).map(({ type }) => type);
  if (types.some((type) => /\bDate(?:32)?\b/.test(type))) return true;
  return nameTokens(text).some(({ name }) => DATE_NAME.test(name));
}

const DATE_NAME = /date(?!time)|day|week|month|quarter|year/i;

/** Functions and types that convert the string themselves. */
const CONVERSIONS = /^(?:to|parse|from|cast|accurate|date|timestamp)/i;

function candidatesIn(text: LexedQuery): readonly Candidate[] {
  const candidates: Candidate[] = [];
  for (const index of stringTokens(text)) {
    const written = stringValue(text.cursor.text(index)) ?? '';
    const time = isConverted(text, index) ? undefined : readTime(written);
    if (time === undefined) continue;
    const day = new Date(Date.UTC(1971, 0, 1 + candidates.length)).toISOString().slice(0, 10);
    const midnight = written.slice(10).replace(/^[Tt ][\d:.]+/, (timeOfDay) => timeOfDay.replace(/\d/g, '0'));
    candidates.push({ index, time, marker: `${day}${midnight}` });
  }
  return candidates;
}

function isConverted(text: LexedQuery, index: number): boolean {
  if (wordOf(text, { at: index + 1 }) === '::') return true;
  const before = wordOf(text, { at: index - 1 });
  return CONVERSIONS.test(before === '(' ? nameOf(text, { at: index - 2 }) : before);
}

/** A date with a time of day. */
interface WrittenTime {
  /** `YYYY-MM-DD hh:mm:ss`, in UTC if it was written with an offset. */
  readonly seconds: string;
  /** Digits without zeros at the end. */
  readonly fraction: string;
  readonly hasOffset: boolean;
  /** The shortest fraction that was written: the engine reads it in a column of at least this scale. Undefined without seconds. */
  readonly digits: number | undefined;
}

/** ISO 8601 and RFC 3339, with a space for the T, without seconds, with an offset in hours, or with UTC for the Z. */
const TIME =
  /^(\d{4})-(\d{2})-(\d{2})[Tt ](\d{2}):(\d{2})(?::(\d{2})(?:\.(\d{1,9}))?)? ?(?:([Zz]|UTC)|([+-])(\d{2})(?::?(\d{2}))?)?$/;

/** Undefined for any other string, and for dates and times that do not exist or are outside 1900 to 2299. */
function readTime(text: string): WrittenTime | undefined {
  const parts = TIME.exec(text);
  if (parts === null) return undefined;
  const [, year, month, day, hour, minute, second = 0, written = '', utc, sign, hours, minutes] = parts;
  const local = utcMs(
    [Number(year), Number(month), Number(day)],
    [Number(hour), Number(minute), Number(second)],
  );
  const ahead = offsetMs(sign, hours, minutes);
  if (local === undefined || ahead === undefined) return undefined;
  const instant = new Date(local - ahead);
  if (instant.getUTCFullYear() < 1900 || instant.getUTCFullYear() > 2299) return undefined;
  return {
    seconds: instant.toISOString().slice(0, 19).replace('T', ' '),
    fraction: written.replace(/0+$/, ''),
    hasOffset: utc !== undefined || sign !== undefined,
    digits: parts[6] === undefined ? undefined : written.length,
  };
}

/** A type of times: its precision, its zone and the years that it holds. */
interface TimeType {
  readonly kind: 'date' | 'seconds' | 'fraction';
  readonly digits: number;
  /** Undefined: that of the session, which is UTC. */
  readonly zone: string | undefined;
  readonly years: readonly [first: number, last: number];
}

/** Undefined for a type that does not hold times. */
function timeType(type: ClickHouseType): TimeType | undefined {
  const literals = type.arguments?.flatMap((each) => (each.kind === 'literal' ? [each.source] : [])) ?? [];
  const zone = literals.find((each) => each.startsWith("'"))?.slice(1, -1);
  switch (type.name) {
    case 'Nullable':
    case 'LowCardinality':
      return timeType(innerType(type));
    case 'Date':
      return { kind: 'date', digits: 0, zone, years: [1970, 2148] };
    case 'Date32':
      return { kind: 'date', digits: 0, zone, years: [1900, 2299] };
    case 'DateTime':
      return { kind: 'seconds', digits: 0, zone, years: [1970, 2105] };
    case 'DateTime64':
      return { kind: 'fraction', digits: Number(literals[0] ?? 3), zone, years: [1900, 2299] };
    default:
      return undefined;
  }
}

/**
 * SQL that compares equal to the time in a value of that type, in an operator or as an element of the right side of IN. The
 * string itself if the engine reads it correctly; undefined if the type does not hold times.
 */
function timeFor(
  time: WrittenTime,
  type: ClickHouseType,
  { source, isElement }: { readonly source: string; readonly isElement: boolean },
): string | undefined {
  const target = timeType(type);
  if (target === undefined) return undefined;
  const { seconds, fraction, hasOffset, digits } = time;
  const year = Number(seconds.slice(0, 4));
  const isHeld = year >= target.years[0] && year <= target.years[1];
  const isMidnight = target.kind !== 'date' || seconds.endsWith(' 00:00:00');
  const isExact = isHeld && isMidnight && fraction.length <= target.digits;
  const text = fraction === '' ? seconds : `${seconds}.${fraction}`;
  if (
    isExact &&
    (!hasOffset || target.zone === undefined || target.zone === 'UTC' || target.kind === 'date')
  ) {
    if (target.kind === 'date') return quoteString(seconds.slice(0, 10));
    const isRead = !hasOffset && digits !== undefined && digits <= target.digits;
    return isRead ? source : quoteString(text);
  }
  // No value of the type equals the time, and IN does not convert its left side. NULL in a set equals nothing.
  if (isElement && !isExact) return 'NULL';
  const zone = quoteString(hasOffset ? 'UTC' : (target.zone ?? 'UTC'));
  if (isElement && target.kind === 'seconds') return `toDateTime(${quoteString(text)}, ${zone})`;
  return `toDateTime64(${quoteString(text)}, ${fraction.length}, ${zone})`;
}
