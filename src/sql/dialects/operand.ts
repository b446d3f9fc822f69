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

/** As a number; dynamically typed values are converted, or null. */
export function number(each: Value): Sql {
  return each.type.kind === 'dynamic' ? float(each) : whole(each);
}

/** As a condition. */
export function condition(each: Value): Sql {
  return isOpen(each) ? sql`accurateCastOrNull(${each.sql}, 'Bool')` : whole(each);
}

/** In a form that can be grouped, ordered, compared and counted. */
export function key(each: Value): Value {
  if (each.type.kind === 'dynamic')
    return { ...value('text', textOf(each), true, { isOpen: true }), original: each.sql };
  if (each.type.kind === 'object') return value('text', textOf(each));
  const { original } = each;
  return { sql: whole(each), type: each.type, ...(original === undefined ? {} : { original }) };
}

/** Returns whether it is what a JSON path without a declared type holds, or that as a string. */
export const isOpen = ({ type }: Value): boolean => type.kind === 'dynamic' || type.isOpen === true;

const ELEMENTS: Partial<Record<Type['kind'], string>> = { int: 'Int64', float: 'Float64', bool: 'Bool' };

/** What can be cast to an array: the key of a group is a string. */
export const listed = (each: Value): Sql =>
  isKind(each, 'dynamic') ? each.sql : sql`ifNull(${each.sql}, '[]')`;

function arrayBeside(each: Value, { type }: Value): Value {
  const name = ELEMENTS[type.element?.kind ?? 'text'];
  const kind = name === undefined ? 'text' : (type.element?.kind ?? 'text');
  const own = sql`CAST(${listed(each)} AS Array(Nullable(${name ?? 'String'})))`;
  const element: Type = { kind, isNullable: true };
  return { ...value('array', own, false, { element }), absent: sql`(${each.sql} IS NULL)` };
}

/** In the form in which it stands beside others: what a JSON path holds is a number, a Boolean value or a time beside one. */
export function beside(each: Value, others: readonly Value[]): Value {
  if (!isOpen(each)) return each.type.kind === 'object' ? key(each) : each;
  const array = others.find((other) => isKind(other, 'array'));
  if (array !== undefined) return arrayBeside(each, array);
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
