// The functions of rows: aggregates and window functions, by name.
import type { Call } from '../tree.ts';
import { taking } from '../function.ts';
import type { Behaviour, Rule, Rules } from '../context.ts';
import {
  all,
  any,
  approximateCount,
  argExtreme,
  average,
  bits,
  count,
  countIf,
  extreme,
  grouping,
  pair,
  share,
  spread,
  sum,
  sumOrZero,
  aggregationOf,
  type AggregateRule,
} from './aggregate.ts';
import {
  concatenated,
  joined,
  list,
  approximateQuantile,
  continuous,
  discrete,
  median,
  QUANTILE_ELEMENT,
  quantileElement,
  quantiles,
} from './collect.ts';
import { WINDOW_FUNCTIONS } from '../window.ts';

/** Aggregates by what they do. */
function aggregates(
  parameters: string,
  more: readonly [nulls: Behaviour['nulls'], none: Behaviour['none'], nan?: Behaviour['nan']],
  rules: Readonly<Record<string, AggregateRule>>,
): Rules {
  const plain = Object.entries(rules).map(([name, rule]): readonly [string, Rule] => [
    name,
    (application) => rule(aggregationOf(application)),
  ]);
  return taking(parameters, Object.fromEntries(plain), ...more);
}

const [sample, population] = [spread('stddevSamp'), spread('stddevPop')];
const [sampleVariance, populationVariance] = [spread('varSamp'), spread('varPop')];
const [isAny, areAll] = [all('max'), all('min')];

export const AGGREGATES: Rules = {
  ...aggregates('number', ['skip', 'null'], {
    sum,
    avg: average,
    stddev: sample,
    std: population,
    stddev_samp: sample,
    stddev_pop: population,
    variance: sampleVariance,
    var_samp: sampleVariance,
    var_pop: populationVariance,
    corr: pair('corr'),
    covar_pop: pair('covarPop'),
    covar_samp: pair('covarSamp'),
  }),
  ...aggregates('number', ['skip', 'null', 'error'], { approx_percentile: approximateQuantile, median }),
  // In MySQL, all bits or none over no rows.
  ...aggregates('number', ['skip', undefined, 'error'], {
    bit_and: bits('groupBitAnd'),
    bit_or: bits('groupBitOr'),
    bit_xor: bits('groupBitXor'),
  }),
  ...aggregates('number', ['skip', '0'], { total: sumOrZero }),
  ...aggregates('any', ['skip', '0'], { count_if: countIf, countif: countIf }),
  ...aggregates('any', ['skip', '0', 'keep'], {
    count,
    approx_distinct: approximateCount,
    approx_count_distinct: approximateCount,
    hll: approximateCount,
  }),
  ...aggregates('any', ['skip', 'null', 'decide'], { min: extreme('min'), max: extreme('max') }),
  ...aggregates('any', ['skip', 'null', 'keep'], { any_value: any, arbitrary: any }),
  ...aggregates('any', ['skip', 'null'], {
    bool_or: isAny,
    bool_and: areAll,
    every: areAll,
    logical_or: isAny,
    logical_and: areAll,
    boolor_agg: isAny,
    booland_agg: areAll,
    string_agg: joined,
    group_concat: joined,
  }),
  // Over no rows, Snowflake's is an empty string.
  ...aggregates('any', ['skip', undefined], { listagg: joined }),
  ...aggregates('any', ['keep', 'null', 'decide'], {
    min_by: argExtreme('argMin'),
    max_by: argExtreme('argMax'),
  }),
  ...aggregates('any', ['skip', '[]', 'error'], { approx_quantiles: quantiles }),
  // NULL among the elements of arrays is kept.
  ...aggregates('any', ['keep', '[]', 'keep'], { array_agg: list, array_concat_agg: concatenated }),
  // Their arguments are fractions, keys and arrays.
  ...aggregates('any', ['decide', undefined, 'error'], {
    percentile_cont: continuous,
    percentile_disc: discrete,
    [QUANTILE_ELEMENT]: quantileElement,
  }),
  ...aggregates('any', ['decide', undefined, 'propagate'], { ratio_to_report: share }),
  ...aggregates('any', ['decide', undefined], { grouping }),
};

/** Functions whose deviations are those of the population. */
export const POPULATION_AGGREGATES: Rules = aggregates('number', ['skip', 'null'], {
  stddev: population,
  variance: populationVariance,
});

/** The rule of an aggregate or window function; undefined for other calls. `own` are those of the dialect. */
export function rowRule(call: Call, own: Rules): Rule | undefined {
  if (isAggregate(call)) return own[call.name] ?? AGGREGATES[call.name];
  return Object.hasOwn(WINDOW_FUNCTIONS, call.name) ? WINDOW_FUNCTIONS[call.name] : undefined;
}

/** Returns whether a call aggregates rows, also over a window. */
export function isAggregate({ name, args }: Pick<Call, 'name' | 'args'>): boolean {
  // With several arguments, they are functions of values.
  if ((name === 'max' || name === 'min') && args.length > 1) return false;
  return Object.hasOwn(AGGREGATES, name);
}
