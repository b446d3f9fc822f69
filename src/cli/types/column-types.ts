// Maps ClickHouse types to the TypeScript types of their JSON values.
import { enumNames, readTypeText, tupleMembers } from '../../sql/type-text.ts';

/** `int64`: how the endpoint writes 64-bit integers and decimals. */
export function typescriptOf(type: string, int64: 'number' | 'string'): string {
  const { name, arguments: parts } = readTypeText(type);
  const inner = (text: string): string => typescriptOf(text, int64);
  const [first = ''] = parts;
  switch (name) {
    case 'Nullable':
      return `${inner(first)} | null`;
    case 'LowCardinality':
    case 'SimpleAggregateFunction':
      return inner(parts.at(-1) ?? '');
    case 'Array':
      return `${bracketed(inner(first))}[]`;
    case 'Map':
      return `Record<string, ${inner(parts[1] ?? '')}>`;
    case 'Tuple':
      return tupleType(parts, inner);
    case 'Enum8':
    case 'Enum16':
      return enumNames(parts).map(textLiteral).join(' | ');
    case 'Bool':
      return 'boolean';
    case 'JSON':
      return 'Record<string, unknown>';
    case 'Dynamic':
    case 'Variant':
      return 'unknown';
    case 'Nothing':
      return 'null';
    default:
      return scalarType(name, int64);
  }
}

function scalarType(name: string, int64: 'number' | 'string'): string {
  if (/^U?Int(8|16|32)$/.test(name)) return 'number';
  if (/^U?Int(64|128|256)$/.test(name)) return int64;
  if (/^(BFloat16|Float(32|64))$/.test(name)) return 'number | null'; // non-finite numbers are null
  if (name.startsWith('Decimal')) return int64;
  if (/^(String|FixedString|UUID|IPv[46]|Date|Date32|DateTime|DateTime64|Time|Time64)$/.test(name))
    return 'string';
  return 'unknown';
}

/** A named tuple becomes an object, an unnamed one a list. */
function tupleType(parts: readonly string[], inner: (text: string) => string): string {
  const named = tupleMembers(parts);
  if (named === undefined) return `[${parts.map(inner).join(', ')}]`;
  const members = named.map((each) => `${textLiteral(each.name)}: ${inner(each.type)}`);
  return `{ ${members.join('; ')} }`;
}

function bracketed(type: string): string {
  return type.includes(' | ') ? `(${type})` : type;
}

/** A TypeScript string literal, safe for any text. */
export function textLiteral(text: string): string {
  return JSON.stringify(text)
    .replaceAll('\u2028', String.raw`\u2028`)
    .replaceAll('\u2029', String.raw`\u2029`);
}
