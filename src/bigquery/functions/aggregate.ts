// Aggregate and window functions.
import { arrayOfType, TEXT, type Type, value, type Value } from '../../dialects/value.ts';
import { constantCount, rule, type Application, type FunctionRule } from './function.ts';
import { untranslated } from '../translation-error.ts';
import { joinSql, sql, type Sql } from '../../dialects/sql.ts';
import type { Order } from '../../sql/syntax-tree.ts';
import { condition, key, NEVER_NULL, number, shown, text, whole } from '../value.ts';

/** Without GROUP BY, an aggregate over no rows is null. */
function orNull({ context, call }: Application, name: string): string {
  return context.isUngrouped && call.over === undefined ? `${name}OrNull` : name;
}

function numeric(name: string, type: Type['kind'] = 'float'): FunctionRule {
  return rule(
    1,
    1,
    (application) => {
      const { arg: at, call } = application;
      const argument = at(0);
      const kind = type === 'int' || (name === 'sum' && argument.type.kind === 'int') ? 'int' : 'float';
      const distinct = call.isDistinct ? 'DISTINCT ' : '';
      return value(kind, sql`${orNull(application, name)}(${distinct}${number(argument)})`);
    },
    'aggregate',
  );
}

function extreme(name: 'min' | 'max'): FunctionRule {
  return rule(
    1,
    1,
    (application) => {
      const argument = application.arg(0);
      if (argument.type.kind !== 'dynamic') {
        return { sql: sql`${orNull(application, name)}(${whole(argument)})`, type: argument.type };
      }
      // Numbers order numerically, strings lexically; the type is only known per row.
      const order = sql`(ifNull(${number(argument)}, -inf), ${text(argument)})`;
      return {
        sql: sql`arg${name === 'max' ? 'Max' : 'Min'}If(${argument.sql}, ${order}, isNotNull(${argument.sql}))`,
        type: argument.type,
      };
    },
    'aggregate',
  );
}

const count = rule(
  0,
  1,
  (application) => {
    const { call } = application;
    if (call.isStar || call.args.length === 0) return value('int', 'count()');
    const argument = key(application.arg(0)).sql;
    return value('int', call.isDistinct ? sql`uniqExact(${argument})` : sql`count(${argument})`);
  },
  'aggregate',
);

/** `array_agg(x)` with DISTINCT, ORDER BY and LIMIT. */
function collected(application: Application): { readonly sql: Sql; readonly type: Type } {
  const { call, context } = application;
  const argument = application.arg(0);
  const item = argument.type.kind === 'dynamic' ? text(argument) : whole(argument);
  const type: Type = argument.type.kind === 'dynamic' ? TEXT : argument.type;
  const limit = call.limit === undefined ? undefined : String(Math.min(Number(call.limit), 1_000_000));
  if (call.orderBy.length === 0) {
    const parameter = limit === undefined ? '' : `(${limit})`;
    if (!call.isDistinct) return { sql: sql`groupArray${parameter}(${item})`, type };
    return { sql: sql`arraySort(groupUniqArray${parameter}(${item}))`, type };
  }
  if (call.isDistinct) return { sql: distinctSorted(item, call.orderBy, limit), type };
  const pair = context.shared.fresh('x');
  const rows = sql`groupArray((${item}, ${orderKeys(call.orderBy, application)}))`;
  const isDescending = call.orderBy[0]?.isDescending === true;
  const sorted = sql`array${isDescending ? 'ReverseSort' : 'Sort'}(${pair} -> tupleElement(${pair}, 2), ${rows})`;
  const items = sql`arrayMap(${pair} -> tupleElement(${pair}, 1), ${sorted})`;
  return { sql: limit === undefined ? items : sql`arraySlice(${items}, 1, ${limit})`, type };
}

/** BigQuery allows distinct values to be ordered only by the values themselves. */
function distinctSorted(item: Sql, [order]: readonly Order[], limit: string | undefined): Sql {
  const sorted = sql`array${order?.isDescending === true ? 'ReverseSort' : 'Sort'}(groupUniqArray(${item}))`;
  return limit === undefined ? sorted : sql`arraySlice(${sorted}, 1, ${limit})`;
}

function orderKeys(orders: readonly Order[], { context }: Application): Sql {
  const [first] = orders;
  const keys = orders.map((order) => {
    const { sql: own, type } = key(context.write(order.value, { ...context, isGrouped: false }));
    if (order.isDescending === first?.isDescending) return own;
    if (type.kind === 'int' || type.kind === 'float') return sql`-(${own})`;
    if (type.kind === 'timestamp') return sql`-toUnixTimestamp64Micro(toDateTime64(${own}, 6))`;
    return untranslated(
      order.value.at,
      'ORDER BY in an aggregate function must use a single direction',
      'Order the rows of a subquery first.',
    );
  });
  return sql`tuple(${joinSql(keys)})`;
}

const arrayAgg = rule(
  1,
  1,
  (application) => {
    const { sql: array, type } = collected(application);
    return { sql: array, type: arrayOfType(type) };
  },
  'aggregate',
);

const stringAgg = rule(
  1,
  2,
  (application) => {
    const separator = application.call.args.length > 1 ? text(application.arg(1)) : "','";
    return value('text', sql`arrayStringConcat(${collected(application).sql}, ${separator})`);
  },
  'aggregate',
);

const anyValue = rule(
  1,
  1,
  (application) => {
    const { call, context } = application;
    const argument = application.arg(0);
    if (call.having === undefined) {
      const name = NEVER_NULL.has(argument.type.kind) ? 'any' : orNull(application, 'any');
      return { sql: sql`${name}(${whole(argument)})`, type: argument.type };
    }
    const by = key(context.write(call.having.by, context)).sql;
    const name = call.having.extreme === 'MAX' ? 'argMax' : 'argMin';
    return { sql: sql`${name}(${shown(argument)}, ${by})`, type: argument.type };
  },
  'aggregate',
);

function extremeBy(name: 'argMax' | 'argMin'): FunctionRule {
  return rule(
    2,
    2,
    ({ arg: at }) => ({ sql: sql`${name}(${whole(at(0))}, ${key(at(1)).sql})`, type: at(0).type }),
    'aggregate',
  );
}

const MAX_QUANTILES = 100;

/** The k-th of n quantiles is the first value whose rank reaches k/n: an actual element, as in BigQuery. */
export function quantile(application: Application, offset: number): Value {
  const parts = quantileParts(application);
  const argument = application.arg(0);
  const own = argument.type.kind === 'dynamic' ? number(argument) : whole(argument);
  const name = orNull(application, 'quantileExactWeighted');
  const type: Type = argument.type.kind === 'dynamic' ? { kind: 'float', isNullable: true } : argument.type;
  return { sql: sql`${name}(${String(Math.min(offset, parts) / parts)})(${own}, 1)`, type };
}

function quantileParts(application: Application): number {
  const parts = constantCount(application, 1);
  if (parts >= 1 && parts <= 10_000) return parts;
  return untranslated(application.source(1).at, 'approx_quantiles accepts 1 to 10000 quantiles');
}

const quantiles = rule(
  2,
  2,
  (application) => {
    const parts = quantileParts(application);
    if (parts > MAX_QUANTILES) {
      untranslated(
        application.call.at,
        `More than ${MAX_QUANTILES} quantiles cannot be returned as an array`,
        'Select one of them with [OFFSET(k)].',
      );
    }
    const levels = Array.from({ length: parts + 1 }, (_, index) => String(index / parts));
    const argument = application.arg(0);
    const array = sql`quantilesExactWeighted(${levels.join(', ')})(${number(argument)}, 1)`;
    return { sql: array, type: arrayOfType({ kind: 'float', isNullable: true }) };
  },
  'aggregate',
);

function ranking(name: string): FunctionRule {
  return rule(0, 0, () => value('int', `${name}()`), 'window');
}

/** A preceding or following row; null if there is none. */
function neighbour(name: 'lag' | 'lead'): FunctionRule {
  return rule(
    1,
    3,
    ({ arg: at, call }) => {
      const { sql: own, type } = key(at(0));
      const rest = call.args.slice(1).map((_, index) => sql`, ${whole(at(index + 1))}`);
      return { sql: sql`${name}(toNullable(${own})${joinSql(rest, '')})`, type };
    },
    'window',
  );
}

function edge(name: 'first_value' | 'last_value'): FunctionRule {
  return rule(
    1,
    1,
    ({ arg: at, call }) => {
      const { sql: own, type } = key(at(0));
      return { sql: sql`${name}${call.nulls === 'IGNORE' ? '' : '_respect_nulls'}(${own})`, type };
    },
    'window',
  );
}

export const AGGREGATE_FUNCTIONS: Readonly<Record<string, FunctionRule>> = {
  count,
  countif: rule(1, 1, ({ arg: at }) => value('int', sql`countIf(${condition(at(0))})`), 'aggregate'),
  sum: numeric('sum'),
  avg: numeric('avg'),
  min: extreme('min'),
  max: extreme('max'),
  any_value: anyValue,
  max_by: extremeBy('argMax'),
  min_by: extremeBy('argMin'),
  array_agg: arrayAgg,
  string_agg: stringAgg,
  array_concat_agg: rule(
    1,
    1,
    ({ arg: at }) => ({ sql: sql`arrayFlatten(groupArray(${whole(at(0))}))`, type: at(0).type }),
    'aggregate',
  ),
  approx_count_distinct: rule(1, 1, ({ arg: at }) => value('int', sql`uniq(${key(at(0)).sql})`), 'aggregate'),
  approx_quantiles: quantiles,
  logical_and: rule(1, 1, ({ arg: at }) => value('bool', sql`min(${condition(at(0))})`), 'aggregate'),
  logical_or: rule(1, 1, ({ arg: at }) => value('bool', sql`max(${condition(at(0))})`), 'aggregate'),
  stddev: numeric('stddevSamp'),
  stddev_samp: numeric('stddevSamp'),
  stddev_pop: numeric('stddevPop'),
  variance: numeric('varSamp'),
  var_samp: numeric('varSamp'),
  var_pop: numeric('varPop'),
  corr: rule(
    2,
    2,
    ({ arg: at }) => value('float', sql`corr(${number(at(0))}, ${number(at(1))})`),
    'aggregate',
  ),
  bit_and: numeric('groupBitAnd', 'int'),
  bit_or: numeric('groupBitOr', 'int'),
  bit_xor: numeric('groupBitXor', 'int'),
  row_number: ranking('row_number'),
  rank: ranking('rank'),
  dense_rank: ranking('dense_rank'),
  percent_rank: ranking('percent_rank'),
  cume_dist: ranking('cume_dist'),
  ntile: rule(1, 1, ({ arg: at }) => value('int', sql`ntile(${number(at(0))})`), 'window'),
  lag: neighbour('lag'),
  lead: neighbour('lead'),
  first_value: edge('first_value'),
  last_value: edge('last_value'),
  nth_value: rule(
    2,
    2,
    ({ arg: at }) => ({ sql: sql`nth_value(${key(at(0)).sql}, ${number(at(1))})`, type: key(at(0)).type }),
    'window',
  ),
};
