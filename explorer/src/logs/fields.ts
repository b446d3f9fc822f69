// The fields of a table, as paths, with their types: columns, typed paths of JSON columns, and elements of tuples.
import type { Column, Table } from '../service/listing.ts';

export type FieldKind =
  | 'string'
  | 'number'
  | 'boolean'
  | 'time'
  /** Its type differs from row to row, or is not listed: a JSON path without a type. */
  | 'dynamic'
  | 'array'
  /** JSON, Map or Tuple: it has fields of its own. */
  | 'nested'
  | 'other';

export interface Field {
  /** Segments joined with dots, as in LQL. */
  readonly path: string;
  /** The column that has it. */
  readonly column: string;
  readonly kind: FieldKind;
  /** It is true if few different values are to be expected: LowCardinality, Enum, Bool. */
  readonly isLowCardinality: boolean;
}

type FieldType = Omit<Field, 'path' | 'column'> & { readonly type: string };

interface Type {
  readonly name: string;
  readonly text: string;
  readonly isLowCardinality: boolean;
}

const MAX_DEPTH = 8;

/** The columns with the typed paths and elements in them, in the order of the table. */
export function fieldsOf({ columns }: Table): readonly Field[] {
  return columns.flatMap(({ name, type }) => leavesOf(name, type, { column: name, depth: 0 }));
}

/** The field that a path names; undefined if the table has no such column or element. */
export function fieldOf(table: Table, path: string): Field | undefined {
  const column = columnOf(table, path);
  if (column === undefined) return undefined;
  const found = descend(column.type, path.slice(column.name.length + 1), false);
  return found && { path, column: column.name, kind: found.kind, isLowCardinality: found.isLowCardinality };
}

/** The column that a path begins with; names of columns may have dots. */
export function columnOf({ columns }: Table, path: string): Column | undefined {
  const fitting = columns.filter(({ name }) => path === name || path.startsWith(`${name}.`));
  return fitting.toSorted((a, b) => b.name.length - a.name.length)[0];
}

function leavesOf(
  path: string,
  text: string,
  { column, depth }: { readonly column: string; readonly depth: number },
): readonly Field[] {
  const type = typeOf(text);
  const self = { path, column, kind: kindOf(type), isLowCardinality: isFew(type) };
  const inner = depth < MAX_DEPTH ? namedParts(type) : [];
  return [
    self,
    ...inner.flatMap(([name, each]) => leavesOf(`${path}.${name}`, each, { column, depth: depth + 1 })),
  ];
}

function descend(text: string, rest: string, isElement: boolean): FieldType | undefined {
  const type = typeOf(text);
  if (rest === '') {
    return { kind: isElement ? 'array' : kindOf(type), isLowCardinality: isFew(type), type: text };
  }
  if (type.name === 'Map') {
    const value = argumentsOf(type)[1] ?? '';
    return { kind: kindOf(typeOf(value)), isLowCardinality: false, type: value };
  }
  const isArray = type.name === 'Array' || type.name === 'Nested';
  const parts = namedParts(type.name === 'Array' ? typeOf(argumentsOf(type)[0] ?? '') : type);
  const fitting = parts.filter(([name]) => rest === name || rest.startsWith(`${name}.`));
  const [name, inner] = fitting.toSorted(([a], [b]) => b.length - a.length)[0] ?? [];
  if (name !== undefined && inner !== undefined)
    return descend(inner, rest.slice(name.length + 1), isElement || isArray);
  return type.name === 'JSON' ? { kind: 'dynamic', isLowCardinality: false, type: 'Dynamic' } : undefined;
}

/** A type without Nullable and LowCardinality around it. */
function typeOf(text: string): Type {
  let inner = text.trim();
  let isLowCardinality = false;
  for (let wrapper = wrapperOf(inner); wrapper !== undefined; wrapper = wrapperOf(inner)) {
    isLowCardinality ||= wrapper === 'LowCardinality';
    inner = inner.slice(wrapper.length + 1, -1).trim();
  }
  return { name: /^\w*/.exec(inner)?.[0] ?? '', text: inner, isLowCardinality };
}

function wrapperOf(text: string): string | undefined {
  return /^(Nullable|LowCardinality)\(/.exec(text)?.[1];
}

const KINDS: readonly (readonly [RegExp, FieldKind])[] = [
  [/^(?:String|FixedString|Enum\d*|UUID|IPv[46])$/, 'string'],
  [/^(?:U?Int|B?Float|Decimal)\d*$/, 'number'],
  [/^Bool$/, 'boolean'],
  [/^Date(?:32|Time|Time32|Time64)?$/, 'time'],
  [/^(?:Dynamic|Variant)$/, 'dynamic'],
  [/^(?:Array|Nested)$/, 'array'],
  [/^(?:JSON|Map|Tuple)$/, 'nested'],
];

function kindOf({ name }: Type): FieldKind {
  return KINDS.find(([pattern]) => pattern.test(name))?.[1] ?? 'other';
}

function isFew({ name, isLowCardinality }: Type): boolean {
  return isLowCardinality || /^(?:Enum\d*|Bool)$/.test(name);
}

/** The named parts of JSON, Tuple and Nested types. Elements of tuples without names are numbered from 1. */
function namedParts(type: Type): readonly (readonly [string, string])[] {
  if (type.name !== 'JSON' && type.name !== 'Tuple' && type.name !== 'Nested') return [];
  return argumentsOf(type).flatMap((argument, index) => {
    const named = NAMED.exec(argument);
    if (named !== null) return [[unquoted(named[1] ?? ''), named[2] ?? ''] as const];
    return type.name === 'Tuple' ? [[String(index + 1), argument] as const] : [];
  });
}

// `a.b String`, `\`a b\` String`; not `max_dynamic_paths=8`, `SKIP a.b` or `SKIP REGEXP '…'`.
const NAMED = /^(?!SKIP\s)((?:`(?:[^`\\]|\\.|``)*`|[\w.])+)\s+([A-Z][^]*)$/;

function unquoted(name: string): string {
  return name.replace(/`((?:[^`\\]|\\.|``)*)`/g, (_, inner: string) =>
    inner.replaceAll('``', '`').replace(/\\(.)/g, '$1'),
  );
}

/** The arguments between the outer parentheses of a type. */
function argumentsOf({ name, text }: Type): readonly string[] {
  if (text[name.length] !== '(') return [];
  const found: string[] = [];
  let depth = 0;
  let start = name.length + 1;
  for (const { 0: token, index } of text.matchAll(/'(?:[^'\\]|\\.)*'|`(?:[^`\\]|\\.)*`|[(),]/g)) {
    if (token === '(') depth++;
    const isEnd = token === ')' && --depth === 0;
    if (!isEnd && !(token === ',' && depth === 1)) continue;
    found.push(text.slice(start, index).trim());
    start = index + 1;
  }
  return found.filter((argument) => argument !== '');
}
