// MySQL's functions of times.
import { quoteString } from '../../clickhouse/literal.ts';
import type { Application, Rules } from '../context.ts';
import { literal, accepting, taking } from '../function.ts';
import { onlyIf, sql, text, type Value } from '../value.ts';
import { escaped, expressionOf, matchOf, type TimeExpression } from '../time/parse.ts';
import { dateFormatPattern, type Piece } from '../time/format.ts';
import { parsed, piecesOf, withYear, fromUnixBy } from '../time/text.ts';
import { daysBetween } from '../time/difference.ts';
import { clock } from '../time/cast.ts';
import { weekBy } from '../time/functions.ts';

/**
 * str_to_date(text, pattern): NULL for a text that does not match. The times of some strings are no times in ClickHouse, or depend on
 * the mode of the server: of a part of the pattern, and days such as February 30. They are an error.
 */
function strToDate(application: Application): Value {
  const pattern = literal(application, 1);
  const pieces = withYear(piecesOf(dateFormatPattern(pattern), application), application);
  const kind = /%[HhIkliSsTrfp]/.test(pattern) ? 'timestamp' : 'date';
  const usual = expressionOf(pieces);
  if (usual === undefined) return parsed(application, { of: 0, pieces, kind, isSafe: true });
  // There is no leap second, and what follows the pattern is ignored.
  const source = usual.source
    .replace('60|[0-5]?[0-9]', '[0-5]?[0-9]')
    .replace(/\\s\*\$$/, '(?:[^0-9][\\s\\S]*)?$');
  const expression = { ...usual, source };
  const own = parsed(application, { of: 0, pieces, kind, isSafe: true, expression });
  return onlyWhole(own, { pieces, expression }, application);
}

interface ReadPattern {
  readonly pieces: readonly Piece[];
  readonly expression: TimeExpression;
}

function onlyWhole(own: Value, pattern: ReadPattern, { arg, source, fail }: Application): Value {
  const part = partSource(pattern.pieces);
  const written = source(0);
  const { groups } = pattern.expression;
  if (written.kind !== 'string' && !(groups.has('day') && (groups.has('month') || groups.has('name'))))
    return fail('A pattern without a month and a day is not converted');
  if (written.kind === 'string') {
    const isOpen = new RegExp(part).test(written.value) && !isDay(written.value, pattern.expression);
    return isOpen ? fail(`'${written.value.slice(0, 60)}' is not a whole time of this pattern`) : own;
  }
  const isOther = sql`NOT ifNull(match(${text(arg(0))}, ${quoteString(part)}), false)`;
  const days = sql`toIntervalDay(${onlyIf('0', sql`isNotNull(${own.sql}) OR ${isOther}`)})`;
  return { ...own, sql: sql`${own.sql} + ${days}`, isLoose: true };
}

/** A regular expression of the strings that end in the pattern, or have the whole of it. Years, months and days may be zero. */
function partSource(pieces: readonly Piece[]): string {
  return `^\\s*${pieces.reduceRight((rest, piece, index) => {
    if ('text' in piece) return `(?:\\s*$|${escaped(piece.text)}${rest})`;
    const regex = (matchOf(piece.element)?.[1] ?? '')
      .replace(/^\[1-9].*/, '[0-9]{1,4}')
      .replace('60|', '')
      .replace('0?[1-9]', '0?[0-9]');
    const isLast = index === pieces.length - 1;
    return `(?:\\s*$|(?:${regex})${isLast && /[0-9]/.test(regex) ? '(?:[^0-9]|$)' : rest})`;
  }, '')}`;
}

/** Returns whether a string matches the whole pattern, with a day that there is. */
function isDay(written: string, { source, groups }: TimeExpression): boolean {
  const match = new RegExp(source).exec(written);
  if (match === null || !groups.has('day')) return false;
  const [year, year2, month, name, day] = (['year', 'year2', 'month', 'name', 'day'] as const).map(
    (field) => match[groups.get(field) ?? -1],
  );
  const number = name === undefined ? Number(month ?? 1) : new Date(`1 ${name} 2000`).getMonth() + 1;
  const last = new Date(Date.UTC(Number(year ?? year2), number, 0)).getUTCDate();
  return Number(day ?? 1) <= last;
}

export const TIME_FUNCTIONS: Rules = {
  ...taking('time any', {
    week: weekBy,
    yearweek: weekBy,
    datediff: daysBetween,
    str_to_date: strToDate,
    from_unixtime: accepting('number any', fromUnixBy, 'propagate', undefined, 'error'),
  }),
  ...taking('any', { time: clock }),
};
