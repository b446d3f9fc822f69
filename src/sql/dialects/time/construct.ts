// Times made of other values: numbers, and times without zones.
import { unconverted, type Application, type Rule } from '../context.ts';
import { integer } from '../function.ts';
import { joinSql, onlyIf, sql, type Sql, float, isKind, isNullable, operand, value, type Value } from '../value.ts'; // prettier-ignore
import { fromLocal, literalOf, readTime, time } from './argument.ts';
import { date, day, moment, timestamp } from './moment.ts';
import { dateLiteral, timestampLiteral } from './literal.ts';
import { isOutOfRange, knownOnly, staysInRange } from './range.ts';
import { firstDayOf, startOfWeek, unitOf } from './unit.ts';
import { integerOf } from './interval.ts';

/** A number of units, as an integer. */
const count = (own: Value): Sql => (isKind(own, 'int') ? own.sql : sql`toInt64(${float(own)})`);

/** `2024-01-02`, or `2024-01-02 03:04:05`. */
function textOf(parts: readonly number[]): string {
  const padded = parts.map((part, index) => String(part).padStart(index === 0 ? 4 : 2, '0'));
  return `${padded.slice(0, 3).join('-')} ${padded.slice(3).join(':')}`.trim();
}

/** The first parts of a time, from the year on: a day, or a day and a time. */
export function fromParts(application: Application, kind: 'date' | 'datetime'): Value {
  const numbers = application.call.args.map(integer);
  if (numbers.every((each) => each !== undefined)) {
    const found = (kind === 'date' ? dateLiteral : timestampLiteral)(textOf(numbers));
    return found === undefined
      ? unconverted(application.at, 'syntax', `There is no such ${kind}`)
      : { ...found, type: { ...found.type, kind } };
  }
  const all = application.all();
  const format = kind === 'date' ? '%04d-%02d-%02d' : '%04d-%02d-%02d %02d:%02d:%02d';
  const text = value('text', sql`printf('${format}', ${joinSql(all.map(count))})`, isNullable(...all));
  return readTime(text, { kind, isSafe: false }, application.context);
}

/** A day of a year, a month and a day; an error if there is none. */
export const makeDate: Rule = (application) => fromParts(application, 'date');

/** date_from_parts: months and days beyond the year and the month are counted on. */
export const countedDate: Rule = ({ arg }) => {
  const [year, month, days] = [arg(0), arg(1), arg(2)];
  return date(
    sql`toDate32('2000-01-01') + toIntervalYear(${operand(year)} - 2000) + toIntervalMonth(${operand(month)} - 1) + toIntervalDay(${operand(days)} - 1)`,
    isNullable(year, month, days),
  );
};

/** A time that clocks in a zone show, as an instant. */
export function instant(application: Application, zone: string): Value {
  const written = application.source(0);
  if (written.kind === 'string')
    return (
      timestampLiteral(written.value, 'timestamp', zone) ?? literalOf(written.value, written.at, 'timestamp')
    );
  const own = application.arg(0);
  const isText = isKind(own, 'text', 'dynamic');
  const local = isText
    ? readTime(own, { kind: 'datetime', isSafe: own.type.kind === 'dynamic' }, application.context)
    : own;
  return timestamp(fromLocal(sql`toDateTime64(${moment(local)}, 6, 'UTC')`, zone), own.type.isNullable);
}

/** The date of a number of days since 1970. */
export const dateOfUnix: Rule = (application) => {
  const own = application.arg(0);
  const literal = integerOf(application.source(0));
  if (literal !== undefined) {
    const iso = new Date(Number(literal) * 86_400_000);
    const text = Number.isNaN(iso.getTime()) ? '' : (iso.toISOString().split('T')[0] ?? '');
    return dateLiteral(text) ?? unconverted(application.at, 'syntax', 'There is no such date');
  }
  const days = application.context.isEvaluated === true ? knownOnly(count(own), 'DAY') : count(own);
  return date(sql`toDate32('1970-01-01') + toIntervalDay(${days})`, own.type.isNullable);
};

const UNITS = { Second: 'SECOND', Milli: 'MILLISECOND', Micro: 'MICROSECOND' } as const;

/** The time of a number of seconds, milliseconds or microseconds since 1970. */
export function ofEpoch(unit: 'Second' | 'Milli' | 'Micro'): Rule {
  return (application) => {
    const known = integerOf(application.source(0));
    if (known !== undefined && isOutOfRange('1970-01-01', [{ unit: UNITS[unit], amount: known }]))
      unconverted(application.at, 'syntax', 'There is no such time');
    const own = application.arg(0);
    const whole = sql`toInt64(${count(own)})`;
    const isChecked = known === undefined && application.context.isEvaluated === true;
    const units = isChecked ? knownOnly(whole, UNITS[unit]) : whole;
    return timestamp(sql`fromUnixTimestamp64${unit}(${units}, 'UTC')`, own.type.isNullable);
  };
}

/** Seconds since 1970 as a time; with a fraction if they are not integers. */
export function ofSeconds(own: Value): Value {
  const { isNullable: nullable } = own.type;
  if (own.type.kind === 'int')
    return timestamp(sql`fromUnixTimestamp64Second(toInt64(${own.sql}), 'UTC')`, nullable);
  return timestamp(sql`fromUnixTimestamp64Micro(toInt64(round(${operand(own)} * 1000000)), 'UTC')`, nullable);
}

/** The last day of the unit that contains a day. */
function lastDay(own: Value, unit: string): Sql | undefined {
  const start = day(own);
  const months = { MONTH: sql`toMonth(${start}) - 1`, QUARTER: sql`toQuarter(${start}) * 3 - 1`, YEAR: '11' }[
    unit
  ];
  if (months === undefined) return undefined;
  // January 31 and some months: a month that is shorter ends earlier. No intermediate day is after 9999.
  return sql`dateTrunc('year', ${start}) + toIntervalDay(30) + toIntervalMonth(${months})`;
}

/** last_day(time, unit). */
export const lastDayOf: Rule = (application) => {
  const { call, context } = application;
  const own = time(application, 0, 'date');
  const unit = call.args.length > 1 ? unitOf(application.source(1)) : 'MONTH';
  const first = firstDayOf(unit, context);
  const start = day(own);
  if (first !== undefined) {
    const week = startOfWeek(start, first, context);
    const isHere = staysInRange({ time: { ...own, sql: week }, isDay: true }, 'DAY', 6n);
    const days = context.isEvaluated === true ? onlyIf('6', isHere) : '6';
    return date(sql`${week} + toIntervalDay(${days})`, own.type.isNullable);
  }
  // The ISO year ends with the week of December 28.
  const end = sql`dateTrunc('year', dateTrunc('week', ${start}) + toIntervalDay(3)) + toIntervalMonth(11) + toIntervalDay(27)`;
  const last = unit === 'ISOYEAR' ? sql`dateTrunc('week', ${end}) + toIntervalDay(6)` : lastDay(own, unit);
  return last === undefined
    ? application.fail(`last_day does not support ${unit}`)
    : date(last, own.type.isNullable);
};
