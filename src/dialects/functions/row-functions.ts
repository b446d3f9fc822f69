// The functions of rows: aggregates and window functions, by name.
import type { Call } from '../tree.ts';
import type { Rule } from '../function.ts';
import {
  all,
  any,
  approximateCount,
  argExtreme,
  average,
  bits,
  byMysql,
  count,
  countIf,
  extreme,
  grouping,
  pair,
  share,
  spread,
  sum,
  sumOrZero,
} from './aggregate.ts';
import { aggregationOf, type AggregateRule } from './aggregation.ts';
import { concatenated, joined, list } from './collect.ts';
import {
  approximateQuantile,
  continuous,
  discrete,
  median,
  QUANTILE_ELEMENT,
  quantileElement,
  quantiles,
} from './quantile.ts';
import { WINDOW_FUNCTIONS } from './window.ts';

const AGGREGATES: ReadonlyMap<string, AggregateRule> = new Map<string, AggregateRule>([
  ['count', count],
  ['sum', sum],
  ['total', sumOrZero],
  ['avg', average],
  ['min', extreme('min')],
  ['max', extreme('max')],
  ['stddev', byMysql(spread('stddevPop'), spread('stddevSamp'))],
  ['std', spread('stddevPop')],
  ['stddev_samp', spread('stddevSamp')],
  ['stddev_pop', spread('stddevPop')],
  ['variance', byMysql(spread('varPop'), spread('varSamp'))],
  ['var_samp', spread('varSamp')],
  ['var_pop', spread('varPop')],
  ['bool_or', all('max')],
  ['bool_and', all('min')],
  ['every', all('min')],
  ['logical_or', all('max')],
  ['logical_and', all('min')],
  ['boolor_agg', all('max')],
  ['booland_agg', all('min')],
  ['any_value', any],
  ['arbitrary', any],
  ['count_if', countIf],
  ['countif', countIf],
  ['min_by', argExtreme('argMin')],
  ['max_by', argExtreme('argMax')],
  ['approx_distinct', approximateCount],
  ['approx_count_distinct', approximateCount],
  ['hll', approximateCount],
  ['percentile_cont', continuous],
  ['percentile_disc', discrete],
  ['median', median],
  ['approx_percentile', approximateQuantile],
  ['approx_quantiles', quantiles],
  [QUANTILE_ELEMENT, quantileElement],
  ['corr', pair('corr')],
  ['covar_pop', pair('covarPop')],
  ['covar_samp', pair('covarSamp')],
  ['bit_and', bits('groupBitAnd')],
  ['bit_or', bits('groupBitOr')],
  ['bit_xor', bits('groupBitXor')],
  ['ratio_to_report', share],
  ['grouping', grouping],
  ['string_agg', joined],
  ['group_concat', joined],
  ['listagg', joined],
  ['array_agg', list],
  ['array_concat_agg', concatenated],
]);

const RULES: ReadonlyMap<string, Rule> = new Map<string, Rule>([
  ...[...AGGREGATES].map(([name, rule]): readonly [string, Rule] => [
    name,
    (application) => rule(aggregationOf(application)),
  ]),
  ...Object.entries(WINDOW_FUNCTIONS),
]);

/** The rule of an aggregate or window function; undefined for other calls. */
export function rowRule(call: Call): Rule | undefined {
  return isAggregate(call) || Object.hasOwn(WINDOW_FUNCTIONS, call.name) ? RULES.get(call.name) : undefined;
}

/** Whether a call aggregates rows, also over a window. */
export function isAggregate({ name, args }: Pick<Call, 'name' | 'args'>): boolean {
  // With several arguments, they are SQLite's functions of values.
  if ((name === 'max' || name === 'min') && args.length > 1) return false;
  return AGGREGATES.has(name);
}

export const ROW_FUNCTION_NAMES: readonly string[] = [...RULES.keys()].filter(
  (name) => name !== QUANTILE_ELEMENT,
);
