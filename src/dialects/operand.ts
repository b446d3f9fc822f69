// Values as operands: what an outer join has lost is NULL, and dynamically typed values are converted.
import { objectOf } from './subcolumn.ts';
import { sql, type Sql } from './sql.ts';
import { float, isKind, isNumber, isTime, text as textOf, value, type Type, type Value } from './value.ts';

/** Kinds of values that are not nullable in ClickHouse. */
export const NEVER_NULL: ReadonlySet<Type['kind']> = new Set(['object', 'array', 'tuple', 'map', 'dynamic']);

/** The value, null if an outer join found no matching row. */
export function whole({ sql: own, absent, type }: Value): Sql {
  if (absent === undefined || NEVER_NULL.has(type.kind)) return own;
  return sql`if(${absent}, NULL, ${own})`;
}

/** The value as an argument of a function: what an outer join has lost is NULL. */
export function settled(each: Value): Value {
  if (each.absent === undefined || NEVER_NULL.has(each.type.kind)) return each;
  const { absent: _, isLoose: __, ...rest } = each;
  return { ...rest, sql: whole(each), type: { ...each.type, isNullable: true } };
}

/** As a string; dynamically typed values are converted. */
export function text(each: Value): Sql {
  return each.type.kind === 'dynamic' || each.type.kind === 'object' ? textOf(each) : whole(each);
}

/** As a number; dynamically typed values are converted, or null. */
export function number(each: Value): Sql {
  return each.type.kind === 'dynamic' ? float(each) : whole(each);
}

/** As a condition. */
export function condition(each: Value): Sql {
  return each.type.kind === 'dynamic' ? sql`accurateCastOrNull(${each.sql}, 'Bool')` : whole(each);
}

/** In a form that can be grouped, ordered, compared and counted. */
export function key(each: Value): Value {
  if (each.type.kind === 'dynamic') return { ...value('text', text(each)), original: each.sql };
  if (each.type.kind === 'object') return value('text', text(each));
  const { original } = each;
  return { sql: whole(each), type: each.type, ...(original === undefined ? {} : { original }) };
}

/** In the form in which it stands beside others: what a JSON path holds is a number, a Boolean value or a time beside one. */
export function beside(each: Value, others: readonly Value[]): Value {
  if (each.type.kind !== 'dynamic') return each.type.kind === 'object' ? key(each) : each;
  if (others.some(isNumber)) return value('float', float(each));
  if (others.some((other) => isKind(other, 'bool')))
    return value('bool', sql`accurateCastOrNull(${each.sql}, 'Bool')`);
  if (!others.some(isTime)) return key(each);
  const read = sql`parseDateTime64BestEffortOrNull(${textOf(each)}, 6, 'UTC')`;
  return value('timestamp', read, true, { isWide: true });
}

/** In the form returned to the consumer: for a dynamically typed path, the object if it holds one. */
export function shown(each: Value): Sql {
  const { subcolumn, type } = each;
  if (type.kind !== 'dynamic' || subcolumn === undefined) return whole(each);
  const object = objectOf(subcolumn);
  return sql`if(${each.sql} IS NULL AND NOT empty(${object}), CAST(${object}, 'Dynamic'), ${each.sql})`;
}
