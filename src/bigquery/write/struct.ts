// STRUCT: named fields, and their positions.
import type { Context } from '../../dialects/write/context.ts';
import { syntax } from '../../dialects/context.ts';
import { key } from '../../dialects/operand.ts';
import { jsonOf, tupleOf } from '../../dialects/record.ts';
import { sql } from '../../dialects/sql.ts';
import type { Type, Value } from '../../dialects/value.ts';
import type { Expression, Name } from '../../dialects/tree.ts';
import { untranslated } from '../translation-error.ts';
import { containsAggregate } from '../../dialects/write/walk.ts';

type Of<K extends Expression['kind']> = Extract<Expression, { kind: K }>;

/** Structs in an array take the field names of the first one. */
export function likeFirst(items: readonly Expression[]): readonly Expression[] {
  const [first] = items;
  if (first?.kind !== 'struct') return items;
  const names = first.fields.map((each) => each.alias ?? implicitName(each.value));
  return items.map((item) => {
    if (item.kind !== 'struct') return item;
    const fields = item.fields.map((each, index) => {
      const alias = names[index];
      return alias === undefined ? { value: each.value } : { value: each.value, alias };
    });
    return { ...item, fields };
  });
}

function implicitName(expression: Expression): Name | undefined {
  return expression.kind === 'path' ? expression.parts.at(-1) : undefined;
}

export function writeStruct({ fields, at }: Of<'struct'>, context: Context): Value {
  if (fields.length === 0) return untranslated(at, 'A struct without fields is not supported');
  const named = fields.map(({ value: inner, alias }, index) => {
    const name = (alias ?? implicitName(inner))?.name;
    return { name: name ?? `_field_${index + 1}`, value: key(context.write(inner, context)) };
  });
  if (new Set(named.map(({ name }) => name.toLowerCase())).size < named.length)
    return untranslated(
      at,
      'A struct with two fields of one name is not supported',
      'Name them differently.',
    );
  return fields.some((each) => containsAggregate(each.value)) ? jsonOf(named) : tupleOf(named);
}

/** A field of a struct by its position. */
export function memberAt(
  { sql: own }: Value,
  fields: ReadonlyMap<string, Type>,
  { index, base }: Pick<Of<'index'>, 'index' | 'base'>,
): Value {
  const position = index.kind === 'number' ? Number(index.text) - base : Number.NaN;
  const type = [...fields.values()][position];
  if (type === undefined)
    return syntax(index.at, `A struct of ${fields.size} fields has no such position: write it as a number`);
  return { sql: sql`tupleElement(${own}, ${String(position + 1)})`, type };
}
