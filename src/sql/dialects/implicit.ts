// Values that dialects convert by themselves: numbers and strings as conditions, and literals beside numbers.
import { type Context, type Place, unconverted } from './context.ts';
import { sql, isKind, isNumber, value, type Value, int, toCondition, isOpen, condition, isTime, operand } from './value.ts'; // prettier-ignore

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

/** The number that a string starts with, as MySQL and SQLite read it. */
const LEADING_NUMBER = /^\s*([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)/;

/** The number at the start of a string; 0 if there is none. */
export const leadingNumber = (text: string): number => Number(LEADING_NUMBER.exec(text)?.[1] ?? 0);

/** A value as a condition. */
export function truth(own: Value, context: Context, at: number): Value {
  if (isOpen(own)) return value('bool', toCondition(own));
  if (isNumber(own)) return condition(sql`${operand(own)} != 0`, own.type.isNullable);
  const { traits, dialect } = context.shared;
  if (isTime(own))
    return unconverted(at, 'type', 'A time is used as a condition', 'Compare it with a value.');
  const isJson = isKind(own, 'json') || own.type.isMixed === true;
  if (isJson && traits.hasNumericConditions)
    return unconverted(at, 'type', 'JSON is used as a condition', 'Compare it with a value.');
  if (!isKind(own, 'text')) return own;
  if (traits.hasNumericConditions && own.literal !== undefined)
    return value('bool', leadingNumber(own.literal) === 0 ? 'false' : 'true', false);
  return unconverted(
    at,
    'type',
    `A string is used as a condition, which ${dialect} reads by rules of its own`,
    'Compare it with a value.',
  );
}
