// Functions of times, with the number of their arguments.
import { BIGQUERY_TIME_FUNCTIONS, TIME_FUNCTIONS } from '../../dialects/time/functions.ts';
import { sql } from '../../dialects/sql.ts';
import type { Value } from '../../dialects/value.ts';
import { rule, type FunctionRule } from './function.ts';

/** An operand of any operator. */
const enclosed = (own: Value): Value =>
  own.isLoose === true ? { ...own, sql: sql`(${own.sql})`, isLoose: false } : own;

export const BIGQUERY_TIMES: Readonly<Record<string, FunctionRule>> = Object.fromEntries(
  Object.entries(BIGQUERY_TIME_FUNCTIONS).flatMap(([name, [least, most]]) => {
    const translate = TIME_FUNCTIONS[name];
    if (translate === undefined) return [];
    return [[name, rule(least, most, (application) => enclosed(translate(application)))] as const];
  }),
);
