// CAST, ::, TRY_CAST and SAFE_CAST.
import { joinSql, sql, type Sql } from '../../dialects/sql.ts';
import { quoteString } from '../../sql/literal.ts';
import type { Expression, TypeName } from '../../sql/syntax-tree.ts';
import { roundHalfAway } from './arithmetic.ts';
import { differs, unconverted, type Context } from '../../dialects/context.ts';
import { secondsOf, spansOf } from './interval.ts';
import { jsonArray, jsonElements, jsonOf, jsonText } from './json-path.ts';
import { roundedAway, toInteger } from '../../dialects/cast/integer.ts';
import { decimalType, toBoolean, toDecimal, toFloat } from '../../dialects/cast/number.ts';
import type { CastOptions } from '../../dialects/cast/strict.ts';
import { floatText, realText } from '../../dialects/cast/text.ts';
import { dateLiteral, timestampLiteral } from './time-literal.ts';
import { isKind, text, UNKNOWN, value, type Kind, type Type, type Value } from '../../dialects/value.ts';

const INTEGERS =
  'INT INTEGER INT2 INT4 INT8 BIGINT SMALLINT TINYINT MEDIUMINT INT64 BYTEINT SIGNED SERIAL BIGSERIAL UNSIGNED'.split(
    ' ',
  );
const FLOATS = ['FLOAT', 'FLOAT4', 'FLOAT8', 'FLOAT64', 'DOUBLE', 'DOUBLE PRECISION', 'REAL'];
const DECIMALS = ['NUMERIC', 'DECIMAL', 'NUMBER', 'BIGNUMERIC', 'BIGDECIMAL', 'DEC', 'FIXED'];
const TEXTS = 'TEXT VARCHAR CHAR STRING NVARCHAR BPCHAR CITEXT NAME CLOB CHARACTER'.split(' ');
const TIMES =
  'TIMESTAMP TIMESTAMPTZ DATETIME TIMESTAMP_NTZ TIMESTAMP_LTZ TIMESTAMP_TZ DATETIME2 TIMESTAMPNTZ'.split(' ');

const KINDS: ReadonlyMap<string, Kind> = new Map<string, Kind>([
  ...INTEGERS.map((each) => [each, 'int'] as const),
  ...INTEGERS.map((each) => [`${each} UNSIGNED`, 'int'] as const),
  ...FLOATS.map((each) => [each, 'float'] as const),
  ...DECIMALS.map((each) => [each, 'decimal'] as const),
  ...TEXTS.map((each) => [each, 'text'] as const),
  ['CHARACTER VARYING', 'text'],
  ['CHAR VARYING', 'text'],
  ...TIMES.map((each) => [each, 'timestamp'] as const),
  ['DATE', 'date'],
  ['BOOL', 'bool'],
  ['BOOLEAN', 'bool'],
  ['JSON', 'json'],
  ['JSONB', 'json'],
  ['VARIANT', 'json'],
  ['UUID', 'uuid'],
  ['TIME', 'time'],
  ['ARRAY', 'array'],
]);

/** Writes a cast. */
export function writeCast(
  { value: inner, type, isSafe, at }: Extract<Expression, { kind: 'cast' }>,
  context: Context,
): Value {
  const spans = spansOf(inner);
  if (spans !== undefined && KINDS.get(type.name) !== undefined)
    return castTo(secondsOf(spans, context), type, { isSafe, at, context });
  if (type.name === 'INTERVAL')
    return unconverted(at, 'type', 'Only intervals with literal units are converted');
  if (inner.kind === 'string' && !isSafe)
    return (
      literalCast(inner.value, type, at) ??
      castTo(context.write(inner, context), type, { isSafe, at, context })
    );
  return castTo(context.write(inner, context), type, { isSafe, at, context });
}

function literalCast(literal: string, type: TypeName, at: number): Value | undefined {
  const kind = KINDS.get(type.name);
  if (kind === 'date')
    return (
      dateLiteral(literal) ?? unconverted(at, 'type', `'${literal}' is not a date of the form 2024-12-31`)
    );
  if (kind === 'timestamp')
    return (
      timestampLiteral(literal) ??
      unconverted(at, 'type', `'${literal}' is not a time of the form 2024-12-31 10:00:00`)
    );
  return undefined;
}

/** A value in a type of the source. */
export function castTo(own: Value, type: TypeName, options: CastOptions): Value {
  const { at, context } = options;
  const kind = KINDS.get(type.name) ?? unconverted(at, 'type', `The type ${type.name} is not converted`);
  const from = own.type.kind === 'json' && kind !== 'json' && kind !== 'array' ? jsonText(own) : own;
  if (from.type.kind === 'null') return nullOf(kind);
  switch (kind) {
    case 'int':
      return toInteger(from, type, { ...options, round: rounded });
    case 'float':
      return toFloat(from, options);
    case 'decimal':
      return toNumber(from, type, options);
    case 'text':
      return toText(from, type, context, at);
    case 'bool':
      return toBoolean(from, options);
    case 'date':
      return toDate(from, options);
    case 'timestamp':
      return toTimestamp(from, options);
    case 'json':
      return jsonOf(from);
    case 'uuid':
      return value(
        'uuid',
        sql`toUUID${options.isSafe ? 'OrNull' : ''}(${from.sql})`,
        from.type.isNullable || options.isSafe,
      );
    case 'time':
      if (isKind(from, 'timestamp', 'unknown'))
        differs(context, at, 'type', 'A time of day is a string without the fraction of the second');
      return isKind(from, 'timestamp')
        ? value('time', sql`formatDateTime(${from.sql}, '%H:%i:%S')`, from.type.isNullable)
        : value('time', text(from), from.type.isNullable);
    case 'array':
      return toArray(from, type, options);
    case 'bytes':
    case 'datetime':
    case 'dynamic':
    case 'numeric':
    case 'seconds':
    case 'interval':
    case 'object':
    case 'map':
    case 'tuple':
    case 'null':
    case 'unknown':
      return unconverted(at, 'type', `The type ${type.name} is not converted`);
  }
}

const NULLS: Partial<Record<Kind, string>> = {
  int: 'Int64',
  float: 'Float64',
  decimal: 'Decimal(38, 9)',
  text: 'String',
  bool: 'Bool',
  date: 'Date',
  timestamp: "DateTime64(3, 'UTC')",
  json: 'String',
  time: 'String',
  uuid: 'UUID',
};

function nullOf(kind: Kind): Value {
  const type = NULLS[kind];
  return value(kind, type === undefined ? 'NULL' : `CAST(NULL AS Nullable(${type}))`);
}

/** The nearest integer: PostgreSQL and MySQL round Float64 to even, exact numbers away from zero, and SQLite cuts the fraction off. */
function rounded(own: Value, { context }: CastOptions): Sql {
  const { dialect } = context.shared;
  if (dialect === 'sqlite') return sql`trunc(${own.sql})`;
  if (!isKind(own, 'float')) return roundHalfAway(own, 0).sql;
  if (dialect === 'bigquery') return roundedAway(own.sql);
  const isEven = ['postgresql', 'redshift', 'mysql', 'mariadb'].includes(dialect);
  return isEven ? sql`round(${own.sql})` : roundHalfAway(own, 0).sql;
}

function toNumber(from: Value, type: TypeName, options: CastOptions): Value {
  const { dialect } = options.context.shared;
  if (dialect === 'sqlite') return toFloat(from, options);
  const known = decimalType(type, dialect);
  if (known !== undefined) return toDecimal(from, known, options);
  if (isKind(from, 'int', 'decimal', 'numeric'))
    return { ...from, type: { ...from.type, kind: from.type.kind === 'int' ? 'decimal' : from.type.kind } };
  const own = toFloat(from, options);
  return { ...own, type: { kind: 'numeric', isNullable: own.type.isNullable } };
}

function toText(from: Value, { sizes }: TypeName, context: Context, at: number): Value {
  const { dialect } = context.shared;
  const nullable = from.type.isNullable;
  const sized = (built: Sql): Value =>
    value(
      'text',
      sizes?.[0] === undefined ? built : sql`substringUTF8(${built}, 1, ${String(sizes[0])})`,
      nullable,
    );
  if (isKind(from, 'timestamp')) {
    if (from.type.isDate !== true)
      differs(
        context,
        at,
        'type',
        'The string form of a time differs: ClickHouse prints all digits of the fraction',
      );
    const format = dialect === 'trino' ? '%Y-%m-%d %H:%i:%S.%f' : '%Y-%m-%d %H:%i:%S';
    return sized(
      from.type.isDate === true ? sql`formatDateTime(${from.sql}, '${format}')` : sql`toString(${from.sql})`,
    );
  }
  if (isKind(from, 'bool') && context.shared.traits.hasNumericConditions)
    return sized(sql`toString(toUInt8(${from.sql}))`);
  if (/^-?\d+(?:\.\d+)?$/.test(String(from.sql)) && !isKind(from, 'float'))
    return sized(quoteString(String(from.sql)));
  if (isKind(from, 'float') && dialect === 'bigquery') return sized(floatText(from.sql));
  if (isKind(from, 'float') && dialect === 'sqlite') return sized(realText(from.sql));
  if (isKind(from, 'decimal') && dialect === 'bigquery') return sized(sql`toString(${from.sql})`);
  if (isKind(from, 'float', 'numeric'))
    differs(context, at, 'type', 'The string form of numbers with a fraction differs');
  return sized(text(from));
}

function toDate(from: Value, { isSafe }: CastOptions): Value {
  if (isKind(from, 'date')) return from;
  if (from.type.isDate === true) return { ...from, type: { kind: 'date', isNullable: from.type.isNullable } };
  if (isKind(from, 'text'))
    return value(
      'date',
      sql`toDate(${isSafe ? sql`parseDateTimeBestEffortOrNull(${from.sql}, 'UTC')` : sql`parseDateTimeBestEffort(${from.sql}, 'UTC')`})`,
      from.type.isNullable || isSafe,
    );
  return value('date', sql`toDate(${from.sql})`, from.type.isNullable || isSafe);
}

function toTimestamp(from: Value, { isSafe }: CastOptions): Value {
  const nullable = from.type.isNullable || isSafe;
  if (isKind(from, 'timestamp')) return from;
  if (isKind(from, 'date'))
    return { ...from, type: { kind: 'timestamp', isNullable: from.type.isNullable, isDate: true } };
  if (isKind(from, 'text'))
    return value(
      'timestamp',
      sql`parseDateTime64BestEffort${isSafe ? 'OrNull' : ''}(${from.sql}, 3, 'UTC')`,
      nullable,
    );
  return value('timestamp', sql`toDateTime64(${from.sql}, 3, 'UTC')`, nullable);
}

/** An array whose elements are cast, of JSON text, or of a literal such as '{1,2}'. */
function toArray(from: Value, { of }: TypeName, options: CastOptions): Value {
  const kind = of === undefined ? undefined : KINDS.get(of.name);
  if (of === undefined || kind === undefined)
    return from.type.kind === 'array'
      ? from
      : unconverted(options.at, 'type', 'The type of the elements is not known');
  if (from.type.kind === 'array') return elementsTo(from, of, options);
  if (from.type.kind === 'json' && kind === 'json') return jsonElements(from);
  const inner = JSON_ELEMENTS[kind];
  if (from.type.kind === 'json' && inner !== undefined) {
    const element: Type = { kind, isNullable: true };
    return { ...jsonArray(from, inner), type: { kind: 'array', isNullable: false, element } };
  }
  if (from.literal !== undefined && /^\{[^"{}\\]*\}$/.test(from.literal)) {
    const items = from.literal
      .slice(1, -1)
      .split(',')
      .filter((item) => item !== '');
    const values = items.map((item) => {
      const literal = item.trim();
      if (/^null$/i.test(literal)) return value('null', 'NULL');
      return castTo({ ...value('text', quoteString(literal), false), literal }, of, options);
    });
    const element: Type = { kind, isNullable: values.some(({ type }) => type.isNullable) };
    return value('array', sql`[${joinSql(values.map((each) => each.sql))}]`, false, { element });
  }
  return unconverted(options.at, 'type', 'This cast to an array is not converted');
}

const JSON_ELEMENTS: Partial<Record<Kind, string>> = {
  text: 'Nullable(String)',
  int: 'Nullable(Int64)',
  float: 'Nullable(Float64)',
  bool: 'Nullable(Bool)',
};

function elementsTo(from: Value, of: TypeName, options: CastOptions): Value {
  const item = options.context.shared.fresh('item');
  const cast = castTo({ sql: item, type: from.type.element ?? UNKNOWN }, of, options);
  const own = cast.sql === item ? from.sql : sql`arrayMap(${item} -> ${cast.sql}, ${from.sql})`;
  return { sql: own, type: { ...from.type, element: cast.type } };
}
