// Values as conditions: in MySQL and SQLite, numbers and strings are true unless they are zero.
import { unconverted, type Context } from './context.ts';
import { condition as toCondition, isOpen } from './operand.ts';
import { sql } from './sql.ts';
import { condition, isKind, isNumber, isTime, operand, value, type Value } from './value.ts';

/** The number that a string starts with, as MySQL and SQLite read it. */
const NUMBER = /^\s*([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)/;

/** The number at the start of a string; 0 if there is none. */
export const leadingNumber = (text: string): number => Number(NUMBER.exec(text)?.[1] ?? 0);

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
