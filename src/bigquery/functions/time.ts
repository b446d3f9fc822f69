// Functions of times, with the number of their arguments.
import { BIGQUERY_TIME_FUNCTIONS, TIME_FUNCTIONS } from '../../dialects/time/functions.ts';
import { rule, type FunctionRule } from './function.ts';

export const BIGQUERY_TIMES: Readonly<Record<string, FunctionRule>> = Object.fromEntries(
  Object.entries(BIGQUERY_TIME_FUNCTIONS).flatMap(([name, [least, most]]) => {
    const translate = TIME_FUNCTIONS[name];
    return translate === undefined ? [] : [[name, rule(least, most, translate)] as const];
  }),
);
