// Functions of BigQuery that other dialects do not have, or that mean something else there.
import { checkedInteger } from '../arithmetic.ts';
import { safely, taking } from '../function.ts';
import type { OwnFunctions, Rule } from '../context.ts';
import { jsonReading, toJsonNull } from '../functions/json.ts';
import { finiteOrNull, logarithm, tests } from '../functions/number.ts';
import { roundBy } from '../functions/rounding.ts';
import { number, sql, float, isKind, loose, operand, value, int, type Kind } from '../value.ts';
import { truncate } from '../time/functions.ts';
import { JSON_FUNCTIONS } from './json.ts';
import { TEXT_FUNCTIONS } from './text.ts';
import { TIME_FUNCTIONS, timeString } from './time.ts';

/** safe_add and others: NULL if an integer has more than 64 bits, or a float is not finite. */
function safeOperator(operator: '+' | '-' | '*'): Rule {
  return ({ arg, fail, call }) => {
    const [a, b] = [arg(0), arg(1)];
    const isEach = (...kinds: readonly Kind[]): boolean => [a, b].every((each) => isKind(each, ...kinds));
    if (isEach('int', 'null'))
      return int(sql`accurateCastOrNull(toInt128(${a.sql}) ${operator} ${operand(b)}, 'Int64')`);
    if (!isEach('int', 'float', 'null')) return fail(`${call.name} is supported for INT64 and FLOAT64`);
    return value('float', finiteOrNull(sql`(${float(a)} ${operator} ${float(b)})`, [a, b]));
  };
}

/** abs, which has an unsigned type in ClickHouse. */
const abs: Rule = ({ arg, call, context }) => {
  const { sql: own, type } = arg(0);
  if (type.kind !== 'int') return { sql: sql`abs(${own})`, type };
  if (context.isEvaluated === true && (type.bits ?? 63) >= 63 && !call.isSafe)
    return checkedInteger(sql`abs(toInt128(${own}))`, type.isNullable);
  return { sql: sql`toInt64(abs(${own}))`, type };
};

/** `string`: of JSON, of times, in a zone, and of other values. */
const string: Rule = (application) => {
  const { arg, call, fail, context, at } = application;
  const known = jsonReading(application, true) ?? timeString(application);
  if (known === undefined && call.args.length > 1)
    return fail('string has a time zone only with a timestamp');
  return known ?? context.asText(arg(0), at);
};

export const FUNCTIONS: OwnFunctions = {
  values: {
    ...TEXT_FUNCTIONS,
    ...TIME_FUNCTIONS,
    ...JSON_FUNCTIONS,
    ...safely(
      taking('number', {
        abs,
        round: roundBy,
        log: logarithm({ plain: 'log', baseAt: 1 }),
        safe_add: safeOperator('+'),
        safe_subtract: safeOperator('-'),
        safe_multiply: safeOperator('*'),
        ieee_divide: ({ arg }) => loose('float', sql`${float(arg(0))} / ${float(arg(1))}`, false),
      }),
    ),
    ...safely(
      taking(
        'number',
        { is_nan: tests('isNaN'), is_inf: tests('isInfinite') },
        'propagate',
        undefined,
        'decide',
      ),
    ),
    ...taking(
      'any',
      {
        string,
        int64: (application) =>
          jsonReading(application) ??
          value('int', sql`accurateCastOrNull(${number(application.arg(0))}, 'Int64')`),
        float64: (application) => jsonReading(application) ?? value('float', number(application.arg(0))),
        to_json: toJsonNull,
      },
      'decide',
    ),
    ...taking('any', {
      date_trunc: truncate(undefined, true),
      datetime_trunc: truncate('datetime', true),
      timestamp_trunc: truncate('timestamp', true),
    }),
  },
  aggregates: {},
};
