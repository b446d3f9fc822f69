// CAST and SAFE_CAST.
import type { Context } from '../context.ts';
import { roundedAway, toInteger } from '../../dialects/cast/integer.ts';
import { decimalType, toBoolean, toDecimal, toFloat } from '../../dialects/cast/number.ts';
import { strictly, type CastOptions } from '../../dialects/cast/strict.ts';
import { floatText } from '../../dialects/cast/text.ts';
import { arrayOfType, isKind, UNKNOWN, type Value, value } from '../../dialects/value.ts';
import { timeLiteral } from '../time-literal.ts';
import { untranslated } from '../translation-error.ts';
import { sql, type Sql } from '../../dialects/sql.ts';
import type { Expression, TypeName } from '../../sql/syntax-tree.ts';
import { key, settled, text, whole } from '../value.ts';

type Target = 'int' | 'float' | 'decimal' | 'bool' | 'text' | 'timestamp' | 'datetime' | 'date';

/** BigQuery types, and PostgreSQL's names for them. */
const TYPES: ReadonlyMap<string, Target> = new Map<string, Target>([
  ...'INT64 INT INTEGER BIGINT SMALLINT TINYINT BYTEINT'.split(' ').map((each) => [each, 'int'] as const),
  ...'FLOAT64 FLOAT DOUBLE'.split(' ').map((each) => [each, 'float'] as const),
  ...'NUMERIC DECIMAL BIGNUMERIC BIGDECIMAL'.split(' ').map((each) => [each, 'decimal'] as const),
  ...'BOOL BOOLEAN'.split(' ').map((each) => [each, 'bool'] as const),
  ...'STRING BYTES TEXT VARCHAR'.split(' ').map((each) => [each, 'text'] as const),
  ['TIMESTAMP', 'timestamp'],
  ['TIMESTAMPTZ', 'timestamp'],
  ['DATETIME', 'datetime'],
  ['DATE', 'date'],
]);

/** The types of NULL, by kind. */
const NULLS: Readonly<Record<Target, string>> = {
  text: 'String',
  int: 'Int64',
  float: 'Float64',
  decimal: 'Decimal(38, 9)',
  bool: 'Bool',
  timestamp: "DateTime64(6, 'UTC')",
  datetime: "DateTime64(6, 'UTC')",
  date: 'Date32',
};

type Cast = Extract<Expression, { kind: 'cast' }>;

/** The value converted to another type; if `isSafe`, null if it cannot be converted. */
export function writeCast({ value: written, type, isSafe, at }: Cast, context: Context): Value {
  const own = settled(context.write(written, context));
  const kind = TYPES.get(type.name);
  const isTime = kind === 'timestamp' || kind === 'datetime' || kind === 'date';
  if (isTime && written.kind === 'string' && !isSafe) return timeLiteral(kind, written.value, written.at);
  return castTo(own, type, { isSafe, at, context });
}

function castTo(own: Value, type: TypeName, options: CastOptions): Value {
  if (type.name === 'ARRAY') return elementsTo(own, type, options);
  const kind = TYPES.get(type.name);
  if (isKind(own, 'null') && kind !== undefined)
    return value(kind, sql`CAST(NULL AS Nullable(${NULLS[kind]}))`);
  const from = isKind(own, 'object') ? value('text', text(own)) : own;
  switch (kind) {
    case 'int':
      return toInteger(from, type, { ...options, round: rounded });
    case 'float':
      return toFloat(from, options);
    case 'decimal':
      return toDecimal(from, decimalType(type, 'bigquery') ?? { scale: 9, digits: 38 }, options);
    case 'bool':
      return toBoolean(from, options);
    case 'text':
      return stringOf(from, type, options);
    case 'timestamp':
      return toTime(from, 'timestamp', options);
    case 'datetime':
      return toTime(from, 'datetime', options);
    case 'date':
      return toTime(from, 'date', options);
    case undefined:
      return untranslated(
        type.at,
        `CAST to ${type.name} is not supported`,
        `The types are ${[...TYPES.keys()].join(', ')}.`,
      );
  }
}

/** BigQuery rounds to the nearest integer, halves away from zero. */
function rounded(own: Value): Sql {
  return isKind(own, 'float') ? roundedAway(own.sql) : sql`round(${own.sql})`;
}

/** A string; beyond the maximum length that the type may have, an error or NULL. */
function stringOf(own: Value, { sizes }: TypeName, { isSafe }: CastOptions): Value {
  const written = value('text', toText(own), own.type.isNullable);
  const [most] = sizes ?? [];
  if (most === undefined)
    return isSafe ? { ...written, type: { ...written.type, isNullable: true } } : written;
  const fitting = (text: Sql): Sql => sql`if(lengthUTF8(${text}) <= ${String(most)}, ${text}, NULL)`;
  if (isSafe) return value('text', fitting(written.sql));
  return value(
    'text',
    strictly(written, '', (text) => sql`CAST(${fitting(text)} AS String)`),
    own.type.isNullable,
  );
}

function toTime(own: Value, kind: 'timestamp' | 'datetime' | 'date', { isSafe }: CastOptions): Value {
  if (isKind(own, 'timestamp', 'datetime', 'date')) {
    return value(
      kind,
      kind === 'date' ? sql`toDate(${own.sql})` : sql`toDateTime64(${own.sql}, 6, 'UTC')`,
      own.type.isNullable,
    );
  }
  const parsed = sql`parseDateTime64BestEffort${isSafe ? 'OrNull' : ''}(${text(own)}, 6, 'UTC')`;
  return value(kind, kind === 'date' ? sql`toDate(${parsed})` : parsed);
}

/** Converts to a string in BigQuery's format for the type. */
export function toText(each: Value): Sql {
  const own = whole(each);
  switch (each.type.kind) {
    case 'timestamp':
      return sql`concat(${trimmedTime(own)}, '+00')`;
    case 'datetime':
      return trimmedTime(own);
    case 'bool':
      return sql`toString(CAST(${own} AS Nullable(Bool)))`;
    case 'float':
      return floatText(own);
    case 'text':
    case 'bytes':
    case 'json':
      return own;
    case 'dynamic':
    case 'object':
      return text(each);
    case 'decimal':
    case 'numeric':
    case 'time':
    case 'seconds':
    case 'uuid':
    case 'int':
    case 'date':
    case 'interval':
    case 'null':
    case 'unknown':
    case 'array':
    case 'tuple':
    case 'map':
      return sql`toString(${key(each).sql})`;
  }
}

/** A time with zero, three or six fractional digits, as few as needed. */
export function trimmedTime(time: Sql): Sql {
  return sql`replaceRegexpOne(toString(toDateTime64(${time}, 6, 'UTC')), '\\.000000$|000$', '')`;
}

/** An array is NULL, which is empty in ClickHouse, if an element cannot be converted. */
function elementsTo(own: Value, { of, at }: TypeName, options: CastOptions): Value {
  if (of === undefined) untranslated(at, 'Write ARRAY<STRING>, or an array of another element type');
  const { fresh } = options.context.shared;
  const item = fresh('x');
  const from = isKind(own, 'array')
    ? own
    : value('array', sql`CAST(${own.sql} AS Array(Nullable(String)))`, false, {
        element: { kind: 'text', isNullable: true },
      });
  if (isKind(own, 'null')) untranslated(at, 'NULL is not supported as an array', 'Write an empty array.');
  const element = from.type.element ?? UNKNOWN;
  const cast = castTo({ sql: item, type: element }, of, options);
  const mapped = sql`arrayMap(${item} -> ${cast.sql}, ${from.sql})`;
  const type = arrayOfType(cast.type);
  if (!options.isSafe) return { sql: mapped, type };
  const [before, after] = [fresh('x'), fresh('x')];
  const isLost = sql`arrayExists((${before}, ${after}) -> isNull(${after}) AND isNotNull(${before}), ${from.sql}, ${mapped})`;
  return { sql: sql`if(${isLost}, [], ${mapped})`, type };
}
