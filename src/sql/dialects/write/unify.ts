// Values of different types in one type: results of CASE and similar, and what a value is compared with.
import { quoteString } from '../../clickhouse/literal.ts';
import { differs, unconverted, type Place } from '../context.ts';
import { jsonText, numberOfJson } from '../json-path.ts';
import { beside, isOpen, sql, isKind, isNumber, isTime, UNKNOWN, value, type Value, settled, joinSql, type Sql, commonOf, float, text, type Type } from '../value.ts'; // prettier-ignore
import { exactLiteral } from '../time/argument.ts';
import { dateLiteral, parseTime, timestampLiteral, timeLiteral } from '../time/literal.ts';
import { implicit } from '../implicit.ts';
import { isDay } from '../time/moment.ts';

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

/** Values in one type. */
interface Unified {
  readonly sqls: readonly Sql[];
  readonly type: Type;
}

/**
 * The values in one type.
 * @throws UnconvertedError at run time, for strings beside values that the dialect does not convert to strings
 */
export function unified(all: readonly Value[], place?: Place): Unified {
  const present = all.map((each) => plain(settled(each), all));
  const values = place === undefined ? present : implicit(present, place);
  const typed = values.filter((each) => !isKind(each, 'null'));
  const nullable = values.some(({ type }) => type.isNullable);
  const strict = place?.context.shared.isStrict === true && !place.context.shared.traits.convertsStrings;
  const families = familiesOf(typed);
  if (strict && families.size > 1)
    return noCommonType(`Values of these types (${[...families].join(', ')})`, values, place);
  if (typed.some(isTime)) return times(values, nullable, place);
  if (typed.length > 0 && typed.every(isNumber)) return numbers(values, nullable);
  const kinds = new Set(typed.map(({ type }) => type.kind));
  if (kinds.has('json') && kinds.size > 1)
    return unified(values.map((each) => (isKind(each, 'json') ? jsonText(each) : each), place));
  if (kinds.has('interval') && new Set(typed.map(({ type }) => type.unit)).size > 1)
    return noCommonType('Intervals of different units', values, place);
  if (kinds.has('text') && kinds.size > 1 && !kinds.has('unknown')) return strings(values, nullable, place);
  const only = typed.length === 0 ? values[0]?.type : commonOf(typed.map((each) => each.type));
  const type: Type = kinds.size > 1 || only === undefined ? UNKNOWN : only;
  return { sqls: values.map((each) => each.sql), type: { ...type, isNullable: nullable } };
}

/** Kinds that have a common type in a dialect without implicit conversions; kinds that are not here may be of any. */
const FAMILIES: Partial<Record<Type['kind'], string>> = {
  int: 'number',
  decimal: 'number',
  numeric: 'number',
  float: 'number',
  text: 'string',
  bytes: 'bytes',
  bool: 'Boolean',
  date: 'date',
  datetime: 'datetime',
  timestamp: 'timestamp',
  array: 'array',
};

/** A literal string can be a time, too. */
const familyOf = ({ type, literal }: Value): readonly string[] =>
  type.kind === 'text' && literal !== undefined && timeLiteral(literal) !== undefined
    ? []
    : (FAMILIES[type.kind] ?? '').split(' ').filter((each) => each !== '');

/** A DATE is converted to the other types of times. */
function familiesOf(values: readonly Value[]): ReadonlySet<string> {
  const families = new Set(values.flatMap(familyOf));
  if (families.has('datetime') || families.has('timestamp')) families.delete('date');
  return families;
}

/** What a JSON path holds as a value of the type of the others. */
const plain = (each: Value, all: readonly Value[]): Value => (all.some(isOpen) ? beside(each, all) : each);

function noCommonType(what: string, values: readonly Value[], place: Place | undefined): Unified {
  if (place !== undefined)
    return unconverted(place.at, 'type', `${what} have no common type`, 'Cast them to one.');
  return { sqls: values.map((each) => each.sql), type: UNKNOWN };
}

function strings(values: readonly Value[], nullable: boolean, place: Place | undefined): Unified {
  if (place?.context.shared.isStrict === true && !place.context.shared.traits.convertsStrings)
    return noCommonType('Strings and other values', values, place);
  return { sqls: values.map(text), type: { kind: 'text', isNullable: nullable } };
}

/** An integer that Float64 represents has a common type with it. */
const isLiteral = (each: Value): boolean => /^\(?-?\d{1,15}\)?$/.test(String(each.sql));

/** Int64 and Float64 have no common type in ClickHouse. */
function numbers(values: readonly Value[], nullable: boolean): Unified {
  const typed = values.filter((each) => !isKind(each, 'null'));
  const scales = typed.map(({ type }) => type.scale);
  const scale = scales.includes(undefined) ? undefined : Math.max(...scales.map((each) => each ?? 0));
  const kind = (['float', 'numeric', 'decimal'] as const).find((each) =>
    typed.some((own) => isKind(own, each)),
  );
  const isFloat = kind === 'float' || kind === 'numeric';
  const hasSigned = typed.some(
    (each) => isKind(each, 'int') && each.type.isUnsigned !== true && !isLiteral(each),
  );
  const sqls = values.map((each) => {
    if (each.type.isUnsigned === true && hasSigned && kind === undefined) return sql`toInt64(${each.sql})`;
    if (!isFloat || isKind(each, 'null') || isLiteral(each)) return each.sql;
    if (isKind(each, 'int')) return sql`toFloat64(${each.sql})`;
    return isKind(each, 'decimal') ? float(each) : each.sql;
  });
  const sizes = typed.map(({ type }) => type.bytes);
  const bytes =
    kind !== undefined || sizes.includes(undefined) ? undefined : Math.max(...sizes.map((each) => each ?? 8));
  const bits = typed.map(({ type }) => type.bits ?? Infinity);
  const known = kind === undefined && Math.max(...bits) < 64 ? { bits: Math.max(...bits) } : {};
  return { sqls, type: { kind: kind ?? 'int', isNullable: nullable, scale, bytes, ...known } };
}

function times(all: readonly Value[], nullable: boolean, place: Place | undefined): Unified {
  const values = all.map((each) => {
    if (!isKind(each, 'text') || each.literal === undefined) return each;
    return timeLiteral(each.literal) ?? each;
  });
  const typed = values.filter((each) => !isKind(each, 'null'));
  if (typed.some((each) => isKind(each, 'text'))) return strings(all, nullable, place);
  if (!typed.every(isTime))
    return { sqls: values.map((each) => each.sql), type: { kind: 'unknown', isNullable: nullable } };
  const areDates = typed.every(isDay);
  const sqls = values.map((each) =>
    isDay(each) && !areDates ? sql`toDateTime64(${each.sql}, 6, 'UTC')` : each.sql,
  );
  const isOf = (kind: Type['kind']): boolean => typed.every((each) => isKind(each, kind, 'date'));
  const kind = typed.every((each) => isKind(each, 'date'))
    ? 'date'
    : isOf('datetime')
      ? 'datetime'
      : 'timestamp';
  return {
    sqls,
    type: {
      kind,
      isNullable: nullable,
      ...(areDates && kind !== 'date' ? { isDate: true } : {}),
      ...(typed.every(({ type }) => type.isWide === true) ? { isWide: true } : {}),
    },
  };
}

/** `[a, b]`: ClickHouse has conditions as numbers. */
export function arrayOf(items: readonly Value[], place: Place): Value {
  const { sqls, type } = unified(items, place);
  const isOpen = type.kind === 'bool' && items.some((each) => each.type.isNumberInClickHouse === true);
  const own = isOpen ? sqls.map((each) => sql`toBool(${each})`) : sqls;
  const element = isOpen ? { ...type, isNumberInClickHouse: false } : type;
  return value('array', sql`[${joinSql(own)}]`, false, { element });
}
