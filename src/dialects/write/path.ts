// Paths: columns, aliases, and the fields of records.
import { quoteString } from '../../sql/literal.ts';
import type { Expression, Name } from '../tree.ts';
import { field } from '../record.ts';
import { jsonAt } from '../json-path.ts';
import { located, sql } from '../sql.ts';
import { name as nameOf, operand, value, type Value } from '../value.ts';
import type { Context } from './context.ts';
import { columnUnknown, resolve } from './scope.ts';

/** A path. Offline, a name that nothing defines is left as it is. */
export function writePath({ parts, at }: Extract<Expression, { kind: 'path' }>, context: Context): Value {
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
export function fieldOf(of: Value, name: Name, context: Context): Value {
  const isRecord = of.type.kind === 'map' || (of.type.kind === 'tuple' && of.type.fields !== undefined);
  const isField = context.shared.isStrict || isRecord || of.subcolumn !== undefined;
  if (isField) return field(of, name);
  const own = name.name;
  if (of.type.kind === 'tuple') return value('unknown', sql`tupleElement(${of.sql}, ${quoteString(own)})`);
  if (of.type.kind === 'unknown' && !context.shared.traits.fieldsAreJson)
    return value('unknown', sql`${operand(of)}.${nameOf(own)}`);
  return jsonAt(of, [quoteString(own)]);
}
