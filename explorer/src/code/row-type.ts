// Maps ClickHouse types to TypeScript types, as values appear in a JSON response.
import type { Column } from '../service/listing.ts';

/** The TypeScript type of a row with these columns. */
export function rowType(columns: readonly Column[]): string {
  if (columns.length === 0) return 'Record<string, unknown>';
  const members = columns.map(
    ({ name, type }) => `  ${/^[A-Za-z_]\w*$/.test(name) ? name : JSON.stringify(name)}: ${typeOf(type)};\n`,
  );
  return `{\n${members.join('')}}`;
}

function typeOf(type: string): string {
  const [, outer = type, inner = ''] = /^(\w+)\((.*)\)$/s.exec(type) ?? [];
  switch (outer) {
    case 'Nullable':
      return `${typeOf(inner)} | null`;
    case 'LowCardinality':
      return typeOf(inner);
    case 'Array': {
      const item = typeOf(inner);
      return item.includes(' ') ? `(${item})[]` : `${item}[]`;
    }
    case 'Map':
    case 'JSON':
      return 'Record<string, unknown>';
    case 'Tuple':
      return 'unknown';
    case 'Bool':
      return 'boolean';
    default:
      return /^(?:U?Int\d+|Float\d+|Decimal\d*)$/.test(outer) ? numberType(outer) : 'string';
  }
}

/** Infinity and NaN are null in JSON. */
function numberType(type: string): string {
  return type.startsWith('Float') ? 'number | null' : 'number';
}
