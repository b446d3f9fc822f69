// Arrays of times at fixed intervals.
import { number } from '../../dialects/operand.ts';
import type { Context } from '../../dialects/write/context.ts';
import { syntax } from '../../dialects/context.ts';
import { rule, type FunctionRule } from './function.ts';
import { sql, type Sql } from '../../dialects/sql.ts';
import { time } from '../../dialects/time/argument.ts';
import { timeSeries } from '../../dialects/time/series.ts';
import type { Expression } from '../../dialects/tree.ts';

export const SERIES_FUNCTIONS: Readonly<Record<string, FunctionRule>> = {
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
