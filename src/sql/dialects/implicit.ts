// Implicit conversions of values of which one is returned: as in COALESCE, CASE and GREATEST.
import type { Context, Place } from './context.ts';
import { sql, isKind, isNumber, value, type Value, int } from './value.ts';

const NUMBER = /^\s*-?\d+(?:\.\d+)?\s*$/;

/** A literal of a number, as the number that it is. */
export function numberOfLiteral({ literal }: Value, { shared }: Context): Value | undefined {
  if (literal === undefined || !shared.traits.stringsAreUntyped || !NUMBER.test(literal)) return undefined;
  return value(literal.includes('.') ? 'numeric' : 'int', literal.trim(), false);
}

const numberOfCondition = (own: Value, { shared }: Context): Value =>
  shared.traits.hasNumericConditions ? int(sql`toInt64(${own.sql})`, own.type.isNullable) : own;

/** The values as the dialect converts them to each other: conditions are the numbers 0 and 1 in some. */
export function implicit(values: readonly Value[], { at, context }: Place): readonly Value[] {
  const others = values.filter((each) => !isKind(each, 'text', 'null'));
  if (others.length > 0 && others.every(isNumber))
    return values.map((each) => (isKind(each, 'text') ? (numberOfLiteral(each, context) ?? each) : each));
  if (others.some(isNumber))
    return values.map((each) => (isKind(each, 'bool') ? numberOfCondition(each, context) : each));
  if (!context.shared.traits.hasNumericConditions || !values.some((each) => isKind(each, 'text')))
    return values;
  return values.map((each) => (isKind(each, 'bool') ? context.asText(each, at) : each));
}
