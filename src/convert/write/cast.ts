// CAST, ::, TRY_CAST and SAFE_CAST.
import { sql, type Sql } from '../../dialects/sql.ts';
import { quoteString } from '../../sql/literal.ts';
import type { Expression, TypeName } from '../../dialects/tree.ts';
import { roundHalfAway } from '../../dialects/round.ts';
import { differs, unconverted, type Context } from '../../dialects/context.ts';
import { secondsOf, spansOf } from '../../dialects/time/interval.ts';
import { jsonArray, jsonElements, jsonOf, jsonText } from './json-path.ts';
import { literalTo, timeText, toTime } from '../../dialects/time/cast.ts';
import { moment, timestamp } from '../../dialects/time/moment.ts';
import { isKind, isNumber, text, value, type Kind, type Type, type Value } from '../../dialects/value.ts';

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

export interface CastOptions {
  readonly isSafe: boolean;
  readonly at: number;
  readonly context: Context;
}

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
      literalCast(inner.value, type, at, context) ??
      castTo(context.write(inner, context), type, { isSafe, at, context })
    );
  return castTo(context.write(inner, context), type, { isSafe, at, context });
}

/** A string literal that is cast to a time. */
function literalCast(literal: string, type: TypeName, at: number, context: Context): Value | undefined {
  const kind = KINDS.get(type.name);
  return kind === 'date' || kind === 'timestamp' ? literalTo(kind, literal, { at, context }) : undefined;
}

/** DATETIME of MySQL has whole seconds: it rounds, MariaDB truncates. */
function inSeconds(own: Value, { name, sizes }: TypeName, { shared }: Context): Value {
  const isMysql = shared.dialect === 'mysql' || shared.dialect === 'mariadb';
  if (!isMysql || name !== 'DATETIME' || (sizes?.[0] ?? 0) > 0 || own.type.isDate === true) return own;
  const moved = shared.dialect === 'mysql' ? sql`${moment(own)} + toIntervalMillisecond(500)` : moment(own);
  return timestamp(sql`toStartOfSecond(${moved})`, own.type.isNullable);
}

/** MySQL and SQLite have NULL for strings that are no times. */
const timeCast = (options: CastOptions): CastOptions => {
  const { dialect } = options.context.shared;
  return ['mysql', 'mariadb', 'sqlite'].includes(dialect) ? { ...options, isSafe: true } : options;
};

/** A value in a type of the source. */
export function castTo(own: Value, type: TypeName, options: CastOptions): Value {
  const { at, context } = options;
  const kind = KINDS.get(type.name) ?? unconverted(at, 'type', `The type ${type.name} is not converted`);
  const from = own.type.kind === 'json' && kind !== 'json' && kind !== 'array' ? jsonText(own) : own;
  if (from.type.kind === 'null') return nullOf(kind);
  switch (kind) {
    case 'int':
      return toInteger(from, type, options);
    case 'float':
      return isKind(from, 'float')
        ? from
        : value('float', parse(from, 'Float64', options), from.type.isNullable || options.isSafe);
    case 'decimal':
      return toDecimal(from, type, options);
    case 'text':
      return toText(from, type, context, at);
    case 'bool':
      return toBoolean(from, options);
    case 'date':
      return toTime(from, 'date', timeCast(options));
    case 'timestamp':
      return inSeconds(toTime(from, 'timestamp', timeCast(options)), type, context);
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
        ? value('time', sql`formatDateTime(${moment(from)}, '%H:%i:%S')`, from.type.isNullable)
        : value('time', text(from), from.type.isNullable);
    case 'array':
      return toArray(from, type, at);
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

const isOpen = ({ type }: Value): boolean => type.kind === 'unknown';

/** A string or number as a number. */
function parse(from: Value, type: string, { isSafe }: CastOptions): Sql {
  const string = from.type.kind === 'text' ? from.sql : sql`toString(${from.sql})`;
  if (isSafe)
    return isKind(from, 'text', 'unknown') ? sql`to${type}OrNull(${string})` : sql`to${type}(${from.sql})`;
  return isKind(from, 'text') ? sql`to${type}(trimBoth(${from.sql}))` : sql`to${type}(${from.sql})`;
}

const BYTES: Readonly<Record<string, number>> = {
  INT: 4,
  INTEGER: 4,
  INT4: 4,
  INT2: 2,
  SMALLINT: 2,
  TINYINT: 1,
};

function toInteger(from: Value, type: TypeName, options: CastOptions): Value {
  const { context, at } = options;
  const { dialect } = context.shared;
  const bytes =
    dialect === 'bigquery' || dialect === 'snowflake' || dialect === 'sqlite' ? undefined : BYTES[type.name];
  const more = { scale: 0, bytes };
  const nullable = from.type.isNullable || options.isSafe;
  if (isKind(from, 'int')) return { ...from, type: { ...from.type, bytes: bytes ?? from.type.bytes } };
  if (isKind(from, 'decimal', 'numeric', 'float', 'seconds')) {
    const truncates = dialect === 'sqlite';
    // PostgreSQL rounds float to even, exact numbers away from zero.
    const rounded =
      isKind(from, 'float') && (dialect === 'postgresql' || dialect === 'redshift')
        ? sql`round(${from.sql})`
        : roundHalfAway(from, 0).sql;
    return value('int', sql`toInt64(${truncates ? from.sql : rounded})`, nullable, more);
  }
  if (isOpen(from) && !options.isSafe) {
    if (dialect !== 'sqlite')
      differs(
        context,
        at,
        'type_unknown',
        `If the value is not an integer, ${dialect} rounds it and ClickHouse truncates it`,
      );
    return value('int', sql`toInt64(${from.sql})`, nullable, more);
  }
  const isLenient = ['mysql', 'mariadb', 'sqlite'].includes(dialect);
  if (isKind(from, 'text') && isLenient)
    return value('int', sql`toInt64OrZero(extract(${from.sql}, '^\\\\s*([+-]?[0-9]+)'))`, nullable, more);
  if (isKind(from, 'date', 'timestamp'))
    return unconverted(at, 'type', 'A time is cast to a number', 'Use toUnixTimestamp.');
  return value('int', parse(from, 'Int64', options), nullable, more);
}

function toDecimal(from: Value, { sizes, name }: TypeName, options: CastOptions): Value {
  const { dialect } = options.context.shared;
  const hasDefault = ['mysql', 'mariadb', 'snowflake', 'trino', 'redshift'].includes(dialect);
  const scale = sizes?.[1] ?? (sizes !== undefined || hasDefault ? 0 : undefined);
  const nullable = from.type.isNullable || options.isSafe;
  if (dialect === 'sqlite') return value('float', parse(from, 'Float64', options), nullable);
  if (scale === undefined) {
    if (isKind(from, 'int', 'decimal', 'numeric'))
      return {
        ...from,
        type: {
          ...from.type,
          kind: from.type.kind === 'int' ? 'decimal' : from.type.kind,
          scale: name.startsWith('BIG') ? undefined : from.type.scale,
        },
      };
    return value('numeric', parse(from, 'Float64', options), nullable);
  }
  const number = isKind(from, 'text', 'unknown')
    ? value('numeric', parse(from, 'Float64', options), nullable)
    : from;
  const rounded = roundHalfAway(number, scale);
  return value('decimal', sql`toDecimal128(${rounded.sql}, ${String(scale)})`, nullable, { scale });
}

function toText(from: Value, { sizes }: TypeName, context: Context, at: number): Value {
  const nullable = from.type.isNullable;
  const sized = (built: Sql): Value =>
    value(
      'text',
      sizes?.[0] === undefined ? built : sql`substringUTF8(${built}, 1, ${String(sizes[0])})`,
      nullable,
    );
  if (isKind(from, 'timestamp')) return sized(timestampText(from, context, at));
  if (isKind(from, 'bool') && context.shared.traits.hasNumericConditions)
    return sized(sql`toString(toUInt8(${from.sql}))`);
  if (/^-?\d+(?:\.\d+)?$/.test(String(from.sql)) && !isKind(from, 'float'))
    return sized(quoteString(String(from.sql)));
  if (isKind(from, 'float', 'numeric'))
    differs(context, at, 'type', 'The string form of numbers with a fraction differs');
  return sized(text(from));
}

/** Dialects that write a time without zeros at the end of its fraction. */
const SHORT: ReadonlySet<string> = new Set(['postgresql', 'redshift']);

function timestampText(from: Value, context: Context, at: number): Sql {
  const { dialect } = context.shared;
  if (dialect === 'bigquery') return timeText(from);
  if (SHORT.has(dialect))
    return sql`replaceRegexpOne(toString(toDateTime64(${moment(from)}, 6, 'UTC')), '[.]?0+$', '')`;
  if (from.type.isDate === true)
    return sql`formatDateTime(${from.sql}, '%Y-%m-%d %H:%i:%S${dialect === 'trino' ? '.%f' : ''}')`;
  differs(
    context,
    at,
    'type',
    'The string form of a time differs: ClickHouse prints all digits of the fraction',
  );
  return sql`toString(${from.sql})`;
}

function toBoolean(from: Value, { isSafe, context }: CastOptions): Value {
  if (isKind(from, 'bool')) return from;
  const nullable = from.type.isNullable || isSafe;
  if (isNumber(from)) return { ...value('bool', sql`toBool(${from.sql} != 0)`, nullable) };
  if (isSafe) return value('bool', sql`accurateCastOrNull(${from.sql}, 'Bool')`);
  return value(
    'bool',
    context.shared.dialect === 'postgresql' || isKind(from, 'text')
      ? sql`CAST(${from.sql} AS Nullable(Bool))`
      : sql`toBool(${from.sql})`,
    nullable,
  );
}

/** An array of JSON text, or of strings. */
function toArray(from: Value, { of }: TypeName, at: number): Value {
  const kind = of === undefined ? undefined : KINDS.get(of.name);
  const types: Partial<Record<Kind, string>> = {
    text: 'Nullable(String)',
    int: 'Nullable(Int64)',
    float: 'Nullable(Float64)',
    bool: 'Nullable(Bool)',
  };
  if (from.type.kind === 'array') return from;
  if (from.type.kind === 'json' && kind === 'json') return jsonElements(from);
  const inner = kind === undefined ? undefined : types[kind];
  if (from.type.kind === 'json' && inner !== undefined && kind !== undefined) {
    const element: Type = { kind, isNullable: true };
    return { ...jsonArray(from, inner), type: { kind: 'array', isNullable: false, element } };
  }
  if (
    from.literal !== undefined &&
    /^\{[^"{}\\]*\}$/.test(from.literal) &&
    (kind === 'int' || kind === 'text')
  ) {
    const items = from.literal
      .slice(1, -1)
      .split(',')
      .filter((item) => item !== '');
    const sqls = items.map((item) =>
      kind === 'int' ? item.trim() : `'${item.trim().replaceAll("'", "\\'")}'`,
    );
    return value('array', `[${sqls.join(', ')}]`, false, { element: { kind, isNullable: false } });
  }
  return unconverted(at, 'type', 'This cast to an array is not converted');
}
