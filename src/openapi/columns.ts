// Result columns as JSON Schema: their values in JSON responses.
import { enumNames, readTypeText, tupleMembers } from '../sql/type-text.ts';
import { orNull, type Schema } from './schema.ts';

/** `int64`: how the endpoint writes 64-bit integers and decimals. An unknown type allows any value. */
export function columnSchema(type: string, int64: 'number' | 'string'): Schema {
  const { name, arguments: parts } = readTypeText(type);
  const [first = ''] = parts;
  const inner = (text: string): Schema => columnSchema(text, int64);
  switch (name) {
    case 'Nullable':
      return orNull(inner(first));
    case 'LowCardinality':
    case 'SimpleAggregateFunction':
      return inner(parts.at(-1) ?? '');
    case 'Array':
      return { type: 'array', items: inner(first) };
    case 'Map':
      return { type: 'object', additionalProperties: inner(parts[1] ?? '') };
    case 'Tuple':
      return tupleSchema(parts, inner);
    case 'Enum8':
    case 'Enum16':
      return { type: 'string', enum: enumNames(parts) };
    case 'JSON':
      return { type: 'object', additionalProperties: true };
    default:
      return scalarSchema(name, int64);
  }
}

function tupleSchema(parts: readonly string[], inner: (text: string) => Schema): Schema {
  const named = tupleMembers(parts);
  if (named === undefined) return { type: 'array', prefixItems: parts.map(inner), items: false };
  const properties = Object.fromEntries(named.map(({ name, type }) => [name, inner(type)]));
  return { type: 'object', properties, required: Object.keys(properties) };
}

function scalarSchema(name: string, int64: 'number' | 'string'): Schema {
  const [, unsigned, bits] = /^(U?)Int(8|16|32|64|128|256)$/.exec(name) ?? [];
  if (bits !== undefined) {
    if (Number(bits) >= 64 && int64 === 'string') return { type: 'string', pattern: '^-?[0-9]+$' };
    return {
      type: 'integer',
      ...(unsigned === 'U' ? { minimum: 0 } : {}),
      ...(bits === '64' ? { format: 'int64' } : {}),
    };
  }
  if (/^(BFloat16|Float32|Float64)$/.test(name)) return { type: ['number', 'null'] }; // non-finite numbers are null
  if (name.startsWith('Decimal')) {
    return int64 === 'string' ? { type: 'string', pattern: '^-?[0-9]+([.][0-9]+)?$' } : { type: 'number' };
  }
  if (/^DateTime(64)?$/.test(name)) return { type: 'string', format: 'date-time' };
  if (/^Date(32)?$/.test(name)) return { type: 'string', format: 'date' };
  if (name === 'UUID') return { type: 'string', format: 'uuid' };
  if (name === 'Bool') return { type: 'boolean' };
  if (name === 'Nothing') return { type: 'null' };
  if (/^(String|FixedString|IPv[46]|Time|Time64)$/.test(name)) return { type: 'string' };
  return {};
}
