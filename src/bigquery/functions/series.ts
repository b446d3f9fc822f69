// Arrays of times at fixed intervals.
import { arrayOfType } from '../../dialects/value.ts';
import { rule, type FunctionRule } from './function.ts';
import { syntax } from '../translation-error.ts';
import { sql } from '../../dialects/sql.ts';
import { timeOf } from './time.ts';
import { unitName } from '../time-literal.ts';
import { number } from '../value.ts';

export const SERIES_FUNCTIONS: Readonly<Record<string, FunctionRule>> = {
  generate_date_array: series('date'),
  generate_timestamp_array: series('timestamp'),
};

/** Times from the first to the second argument at a fixed interval. */
function series(type: 'date' | 'timestamp'): FunctionRule {
  return rule(2, 3, (application) => {
    const { context, call, source } = application;
    const [from, to] = [timeOf(application, 0, type).sql, timeOf(application, 1, type).sql];
    const by = call.args[2] === undefined ? undefined : source(2);
    if (by !== undefined && by.kind !== 'interval')
      syntax(by.at, 'Expected an interval such as INTERVAL 1 DAY');
    const unit = by === undefined ? 'Day' : unitName(by.unit);
    const step = by === undefined ? '1' : sql`toInt64(${number(context.write(by.value, context))})`;
    const index = context.shared.fresh('x');
    const last = sql`intDiv(age('${unit.toLowerCase()}', ${from}, ${to}), ${step}) + 1`;
    const array = sql`arrayMap(${index} -> ${from} + toInterval${unit}(${index} * ${step}), range(${last}))`;
    return { sql: array, type: arrayOfType({ kind: type, isNullable: false }) };
  });
}
