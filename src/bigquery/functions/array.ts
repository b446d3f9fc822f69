// Array functions.
import { arrayOfType, TEXT, type Type, UNKNOWN, value, type Value } from '../../dialects/value.ts';
import { rule, type FunctionRule } from './function.ts';
import { syntax } from '../translation-error.ts';
import { joinSql, sql, type Sql } from '../../dialects/sql.ts';
import { time } from '../../dialects/time/argument.ts';
import { timeSeries } from '../../dialects/time/series.ts';
import type { Context } from '../context.ts';
import type { Expression } from '../../sql/syntax-tree.ts';
import { number, text } from '../value.ts';

/** An array; a dynamically typed JSON path is read as an array of strings. */
export function arrayOf(each: Value): { readonly sql: Sql; readonly element: Type } {
  if (each.type.kind === 'array') return { sql: each.sql, element: each.type.element ?? UNKNOWN };
  if (each.type.kind !== 'dynamic') return { sql: each.sql, element: UNKNOWN };
  return { sql: sql`CAST(${each.sql} AS Array(Nullable(String)))`, element: TEXT };
}

function sameArray(build: (array: Sql) => Sql): FunctionRule {
  return rule(1, 1, ({ arg: at }) => {
    const { sql: array, element } = arrayOf(at(0));
    return { sql: build(array), type: arrayOfType(element) };
  });
}

function element(index: Sql): FunctionRule {
  return rule(1, 1, ({ arg: at }) => {
    const { sql: array, element: type } = arrayOf(at(0));
    return { sql: sql`arrayElement(${array}, ${index})`, type };
  });
}

export const ARRAY_FUNCTIONS: Readonly<Record<string, FunctionRule>> = {
  // A record is treated as an array with one element.
  array_length: rule(1, 1, ({ arg: at }) =>
    value('int', at(0).type.kind === 'object' ? '1' : sql`length(${arrayOf(at(0)).sql})`),
  ),
  array_reverse: sameArray((array) => sql`arrayReverse(${array})`),
  array_distinct: sameArray((array) => sql`arrayDistinct(${array})`),
  array_first: element('1'),
  array_last: element('-1'),
  array_concat: rule(1, 50, ({ arg: at, call }) => {
    const arrays = call.args.map((_, index) => arrayOf(at(index)));
    const type = arrays[0]?.element ?? UNKNOWN;
    return {
      sql: sql`arrayConcat(${joinSql(arrays.map((each) => each.sql))})`,
      type: arrayOfType(type),
    };
  }),
  array_to_string: rule(2, 2, ({ arg: at }) =>
    value('text', sql`arrayStringConcat(${arrayOf(at(0)).sql}, ${text(at(1))})`),
  ),
  generate_array: rule(2, 3, ({ arg: at, call }) => {
    const [from, to] = [number(at(0)), number(at(1))];
    const step = call.args.length > 2 ? sql`, toInt64(${number(at(2))})` : '';
    const array = sql`range(toInt64(${from}), toInt64(${to}) + 1${step})`;
    return { sql: array, type: arrayOfType({ kind: 'int', isNullable: false }) };
  }),
  generate_date_array: series('date'),
  generate_timestamp_array: series('timestamp'),
};

/** Times from the first to the second argument at an interval, of a day if none is written. */
function series(kind: 'date' | 'timestamp'): FunctionRule {
  return rule(2, 3, (application) => {
    const { context, call } = application;
    const by = call.args[2];
    if (by !== undefined && by.kind !== 'interval')
      syntax(by.at, 'Expected an interval such as INTERVAL 1 DAY');
    return timeSeries({
      from: time(application, 0, kind),
      to: time(application, 1, kind),
      unit: by?.unit.name ?? 'DAY',
      step: by === undefined ? '1' : stepOf(by.value, context),
      variable: context.shared.fresh('x'),
    });
  });
}

function stepOf(step: Expression, context: Context): Sql {
  return step.kind === 'number' ? step.text : sql`toInt64(${number(context.write(step, context))})`;
}
