// Translated values: their ClickHouse SQL, and as much of their type as affects how they must be written.
import type { ColumnType } from '../types/column-type.ts';
import { quoteIdentifier } from '../clickhouse/literal.ts';

/** SQL text, or pieces of it in order. */
export type Sql = string | Pieces;

/** Pieces may be shared, so that the text can be exponentially longer than their number. */
const MAX_TEXT = 4_194_304;

/** Thrown where the text of pieces would be longer than 4 MiB. */
export class SqlTooLongError extends RangeError {}

/** Pieces in order; `origin` is the source offset in the original query for everything inside. */
class Pieces {
  readonly parts: readonly Sql[];
  readonly origin: number | undefined;
  #text: string | undefined;

  constructor(parts: readonly Sql[], origin?: number) {
    this.parts = parts;
    this.origin = origin;
  }

  /**
   * The text, without the offsets of its source.
   * @throws SqlTooLongError
   */
  toString(): string {
    this.#text ??= this.parts.map(String).join('');
    if (this.#text.length > MAX_TEXT) throw new SqlTooLongError('The SQL is too long');
    return this.#text;
  }
}

/** Template tag that builds SQL from pieces. */
export function sql(strings: TemplateStringsArray, ...values: readonly Sql[]): Sql {
  const parts: Sql[] = [];
  for (const [index, text] of strings.entries()) {
    if (text !== '') parts.push(text);
    const value = values[index];
    if (value !== undefined && value !== '') parts.push(value);
  }
  return new Pieces(parts);
}

/** SQL whose source is at an offset of the original query. */
export function located(origin: number, own: Sql): Sql {
  return new Pieces([own], origin);
}

/** The pieces with a separator between them; empty if there are none. */
export function joinSql(pieces: readonly Sql[], separator = ', '): Sql {
  const parts: Sql[] = [];
  for (const piece of pieces) {
    if (parts.length > 0) parts.push(separator);
    parts.push(piece);
  }
  return new Pieces(parts);
}

/** One line of SQL, and where its pieces start, in ascending order. */
interface Flat {
  readonly text: string;
  readonly marks: readonly { readonly start: number; readonly at: number }[];
}

/** A number beside a condition that must be true; otherwise, a division by zero is an error of the query. */
export const onlyIf = (own: Sql, condition: Sql): Sql => sql`${own} + 0 % (${condition})`;

/**
 * The text with the offsets of its source.
 * @param tooLong called with the offset of the source where the text becomes longer than `limit` characters
 */
export function flatten(root: Sql, limit: number, tooLong: (at: number) => never): Flat {
  const parts: string[] = [];
  const marks: { start: number; at: number }[] = [];
  let length = 0;
  const visit = (piece: Sql, at: number): void => {
    if (typeof piece === 'string') {
      parts.push(piece);
      length += piece.length;
      if (length > limit) tooLong(at);
      return;
    }
    const { origin = at } = piece;
    if (piece.origin !== undefined) marks.push({ start: length, at: origin });
    for (const each of piece.parts) visit(each, origin);
    // What follows belongs to the enclosing piece again.
    if (piece.origin !== undefined) marks.push({ start: length, at });
  };
  visit(root, 0);
  return { text: parts.join(''), marks };
}

/** Maps an offset in the SQL to the offset in the original query. */
export function sourceOffset({ marks }: Flat, offset: number): number {
  return marks.findLast(({ start }) => start <= offset)?.at ?? 0;
}

/**
 * `decimal`: Decimal in ClickHouse. `numeric`: an exact number in the source, Float64 in ClickHouse. `datetime`: a time without time
 * zone, stored as if it were UTC. `seconds`: an interval of the source, as a number of seconds. `interval`: an interval of ClickHouse.
 * `json`: JSON as a string. `object`: the type JSON. `time`: a time of day as a string. `dynamic`: a JSON path without a declared type.
 */
export type Kind =
  | 'int'
  | 'decimal'
  | 'numeric'
  | 'float'
  | 'text'
  | 'bytes'
  | 'bool'
  | 'date'
  | 'timestamp'
  | 'datetime'
  | 'time'
  | 'seconds'
  | 'interval'
  | 'json'
  | 'object'
  | 'array'
  | 'map'
  | 'tuple'
  | 'uuid'
  | 'dynamic'
  | 'null'
  | 'unknown';

/** Typed paths of a JSON column, from its root. */
type Paths = ReadonlyMap<string, ColumnType>;

export interface Type {
  readonly kind: Kind;
  readonly isNullable: boolean;
  /** Digits after the point, if known. */
  readonly scale?: number | undefined;
  /** Of an array, and of the values of a map. */
  readonly element?: Type;
  /** An array that is NULL in the source if it is empty. */
  readonly isNullIfEmpty?: boolean;
  /** Of a tuple. */
  readonly fields?: ReadonlyMap<string, Type>;
  /** Of an object. */
  readonly paths?: Paths;
  /** A timestamp of the source that is a Date in ClickHouse. */
  readonly isDate?: boolean;
  /** Date32, or DateTime64 in UTC of at most six digits: all times of the years 1 to 9999. */
  readonly isWide?: boolean;
  /** Of an interval, in capitals. */
  readonly unit?: string;
  /** A condition, which ClickHouse returns as 0 or 1. */
  readonly isNumberInClickHouse?: boolean;
  /** A string that MySQL compares by its bytes. */
  readonly isBinary?: boolean;
  /** A string that represents a JSON value: SQLite orders numbers before strings. */
  readonly isMixed?: boolean;
  /** A string that is what a JSON path without a declared type holds: beside a number, it is a number. */
  readonly isOpen?: boolean;
  /** UInt64, which has no common type with signed integers. */
  readonly isUnsigned?: boolean;
  /** The size in bytes of a signed integer column. */
  readonly bytes?: number | undefined;
  /** An integer between -2^bits and 2^bits, if that is certain. */
  readonly bits?: number | undefined;
}

/** A path in a JSON column, which ClickHouse reads as a subcolumn. */
export interface Subcolumn {
  readonly root: Sql;
  readonly path: readonly string[];
  readonly paths: Paths;
}

/** `isLoose`: needs parentheses as an operand. */
export interface Value {
  readonly sql: Sql;
  readonly type: Type;
  readonly isLoose?: boolean;
  /** A sum or product of exact numbers of the source, as Float64. */
  readonly isApproximate?: boolean;
  /** The literal's text, for those that functions read. */
  readonly literal?: string;
  readonly subcolumn?: Subcolumn;
  /** For a string form of a dynamically typed value: the original value. */
  readonly original?: Sql;
  /** The same of JSON that is no object and no array, in a shorter form. */
  readonly scalar?: Sql;
  /** A condition: an outer join found no matching row. */
  readonly absent?: Sql;
}

export const UNKNOWN: Type = { kind: 'unknown', isNullable: true };
export const TEXT: Type = { kind: 'text', isNullable: true };
export const DYNAMIC: Type = { kind: 'dynamic', isNullable: true };

/** What is true of one of several values is true of what may be any of them, but for what is true of all. */
const OF_ANY = [
  'isNullable',
  'isNullIfEmpty',
  'isNumberInClickHouse',
  'isBinary',
  'isMixed',
  'isOpen',
] as const;

/** The type of values of one kind. */
export function commonOf(types: readonly Type[]): Type {
  const [first = UNKNOWN] = types;
  if (types.some(({ kind }) => kind !== first.kind)) return UNKNOWN;
  const { bits: _, bytes: __, isWide: ___, ...rest } = first;
  const flags = OF_ANY.filter((flag) => types.some((type) => type[flag] === true));
  const fieldsOf = (type: Type): readonly Type[] => [...(type.fields?.values() ?? [])];
  const fields = [...(first.fields ?? [])].map(([name, own], index): readonly [string, Type] => [
    name,
    commonOf([own, ...types.slice(1).flatMap((type) => fieldsOf(type)[index] ?? [])]),
  ]);
  return {
    ...rest,
    ...Object.fromEntries(flags.map((flag) => [flag, true])),
    ...(types.every(({ isWide }) => isWide === true) ? { isWide: true } : {}),
    ...(first.element === undefined
      ? {}
      : { element: commonOf(types.flatMap(({ element }) => element ?? [])) }),
    ...(first.fields === undefined ? {} : { fields: new Map(fields) }),
  };
}

/** The type of an array: never NULL in ClickHouse. */
export function arrayOfType(element: Type): Type {
  return { kind: 'array', isNullable: false, element };
}

export function value(kind: Kind, own: Sql, isNullable = true, more: Partial<Type> = {}): Value {
  return { sql: own, type: { kind, isNullable, ...more } };
}

export function loose(kind: Kind, own: Sql, isNullable = true, more: Partial<Type> = {}): Value {
  return { sql: own, type: { kind, isNullable, ...more }, isLoose: true };
}

/** An integer. */
export function int(own: Sql, isNullable = true, more: Partial<Type> = {}): Value {
  return value('int', own, isNullable, { scale: 0, ...more });
}

/** A condition. */
export function condition(own: Sql, isNullable: boolean): Value {
  return loose('bool', own, isNullable, { isNumberInClickHouse: true });
}

/** As an operand of an operator. */
export function operand({ sql: own, isLoose }: Value): Sql {
  return isLoose === true ? sql`(${own})` : own;
}

export const isNullable = (...values: readonly Value[]): boolean =>
  values.some(({ type }) => type.isNullable);

const NUMBERS: ReadonlySet<Kind> = new Set(['int', 'decimal', 'numeric', 'float']);
const TIMES: ReadonlySet<Kind> = new Set(['date', 'timestamp', 'datetime']);
export const isNumber = ({ type }: Value): boolean => NUMBERS.has(type.kind);
export const isTime = ({ type }: Value): boolean => TIMES.has(type.kind);
export const isKind = ({ type }: Value, ...kinds: readonly Kind[]): boolean => kinds.includes(type.kind);

/** As Float64: Decimal divides with the scale of its left operand. */
export function float(each: Value): Sql {
  // The first cast is NULL for integers that Float64 does not represent.
  if (each.type.kind === 'dynamic')
    return sql`ifNull(accurateCastOrNull(${each.sql}, 'Float64'), toFloat64(accurateCastOrNull(${each.sql}, 'Int64')))`;
  if (each.type.isOpen === true) return sql`toFloat64OrNull(${each.sql})`;
  return each.type.kind === 'decimal' || each.type.kind === 'unknown'
    ? sql`toFloat64(${each.sql})`
    : operand(each);
}

/** As a string. */
export function text(each: Value): Sql {
  const { kind, scale, isNumberInClickHouse } = each.type;
  if (kind === 'text' || kind === 'bytes' || kind === 'json' || kind === 'time' || kind === 'null')
    return each.sql;
  if (kind === 'dynamic') return sql`CAST(${each.sql} AS Nullable(String))`;
  if (kind === 'object') return sql`toJSONString(${each.sql})`;
  if (kind === 'decimal' && scale !== undefined) return sql`toDecimalString(${each.sql}, ${String(scale)})`;
  if (kind === 'bool' && isNumberInClickHouse === true) return sql`toString(toBool(${each.sql}))`;
  return sql`toString(${each.sql})`;
}

/** Returns the bytes of a number that is written as hexadecimal or binary digits; undefined for other values. */
export function bytesOfDigits({ sql: own }: Value): Sql | undefined {
  const [, base, digits = ''] = /^0([xb])([\da-f]+)$/i.exec(String(own)) ?? [];
  if (base === undefined) return undefined;
  const hexadecimal = base.toLowerCase() === 'x' ? digits : BigInt(`0b${digits}`).toString(16);
  return sql`unhex('${hexadecimal.padStart(Math.ceil(hexadecimal.length / 2) * 2, '0')}')`;
}

/** Words that are not written as bare identifiers, since ClickHouse reads them as keywords somewhere. */
const KEYWORDS = new Set(
  `all and anti any array as asc asof between both by case cast cross cube cte date default desc describe distinct div else end escape except
  exists extract false fetch final first following for format from full global group grouping having ilike in index inf inner insert intersect
  interval into is join key last leading left like limit mod nan natural not null nulls offset on or order outer over partition preceding prewhere
  qualify range right rollup row rows sample select semi set sets settings table then ties timestamp to top totals trailing true trim unbounded
  union update using values view when where window with year month day hour minute second week quarter`.split(
    /\s+/,
  ),
);

/** An identifier, quoted if necessary. */
export function name(written: string): string {
  return /^[A-Za-z_]\w*$/.test(written) && !KEYWORDS.has(written.toLowerCase())
    ? written
    : quoteIdentifier(written);
}

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
export function toCondition(each: Value): Sql {
  return isOpen(each) ? sql`accurateCastOrNull(${each.sql}, 'Bool')` : whole(each);
}

/** In a form that can be grouped, ordered, compared and counted. */
export function key(each: Value): Value {
  if (each.type.kind === 'dynamic')
    return { ...value('text', text(each), true, { isOpen: true }), original: each.sql };
  if (each.type.kind === 'object') return value('text', text(each));
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
  const known = ELEMENTS[type.element?.kind ?? 'text'];
  const kind = known === undefined ? 'text' : (type.element?.kind ?? 'text');
  const own = sql`CAST(${listed(each)} AS Array(Nullable(${known ?? 'String'})))`;
  return {
    ...value('array', own, false, { element: { kind, isNullable: true } }),
    absent: sql`(${each.sql} IS NULL)`,
  };
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
  const read = sql`parseDateTime64BestEffortOrNull(${text(each)}, 6, 'UTC')`;
  return value('timestamp', read, true, { isWide: true });
}

/** In the form returned to the consumer: for a dynamically typed path, the object if it holds one. */
export function shown(each: Value): Sql {
  const { subcolumn, type } = each;
  if (type.kind !== 'dynamic' || subcolumn === undefined) return whole(each);
  const object = objectOf(subcolumn);
  return sql`if(${each.sql} IS NULL AND NOT empty(${object}), CAST(${object}, 'Dynamic'), ${each.sql})`;
}

/** The object at a path in a JSON column, which ClickHouse reads as a subcolumn. */
export function objectOf({ root, path }: Pick<Subcolumn, 'root' | 'path'>): Sql {
  return path.length === 0 ? root : sql`${root}.^${path.map(quoteIdentifier).join('.')}`;
}
