// ClickHouse's types as TypeScript sees their values in JSON answers.

/** `int64`: how the endpoint writes 64-bit integers. */
export function typescriptOf(type: string, int64: 'number' | 'string'): string {
  const [, name = type, args = ''] = /^([A-Za-z0-9]+)(?:\((.*)\))?$/s.exec(type.trim()) ?? [];
  const inner = (text: string): string => typescriptOf(text, int64);
  const parts = splitArguments(args);
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
      return parts.map((part) => textLiteral(part.slice(1, part.lastIndexOf("'")))).join(' | ');
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
  if (/^(BFloat16|Float(32|64))$/.test(name)) return 'number | null'; // what is not finite is null
  if (name.startsWith('Decimal')) return 'number';
  if (/^(String|FixedString|UUID|IPv[46]|Date|Date32|DateTime|DateTime64|Time|Time64)$/.test(name))
    return 'string';
  return 'unknown';
}

/** With names an object, without them a list. */
function tupleType(parts: readonly string[], inner: (text: string) => string): string {
  const named = parts.map((part) => /^(?:`((?:[^`\\]|\\.)+)`|([A-Za-z_]\w*)) (?=\S)(.*)$/s.exec(part));
  if (named.length === 0 || named.some((each) => each === null)) return `[${parts.map(inner).join(', ')}]`;
  const members = named.map(
    (each) => `${textLiteral(each?.[1] ?? each?.[2] ?? '')}: ${inner(each?.[3] ?? '')}`,
  );
  return `{ ${members.join('; ')} }`;
}

function bracketed(type: string): string {
  return type.includes(' | ') ? `(${type})` : type;
}

/** At the commas of the first level. */
function splitArguments(text: string): readonly string[] {
  const parts: string[] = [];
  let depth = 0;
  let start = 0;
  for (const match of text.matchAll(/'(?:[^'\\]|\\.)*'|`(?:[^`\\]|\\.)*`|[(),]/gs)) {
    if (match[0] === '(') depth++;
    else if (match[0] === ')') depth--;
    else if (match[0] === ',' && depth === 0) {
      parts.push(text.slice(start, match.index).trim());
      start = match.index + 1;
    }
  }
  const last = text.slice(start).trim();
  return last === '' ? parts : [...parts, last];
}

/** A text of TypeScript that nothing in it can end. */
export function textLiteral(text: string): string {
  return JSON.stringify(text)
    .replaceAll('\u2028', String.raw`\u2028`)
    .replaceAll('\u2029', String.raw`\u2029`);
}
