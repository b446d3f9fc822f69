// CAST and SAFE_CAST.
import { arrayOfType, type Kind, type Value, value } from '../../dialects/value.ts';
import type { Context } from '../context.ts';
import { literalTo, timeText, toTime } from '../../dialects/time/cast.ts';
import { intervalText } from '../../dialects/time/interval.ts';
import { untranslated } from '../translation-error.ts';
import { sql, type Sql } from '../../dialects/sql.ts';
import type { Expression, TypeName } from '../../dialects/tree.ts';
import { key, text, whole } from '../value.ts';

/** BigQuery types and their ClickHouse equivalents, and PostgreSQL's names for them. */
const TYPES: Readonly<Record<string, readonly [name: string, kind: Kind]>> = {
  INT64: ['Int64', 'int'],
  INT: ['Int64', 'int'],
  INTEGER: ['Int64', 'int'],
  BIGINT: ['Int64', 'int'],
  SMALLINT: ['Int64', 'int'],
  TINYINT: ['Int64', 'int'],
  BYTEINT: ['Int64', 'int'],
  FLOAT64: ['Float64', 'float'],
  FLOAT: ['Float64', 'float'],
  DOUBLE: ['Float64', 'float'],
  NUMERIC: ['Decimal(38, 9)', 'decimal'],
  DECIMAL: ['Decimal(38, 9)', 'decimal'],
  BIGNUMERIC: ['Decimal(76, 38)', 'decimal'],
  BIGDECIMAL: ['Decimal(76, 38)', 'decimal'],
  BOOL: ['Bool', 'bool'],
  BOOLEAN: ['Bool', 'bool'],
  STRING: ['String', 'text'],
  BYTES: ['String', 'bytes'],
  TEXT: ['String', 'text'],
  VARCHAR: ['String', 'text'],
  TIMESTAMP: ["DateTime64(6, \\'UTC\\')", 'timestamp'],
  TIMESTAMPTZ: ["DateTime64(6, \\'UTC\\')", 'timestamp'],
  DATETIME: ["DateTime64(6, \\'UTC\\')", 'datetime'],
  DATE: ['Date', 'date'],
};

/** The value converted to another type; if `isSafe`, null if it cannot be converted. */
export function castTo(
  each: Value,
  { type, value: written, isSafe }: Extract<Expression, { kind: 'cast' }>,
  context: Context,
): Value {
  if (type.name === 'ARRAY') return arrayTo(each, type);
  const known = TYPES[type.name];
  if (known === undefined) {
    untranslated(
      type.at,
      `CAST to ${type.name} is not supported`,
      `The types are ${Object.keys(TYPES).join(', ')}.`,
    );
  }
  const [name, kind] = known;
  if (kind === 'timestamp' || kind === 'datetime' || kind === 'date') {
    const { at } = written;
    if (written.kind === 'string' && !isSafe) return literalTo(kind, written.value, { at, context });
    return toTime({ ...each, sql: whole(each) }, kind, {
      isSafe: isSafe || each.type.kind === 'dynamic',
      at,
      context,
    });
  }
  if (kind === 'text' || kind === 'bytes') return value(kind, toText(each), each.type.isNullable);
  const isRounded = kind === 'int' && (each.type.kind === 'float' || each.type.kind === 'decimal');
  const own = isRounded ? roundedHalf(each) : source(each);
  return value(
    kind,
    isSafe || each.type.kind === 'dynamic'
      ? sql`accurateCastOrNull(${own}, '${name}')`
      : sql`CAST(${own} AS Nullable(${name}))`,
    true,
    kind === 'decimal' ? { scale: name.endsWith('9)') ? 9 : 38 } : {},
  );
}

function source(each: Value): Sql {
  return each.type.kind === 'object' ? text(each) : whole(each);
}

/** BigQuery rounds to the nearest integer, halves away from zero. */
function roundedHalf(each: Value): Sql {
  const own = whole(each);
  return sql`(sign(${own}) * floor(abs(${own}) + 0.5))`;
}

/** Converts to a string in BigQuery's format for the type. */
export function toText(each: Value): Sql {
  const own = whole(each);
  switch (each.type.kind) {
    case 'timestamp':
    case 'datetime':
    case 'date':
      return timeText({ ...each, sql: own });
    case 'interval':
      return intervalText({ ...each, sql: own });
    case 'bool':
      return sql`toString(CAST(${own} AS Nullable(Bool)))`;
    case 'text':
      return own;
    case 'dynamic':
    case 'object':
      return text(each);
    case 'bytes':
    case 'decimal':
    case 'numeric':
    case 'time':
    case 'seconds':
    case 'json':
    case 'uuid':
    case 'int':
    case 'float':
    case 'null':
    case 'unknown':
    case 'array':
    case 'tuple':
    case 'map':
      return sql`toString(${key(each).sql})`;
  }
}

function arrayTo(each: Value, type: TypeName): Value {
  const [name, kind] =
    TYPES[type.of?.name ?? ''] ??
    untranslated(type.at, 'Write ARRAY<STRING>, or an array of another element type');
  const plain = name.includes('DateTime') ? untranslated(type.at, 'Arrays of times cannot be cast') : name;
  return {
    sql: sql`CAST(${each.sql} AS Array(Nullable(${plain})))`,
    type: arrayOfType({ kind, isNullable: true }),
  };
}
