// Which conversions and comparisons of the engine keep different values apart, by the types of both sides: what is not
// listed may merge values, such as numbers that wrap around, rounded decimals, or UUIDs in upper and lower case.
import {
  holdsInteger,
  holdsNull,
  integerOf,
  isAddress,
  isDate,
  isDateTime,
  isDecimal,
  isEnum,
  plainTypeOf,
} from '../../../sql/types/traits.ts';
import { parseType, printType, type ClickHouseType } from '../../../sql/types/type.ts';
import { typesOf, type Expression } from '../tree/nodes.ts';

/** The type of an expression as the engine prints it; '' if it has none. */
export function typeOf(expression: Expression): string {
  switch (expression.kind) {
    case 'column':
    case 'parameter':
    case 'constant':
    case 'function':
      return expression.type;
    case 'subquery': {
      const [type = '', ...rest] = typesOf(expression.query);
      return rest.length === 0 ? type : '';
    }
    case 'lambda':
    case 'list':
    case 'table_set':
      return '';
  }
}

/** Returns whether values of the type can be NULL, as far as it says. */
export function isNullable(type: string): boolean {
  const parsed = parseType(type);
  return holdsNull(parsed) || parsed.name === 'Nothing';
}

function plainOf(type: string): ClickHouseType {
  return plainTypeOf(type);
}

function isSameType(a: ClickHouseType, b: ClickHouseType): boolean {
  return printType(a) === printType(b);
}

/** Returns whether a type of integers has each value of another. */
function hasIntegers(target: ClickHouseType, source: ClickHouseType): boolean {
  const [before, after] = [integerOf(source), integerOf(target)];
  return before !== undefined && after !== undefined && holdsInteger(after, before);
}

/** Returns whether a value is the same in another type: strings in LowCardinality, and integers in a larger type. */
export function isSameValue(source: string, target: string): boolean {
  const [from, to] = [plainOf(source), plainOf(target)];
  return isSameType(from, to) || hasIntegers(to, from);
}

function isWithText(type: ClickHouseType): boolean {
  return isFromText(type) || isDate(type) || type.name === 'Bool' || type.name === 'Dynamic';
}

function isFromText(type: ClickHouseType): boolean {
  return isAddress(type) || isEnum(type) || type.name === 'UUID' || type.name === 'FixedString';
}

/** Types whose values compare equal only if they are the same. */
function isExactType(type: ClickHouseType): boolean {
  const isScalar = integerOf(type) !== undefined || isDateTime(type) || isDecimal(type);
  return isScalar || isWithText(type) || type.name === 'String';
}

/** Returns whether a conversion of stored values has another result for each value. */
export function keepsApart(source: string, target: string, isAccurate: boolean): boolean {
  const [from, to] = [plainOf(source), plainOf(target)];
  if (isSameType(from, to)) return isExactType(from);
  const isInteger = integerOf(from) !== undefined;
  if (isInteger && integerOf(to) !== undefined) return isAccurate || hasIntegers(to, from);
  return to.name === 'String' && (isInteger || isWithText(from));
}

/** The same for a conversion of the parameter: different texts of one identifier count as the same value. */
export function keepsParameter(source: string, target: string, isAccurate: boolean): boolean {
  if (keepsApart(source, target, isAccurate)) return true;
  if (plainOf(source).name !== 'String') return false;
  const to = plainOf(target);
  return isFromText(to) || (isAccurate && integerOf(to) !== undefined);
}

/** Returns whether a column equals at most one value of its type when it is compared with a value of another type. */
export function isExact(column: string, value: string): boolean {
  const [own, other] = [plainOf(column), plainOf(value)];
  if (isSameType(own, other)) return isExactType(own);
  if (integerOf(own) !== undefined) return integerOf(other) !== undefined;
  if (other.name === 'String') return isFromText(own) || isDate(own) || own.name === 'Dynamic';
  return own.name === 'String' && isEnum(other);
}
