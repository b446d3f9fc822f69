// Arrays as values: ClickHouse has none that are NULL, so that NULL is a condition or, in the type, an empty array.
import type { Context } from '../context.ts';
import { jsonElements } from '../json-path.ts';
import { isOpen, listed, joinSql, onlyIf, sql, type Sql, arrayOfType, commonOf, operand, TEXT, UNKNOWN, type Type, type Value, int } from '../value.ts'; // prettier-ignore
import type { IndexBase } from '../tree.ts';

/** An array that is NULL in the source. */
export function emptyArray(element: Type = UNKNOWN): Value {
  return { sql: '[]', type: { kind: 'array', isNullable: false, element, isNullIfEmpty: true } };
}

/** An array as rows: aggregates require that its elements have a type. In BigQuery, those of an empty array are integers. */
export function typedArray(own: Value, { shared }: Context): Value {
  return shared.isStrict && String(own.sql) === '[]' ? { ...own, sql: 'emptyArrayInt64()' } : own;
}

/** The condition that an array is NULL; undefined if it cannot be. */
export function isNullArray(own: Value): Sql | undefined {
  if (own.type.kind === 'null' || String(own.sql) === 'NULL') return 'true';
  return own.absent ?? (own.type.isNullIfEmpty === true ? sql`empty(${own.sql})` : undefined);
}

/** A value that is computed from an array, and NULL if that is. */
export function ofArray(array: Value, own: Value): Value {
  const isNull = isNullArray(array);
  if (isNull === undefined) return own;
  return { sql: sql`if(${isNull}, NULL, ${own.sql})`, type: { ...own.type, isNullable: true } };
}

/** An array that is computed from another one, and NULL if that is: of an empty array, an empty one. */
export function sameArray(array: Value, own: Sql, element = array.type.element ?? UNKNOWN): Value {
  const { absent } = array;
  return { sql: own, type: { ...array.type, element }, ...(absent === undefined ? {} : { absent }) };
}

/** The number of elements. */
export function lengthOf(array: Value): Value {
  const length = sql`length(${array.sql})`;
  // Unlike an array that may be NULL, an empty one has a length.
  if (array.type.isNullIfEmpty === true && array.absent === undefined) return int(sql`nullIf(${length}, 0)`);
  return ofArray(array, int(length, false));
}

/** Kinds whose values in an array ClickHouse cannot replace by NULL. */
const WITHOUT_NULL: ReadonlySet<Type['kind']> = new Set([
  'object',
  'array',
  'tuple',
  'map',
  'dynamic',
  'unknown',
]);

/** How places count, and whether it is an error if there is no such element. */
interface Access {
  readonly base: IndexBase | 'both ends';
  readonly isChecked: boolean;
}

/** An element by its place; NULL if there is none. ClickHouse counts negative places from the end. */
export function elementAt(array: Value, place: Value, { base, isChecked }: Access): Value {
  const element = array.type.element ?? UNKNOWN;
  const own = String(place.sql);
  const isLiteral = /^-?\d+$/.test(own);
  const from = base === 0 ? sql`greatest(${operand(place)}, -1) + 1` : sql`greatest(${operand(place)}, 0)`;
  const plain =
    base === 'both ends'
      ? place.sql
      : isLiteral
        ? String(Math.max(0, Number(own) + (base === 0 ? 1 : 0)))
        : from;
  const position = isChecked ? checked(array, place, plain) : plain;
  const isPlain = WITHOUT_NULL.has(element.kind) && element.kind !== 'unknown' && position !== '0';
  const written = sql`${isPlain ? 'arrayElement' : 'arrayElementOrNull'}(${array.sql}, ${position})`;
  // The fields of a record that there is not are NULL.
  const isOpen = isPlain && element.kind === 'tuple' && !isChecked;
  return {
    sql: written,
    type: { ...element, isNullable: true },
    ...(isOpen ? { absent: sql`(${position} NOT BETWEEN 1 AND length(${array.sql}))` } : {}),
  };
}

/** A place that must be one of the array; of an array that is NULL, the element is NULL. */
function checked(array: Value, place: Value, position: Sql): Sql {
  const isNull = [isNullArray(array) ?? [], place.type.isNullable ? sql`${operand(place)} IS NULL` : []];
  const isHere = sql`${position} BETWEEN 1 AND length(${array.sql})`;
  return onlyIf(position, joinSql([...isNull.flat(), isHere], ' OR '));
}

/** The values of a column as an array, NULL among them. */
export function gathered(column: Sql, { isNullable }: Type): Sql {
  return isNullable ? sql`arrayMap(t -> t.1, groupArray(tuple(${column})))` : sql`groupArray(${column})`;
}

/** Arrays and elements of them, joined by ||: to an array, an element or NULL is added. */
export function joinedArrays(values: readonly Value[]): Value {
  const arrays = values.filter(({ type }) => type.kind === 'array');
  const elements = values.map(({ type }) => (type.kind === 'array' ? (type.element ?? UNKNOWN) : type));
  const [first = UNKNOWN] = arrays.map(({ type }) => type.element ?? UNKNOWN);
  const parts = values
    .filter(({ type }) => type.kind !== 'null')
    .map((each) => (each.type.kind === 'array' ? each.sql : sql`[${each.sql}]`));
  const element = { ...first, isNullable: elements.some(({ isNullable }) => isNullable) };
  return { sql: sql`arrayConcat(${joinSql(parts)})`, type: { kind: 'array', isNullable: false, element } };
}

/** Arrays one after the other; NULL among them is NULL, or skipped. */
export function concatenatedArrays(arrays: readonly Value[], skipsNull: boolean): Value {
  const elements = arrays.flatMap((each) =>
    each.type.isNullIfEmpty === true ? [] : (each.type.element ?? UNKNOWN),
  );
  const type = arrayOfType(elements.length === 0 ? UNKNOWN : commonOf(elements));
  const present = arrays.map((each) => (isNullArray(each) === 'true' ? '[]' : each.sql));
  const own = sql`arrayConcat(${joinSql(present)})`;
  const conditions = skipsNull ? [] : arrays.flatMap((each) => isNullArray(each) ?? []);
  if (conditions.length === 0) return { sql: own, type };
  const absent = sql`(${joinSql(conditions, ' OR ')})`;
  return { sql: sql`if(${absent}, [], ${own})`, type, absent };
}

/** A value as an array; a dynamically typed JSON path is read as an array of strings. */
export function elementsOf(own: Value): Value {
  if (own.type.kind === 'array') return own;
  if (own.type.kind === 'null') return emptyArray();
  if (own.type.kind === 'json') return jsonElements(own);
  if (!isOpen(own)) return { sql: own.sql, type: arrayOfType(UNKNOWN) };
  return {
    sql: sql`CAST(${listed(own)} AS Array(Nullable(String)))`,
    type: arrayOfType({ ...TEXT, isOpen: true }),
  };
}
