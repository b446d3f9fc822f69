// Function calls.
import type { Context } from '../../dialects/write/context.ts';
import { joinSql, sql } from '../../dialects/sql.ts';
import { didYouMean, nearest } from '../../core/nearest.ts';
import type { Call } from '../../dialects/tree.ts';
import { applied } from '../../dialects/call.ts';
import { ARRAY_FUNCTIONS } from '../../dialects/functions/array.ts';
import { SPLIT_FUNCTIONS } from '../../dialects/functions/split.ts';
import { isAggregate, rowRule } from '../../dialects/functions/row-functions.ts';
import { CONDITION_FUNCTIONS } from '../functions/condition.ts';
import type { Rule } from '../../dialects/function.ts';
import { JSON_FUNCTIONS } from '../../dialects/functions/json.ts';
import { BYTES_FUNCTIONS } from '../../dialects/functions/bytes.ts';
import { FORMAT_FUNCTIONS } from '../../dialects/functions/format.ts';
import { NUMBER_FUNCTIONS } from '../../dialects/functions/number.ts';
import { REGEX_FUNCTIONS } from '../../dialects/functions/regex.ts';
import { SEARCH_FUNCTIONS } from '../../dialects/functions/search.ts';
import { TEXT_FUNCTIONS } from '../../dialects/functions/text.ts';
import { TRIM_FUNCTIONS } from '../../dialects/functions/trim.ts';
import { SERIES_FUNCTIONS } from './row-source.ts';
import { TIME_FUNCTIONS } from '../../dialects/time/functions.ts';
import { unconverted } from '../../dialects/context.ts';
import { inAggregate } from '../../dialects/write/scope.ts';
import { value, type Value } from '../../dialects/value.ts';

const FUNCTIONS: ReadonlyMap<string, Rule> = new Map([
  ...Object.entries(TEXT_FUNCTIONS),
  ...Object.entries(REGEX_FUNCTIONS),
  ...Object.entries(SEARCH_FUNCTIONS),
  ...Object.entries(TRIM_FUNCTIONS),
  ...Object.entries(BYTES_FUNCTIONS),
  ...Object.entries(FORMAT_FUNCTIONS),
  ...Object.entries(NUMBER_FUNCTIONS),
  ...Object.entries(TIME_FUNCTIONS),
  ...Object.entries(JSON_FUNCTIONS),
  ...Object.entries(ARRAY_FUNCTIONS),
  ...Object.entries(SPLIT_FUNCTIONS),
  ...Object.entries(SERIES_FUNCTIONS),
  ...Object.entries(CONDITION_FUNCTIONS),
]);

/** The names of all functions that are converted, but for aggregate and window functions. */
export const FUNCTION_NAMES: readonly string[] = [...FUNCTIONS.keys()];

const DIRECT = 'clickhouse__';

/** Writes a call. */
export function writeCall(call: Call, context: Context): Value {
  const { at } = call;
  const name = call.name.replace(/^pg_catalog\./, '');
  if (name.startsWith(DIRECT)) {
    const args = call.args.map((each) => context.write(each, context).sql);
    return value('unknown', sql`${name.slice(DIRECT.length)}(${joinSql(args)})`);
  }
  const named = { ...call, name };
  const rule = rowRule(named) ?? FUNCTIONS.get(name);
  if (rule === undefined) return unknownFunction(name, at);
  const isWithin = isAggregate(named) && call.over === undefined;
  return applied(named, isWithin ? inAggregate(context) : context, rule);
}

function unknownFunction(name: string, at: number): never {
  const guess = nearest(name, FUNCTIONS.keys());
  return unconverted(
    at,
    'function',
    `The function ${name} is not converted`,
    guess === name ? undefined : didYouMean(guess),
  );
}
