// Values of which one is returned: ClickHouse requires a common type, which it does not always find.
import { unconverted, type Place } from '../context.ts';
import { implicit } from '../implicit.ts';
import { jsonText } from '../json-path.ts';
import { beside, isOpen, settled, joinSql, sql, type Sql, commonOf, float, isKind, isNumber, isTime, text, UNKNOWN, value, type Type, type Value } from '../value.ts'; // prettier-ignore
import { timeLiteral } from '../time/literal.ts';
import { isDay } from '../time/moment.ts';

/** Values in one type. */
export interface Unified {
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
