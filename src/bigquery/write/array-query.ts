// Queries over one unnested array or record, used as a value: translated to array functions.
import { arrayOfType, type Value, value } from '../../dialects/value.ts';
import type { Context } from '../context.ts';
import { arrayOf } from '../functions/array.ts';
import type { Relation } from '../scope.ts';
import { sql, type Sql } from '../../dialects/sql.ts';
import type { Expression, Query, Select } from '../../sql/syntax-tree.ts';
import { columnValue, condition, isRecord, key, whole } from '../value.ts';
import { unnestedOf } from './unnested.ts';

type Form = Extract<Expression, { kind: 'query' }>['form'];

/** One array, and what the query does with its elements. */
interface Elements {
  readonly array: Sql;
  readonly variable: string;
  readonly inside: Context;
}

/** Undefined for other kinds of query, which are written as subqueries. */
export function writeArrayQuery(query: Query, form: Form, context: Context): Value | undefined {
  const select = soleSelect(query);
  const [from] = select?.from ?? [];
  if (select === undefined || from === undefined || from.source.kind !== 'unnest') return undefined;
  if (from.source.offset !== undefined || (form === 'array' && query.limit !== undefined)) return undefined;
  const unnested = context.write(unnestedOf(from.source.array), context);
  const alias = from.alias?.name;
  if (isRecord(unnested) || (unnested.subcolumn !== undefined && isUsedAsRecord(alias, context))) {
    return ofRecord(select, form, within(context, { alias, columns: new Map(), element: unnested }));
  }
  const { sql: array, element } = arrayOf(unnested);
  const variable = context.shared.fresh('x');
  const inside = within(context, { alias, columns: new Map(), element: columnValue(variable, element) });
  const filtered =
    select.where === undefined
      ? array
      : sql`arrayFilter(${variable} -> ${condition(inside.write(select.where, inside))}, ${array})`;
  return ofArray(select, form, { array: filtered, variable, inside });
}

function soleSelect(query: Query): Select | undefined {
  const { body } = query;
  const isPlain = query.tables.length === 0 && query.orderBy.length === 0 && query.offset === undefined;
  if (!isPlain || body.kind !== 'select') return undefined;
  const isSimple = body.from.length === 1 && !body.isDistinct && body.groupBy.length === 0;
  return isSimple && body.having === undefined && body.qualify === undefined ? body : undefined;
}

function isUsedAsRecord(alias: string | undefined, { isRecordName }: Context): boolean {
  return alias === undefined || isRecordName(alias.toLowerCase());
}

function within(context: Context, relation: Relation): Context {
  const scope = { relations: [relation], aliases: new Map<string, Value>(), parent: context.scope };
  return { ...context, scope, aliases: 'no' };
}

/** A record is treated as an array with one element. */
function ofRecord(select: Select, form: Form, inside: Context): Value | undefined {
  const write = (each: Expression) => inside.write(each, inside);
  const where = select.where === undefined ? undefined : condition(write(select.where));
  if (form === 'exists') return value('bool', where ?? 'true');
  const item = soleItem(select);
  if (item === undefined || isAggregate(item)) return undefined;
  const own = key(write(item));
  if (form === 'value')
    return where === undefined ? own : { sql: sql`if(${where}, ${own.sql}, NULL)`, type: own.type };
  const array = sql`[${own.sql}]`;
  const type = arrayOfType(own.type);
  return { sql: where === undefined ? array : sql`if(${where}, ${array}, [])`, type };
}

function soleItem({ items }: Select): Expression | undefined {
  const [only, more] = items;
  return more === undefined && only?.kind === 'value' ? only.value : undefined;
}

function isAggregate(expression: Expression): boolean {
  return expression.kind === 'call' && AGGREGATES.has(expression.name);
}

/** Aggregate functions and their array equivalents. */
const AGGREGATES: ReadonlyMap<string, string> = new Map([
  ['count', 'length'],
  ['countif', 'arrayCount'],
  ['sum', 'arraySum'],
  ['avg', 'arrayAvg'],
  ['min', 'arrayMin'],
  ['max', 'arrayMax'],
  ['string_agg', 'arrayStringConcat'],
]);

function ofArray(select: Select, form: Form, elements: Elements): Value | undefined {
  const { array, variable, inside } = elements;
  if (form === 'exists') return value('bool', sql`notEmpty(${array})`);
  const item = soleItem(select);
  if (item === undefined) return undefined;
  if (isAggregate(item)) return form === 'value' ? aggregated(item, elements) : undefined;
  const own = inside.write(item, inside);
  const mapped = sql`arrayMap(${variable} -> ${whole(own)}, ${array})`;
  if (form === 'array') return { sql: mapped, type: arrayOfType(own.type) };
  const isScalar = !['object', 'array', 'tuple', 'map', 'dynamic', 'unknown'].includes(own.type.kind);
  return { sql: sql`${isScalar ? 'arrayElementOrNull' : 'arrayElement'}(${mapped}, 1)`, type: own.type };
}

function aggregated(call: Expression, { array, variable, inside }: Elements): Value | undefined {
  if (call.kind !== 'call' || call.isDistinct || call.orderBy.length > 0) return undefined;
  const [argument, separator] = call.args;
  if (call.name === 'count' && argument === undefined) return value('int', sql`length(${array})`);
  const name = AGGREGATES.get(call.name);
  if (argument === undefined || name === undefined || call.name === 'count') return undefined;
  const own = inside.write(argument, inside);
  const mapped = sql`arrayMap(${variable} -> ${whole(own)}, ${array})`;
  if (call.name !== 'string_agg') {
    const kind = call.name === 'countif' ? 'int' : call.name === 'avg' ? 'float' : undefined;
    return { sql: sql`${name}(${mapped})`, type: kind === undefined ? own.type : { kind, isNullable: true } };
  }
  const by = separator === undefined ? "','" : whole(inside.write(separator, inside));
  return value('text', sql`${name}(${mapped}, ${by})`);
}
