// Function calls: the function's rule, and what it may be given.
import { syntax, unknown } from '../../dialects/context.ts';
import type { Context } from '../../dialects/write/context.ts';
import { didYouMean, nearest } from '../../core/nearest.ts';
import { applied } from '../../dialects/call.ts';
import type { Rule } from '../../dialects/function.ts';
import { ARRAY_FUNCTIONS } from '../../dialects/functions/array.ts';
import { QUANTILE_ELEMENT } from '../../dialects/functions/quantile.ts';
import { isAggregate, rowRule } from '../../dialects/functions/row-functions.ts';
import { numberSeries } from '../../dialects/functions/series.ts';
import { located } from '../../dialects/sql.ts';
import type { Value } from '../../dialects/value.ts';
import type { Call } from '../../dialects/tree.ts';
import type { FunctionRule } from '../functions/function.ts';
import { SERIES_FUNCTIONS } from '../functions/series.ts';
import { TEXT_FUNCTIONS } from '../functions/string.ts';
import { SHARED_FUNCTIONS } from '../functions/shared.ts';
import { replacementFor } from '../functions/unsupported.ts';
import { untranslated } from '../translation-error.ts';
import { inAggregate } from '../../dialects/write/scope.ts';

const FUNCTIONS: ReadonlyMap<string, FunctionRule> = new Map([
  ...Object.entries(TEXT_FUNCTIONS),
  ...SHARED_FUNCTIONS,
  ...Object.entries(SERIES_FUNCTIONS),
]);

/** The functions of rows and arrays that BigQuery has, of those of all dialects. */
const ROW_NAMES: ReadonlySet<string> = new Set(
  `count countif sum avg min max any_value max_by min_by array_agg string_agg array_concat_agg approx_count_distinct
  approx_quantiles logical_and logical_or stddev stddev_samp stddev_pop variance var_samp var_pop corr covar_pop covar_samp
  bit_and bit_or bit_xor row_number rank dense_rank percent_rank cume_dist ntile lag lead first_value last_value nth_value`.split(
    /\s+/,
  ),
);
const ARRAY_NAMES: ReadonlySet<string> = new Set(
  'array_length array_reverse array_distinct array_first array_last array_concat array_to_string'.split(' '),
);

/** Names of all translated functions. */
export const TRANSLATED_FUNCTIONS: readonly string[] = [
  ...FUNCTIONS.keys(),
  ...ARRAY_NAMES,
  'generate_array',
  ...ROW_NAMES,
];

/** Functions that can fail at run time, so that SAFE. would change their result. */
const FAILING: ReadonlySet<string> = new Set(['datetime', 'date', 'timestamp', 'from_hex', 'from_base64']);

/**
 * Translates a call.
 * @throws UnconvertedError for an unknown function, or arguments that it does not accept
 */
export function writeCall(call: Call, context: Context): Value {
  const rule = ruleFor(call);
  const { sql: own, ...rest } = applied(call, isAggregate(call) ? inAggregate(context) : context, rule);
  return { sql: located(call.at, own), ...rest };
}

function ruleFor(call: Call): Rule<Context> {
  const { name, at } = call;
  if (ROW_NAMES.has(name) || name === QUANTILE_ELEMENT) return rowRule(call) ?? functionUnknown(call);
  if (name === 'generate_array') return numberSeries;
  const shared = ARRAY_NAMES.has(name) ? ARRAY_FUNCTIONS[name] : undefined;
  if (shared !== undefined) return shared;
  const own = FUNCTIONS.get(name) ?? functionUnknown(call);
  checkCount(call, own);
  if (call.isSafe && FAILING.has(name))
    untranslated(at, `SAFE.${name} is not supported`, 'Guard the call with IF.');
  return own.translate;
}

function functionUnknown({ name, at }: Call): never {
  const instead = replacementFor(name);
  if (instead !== undefined) return untranslated(at, `${name} is not supported`, instead);
  const guess = didYouMean(nearest(name, TRANSLATED_FUNCTIONS));
  const rest = 'To call ClickHouse functions, send ClickHouse SQL with dialect=clickhouse.';
  return unknown(at, `${name} is not a supported function`, [guess, rest].filter(Boolean).join(' '));
}

function checkCount({ name, at, args }: Call, { least, most }: FunctionRule): void {
  if (args.length >= least && args.length <= most) return;
  const wanted = least === most ? String(least) : `${least} to ${most}`;
  syntax(at, `${name} takes ${wanted} ${most === 1 ? 'argument' : 'arguments'}, not ${args.length}`);
}
