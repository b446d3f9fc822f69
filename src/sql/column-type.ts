// Parses ClickHouse column types, as far as needed to decide what their values can be compared with.

/** `name` is the type as the engine prints it. Nullable and LowCardinality make no difference and are omitted. */
export type ColumnType = { readonly name: string } & TypeShape;

type TypeShape =
  /** `padded`: FixedString and Enum, which become plain strings through toString. */
  | { readonly kind: 'string'; readonly padded: boolean }
  | { readonly kind: 'number'; readonly single: boolean }
  | { readonly kind: 'boolean' | 'time' | 'uuid' | 'ipv4' | 'ipv6' }
  /** A value whose type varies by row: Dynamic, Variant, and untyped JSON paths. */
  | { readonly kind: 'dynamic' }
  | { readonly kind: 'json'; readonly paths: ReadonlyMap<string, ColumnType> }
  | { readonly kind: 'map'; readonly key: ColumnType; readonly value: ColumnType }
  /** Elements without a name are keyed by their 1-based position. */
  | { readonly kind: 'tuple'; readonly elements: ReadonlyMap<string, ColumnType> }
  | { readonly kind: 'array'; readonly element: ColumnType }
  /** A type that can be returned, but compared only as a string. */
  | { readonly kind: 'other' };

/** The type of an untyped JSON path. */
export const DYNAMIC: ColumnType = { name: 'Dynamic', kind: 'dynamic' };

const MAX_DEPTH = 32;
const NUMBER = /^(?:U?Int(?:8|16|32|64|128|256)|(?:B?Float(?:16|32|64))|Decimal(?:32|64|128|256)?)$/;
const TIME = /^(?:DateTime(?:32|64)?|Date(?:32)?)$/;
const OTHERS: ReadonlyMap<string, TypeShape> = new Map<string, TypeShape>([
  ['String', { kind: 'string', padded: false }],
  ['FixedString', { kind: 'string', padded: true }],
  ['Enum', { kind: 'string', padded: true }],
  ['Enum8', { kind: 'string', padded: true }],
  ['Enum16', { kind: 'string', padded: true }],
  ['Bool', { kind: 'boolean' }],
  ['UUID', { kind: 'uuid' }],
  ['IPv4', { kind: 'ipv4' }],
  ['IPv6', { kind: 'ipv6' }],
  ['Dynamic', { kind: 'dynamic' }],
  ['Variant', { kind: 'dynamic' }],
]);

/** Parses a type as DESCRIBE prints it, on one line or several; an unknown type is `other`. */
export function parseColumnType(text: string, depth = 0): ColumnType {
  const name = text.trim().replaceAll(/\s*\n\s*/g, ' ');
  const [, base = '', inside = ''] = /^(\w+)\s*(?:\((.*)\))?$/s.exec(name) ?? [];
  if (depth > MAX_DEPTH) return { name, kind: 'other' };
  const type = (argument: string | undefined) => parseColumnType(argument ?? '', depth + 1);
  const list = splitArguments(inside);
  if (base === 'Nullable' || base === 'LowCardinality') return type(inside);
  if (base === 'SimpleAggregateFunction') return type(list[1]);
  return { name, ...shapeOf(base, list, type) };
}

type ReadType = (text: string | undefined) => ColumnType;

function shapeOf(base: string, list: readonly string[], type: ReadType): TypeShape {
  switch (base) {
    case 'Array':
      return { kind: 'array', element: type(list.join(',')) };
    case 'Nested':
      return { kind: 'array', element: type(`Tuple(${list.join(',')})`) };
    case 'Map':
      return { kind: 'map', key: type(list[0]), value: type(list[1]) };
    case 'Tuple':
      return { kind: 'tuple', elements: tupleElements(list, type) };
    case 'JSON':
      return { kind: 'json', paths: jsonPaths(list, type) };
    default:
      if (NUMBER.test(base)) return { kind: 'number', single: base === 'Float32' || base === 'BFloat16' };
      return TIME.test(base) ? { kind: 'time' } : (OTHERS.get(base) ?? { kind: 'other' });
  }
}

function tupleElements(list: readonly string[], type: ReadType): ReadonlyMap<string, ColumnType> {
  const named = list.map((item) => namedType(item));
  return new Map(named.map(({ name, rest }, index) => [name ?? String(index + 1), type(rest)] as const));
}

/** Typed paths of a JSON type; its settings (`max_dynamic_paths=…`) and `SKIP` rules are ignored. */
function jsonPaths(list: readonly string[], type: ReadType): ReadonlyMap<string, ColumnType> {
  const named = list.map((item) => namedType(item));
  return new Map(
    named.flatMap(({ name, rest }) =>
      name === undefined || name === 'SKIP' ? [] : [[name, type(rest)] as const],
    ),
  );
}

/** Splits `a String` or `` `a b` String ``; a type alone has no name. */
function namedType(text: string): { readonly name?: string; readonly rest: string } {
  const match = /^(?:`((?:[^`\\]|\\.|``)*)`|([\w.]+))\s+(?=\S)(?!=)(.*)$/s.exec(text.trim());
  if (match === null) return { rest: text };
  const [, quoted, bare = '', rest = ''] = match;
  return { name: quoted?.replace(/\\(.)|`(`)/g, '$1$2') ?? bare, rest };
}

/** Splits arguments at top-level commas. */
function splitArguments(text: string): readonly string[] {
  const list: string[] = [];
  let depth = 0;
  let start = 0;
  for (let i = 0; i < text.length; i++) {
    const char = text.charAt(i);
    if (char === "'" || char === '`') i = endOfQuotes(text, i);
    else if (char === '(') depth++;
    else if (char === ')') depth--;
    else if (char === ',' && depth === 0) {
      list.push(text.slice(start, i));
      start = i + 1;
    }
  }
  return text.trim() === '' ? [] : [...list, text.slice(start)];
}

function endOfQuotes(text: string, open: number): number {
  for (let i = open + 1; i < text.length; i++) {
    if (text[i] === '\\') i++;
    else if (text[i] === text[open]) return i;
  }
  return text.length;
}
