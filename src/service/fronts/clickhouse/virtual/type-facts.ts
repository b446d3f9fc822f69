// Facts about a type in system.columns and the information schema, as the engine computes them.
import {
  decimalOf,
  integerOf,
  isDate,
  isDateTime,
  plainType,
  timeScale,
} from '../../../../sql/types/traits.ts';
import { parseType, type ClickHouseType } from '../../../../sql/types/type.ts';

export interface TypeFacts {
  /** The outermost type: a Nullable inside of LowCardinality does not count here, but does in SHOW COLUMNS. */
  readonly isNullable: boolean;
  /** Precision, radix and scale; NULL for types that are no exact numbers. */
  readonly digits: readonly [precision: number | null, radix: number | null, scale: number | null];
  /** Digits of a fraction of seconds; NULL for types that are no times. */
  readonly timeDigits: number | null;
}

export function typeFacts(text: string): TypeFacts {
  const type = parseType(text);
  // Numbers and times in a dictionary have no facts.
  const plain = type.name === 'LowCardinality' ? type : plainType(type);
  const isTime = isDate(plain) || isDateTime(plain);
  return {
    isNullable: type.name === 'Nullable',
    digits: digitsOf(plain),
    timeDigits: isTime ? (timeScale(plain) ?? 0) : null,
  };
}

function digitsOf(type: ClickHouseType): TypeFacts['digits'] {
  const bits = type.name === 'Bool' ? 8 : integerOf(type)?.bits; // Bool is stored as UInt8
  if (bits !== undefined) return [bits, 2, 0];
  const decimal = decimalOf(type);
  return decimal === undefined ? [null, null, null] : [decimal.precision, 10, decimal.scale];
}

/** Says it as SHOW COLUMNS does. */
export function showsNullable(text: string): boolean {
  const { name, arguments: list } = parseType(text);
  const [inner] = name === 'LowCardinality' ? (list ?? []) : [];
  return name === 'Nullable' || (inner?.kind === 'type' && inner.type.name === 'Nullable');
}
