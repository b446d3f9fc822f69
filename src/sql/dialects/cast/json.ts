// Casts from and to JSON.
import { quoteString } from '../../clickhouse/literal.ts';
import { unconverted, type Place } from '../context.ts';
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
import { jsonbLiteral, printedLiteral, repeatsName } from '../json-literal.ts';
import { roundHalfAway } from '../round.ts';
import { sql } from '../sql.ts';
import { arrayOfType, isKind, value, type Kind, type Value } from '../value.ts';
import type { TypeName } from '../tree.ts';
import type { CastOptions } from './strict.ts';

/** JSON as a value that can be cast: of a document, numbers are rounded, and its text is JSON. */
export function fromJson(own: Value, kind: Kind, place: Place): Value {
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
export function toJson(from: Value, { name }: TypeName, { at, context }: CastOptions): Value {
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
export function arrayOfJson(from: Value, kind: Kind): Value | undefined {
  if (!isKind(from, 'json')) return undefined;
  if (kind === 'json') return jsonElements(from);
  const inner = JSON_ELEMENTS[kind];
  return inner === undefined
    ? undefined
    : { ...jsonArray(from, inner), type: arrayOfType({ kind, isNullable: true }) };
}
