// SQLite's date functions: a time, and modifiers such as '+1 month' and 'start of month'.
import { sql } from '../../dialects/sql.ts';
import { quoteString } from '../../sql/literal.ts';
import type { Expression } from '../../sql/syntax-tree.ts';
import { shifted } from '../write/interval.ts';
import { loose, operand, value, type Value } from '../../dialects/value.ts';
import type { Application, Rule } from '../../dialects/function.ts';
import { asTime, truncated } from './time-parts.ts';
import { strftimeFormat } from './time-format.ts';

type Result = 'date' | 'datetime' | 'time' | 'strftime' | 'julianday' | 'unixepoch';

/** A rule for one of the functions. */
export function sqliteTime(result: Result): Rule {
  return (application) => {
    if (application.dialect !== 'sqlite')
      return application.fail(`${application.call.name} is not converted from ${application.dialect}`);
    const first = result === 'strftime' ? 1 : 0;
    const own = modified(application, first);
    return written(own, result, application);
  };
}

function modified(application: Application, first: number): Value {
  const { call, context, at } = application;
  const [start, ...modifiers] = call.args.slice(first);
  const isNow = start === undefined || (start.kind === 'string' && start.value.toLowerCase() === 'now');
  const [head, ...tail] = modifiers;
  const isEpoch = head?.kind === 'string' && /^(?:unixepoch|auto)$/i.test(head.value);
  if (isEpoch && start !== undefined) {
    const seconds = context.write(start, context);
    const base = value(
      'timestamp',
      sql`fromUnixTimestamp64Second(toInt64(${seconds.sql}), 'UTC')`,
      seconds.type.isNullable,
    );
    return tail.reduce((each, modifier) => applied(each, modifier, application), base);
  }
  const base = isNow
    ? value('timestamp', 'now64(3)', false)
    : asTime(context.write(start, context), context, at);
  return modifiers.reduce((each, modifier) => applied(each, modifier, application), base);
}

const MOVE = /^([+-]?\d+(?:\.\d+)?) (year|month|day|hour|minute|second)s?$/i;

function applied(own: Value, modifier: Expression, application: Application): Value {
  const { context, at } = application;
  const written =
    modifier.kind === 'string'
      ? modifier.value.trim().toLowerCase()
      : application.fail('A modifier is converted only if it is a literal');
  if (written === 'utc' || written === 'localtime' || written === 'subsec') return own;
  const [, start] = /^start of (year|month|day)$/.exec(written) ?? [];
  if (start !== undefined) return truncated(own, start.toUpperCase(), { context, at });
  const [, amount, unit = ''] = MOVE.exec(written) ?? [];
  if (amount === undefined) return application.fail(`The modifier ${quoteString(written)} is not converted`);
  if (/^(?:month|year)$/i.test(unit) && (own.type.kind === 'date' || own.type.isDate === true)) {
    // January 31 and one month are March 2.
    const start = sql`toStartOfMonth(${own.sql}) + INTERVAL ${String(Number(amount))} ${unit.toUpperCase()}`;
    return {
      ...loose('date', sql`${start} + toIntervalDay(toDayOfMonth(${own.sql}) - 1)`, own.type.isNullable),
      type: own.type,
    };
  }
  if (/^(?:month|year)$/i.test(unit) && !isFirstDay(own))
    return application.fail(
      'Adding months is converted only from the start of a month: SQLite continues into the next month where ClickHouse takes the last day',
    );
  const spans = [
    {
      value: { kind: 'number', text: amount.replace('+', ''), at } as const,
      unit: { name: unit.toUpperCase(), at },
    },
  ];
  return shifted(own, '+', { spans, at }, context);
}

const isFirstDay = (own: Value): boolean =>
  /^(?:toStartOf(?:Month|Year)\(|toStartOf(?:Month|Year)\(.*\) \+ INTERVAL -?\d+ (?:MONTH|YEAR)$)/.test(
    String(own.sql),
  ) || /^\d{4}-\d\d-(?:0[1-9]|1\d|2[0-8])/.test(own.literal ?? '');

function written(own: Value, result: Result, application: Application): Value {
  const { isNullable } = own.type;
  const micro = sql`toUnixTimestamp64Micro(toDateTime64(${own.sql}, 6, 'UTC'))`;
  switch (result) {
    case 'date':
      return value(
        'date',
        own.type.kind === 'date' || own.type.isDate === true ? own.sql : sql`toDate(${own.sql})`,
        isNullable,
      );
    case 'datetime':
      return value(
        'timestamp',
        own.type.kind === 'date' || own.type.isDate === true
          ? own.sql
          : sql`toDateTime(${operand(own)}, 'UTC')`,
        isNullable,
        own.type.kind === 'date' ? { isDate: true } : own.type,
      );
    case 'time':
      return value('time', sql`formatDateTime(${own.sql}, '%H:%i:%S')`, isNullable);
    case 'julianday':
      return loose('float', sql`${micro} / 86400000000 + 2440587.5`, isNullable);
    case 'unixepoch':
      return value('int', sql`toUnixTimestamp(${own.sql})`, isNullable, { scale: 0 });
    case 'strftime':
      return formatted(own, application);
  }
}

function formatted(own: Value, application: Application): Value {
  const format = application.source(0);
  if (format.kind !== 'string') return application.fail('The format is converted only if it is a literal');
  const { isNullable } = own.type;
  if (format.value === '%s') return value('text', sql`toString(toUnixTimestamp(${own.sql}))`, isNullable);
  const converted = strftimeFormat(format.value);
  if ('reason' in converted) return application.fail(converted.reason);
  return value('text', sql`formatDateTime(${own.sql}, ${quoteString(converted.format)})`, isNullable);
}
