// Aggregate functions that collect values: arrays and joined strings.
import { joinSql, sql, type Sql } from '../../dialects/sql.ts';
import type { Order } from '../../sql/syntax-tree.ts';
import { differs } from '../../dialects/context.ts';
import { caselessKey } from '../write/comparison.ts';
import { jsonText } from '../../dialects/json-path.ts';
import { isNumber, isTime, operand, text, value, type Value } from '../../dialects/value.ts';
import type { Aggregation } from './aggregate.ts';
import type { Application } from '../../dialects/function.ts';

type Rule = (aggregation: Aggregation) => Value;

/** An array of the values of an argument, in order; `keepsNull` keeps NULL, which groupArray skips. */
function collected({ application, apply }: Aggregation, own: Value, keepsNull: boolean): Sql {
  const { call, fail } = application;
  const orders = call.withinGroup ?? call.orderBy;
  const none = { isNullOfNone: false };
  if (call.isDistinct) return distinct({ application, apply }, own, orders);
  if (orders.length > 0) {
    if (call.over !== undefined) return fail('An ordered aggregate with OVER is not converted');
    return ordered({ application, apply }, own, { orders, keepsNull });
  }
  if (!keepsNull || !own.type.isNullable) return apply('groupArray', [own.sql], none);
  return sql`arrayMap(t -> t.1, ${apply('groupArray', [sql`tuple(${own.sql})`], none)})`;
}

function distinct(
  { application, apply }: Pick<Aggregation, 'application' | 'apply'>,
  own: Value,
  orders: readonly Order[],
): Sql {
  const { context, fail } = application;
  const [order, more] = orders;
  if (caselessKey(own, context).sql !== own.sql)
    differs(context, application.at, 'collation', 'DISTINCT keeps strings that differ only in case');
  const array = apply('groupUniqArray', [own.sql], { isNullOfNone: false });
  if (order === undefined) return sql`arraySort(${array})`;
  const key = context.write(order.value, context);
  if (more !== undefined || (key.sql !== own.sql && text(key) !== own.sql))
    return fail('DISTINCT is converted only with the value itself as the order');
  if (key.sql !== own.sql && !['text', 'unknown'].includes(key.type.kind))
    return fail('DISTINCT ordered by a value that is not a string is not converted');
  return sql`${order.isDescending ? 'arrayReverseSort' : 'arraySort'}(${array})`;
}

/** Tuples of keys and value, sorted by the keys; descending numbers and times are negated. */
function ordered(
  { application, apply }: Pick<Aggregation, 'application' | 'apply'>,
  own: Value,
  { orders, keepsNull }: { readonly orders: readonly Order[]; readonly keepsNull: boolean },
): Sql {
  const { context, fail } = application;
  const keys = orders.map((order) => ({
    order,
    key: caselessKey(context.write(order.value, context), context),
  }));
  if (keys.some(({ key }) => key.type.isNullable))
    differs(context, application.at, 'order', 'If the order contains NULL, its place may differ');
  const areDescending = keys.every(({ order }) => order.isDescending);
  const sqls = keys.map(({ order, key }) => {
    if (!order.isDescending || areDescending) return key.sql;
    if (isNumber(key)) return sql`-${operand(key)}`;
    if (isTime(key))
      return key.type.kind === 'date'
        ? sql`-toInt64(toDate32(${key.sql}))`
        : sql`-toUnixTimestamp64Micro(toDateTime64(${key.sql}, 6))`;
    return fail('An order of several keys is converted only if those that descend are numbers or times');
  });
  const skips = !keepsNull && own.type.isNullable;
  const array = apply('groupArray', [sql`tuple(${joinSql([...sqls, own.sql])})`], { isNullOfNone: false });
  const sorted = sql`${areDescending ? 'arrayReverseSort' : 'arraySort'}(t -> ${tupleOf(sqls.length)}, ${array})`;
  const values = sql`arrayMap(t -> t.${String(sqls.length + 1)}, ${sorted})`;
  return skips ? sql`arrayMap(x -> assumeNotNull(x), arrayFilter(x -> x IS NOT NULL, ${values}))` : values;
}

const tupleOf = (count: number): string =>
  count === 1 ? 't.1' : `(${Array.from({ length: count }, (_, index) => `t.${index + 1}`).join(', ')})`;

/** string_agg, group_concat and listagg. */
const joined: Rule = (aggregation) => {
  const { application, isPartial, apply } = aggregation;
  const { call, dialect } = application;
  const first = application.arg(0);
  const isMysql = dialect === 'mysql' || dialect === 'mariadb';
  const parts = isMysql ? application.all() : [first];
  const strings = parts.map((each) =>
    each.type.kind === 'json'
      ? jsonText(each).sql
      : each.type.kind === 'unknown'
        ? sql`toString(${each.sql})`
        : text(each),
  );
  const nullable = parts.some(({ type }) => type.isNullable);
  const own = value(
    'text',
    strings.length === 1 ? (strings[0] ?? "''") : sql`concat(${joinSql(strings)})`,
    nullable,
  );
  const separator = separatorOf(application);
  const array = sql`arrayStringConcat(${collected(aggregation, own, false)}, ${separator})`;
  if (dialect === 'snowflake' || (!nullable && !isPartial)) return value('text', array, false);
  const none = apply('count', [own.sql], { isNullOfNone: false });
  return call.over === undefined ? value('text', sql`if(${none} = 0, NULL, ${array})`) : value('text', array);
};

function separatorOf({ call, dialect, context }: Application): Sql {
  const isMysql = dialect === 'mysql' || dialect === 'mariadb';
  const written = isMysql ? call.separator : call.args[1];
  if (written !== undefined) return context.write(written, context).sql;
  return isMysql || dialect === 'sqlite' || dialect === 'bigquery' ? "','" : "''";
}

/** array_agg. */
const list: Rule = (aggregation) => {
  const { application, isPartial } = aggregation;
  const { call, dialect, context } = application;
  const own = application.arg(0);
  const keepsNull = call.nulls !== 'IGNORE' && dialect !== 'snowflake';
  if (isPartial && dialect !== 'snowflake')
    differs(
      context,
      application.at,
      'function',
      'Over no rows, the source returns NULL and ClickHouse an empty array',
    );
  const array = collected(aggregation, own, keepsNull);
  const limited = call.limit === undefined ? array : sql`arraySlice(${array}, 1, ${call.limit})`;
  return { sql: limited, type: { kind: 'array', isNullable: false, element: own.type } };
};

export const COLLECTING: readonly (readonly [string, Rule])[] = [
  ['string_agg', joined],
  ['group_concat', joined],
  ['listagg', joined],
  ['array_agg', list],
];
