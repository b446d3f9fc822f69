// Casts: what is known of the types that dialects name, and how a value is converted to each.
import { quoteString } from '../../clickhouse/literal.ts';
import { unconverted, type Context, type Place } from '../context.ts';
import {
  bitsOfBooleans,
  isCompactPart,
  jsonArray,
  jsonElements,
  jsonInteger,
  jsonNumber,
  jsonOf,
  jsonText,
  spacedJson,
} from '../json-path.ts';
import { jsonbLiteral, printedLiteral, repeatsName } from '../json-text.ts';
import { roundHalfAway } from '../exact.ts';
import { sql, arrayOfType, isKind, value, type Kind, type Value, settled, joinSql, UNKNOWN, type Type } from '../value.ts'; // prettier-ignore
import type { TypeName, Expression, Of } from '../tree.ts';
import type { CastOptions } from './strict.ts';
import { emptyArray } from '../functions/array-value.ts';
import { castLiteral, inSeconds, toClock, toTime } from '../time/cast.ts';
import { secondsOf, spansOf } from '../time/interval.ts';
import { toInteger } from './integer.ts';
import { toBoolean, toNamedFloat, toNumber } from './number.ts';
import { toText } from './text.ts';

/** JSON as a value that can be cast: of a document, numbers are rounded, and its text is JSON. */
function fromJson(own: Value, kind: Kind, place: Place): Value {
  const { shared } = place.context;
  if (shared.traits.hasNumericConditions && kind !== 'text') return bitsOfBooleans(own);
  if (!shared.traits.isJsonDocument) return jsonText(own);
  // ClickHouse prints a part of a document without spaces.
  const { json } = jsonOf(own);
  const isPart =
    shared.traits.jsonSpace === ' ' &&
    json.path.length > 0 &&
    !(kind === 'text' && isCompactPart(json, place));
  if (kind === 'text') return value('text', isPart ? spacedJson(own.sql) : own.sql, own.type.isNullable);
  if (kind !== 'int') return jsonText(own);
  const [whole, number] = [jsonInteger(own), jsonNumber(own)];
  const rounded = roundHalfAway(number, 0).sql;
  return value('int', sql`ifNull(${whole.sql}, accurateCast(${rounded}, 'Nullable(Int64)'))`);
}

/** At run time, only a literal that is JSON; the reader has JSON '…' as a cast. */
function toJson(from: Value, { name }: TypeName, { at, context }: CastOptions): Value {
  if (isKind(from, 'json')) return from;
  const { literal } = from;
  if (literal === undefined && !context.shared.isStrict) return jsonOf(from);
  if (literal === undefined)
    return unconverted(at, 'type', 'CAST to JSON is not supported', 'Write PARSE_JSON or TO_JSON.');
  try {
    JSON.parse(literal);
  } catch {
    return unconverted(at, 'type', 'This is not JSON');
  }
  const binary = name === 'JSONB' && context.shared.traits.isJsonDocument ? jsonbLiteral(literal) : undefined;
  if (binary !== undefined) return jsonOf({ ...value('json', quoteString(binary)), literal: binary });
  if (!context.shared.isStrict) {
    if (context.shared.traits.isJsonDocument && repeatsName(literal))
      return unconverted(at, 'type', 'An object of this document has a name twice', 'Cast it to jsonb.');
    const own = jsonOf(from);
    return { ...own, json: { ...own.json, document: literal } } as Value;
  }
  const printed = printedLiteral(from);
  const own = printed === undefined ? sql`JSONExtractRaw(${from.sql})` : quoteString(printed);
  return { ...jsonOf(value('json', own)), sql: own, type: { kind: 'json', isNullable: false } };
}

const JSON_ELEMENTS: Partial<Record<Kind, string>> = {
  text: 'Nullable(String)',
  int: 'Nullable(Int64)',
  float: 'Nullable(Float64)',
  bool: 'Nullable(Bool)',
};

/** An array in JSON, with elements of a kind; undefined for other values and kinds. */
function arrayOfJson(from: Value, kind: Kind): Value | undefined {
  if (!isKind(from, 'json')) return undefined;
  if (kind === 'json') return jsonElements(from);
  const inner = JSON_ELEMENTS[kind];
  return inner === undefined
    ? undefined
    : { ...jsonArray(from, inner), type: arrayOfType({ kind, isNullable: true }) };
}

const NAMES: Partial<Record<Kind, string>> = {
  int: 'INT INTEGER INT2 INT4 INT8 BIGINT SMALLINT TINYINT MEDIUMINT INT64 BYTEINT SIGNED SERIAL BIGSERIAL UNSIGNED',
  float: 'FLOAT FLOAT4 FLOAT8 FLOAT64 DOUBLE REAL',
  decimal: 'NUMERIC DECIMAL NUMBER BIGNUMERIC BIGDECIMAL DEC FIXED',
  text: 'TEXT VARCHAR CHAR STRING NVARCHAR BPCHAR CITEXT NAME CLOB CHARACTER',
  bytes: 'BYTES',
  timestamp: 'TIMESTAMP TIMESTAMPTZ TIMESTAMP_NTZ TIMESTAMP_LTZ TIMESTAMP_TZ DATETIME2 TIMESTAMPNTZ DATETIME',
  date: 'DATE',
  bool: 'BOOL BOOLEAN',
  json: 'JSON JSONB VARIANT',
  uuid: 'UUID',
  time: 'TIME',
  array: 'ARRAY',
};

const KINDS: ReadonlyMap<string, Kind> = new Map<string, Kind>([
  ...Object.entries(NAMES).flatMap(([kind, names]) =>
    // The keys are kinds.
    names.split(' ').map((each) => [each, kind as Kind] as const),
  ),
  ...(NAMES.int ?? '').split(' ').map((each) => [`${each} UNSIGNED`, 'int'] as const),
  ['DOUBLE PRECISION', 'float'],
  ['CHARACTER VARYING', 'text'],
  ['CHAR VARYING', 'text'],
]);

/** Where it is a type of its own, a DATETIME has no zone. */
function kindOf({ name }: TypeName, { shared }: Context): Kind | undefined {
  return name === 'DATETIME' && shared.traits.hasDatetime ? 'datetime' : KINDS.get(name);
}

/** Writes a cast. */
export function writeCast({ value: inner, type, isSafe, at }: Of<'cast'>, context: Context): Value {
  const options = { isSafe, at, context };
  const kind = kindOf(type, context);
  const { hasExactTypes, hasIntervals } = context.shared.traits;
  if (hasExactTypes) requireNoSize(type, kind);
  const spans = spansOf(inner);
  if (spans !== undefined && kind !== undefined && !hasIntervals)
    return castTo(secondsOf(spans, context), type, options);
  if (type.name === 'INTERVAL')
    return unconverted(at, 'type', 'Only intervals with literal units are converted');
  const isTime = kind === 'date' || kind === 'timestamp' || kind === 'datetime';
  if (isTime && context.shared.traits.comparesTimesAsText)
    return unconverted(at, 'type', `A cast to ${type.name} returns a number in the source`, 'Write date(…).');
  const elements = inner.kind === 'array' && !isSafe ? typedArray(inner, type, context) : undefined;
  if (elements !== undefined) return elements;
  if (inner.kind === 'string' && isTime && !isSafe)
    return castLiteral(kind, inner.value, type, { at: inner.at, context });
  const own = settled(context.write(inner, context));
  requireCast(own, type, context);
  return castTo(own, type, options);
}

/** The dialect has a cast from the one type to the other. */
function requireCast({ type: { kind } }: Value, to: TypeName, context: Context): void {
  const known = context.shared.traits.casts?.[kind];
  const kindTo = kindOf(to, context);
  if (known !== undefined && kindTo !== undefined && !known.split(' ').includes(kindTo))
    unconverted(to.at, 'type', `A value of this type cannot be cast to ${to.name}`);
}

const SIZED: ReadonlySet<Kind | undefined> = new Set(['decimal', 'text', 'bytes']);

function requireNoSize({ name, sizes, at }: TypeName, kind: Kind | undefined): void {
  if (sizes !== undefined && !SIZED.has(kind)) unconverted(at, 'type', `The type ${name} has no size`);
}

/** An array whose elements are written in the query: each of them is cast. */
function typedArray({ items, at }: Of<'array'>, { of }: TypeName, context: Context): Value | undefined {
  if (of === undefined) return undefined;
  if (items.length > 0) {
    const casts = items.map((each): Expression => ({
      kind: 'cast',
      at: each.at,
      value: each,
      type: of,
      isSafe: false,
    }));
    return context.write({ kind: 'array', at, items: casts }, context);
  }
  const kind = kindOf(of, context);
  const known = kind === undefined ? undefined : NULLS[kind];
  if (kind === undefined || known === undefined) return undefined;
  const element: Type = { kind, isNullable: true };
  return value('array', `CAST([] AS Array(Nullable(${known})))`, false, { element });
}

/** A value in a type of the source. */
export function castTo(own: Value, type: TypeName, options: CastOptions): Value {
  const { at, context, isSafe } = options;
  const kind = kindOf(type, context) ?? unknownType(type, at);
  const from =
    isKind(own, 'json') && kind !== 'json' && kind !== 'array'
      ? fromJson(own, kind, options)
      : kind === 'text' || own.scalar === undefined
        ? own
        : { ...own, sql: own.scalar };
  if (isKind(from, 'null')) return nullOf(kind, type, options);
  if (isKind(from, 'seconds') && kind === 'text' && !context.shared.traits.hasIntervals)
    return unconverted(at, 'type', 'The text of an interval is not converted');
  switch (kind) {
    case 'int':
      return toInteger(from, type, options);
    case 'float':
      return toNamedFloat(from, type, options);
    case 'decimal':
      return toNumber(from, type, options);
    case 'text':
    case 'bytes':
      return toText(from, type, options);
    case 'bool':
      return toBoolean(from, options);
    case 'date':
    case 'timestamp':
    case 'datetime':
      // MySQL and SQLite have NULL for strings that are no times.
      return inSeconds(
        toTime(from, kind, {
          ...options,
          isSafe: isSafe || context.shared.traits.readsPrefixes || isKind(from, 'dynamic'),
        }),
        type,
        context,
      );
    case 'json':
      return toJson(from, type, options);
    case 'uuid':
      return value('uuid', sql`toUUID${isSafe ? 'OrNull' : ''}(${from.sql})`, from.type.isNullable || isSafe);
    case 'time':
      return toClock(from, options);
    case 'array':
      return toArray(from, type, options);
    case 'dynamic':
    case 'interval':
    case 'map':
    case 'null':
    case 'numeric':
    case 'object':
    case 'seconds':
    case 'tuple':
    case 'unknown':
      return unknownType(type, at);
  }
}

function unknownType({ name }: TypeName, at: number): never {
  return unconverted(at, 'type', `The type ${name} is not converted`);
}

const NULLS: Partial<Record<Kind, string>> = {
  int: 'Int64',
  float: 'Float64',
  decimal: 'Decimal(38, 9)',
  text: 'String',
  bytes: 'String',
  bool: 'Bool',
  date: 'Date32',
  timestamp: "DateTime64(6, 'UTC')",
  datetime: "DateTime64(6, 'UTC')",
  json: 'String',
  time: 'String',
  uuid: 'UUID',
};

function nullOf(kind: Kind, type: TypeName, { at, context }: CastOptions): Value {
  const known = NULLS[kind];
  if (known !== undefined) return value(kind, `CAST(NULL AS Nullable(${known}))`);
  if (kind === 'array' && !context.shared.isStrict) return nullArray(type, context);
  if (context.shared.isStrict)
    return unconverted(at, 'type', `NULL of type ${type.name} is not supported`, 'Write an empty array.');
  return value(kind, 'NULL');
}

/** An array that is NULL, of elements of a type. */
function nullArray({ of }: TypeName, context: Context): Value {
  const element = of === undefined ? undefined : kindOf(of, context);
  const known = element === undefined ? undefined : NULLS[element];
  const empty = emptyArray(element === undefined ? UNKNOWN : { kind: element, isNullable: true });
  const own = known === undefined ? empty.sql : `CAST([] AS Array(Nullable(${known})))`;
  return { ...empty, sql: own, absent: 'true' };
}

/** An array whose elements are cast, of JSON text, or of a literal such as '{1,2}'. */
function toArray(from: Value, { of }: TypeName, options: CastOptions): Value {
  const { at, context } = options;
  const kind = of === undefined ? undefined : kindOf(of, context);
  if (of === undefined || kind === undefined)
    return isKind(from, 'array') ? from : unconverted(at, 'type', 'The type of the elements is not known');
  if (isKind(from, 'array')) return elementsTo(from, of, options);
  if (isKind(from, 'dynamic')) {
    const strings = value('array', sql`CAST(${from.sql} AS Array(Nullable(String)))`, false, {
      element: { kind: 'text', isNullable: true },
    });
    return elementsTo(strings, of, options);
  }
  return (
    arrayOfJson(from, kind) ??
    literalArray(from, of, options) ??
    unconverted(at, 'type', 'This cast to an array is not converted')
  );
}

function literalArray({ literal = '' }: Value, of: TypeName, options: CastOptions): Value | undefined {
  if (!/^\{[^"{}\\]*\}$/.test(literal)) return undefined;
  const items = literal
    .slice(1, -1)
    .split(',')
    .filter((item) => item !== '');
  const values = items.map((item) => {
    const own = item.trim();
    if (/^null$/i.test(own)) return value('null', 'NULL');
    return castTo({ ...value('text', quoteString(own), false), literal: own }, of, options);
  });
  const [first] = values;
  const element: Type = {
    ...(first?.type ?? UNKNOWN),
    isNullable: values.some(({ type }) => type.isNullable),
  };
  return value('array', sql`[${joinSql(values.map((each) => each.sql))}]`, false, { element });
}

/** With a safe cast, the array is NULL, which is empty in ClickHouse, if an element cannot be converted. */
function elementsTo(from: Value, of: TypeName, options: CastOptions): Value {
  const { fresh } = options.context.shared;
  const item = fresh('item');
  const element = { sql: item, type: from.type.element ?? UNKNOWN };
  requireCast(element, of, options.context);
  const cast = castTo(element, of, options);
  const type: Type = { kind: 'array', isNullable: false, element: cast.type };
  if (cast.sql === item) return { sql: from.sql, type };
  const mapped = sql`arrayMap(${item} -> ${cast.sql}, ${from.sql})`;
  if (!options.isSafe) return { sql: mapped, type };
  const [before, after] = [fresh('before'), fresh('after')];
  const isLost = sql`arrayExists((${before}, ${after}) -> isNull(${after}) AND isNotNull(${before}), ${from.sql}, ${mapped})`;
  return { sql: sql`if(${isLost}, [], ${mapped})`, type };
}
