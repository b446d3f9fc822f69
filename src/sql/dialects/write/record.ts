// Records and arrays that a query makes.
import { unconverted, type Context } from '../context.ts';
import { key, settled, joinSql, sql, value, type Value } from '../value.ts';
import { jsonOf, tupleOf } from '../record.ts';
import type { Expression, Name, Of } from '../tree.ts';
import { arrayOf } from './unify.ts';
import { containsAggregate } from './walk.ts';

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

export function writeStruct({ fields, at }: Of<'struct'>, context: Context): Value {
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
export function writeRow({ items, at }: Of<'row'>, context: Context): Value {
  if (context.shared.traits.rowsAreRecords)
    return writeStruct({ kind: 'struct', at, fields: items.map((each) => ({ value: each })) }, context);
  const values = items.map((each) => settled(context.write(each, context)));
  const fields = new Map(values.map(({ type }, index) => [String(index + 1), type]));
  return value('tuple', sql`(${joinSql(values.map((each) => each.sql))})`, false, { fields });
}

/** `[a, b]`. */
export function writeArray({ items, at }: Of<'array'>, context: Context): Value {
  const values = likeFirst(items).map((each) => context.write(each, context));
  return arrayOf(values, { at, context });
}
