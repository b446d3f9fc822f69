// Compares types: of parameters by the values they accept, of columns by the readers that can parse them.
import type { ScalarType, ValueRange } from '../../service/params/scalar.ts';
import { isFailure, parseParameterType, type ParameterType } from '../../service/params/type.ts';
import { innerType, parseType, printArgument, printType, type ClickHouseType } from '../../sql/types/type.ts';
import { holdsInteger, isNullable, plainType } from '../../sql/types/traits.ts';

/** How a parameter's new type relates to the old one, by the values it accepts. */
export type TypeStep = 'same' | 'wider' | 'narrower' | 'other';

/** Both are names of valid types. LowCardinality changes the storage of values, not the values. */
export function compareParameterTypes(before: string, after: string): TypeStep {
  const [old, now] = [typeOf(before), typeOf(after)];
  if (old === undefined || now === undefined) return before === after ? 'same' : 'other';
  const [isWider, isNarrower] = [accepts(now, old), accepts(old, now)];
  if (isWider) return isNarrower ? 'same' : 'wider';
  return isNarrower ? 'narrower' : 'other';
}

function typeOf(text: string): ParameterType | undefined {
  const type = parseParameterType(text);
  return isFailure(type) ? undefined : type;
}

/** Returns whether `wide` accepts every value of `narrow`, with the same meaning. */
function accepts(wide: ParameterType, narrow: ParameterType): boolean {
  if (narrow.isNullable && !wide.isNullable) return false;
  if (wide.kind === 'scalar' && narrow.kind === 'scalar') return holds(wide.scalar, narrow.scalar);
  if (wide.kind === 'array' && narrow.kind === 'array') return accepts(wide.element, narrow.element);
  if (wide.kind === 'map' && narrow.kind === 'map')
    return accepts(wide.key, narrow.key) && accepts(wide.value, narrow.value);
  if (wide.kind !== 'tuple' || narrow.kind !== 'tuple') return false;
  return (
    wide.elements.length === narrow.elements.length &&
    wide.elements.every(({ name, type }, index) => {
      const other = narrow.elements[index];
      return other !== undefined && other.name === name && accepts(type, other.type);
    })
  );
}

/** Returns whether `wide` accepts every value of `narrow`, without loss. */
function holds(wide: ScalarType, narrow: ScalarType): boolean {
  if (wide.name === narrow.name || wide.holds.includes(narrow.name)) return true;
  return holdsRange(wide.range, narrow.range);
}

function holdsRange(wide: ValueRange, narrow: ValueRange): boolean {
  if (wide.kind === 'integer' && narrow.kind === 'integer')
    return holdsInteger(
      { isSigned: wide.signed, bits: wide.bits },
      { isSigned: narrow.signed, bits: narrow.bits },
    );
  if (wide.kind === 'float' && narrow.kind === 'float') return wide.bits >= narrow.bits;
  if (wide.kind === 'decimal' && narrow.kind === 'decimal') {
    return wide.scale >= narrow.scale && wide.precision - wide.scale >= narrow.precision - narrow.scale;
  }
  if (wide.kind === 'string' && narrow.kind === 'string') return wide.bytes >= narrow.bytes;
  if (wide.kind === 'string' && narrow.kind === 'enum')
    return narrow.names.every((name) => Buffer.byteLength(name) <= wide.bytes);
  if (wide.kind === 'enum' && narrow.kind === 'enum')
    return narrow.names.every((name) => wide.names.includes(name));
  if (wide.kind !== 'datetime64' || narrow.kind !== 'datetime64' || wide.zone !== narrow.zone) return false;
  // With nine digits, DateTime64 ends in 2262: before the other DateTime64 types, but after DateTime.
  return wide.scale >= narrow.scale && (wide.scale < 9 || narrow.scale === 9);
}

/**
 * How a column's new type relates to the old one, for its readers. `alike`: readers of JSON and CSV are not affected.
 */
export type ColumnStep = 'same' | 'alike' | 'nullable' | 'changed';

export interface ColumnOptions {
  /** How integers of 64 bits and more are written. */
  readonly int64: 'number' | 'string';
}

/** Both are types as the engine prints them. */
export function compareColumnTypes(before: string, after: string, options: ColumnOptions): ColumnStep {
  return before === after ? 'same' : compareTrees(parseType(before), parseType(after), options);
}

function compareTrees(before: ClickHouseType, after: ClickHouseType, options: ColumnOptions): ColumnStep {
  if (!isAlike(plainType(before), plainType(after), options)) return 'changed';
  return isNullable(after) && !isNullable(before) ? 'nullable' : 'alike';
}

function isAlike(before: ClickHouseType, after: ClickHouseType, options: ColumnOptions): boolean {
  if (printType(before) === printType(after)) return true;
  if (before.name === 'Array' && after.name === 'Array') {
    return compareTrees(innerType(before), innerType(after), options) === 'alike';
  }
  if (before.name === 'JSON' && after.name === 'JSON') return holdsPaths(after, before);
  const [wasScalar, isScalar] = [scalarOf(before), scalarOf(after)];
  if (wasScalar === undefined || isScalar === undefined || !holds(isScalar, wasScalar)) return false;
  const [old, now] = [wasScalar.range, isScalar.range];
  if (old.kind === 'float') return true;
  if (old.kind !== 'integer' || now.kind !== 'integer') return false;
  return options.int64 === 'number' ? now.bits <= 64 : now.bits <= 32 || (old.bits === 64 && now.bits === 64);
}

function scalarOf(type: ClickHouseType): ScalarType | undefined {
  const parsed = typeOf(printType(type));
  return parsed?.kind === 'scalar' ? parsed.scalar : undefined;
}

/** Returns whether every path that had its own type still has it. */
function holdsPaths(wide: ClickHouseType, narrow: ClickHouseType): boolean {
  const paths = new Set(wide.arguments?.map(printArgument));
  return narrow.arguments?.every((path) => paths.has(printArgument(path))) ?? true;
}
