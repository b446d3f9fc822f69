// Times from and to strings and numbers.
import { sql } from '../../dialects/sql.ts';
import { quoteString } from '../../sql/literal.ts';
import { castTo } from '../write/cast.ts';
import { operand, text, value, type Value } from '../../dialects/value.ts';
import { literal, type Application, type Rule } from '../../dialects/function.ts';
import { place, time } from './time-argument.ts';
import { mysqlFormat, strftimeFormat, toCharFormat, type Format } from './time-format.ts';

function formatted(own: Value, format: Format, application: Application): Value {
  if ('reason' in format) return application.fail(format.reason);
  return value('text', sql`formatDateTime(${own.sql}, ${quoteString(format.format)})`, own.type.isNullable);
}

export function toChar(application: Application): Value {
  const own = application.arg(0);
  if (!['date', 'timestamp', 'unknown'].includes(own.type.kind) || application.call.args.length < 2)
    return application.call.args.length < 2
      ? castTo(own, { name: 'TEXT', at: application.at }, { isSafe: false, ...place(application) })
      : application.fail('to_char is converted only for times');
  return formatted(own, toCharFormat(literal(application, 1), application.dialect), application);
}

/** A string in a format as a time. */
export function parsed(
  application: Application,
  {
    of,
    format,
    isDate,
    isSafe,
  }: { readonly of: Value; readonly format: Format; readonly isDate: boolean; readonly isSafe: boolean },
): Value {
  if ('reason' in format) return application.fail(format.reason);
  const isNullable = of.type.isNullable || isSafe;
  const built = sql`parseDateTime${isSafe ? 'OrNull' : ''}(${text(of)}, ${quoteString(format.format)}, 'UTC')`;
  return isDate ? value('date', sql`toDate(${built})`, isNullable) : value('timestamp', built, isNullable);
}

export function strToDate(application: Application): Value {
  const format = literal(application, 1);
  const hasTime = /%[HhIkliSsTrfp]/.test(format);
  return parsed(application, {
    of: application.arg(0),
    format: mysqlFormat(format),
    isDate: !hasTime,
    isSafe: true,
  });
}

export function parseByStrftime(isDate: boolean): Rule {
  return (application) =>
    parsed(application, {
      of: application.arg(1),
      format: strftimeFormat(literal(application, 0)),
      isDate,
      isSafe: application.call.isSafe,
    });
}

/** A cast to a date or a timestamp, of one argument. */
export function cast(type: string): Rule {
  return (application) =>
    castTo(application.arg(0), { name: type, at: application.at }, { isSafe: false, ...place(application) });
}

export function toDate(application: Application): Value {
  if (application.call.args.length === 1) return cast('DATE')(application);
  return parsed(application, {
    of: application.arg(0),
    format: toCharFormat(literal(application, 1), application.dialect),
    isDate: true,
    isSafe: false,
  });
}

export function toTimestamp(application: Application): Value {
  const { arg, call, dialect } = application;
  const own = arg(0);
  if (call.args.length > 1)
    return parsed(application, {
      of: own,
      format: toCharFormat(literal(application, 1), dialect),
      isDate: false,
      isSafe: false,
    });
  if (['text', 'date', 'timestamp'].includes(own.type.kind)) return cast('TIMESTAMP')(application);
  return ofSeconds(own);
}

/** Seconds since 1970 as a time. */
export function ofSeconds(own: Value): Value {
  if (own.type.kind === 'int')
    return value(
      'timestamp',
      sql`fromUnixTimestamp64Second(toInt64(${own.sql}), 'UTC')`,
      own.type.isNullable,
    );
  return value(
    'timestamp',
    sql`fromUnixTimestamp64Micro(toInt64(round(${operand(own)} * 1000000)), 'UTC')`,
    own.type.isNullable,
  );
}

export function named(mysql: string, short: string): Rule {
  return (application) =>
    formatted(
      time(application, 0),
      { format: application.dialect === 'snowflake' ? short : mysql },
      application,
    );
}

export function fromUnix(application: Application): Value {
  const own = ofSeconds(application.arg(0));
  if (application.call.args.length === 1) return own;
  return formatted(own, mysqlFormat(literal(application, 1)), application);
}

export function scaledEpoch(name: string): Rule {
  return ({ arg }) => value('timestamp', sql`${name}(toInt64(${arg(0).sql}), 'UTC')`, arg(0).type.isNullable);
}

export const format =
  (convert: (format: string) => Format, index: { readonly format: number; readonly time: number }): Rule =>
  (application) =>
    formatted(time(application, index.time), convert(literal(application, index.format)), application);
