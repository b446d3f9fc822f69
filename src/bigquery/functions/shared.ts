// Functions whose rules all dialects share, with the numbers of arguments that BigQuery's have.
import type { Rules } from '../../dialects/function.ts';
import { BIGQUERY_JSON, JSON_FUNCTIONS } from '../../dialects/functions/json.ts';
import { BIGQUERY_TIME_FUNCTIONS, TIME_FUNCTIONS } from '../../dialects/time/functions.ts';
import { sql } from '../../dialects/sql.ts';
import type { Value } from '../../dialects/value.ts';
import { rule, type FunctionRule } from './function.ts';

type Counts = Readonly<Record<string, readonly [least: number, most: number]>>;

/** An operand of any operator. */
const enclosed = (own: Value): Value =>
  own.isLoose === true ? { ...own, sql: sql`(${own.sql})`, isLoose: false } : own;

function counted(rules: Rules, counts: Counts): readonly (readonly [string, FunctionRule])[] {
  return Object.entries(counts).flatMap(([name, [least, most]]) => {
    const translate = rules[name];
    if (translate === undefined) return [];
    return [[name, rule(least, most, (application) => enclosed(translate(application)))] as const];
  });
}

export const SHARED_FUNCTIONS: readonly (readonly [string, FunctionRule])[] = [
  ...counted(TIME_FUNCTIONS, BIGQUERY_TIME_FUNCTIONS),
  ...counted(JSON_FUNCTIONS, BIGQUERY_JSON),
];
