// Result columns as JSON Schema: their values in JSON responses.
import { jsonValueOf, type JsonValue, type RowShape } from '../../sql/types/json-value.ts';
import { orNull, type Schema } from './schema.ts';

/**
 * How 64-bit integers and decimals are written; `exact`: as numbers if JavaScript can hold them, otherwise as strings.
 */
export type LargeNumbers = 'number' | 'string' | 'exact';

/** An unknown type allows any value. */
export function columnSchema(type: string, int64: LargeNumbers, shape?: RowShape): Schema {
  return valueSchema(jsonValueOf(type, shape), int64);
}

function valueSchema(value: JsonValue, int64: LargeNumbers): Schema {
  switch (value.kind) {
    case 'integer':
      return integerSchema(value, int64);
    case 'float':
      return orNull({ type: 'number' });
    case 'decimal':
      if (int64 === 'exact') return { anyOf: [{ type: 'number' }, { type: 'string' }] };
      return int64 === 'string' ? { type: 'string', pattern: '^-?[0-9]+([.][0-9]+)?$' } : { type: 'number' };
    case 'boolean':
    case 'null':
      return { type: value.kind };
    case 'string':
      return { type: 'string', ...(value.format === undefined ? {} : { format: value.format }) };
    case 'enum':
      return { type: 'string', enum: value.values };
    case 'nullable':
      return orNull(valueSchema(value.inner, int64));
    case 'array':
      return { type: 'array', items: valueSchema(value.element, int64) };
    case 'tuple':
      return tupleSchema(value.elements.map((each) => valueSchema(each, int64)));
    case 'record':
      return recordSchema(value.members, int64);
    case 'map':
      return { type: 'object', additionalProperties: valueSchema(value.value, int64) };
    case 'object':
      return { type: 'object', additionalProperties: true };
    case 'any':
      return {};
  }
}

/** JavaScript holds integers of 53 bits. */
const SAFE_BITS = 53;

function integerSchema(
  { bits, signed }: Extract<JsonValue, { kind: 'integer' }>,
  int64: LargeNumbers,
): Schema {
  if (bits > SAFE_BITS && int64 === 'exact') return { anyOf: [{ type: 'integer' }, { type: 'string' }] };
  if (bits >= 64 && int64 === 'string') return { type: 'string', pattern: '^-?[0-9]+$' };
  return { type: 'integer', ...(signed ? {} : { minimum: 0 }), ...(bits === 64 ? { format: 'int64' } : {}) };
}

/** `prefixItems` must not be empty. */
function tupleSchema(prefixItems: readonly Schema[]): Schema {
  return { type: 'array', ...(prefixItems.length === 0 ? {} : { prefixItems }), items: false };
}

function recordSchema(members: ReadonlyMap<string, JsonValue>, int64: LargeNumbers): Schema {
  const properties = Object.fromEntries(
    [...members].map(([name, member]) => [name, valueSchema(member, int64)]),
  );
  return { type: 'object', properties, required: Object.keys(properties) };
}
