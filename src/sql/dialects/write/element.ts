// Names, fields and elements: paths, indexes and slices, and records that a query makes.
import { unconverted, type Context, syntax } from '../context.ts';
import { key, settled, joinSql, sql, value, type Value, number, whole, located, type Sql, isKind, name as nameOf, operand, type Type, UNKNOWN } from '../value.ts'; // prettier-ignore
import { jsonOf, tupleOf, field } from '../record.ts';
import type { Expression, Name, Of } from '../tree.ts';
import { arrayOf } from './unify.ts';
import { containsAggregate } from './nested.ts';
import { quoteString } from '../../clickhouse/literal.ts';
import { elementAt } from '../functions/array-value.ts';
import { sliceOf } from '../functions/array.ts';
import { QUANTILE_ELEMENT } from '../functions/collect.ts';
import { jsonAt } from '../json-path.ts';
import { columnUnknown, resolve } from './scope.ts';

/** A path. Offline, a name that nothing defines is left as it is. */
function writePath({ parts, at }: Of<'path'>, context: Context): Value {
  const found = resolve(parts, context);
  if (found !== undefined) {
    const own = fieldsOf(found.value, found.rest, context);
    return { ...own, sql: located(at, own.sql) };
  }
  const { relations } = context.scope;
  if (context.shared.isStrict) return columnUnknown(parts[0] ?? { name: '', at }, relations);
  return value('unknown', parts.map((part) => context.shared.style.name(part.name)).join('.'));
}

/** Follows field names into a value, one after the other. */
export function fieldsOf(of: Value, names: readonly Name[], context: Context): Value {
  return names.reduce((each, name) => fieldOf(each, name, context), of);
}

/** A field of a record, or of JSON in a string. */
function fieldOf(of: Value, name: Name, context: Context): Value {
  const isRecord = of.type.kind === 'map' || (of.type.kind === 'tuple' && of.type.fields !== undefined);
  const isField = context.shared.isStrict || isRecord || of.subcolumn !== undefined;
  if (isField) return field(of, name);
  const own = name.name;
  if (of.type.kind === 'tuple') return value('unknown', sql`tupleElement(${of.sql}, ${quoteString(own)})`);
  if (of.type.kind === 'unknown' && !context.shared.traits.fieldsAreJson)
    return value('unknown', sql`${operand(of)}.${nameOf(own)}`);
  return jsonAt(of, [quoteString(own)]);
}

type Index = Of<'index'>;

function writeIndex(expression: Index, context: Context): Value {
  // Both are the record itself: it has one element.
  const { of, index, base, isSafe: _ } = expression;
  if (
    of.kind === 'call' &&
    of.name === 'approx_quantiles' &&
    index.kind === 'number' &&
    /^\d/.test(index.text)
  ) {
    const place = { ...index, text: String(Number(index.text) - base) };
    return context.write({ ...of, name: QUANTILE_ELEMENT, args: [...of.args, place] }, context);
  }
  const inner = recordIn(of, context);
  return inner.type.kind === 'object' && isFirst(expression) ? inner : elementOf(expression, inner, context);
}

function writeField({ of, name }: Of<'field'>, context: Context): Value {
  const member = memberOf(of, name);
  return member === undefined
    ? fieldOf(recordIn(of, context), name, context)
    : context.write(member, context);
}

/** A field of a record that the expression makes; ClickHouse could not read it from one that is made of aggregates. */
function memberOf(of: Expression, { name }: Name): Expression | undefined {
  if (of.kind === 'struct')
    return of.fields.find(({ alias }) => alias?.name.toLowerCase() === name.toLowerCase())?.value;
  if (of.kind !== 'query' || of.form !== 'value' || of.query.body.kind !== 'select') return undefined;
  const { body } = of.query;
  const [item, more] = body.items;
  if (item?.kind !== 'value' || more !== undefined || body.isDistinct || of.query.orderBy.length > 0)
    return undefined;
  const value = memberOf(item.value, { name, at: item.value.at });
  return value === undefined
    ? undefined
    : { ...of, query: { ...of.query, body: { ...body, items: [{ ...item, value }] } } };
}

const isFirst = ({ index, base }: Index): boolean => index.kind === 'number' && Number(index.text) === base;

/**
 * The operand of an accessor, which is not itself the key of a group. Of `records[OFFSET(0)]`, the record: it is treated as an array
 * with one element.
 */
function recordIn(expression: Expression, context: Context): Value {
  if (expression.kind !== 'index' || !isFirst(expression))
    return context.write(expression, { ...context, isGrouped: false });
  const inner = recordIn(expression.of, context);
  return inner.subcolumn === undefined ? elementOf(expression, inner, context) : inner;
}

function elementOf({ index, base, isSafe = false }: Index, inner: Value, context: Context): Value {
  const place = context.write(index, context);
  const { element, fields } = inner.type;
  if (isKind(inner, 'map')) return { sql: sql`${operand(inner)}[${whole(place)}]`, type: element ?? UNKNOWN };
  if (isKind(inner, 'json')) return jsonAt(inner, [jsonStep(index, place, base)]);
  if (fields !== undefined) return memberAt(inner, fields, { index, base });
  const isError = context.isEvaluated === true || context.shared.traits.hasStrictArrays;
  const isChecked = isError && !isSafe && isKind(inner, 'array');
  return elementAt(context.elements(inner), { ...place, sql: number(place) }, { base, isChecked });
}

/** A key, or a position from 1. */
function jsonStep(index: Expression, place: Value, base: 0 | 1): Sql {
  if (isKind(place, 'text')) return whole(place);
  if (index.kind === 'number') return String(Number(index.text) + 1 - base);
  return base === 0 ? sql`${number({ ...place, sql: operand(place) })} + 1` : number(place);
}

/** A field of a record by its position. */
function memberAt(
  { sql: own }: Value,
  fields: ReadonlyMap<string, Type>,
  { index, base }: Pick<Index, 'index' | 'base'>,
): Value {
  const position = index.kind === 'number' ? Number(index.text) - base : Number.NaN;
  const type = [...fields.values()][position];
  if (type === undefined)
    return syntax(index.at, `A struct of ${fields.size} fields has no such position: write it as a number`);
  return { sql: sql`tupleElement(${own}, ${String(position + 1)})`, type };
}

function writeSlice({ of, from, to, at }: Of<'slice'>, context: Context): Value {
  const array = settled(context.write(of, context));
  if (isKind(array, 'json')) return unconverted(at, 'expression', 'A slice of JSON is not converted');
  const [first, last] = [from, to].map((each) =>
    each === undefined ? undefined : context.write(each, context),
  );
  return sliceOf(context.elements(array), first, last);
}

export const ELEMENTS = {
  path: writePath,
  field: writeField,
  index: writeIndex,
  slice: writeSlice,
  array: writeArray,
  struct: writeStruct,
  row: writeRow,
};

/** Records in an array have the field names of the first one. */
function likeFirst(items: readonly Expression[]): readonly Expression[] {
  const [first] = items;
  if (first?.kind !== 'struct') return items;
  const names = first.fields.map((each) => each.alias ?? implicitName(each.value));
  return items.map((item) => {
    if (item.kind !== 'struct' && item.kind !== 'row') return item;
    const values = item.kind === 'row' ? item.items : item.fields.map((each) => each.value);
    const fields = values.map((each, index) => ({ value: each, alias: names[index] }));
    return { kind: 'struct', at: item.at, fields };
  });
}

function implicitName(expression: Expression): Name | undefined {
  return expression.kind === 'path' ? expression.parts.at(-1) : undefined;
}

function writeStruct({ fields, at }: Of<'struct'>, context: Context): Value {
  if (fields.length === 0) return unconverted(at, 'expression', 'A struct without fields is not supported');
  const named = fields.map(({ value: inner, alias }, index) => {
    const name = (alias ?? implicitName(inner))?.name;
    return { name: name ?? `_field_${index + 1}`, value: key(context.write(inner, context)) };
  });
  if (new Set(named.map(({ name }) => name.toLowerCase())).size < named.length)
    return unconverted(
      at,
      'expression',
      'A struct with two fields of one name is not supported',
      'Name them differently.',
    );
  return fields.some((each) => containsAggregate(each.value)) ? jsonOf(named) : tupleOf(named);
}

/** `(a, b)`. */
function writeRow({ items, at }: Of<'row'>, context: Context): Value {
  if (context.shared.traits.rowsAreRecords)
    return writeStruct({ kind: 'struct', at, fields: items.map((each) => ({ value: each })) }, context);
  const values = items.map((each) => settled(context.write(each, context)));
  const fields = new Map(values.map(({ type }, index) => [String(index + 1), type]));
  return value('tuple', sql`(${joinSql(values.map((each) => each.sql))})`, false, { fields });
}

/** `[a, b]`. */
function writeArray({ items, at }: Of<'array'>, context: Context): Value {
  const values = likeFirst(items).map((each) => context.write(each, context));
  return arrayOf(values, { at, context });
}
