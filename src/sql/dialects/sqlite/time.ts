// SQLite's date functions: a time, and modifiers such as '+1 month' and 'start of month'.
import { quoteString } from '../../clickhouse/literal.ts';
import type { Expression } from '../tree.ts';
import type { Application, Rule } from '../context.ts';
import { sql, isKind, loose, value, type Value, int } from '../value.ts';
import { asTime, readTime } from '../time/argument.ts';
import { ofSeconds } from '../time/construct.ts';
import { formatTime, byPercent, joined, STRFTIME, type Letters } from '../time/format.ts';
import { shifted } from '../time/interval.ts';
import { date, day, isDay, micros, moment, timestamp } from '../time/moment.ts';
import { seconds } from '../time/parts.ts';
import { truncated } from '../time/unit.ts';

const LETTERS: Letters = {
  ...STRFTIME,
  Y: 'year4',
  F: joined(['year4', 'month', 'day'], '-'),
  G: 'iso_year',
  f: 'seconds3',
};

type Result = 'date' | 'datetime' | 'time' | 'strftime' | 'julianday' | 'unixepoch';

/** A rule for one of the functions. */
export function timeFunction(result: Result): Rule {
  return (application) => {
    return written(modified(application, result === 'strftime' ? 1 : 0), result, application);
  };
}

function modified(application: Application, first: number): Value {
  const { call, context, at } = application;
  const [start, ...modifiers] = call.args.slice(first);
  const [head, ...tail] = modifiers;
  if (start !== undefined && head?.kind === 'string' && /^unixepoch$/i.test(head.value)) {
    const base = { ...context.write(start, context) };
    if (!isKind(base, 'int', 'float', 'numeric', 'decimal', 'unknown'))
      return application.fail('unixepoch is converted only for numbers');
    return tail.reduce((each, modifier) => applied(each, modifier, application), ofSeconds(base));
  }
  const isNow = start === undefined || (start.kind === 'string' && start.value.toLowerCase() === 'now');
  const base = isNow
    ? timestamp("now64(3, 'UTC')", false)
    : timeOf(context.write(start, context), application, at);
  return modifiers.reduce((each, modifier) => applied(each, modifier, application), base);
}

/** Numbers are Julian days. */
function timeOf(own: Value, { context, fail }: Application, at: number): Value {
  if (isKind(own, 'int', 'float', 'numeric', 'decimal'))
    return fail('A number is a Julian day in SQLite', "Add 'unixepoch'.");
  if (own.literal === undefined && own.type.kind === 'text')
    return readTime(own, { kind: 'timestamp', isSafe: true }, context);
  return asTime(own, context, at);
}

const MOVE = /^([+-]?\d+(?:\.\d+)?) (year|month|day|hour|minute|second)s?$/i;

function applied(own: Value, modifier: Expression, application: Application): Value {
  const { context, at, fail } = application;
  const text = modifier.kind === 'string' ? modifier.value.trim().toLowerCase() : undefined;
  if (text === undefined) return fail('A modifier is converted only if it is a literal');
  if (text === 'utc' || text === 'localtime') return own;
  const [, start] = /^start of (year|month|day)$/.exec(text) ?? [];
  if (start !== undefined) return truncated(own, start.toUpperCase(), { context, at });
  const [, amount, unit = ''] = MOVE.exec(text) ?? [];
  if (amount === undefined) return fail(`The modifier ${quoteString(text)} is not converted`);
  if (unit === 'month' || unit === 'year') return monthsLater(own, Number(amount), { unit, application });
  const number = { kind: 'number', text: amount.replace('+', ''), at } as const;
  const shift = { spans: [{ value: number, unit: { name: unit.toUpperCase(), at } }], at };
  return shifted(own, '+', shift, context);
}

/** Days that a month does not have are counted on: January 31 and one month are March 2. */
function monthsLater(
  own: Value,
  amount: number,
  { unit, application }: { readonly unit: string; readonly application: Application },
): Value {
  if (!Number.isInteger(amount)) return application.fail(`A fraction of a ${unit} is not converted`);
  const start = day(own);
  const moved = sql`dateTrunc('month', ${start}) + INTERVAL ${String(amount)} ${unit.toUpperCase()} + toIntervalDay(toDayOfMonth(${start}) - 1)`;
  if (isDay(own))
    return { ...loose('date', moved, own.type.isNullable), type: { ...own.type, isWide: true } };
  // Without toInt64, the number is unsigned, and the remainder of a negative one another.
  const clock = sql`toIntervalMicrosecond(positiveModulo(${micros(own)}, toInt64(86400000000)))`;
  return {
    ...timestamp(sql`toDateTime64(${moved}, 6, 'UTC') + ${clock}`, own.type.isNullable),
    isLoose: true,
  };
}

function written(own: Value, result: Result, application: Application): Value {
  const { isNullable } = own.type;
  switch (result) {
    case 'date':
      return date(day(own), isNullable);
    case 'datetime':
      if (isDay(own)) return value('timestamp', day(own), isNullable, { isDate: true, isWide: true });
      return timestamp(sql`toStartOfSecond(${moment(own)})`, isNullable);
    case 'time':
      return value('time', sql`formatDateTime(${moment(own)}, '%H:%i:%S')`, isNullable);
    case 'julianday':
      return loose('float', sql`${micros(own)} / 86400000000 + 2440587.5`, isNullable);
    case 'unixepoch':
      return int(seconds(own), isNullable);
    case 'strftime':
      return formatted(own, application);
  }
}

function formatted(own: Value, { source, fail }: Application): Value {
  const format = source(0);
  if (format.kind !== 'string') return fail('The format is converted only if it is a literal');
  const pattern = byPercent(LETTERS, format.value);
  if ('reason' in pattern) return fail(pattern.reason);
  return value(
    'text',
    formatTime({ time: moment(own), zone: undefined }, pattern.pieces),
    own.type.isNullable,
  );
}
