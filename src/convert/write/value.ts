// Converted values: their ClickHouse SQL, and as much of their type as affects how they must be written.
import type { ColumnType } from '../../sql/column-type.ts';
import { quoteIdentifier } from '../../sql/literal.ts';
import type { SourceColumn } from '../conversion.ts';

/**
 * `decimal`: Decimal in ClickHouse. `numeric`: an exact number in the source, Float64 in ClickHouse. `seconds`: an
 * interval of the source, as a number of seconds. `interval`: an interval of ClickHouse. `json`: JSON as a string.
 * `object`: the type JSON. `time`: a time of day as a string.
 */
export type Kind =
  | 'int'
  | 'decimal'
  | 'numeric'
  | 'float'
  | 'text'
  | 'bool'
  | 'date'
  | 'timestamp'
  | 'time'
  | 'seconds'
  | 'interval'
  | 'json'
  | 'object'
  | 'array'
  | 'map'
  | 'tuple'
  | 'uuid'
  | 'null'
  | 'unknown';

export interface Type {
  readonly kind: Kind;
  readonly isNullable: boolean;
  /** Digits after the point, if known. */
  readonly scale?: number | undefined;
  /** Of an array, and of the values of a map. */
  readonly element?: Type;
  /** A timestamp of the source that is a Date in ClickHouse. */
  readonly isDate?: boolean;
  /** A condition, which ClickHouse returns as 0 or 1. */
  readonly isNumberInClickHouse?: boolean;
  /** A string that MySQL compares by its bytes. */
  readonly isBinary?: boolean;
  /** A string that represents a JSON value: SQLite orders numbers before strings. */
  readonly isMixed?: boolean;
  /** UInt64, which has no common type with signed integers. */
  readonly isUnsigned?: boolean;
  /** The size in bytes of a signed integer column. */
  readonly bytes?: number | undefined;
}

/** `isLoose`: needs parentheses as an operand. */
export interface Value {
  readonly sql: string;
  readonly type: Type;
  readonly isLoose?: boolean;
  /** The literal's text, for those that functions read. */
  readonly literal?: string;
}

export function value(kind: Kind, sql: string, isNullable = true, more: Partial<Type> = {}): Value {
  return { sql, type: { kind, isNullable, ...more } };
}

export function loose(kind: Kind, sql: string, isNullable = true, more: Partial<Type> = {}): Value {
  return { sql, type: { kind, isNullable, ...more }, isLoose: true };
}

/** A condition. */
export function condition(sql: string, isNullable: boolean): Value {
  return loose('bool', sql, isNullable, { isNumberInClickHouse: true });
}

/** As an operand of an operator. */
export function operand({ sql, isLoose }: Value): string {
  return isLoose === true ? `(${sql})` : sql;
}

export const isNullable = (...values: readonly Value[]): boolean =>
  values.some(({ type }) => type.isNullable);

const NUMBERS: ReadonlySet<Kind> = new Set(['int', 'decimal', 'numeric', 'float']);
export const isNumber = ({ type }: Value): boolean => NUMBERS.has(type.kind);
export const isTime = ({ type }: Value): boolean => type.kind === 'date' || type.kind === 'timestamp';
export const isKind = ({ type }: Value, ...kinds: readonly Kind[]): boolean => kinds.includes(type.kind);

/** As Float64: Decimal divides with the scale of its left operand. */
export function float(each: Value): string {
  return each.type.kind === 'decimal' || each.type.kind === 'unknown'
    ? `toFloat64(${each.sql})`
    : operand(each);
}

/** As a string. */
export function text(each: Value): string {
  const { kind, scale, isNumberInClickHouse } = each.type;
  if (kind === 'text' || kind === 'json' || kind === 'time' || kind === 'null') return each.sql;
  if (kind === 'decimal' && scale !== undefined) return `toDecimalString(${each.sql}, ${scale})`;
  if (kind === 'bool' && isNumberInClickHouse === true) return `toString(toBool(${each.sql}))`;
  return `toString(${each.sql})`;
}

const SIZES: Readonly<Record<string, number>> = { Int8: 1, Int16: 2, Int32: 4 };

/** The type of a column that DESCRIBE has printed. */
export function typeOfColumn(column: SourceColumn, parsed: ColumnType): Type {
  const isNullableColumn = /^(?:LowCardinality\()?Nullable\(/.test(column.type) || parsed.kind === 'dynamic';
  return { ...shapeOf(parsed), isNullable: isNullableColumn };
}

const plain = (kind: Kind): Type => ({ kind, isNullable: false });

function shapeOf(type: ColumnType): Type {
  switch (type.kind) {
    case 'string':
      return plain('text');
    case 'boolean':
      return plain('bool');
    case 'number':
      return numberType(type.name);
    case 'time':
      return plain(/Date(?!Time)/.test(type.name) ? 'date' : 'timestamp');
    case 'json':
      return plain('object');
    case 'array':
      return { kind: 'array', isNullable: false, element: { ...shapeOf(type.element), isNullable: true } };
    case 'map':
      return { kind: 'map', isNullable: false, element: shapeOf(type.value) };
    case 'tuple':
      return plain('tuple');
    case 'uuid':
      return plain('uuid');
    case 'dynamic':
    case 'ipv4':
    case 'ipv6':
    case 'other':
      return { kind: 'unknown', isNullable: true };
  }
}

function numberType(name: string): Type {
  if (/Int/.test(name))
    return { kind: 'int', isNullable: false, scale: 0, bytes: SIZES[name], isUnsigned: name === 'UInt64' };
  const [, scale] = /^Decimal\w*\(\s*\d+\s*,\s*(\d+)\s*\)$/.exec(name) ?? [];
  if (name.startsWith('Decimal'))
    return { kind: 'decimal', isNullable: false, scale: scale === undefined ? undefined : Number(scale) };
  return { kind: 'float', isNullable: false };
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
export function name(text: string): string {
  return /^[A-Za-z_]\w*$/.test(text) && !KEYWORDS.has(text.toLowerCase()) ? text : quoteIdentifier(text);
}
