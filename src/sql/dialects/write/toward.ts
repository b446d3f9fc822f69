// A value in a type that can be compared with another one: a literal takes the type of the other side.
import { quoteString } from '../../clickhouse/literal.ts';
import { differs, unconverted, type Place } from '../context.ts';
import { jsonText, numberOfJson } from '../json-path.ts';
import { beside, isOpen } from '../operand.ts';
import { sql } from '../sql.ts';
import { exactLiteral } from '../time/argument.ts';
import { dateLiteral, parseTime, timestampLiteral } from '../time/literal.ts';
import { isKind, isNumber, isTime, UNKNOWN, value, type Value } from '../value.ts';

/** A literal string. */
export const isWritten = (each: Value): boolean => isKind(each, 'text') && each.literal !== undefined;

/** A value and the elements of an array in types that ClickHouse compares. */
export function elementToward(subject: Value, array: Value, place: Place): readonly [Value, Value] {
  const item: Value = { sql: place.context.shared.fresh('e'), type: array.type.element ?? UNKNOWN };
  const [a, b] = [toward(subject, item, place), toward(item, subject, place)];
  const areMixed =
    isNumber(a) && isNumber(b) && isKind(a, 'float', 'numeric') !== isKind(b, 'float', 'numeric');
  const [own, element] = areMixed ? [real(a), real(b)] : [a, b];
  if (element.sql === item.sql) return [own, array];
  const mapped = sql`arrayMap(${item.sql} -> ${element.sql}, ${array.sql})`;
  return [own, { ...array, sql: mapped, type: { ...array.type, element: element.type } }];
}

const real = (each: Value): Value =>
  isKind(each, 'float', 'numeric') ? each : value('float', sql`toFloat64(${each.sql})`, each.type.isNullable);

/** A value in a type that can be compared with another one. */
export function toward(own: Value, other: Value, place: Place): Value {
  const isCondition = isKind(other, 'bool');
  if (isTime(own) && (isNumber(other) || isCondition))
    return unconverted(place.at, 'type', 'A time is compared with a number', 'Cast one of them.');
  if (isKind(own, 'json') && !isKind(other, 'json'))
    return isNumber(other) ? numberOfJson(own, place) : jsonText(own);
  if (isWritten(own)) return literalToward(own, own.literal ?? '', { ...place, other });
  if (isOpen(own)) return beside(own, [other]);
  if (isKind(own, 'text') && isTime(other)) return textAsTime(own, place);
  const { hasNumericConditions } = place.context.shared.traits;
  if (isKind(own, 'text') && (isNumber(other) || (isCondition && hasNumericConditions)))
    return textAsNumber(own, place);
  // A literal has the type of the numbers that it is compared with.
  if (isKind(own, 'float') && own.literal !== undefined && isKind(other, 'decimal'))
    return value('decimal', sql`toDecimal256('${own.literal}', 38)`, false);
  // Infinity and NaN have no Decimal, which the engine may write in a list of numbers.
  if (isKind(own, 'decimal') && isKind(other, 'float') && String(other.sql).startsWith("toFloat64('"))
    return real(own);
  return beside(own, [other]);
}

function textAsTime(own: Value, { at, context }: Place): Value {
  const { dialect, isStrict, traits } = context.shared;
  if (traits.hasNumericConditions)
    differs(context, at, 'type', `${dialect} compares this string and a time as text if it is no time`);
  if (isStrict && !traits.convertsStrings)
    return unconverted(at, 'type', 'A string is compared with a time', 'Cast it to the type of the time.');
  return value('timestamp', sql`parseDateTime64BestEffortOrNull(${own.sql}, 3, 'UTC')`);
}

function textAsNumber(own: Value, { at, context }: Place): Value {
  const { dialect, traits } = context.shared;
  if (traits.comparesStringsAsNumbers) return value('float', sql`toFloat64(${own.sql})`, own.type.isNullable);
  const reason = traits.convertsStrings ? `, which ${dialect} converts by rules of its own` : '';
  return unconverted(at, 'type', `A string is compared with a number${reason}`, 'Cast one of them.');
}

interface Beside extends Place {
  readonly other: Value;
}

function literalToward(own: Value, literal: string, place: Beside): Value {
  const { other, context } = place;
  if (isTime(other)) return timeToward(own, literal, place);
  if (isNumber(other) || (isKind(other, 'bool') && context.shared.traits.hasNumericConditions)) {
    const isPlain = /^\s*[+-]?\d+(?:\.\d+)?\s*$/.test(literal) && context.shared.traits.convertsStrings;
    return isPlain
      ? value(literal.includes('.') ? 'numeric' : 'int', literal.trim(), false)
      : textAsNumber(own, place);
  }
  if (!isKind(other, 'bool')) return own;
  const known = /^\s*(?:(t|true|yes|on|1)|(f|false|no|off|0))\s*$/i.exec(literal);
  if (known === null) return unconverted(place.at, 'type', `${quoteString(literal)} is not a Boolean`);
  return value('bool', known[1] === undefined ? 'false' : 'true', false);
}

function timeToward(own: Value, literal: string, { other, at, context }: Beside): Value {
  const { kind, isDate } = other.type;
  const { traits } = context.shared;
  const parsed = parseTime(literal);
  if (parsed === undefined)
    return unconverted(
      at,
      'type',
      `${quoteString(literal)} is not a date of the form 2024-12-31`,
      'Write the date as 2024-12-31.',
    );
  if (traits.hasExactTimes && kind === 'date' && parsed.time === undefined)
    return exactLiteral('date', literal, at);
  const isMidnight = parsed.time === undefined || parsed.time === '00:00:00';
  if (kind === 'date' && (isMidnight || traits.comparesDates)) return dateLiteral(literal) ?? own;
  if (isDate === true && isMidnight) return dateLiteral(literal) ?? own;
  return timestampLiteral(literal, kind === 'datetime' ? 'datetime' : 'timestamp') ?? own;
}
