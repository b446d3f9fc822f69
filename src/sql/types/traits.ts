// Questions about the values of a type. They are about the outermost type; `plainType` is what is inside of its wrappers.
import { stringValue } from '../clickhouse/literal.ts';
import { innerType, parseType, typeArguments, type ClickHouseType } from './type.ts';

/** Without Nullable, LowCardinality and SimpleAggregateFunction, whose values are those of the type inside. */
export function plainType(type: ClickHouseType): ClickHouseType {
  switch (type.name) {
    case 'Nullable':
    case 'LowCardinality':
      return plainType(innerType(type));
    case 'SimpleAggregateFunction':
      return plainType(innerType(type, 1)); // after the function
    default:
      return type;
  }
}

/** Answers for a type as the engine prints it. */
export function plainTypeOf(text: string): ClickHouseType {
  return plainType(parseType(text));
}

/** Returns whether it is declared Nullable, perhaps inside LowCardinality or SimpleAggregateFunction. */
export function isNullable(type: ClickHouseType): boolean {
  if (type.name === 'LowCardinality') return isNullable(innerType(type));
  if (type.name === 'SimpleAggregateFunction') return isNullable(innerType(type, 1));
  return type.name === 'Nullable';
}

/** Types with NULL among their values, without being Nullable: every untyped path of JSON is one. */
const WITH_NULL: ReadonlySet<string> = new Set(['Dynamic', 'Variant']);

/** Returns whether NULL is one of its values. */
export function holdsNull(type: ClickHouseType): boolean {
  return isNullable(type) || WITH_NULL.has(plainType(type).name);
}

/** Returns whether values differ in their types by row. */
export function isDynamic({ name }: ClickHouseType): boolean {
  return WITH_NULL.has(name);
}

/** Returns whether the type, or one inside of it, passes the test. */
export function hasType(type: ClickHouseType, test: (inner: ClickHouseType) => boolean): boolean {
  return test(type) || typeArguments(type).some((argument) => hasType(argument.type, test));
}

/** Returns whether it is a text that is not a type, or one that is nested too deeply: there may be any type inside. */
export function isOpaque({ name }: ClickHouseType): boolean {
  return !/^\w+$/.test(name);
}

/** Returns whether the type, or one inside of it, is an aggregate state: internal data of the engine. */
export function hasState(type: ClickHouseType): boolean {
  return hasType(type, ({ name }) => name === 'AggregateFunction');
}

export interface IntegerType {
  readonly isSigned: boolean;
  readonly bits: number;
}

/** Undefined for other types; an interval is none. */
export function integerOf({ name }: ClickHouseType): IntegerType | undefined {
  const [, unsigned, bits] = /^(U?)Int(8|16|32|64|128|256)$/.exec(name) ?? [];
  return bits === undefined ? undefined : { isSigned: unsigned === '', bits: Number(bits) };
}

/** Returns whether a type of integers has each value of the other. */
export function holdsInteger(wide: IntegerType, narrow: IntegerType): boolean {
  if (wide.isSigned === narrow.isSigned) return wide.bits >= narrow.bits;
  return wide.isSigned && wide.bits > narrow.bits;
}

export function isFloat({ name }: ClickHouseType): boolean {
  return name === 'Float32' || name === 'Float64' || name === 'BFloat16';
}

/** A type that processors compute with, of at most 64 bits, or a truth value: comparisons convert nothing else. */
export function isNativeNumber(type: ClickHouseType): boolean {
  const integer = integerOf(type);
  if (integer !== undefined) return integer.bits <= 64;
  return type.name === 'Float32' || type.name === 'Float64' || type.name === 'Bool';
}

/** Digits of the types that have only a scale. */
const PRECISIONS: ReadonlyMap<string, number> = new Map([
  ['Decimal32', 9],
  ['Decimal64', 18],
  ['Decimal128', 38],
  ['Decimal256', 76],
]);

export interface DecimalType {
  readonly precision: number;
  readonly scale: number;
}

export function isDecimal({ name }: ClickHouseType): boolean {
  return name === 'Decimal' || PRECISIONS.has(name);
}

/** Undefined for other types. */
export function decimalOf(type: ClickHouseType): DecimalType | undefined {
  const precision = PRECISIONS.get(type.name);
  if (precision !== undefined) return { precision, scale: numberAt(type, 0) ?? 0 };
  if (type.name !== 'Decimal') return undefined;
  return { precision: numberAt(type, 0) ?? 10, scale: numberAt(type, 1) ?? 0 };
}

/** Integers, floating-point numbers and decimals. */
export function isNumeric(type: ClickHouseType): boolean {
  return integerOf(type) !== undefined || isFloat(type) || isDecimal(type);
}

/** A day without a time. */
export function isDate({ name }: ClickHouseType): boolean {
  return name === 'Date' || name === 'Date32';
}

/** A day with a time. */
export function isDateTime({ name }: ClickHouseType): boolean {
  return name === 'DateTime' || name === 'DateTime32' || name === 'DateTime64';
}

export function isInterval({ name }: ClickHouseType): boolean {
  return /^Interval[A-Z]/.test(name);
}

/** A time of day. */
export function isTimeOfDay({ name }: ClickHouseType): boolean {
  return name === 'Time' || name === 'Time64';
}

export function isEnum({ name }: ClickHouseType): boolean {
  return name === 'Enum8' || name === 'Enum16' || name === 'Enum';
}

export function isAddress({ name }: ClickHouseType): boolean {
  return name === 'IPv4' || name === 'IPv6';
}

/** Digits of a fraction of seconds: 0 for DateTime; undefined for types that have none. */
export function timeScale(type: ClickHouseType): number | undefined {
  if (type.name === 'DateTime64' || type.name === 'Time64') return numberAt(type, 0) ?? 3;
  return isDateTime(type) || isTimeOfDay(type) ? 0 : undefined;
}

/** The time zone that a type of times declares; undefined if it declares none. */
export function timeZone(type: ClickHouseType): string | undefined {
  const [zone] = isDateTime(type) ? (type.arguments ?? []).slice(-1) : [];
  return zone?.kind === 'literal' ? stringValue(zone.source) : undefined;
}

/** The names of an Enum, in the order of its declaration; none for other types. */
export function enumNames(type: ClickHouseType): readonly string[] {
  const list = isEnum(type) ? (type.arguments ?? []) : [];
  return list.flatMap((argument) => {
    if (argument.kind === 'enum') return [argument.name];
    return argument.kind === 'literal' ? (stringValue(argument.source) ?? []) : [];
  });
}

/** The number that is the argument at `index`. */
export function numberAt(type: ClickHouseType, index: number): number | undefined {
  const argument = type.arguments?.[index];
  const isNumber = argument?.kind === 'literal' && /^\d+$/.test(argument.source);
  return isNumber ? Number(argument.source) : undefined;
}
