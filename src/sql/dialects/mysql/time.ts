// Functions of times of MySQL.
import { accepting, taking } from '../function.ts';
import type { Rules } from '../context.ts';
import { daysBetween } from '../time/difference.ts';
import { clock } from '../time/cast.ts';
import { weekBy } from '../time/functions.ts';
import { fromUnixBy } from '../time/text.ts';
import { strToDate } from './str-to-date.ts';

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
