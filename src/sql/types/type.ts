// Parses ClickHouse types, as the engine prints them, into a tree, and prints them again. `traits.ts` answers questions about a tree.
import { createLru } from '../base/lru.ts';
import { isSignificant, tokenize, type Token } from '../clickhouse/lexer.ts';
import { decodedName } from '../clickhouse/quoted-name.ts';
import { stringValue } from '../clickhouse/literal.ts';
import { keepsArguments, MAX_WORDS, typeOfAlias } from './aliases.ts';

/** `Array(String)`: a name, and arguments. */
export interface ClickHouseType {
  /** For a text that is not a type, or is nested too deeply, the whole text. */
  readonly name: string;
  /** Undefined without parentheses: `Tuple()` and `Tuple` differ. */
  readonly arguments: readonly TypeArgument[] | undefined;
}

export type TypeArgument =
  /**
   * `String`, `a String` or, in JSON, `a.b String`. `name` is the element's name, decoded; `label` is its source.
   * The aggregate function of a state is one of these as well: `quantiles(0.5, 0.9)`.
   */
  | {
      readonly kind: 'type';
      readonly name: string | undefined;
      readonly label: string | undefined;
      readonly type: ClickHouseType;
    }
  /** `'a' = 1`. */
  | { readonly kind: 'enum'; readonly name: string; readonly source: string; readonly value: string }
  /** `max_types=8`. */
  | { readonly kind: 'setting'; readonly name: string; readonly value: string }
  /** `SKIP a.b` or `SKIP REGEXP 'a'`. */
  | { readonly kind: 'skip'; readonly source: string }
  /** A number, string or array. */
  | { readonly kind: 'literal'; readonly source: string };

/** Deeper types are not parsed. */
const MAX_DEPTH = 100;
/** Nor are longer ones, in UTF-16 units: an Enum16 of all its values is shorter, if its names have up to 200. */
const MAX_LENGTH = 2 ** 24;

/** Columns of each response have types, and few of them are new. Longer ones are rare. */
const parsed = createLru<ClickHouseType>({ entries: 2_000 });
const MAX_CACHED = 1_024;

/** Parses a type, on one line or several. Never fails: any other text is a name without arguments. Linear time. */
export function parseType(text: string): ClickHouseType {
  if (text.length > MAX_CACHED) return text.length > MAX_LENGTH ? opaque(text) : read(text);
  const known = parsed.get(text);
  if (known !== undefined) return known;
  const type = read(text);
  parsed.set(text, type);
  return type;
}

/** Parses a type as authors write it, perhaps under ClickHouse's other names of types; the tree has its own. */
export function parseDeclaredType(text: string): ClickHouseType {
  return text.length > MAX_LENGTH ? opaque(text) : read(text, true);
}

function read(text: string, isDeclared = false): ClickHouseType {
  const tokens = tokenize(text).filter(isSignificant);
  const reader: TypeReader = { text, tokens, isDeclared, at: 0 };
  const type = readType(reader, 0);
  return type === undefined || reader.at < tokens.length ? opaque(text.trim()) : type;
}

/** The type as the engine prints it. */
export function printType(type: ClickHouseType): string {
  const list = type.arguments;
  return list === undefined ? type.name : `${type.name}(${list.map(printArgument).join(', ')})`;
}

/** The type with other types in place of those within it that contain no further ones; `change` gets each of them. */
export function changeInner(
  type: ClickHouseType,
  change: (inner: ClickHouseType) => ClickHouseType,
): ClickHouseType {
  if (!CONTAINERS.has(type.name)) return change(type);
  return changeArguments(type, (inner) => changeInner(inner, change));
}

/** The type with other types as its arguments. */
export function changeArguments(
  type: ClickHouseType,
  change: (inner: ClickHouseType) => ClickHouseType,
): ClickHouseType {
  const list = type.arguments?.map((argument) =>
    argument.kind === 'type' ? { ...argument, type: change(argument.type) } : argument,
  );
  return { ...type, arguments: list };
}

const CONTAINERS: ReadonlySet<string> = new Set('Nullable LowCardinality Array Map Tuple Nested'.split(' '));

/** The arguments that are types themselves. */
export function typeArguments(type: ClickHouseType): readonly Extract<TypeArgument, { kind: 'type' }>[] {
  return type.arguments?.filter((argument) => argument.kind === 'type') ?? [];
}

/** The type argument at `index` among those that are types; an unknown type if there is none. */
export function innerType(type: ClickHouseType, index = 0): ClickHouseType {
  return typeArguments(type).at(index)?.type ?? opaque('');
}

/** A type with arguments that are types: `String` without, `Map(String, UInt8)` with two. */
export function typeOf(name: string, ...inner: readonly ClickHouseType[]): ClickHouseType {
  if (inner.length === 0) return { name, arguments: undefined };
  const list = inner.map((type) => ({ kind: 'type' as const, name: undefined, label: undefined, type }));
  return { name, arguments: list };
}

function opaque(text: string): ClickHouseType {
  return { name: text, arguments: undefined };
}

export function printArgument(argument: TypeArgument): string {
  switch (argument.kind) {
    case 'type':
      return argument.label === undefined
        ? printType(argument.type)
        : `${argument.label} ${printType(argument.type)}`;
    case 'enum':
      return `${argument.source} = ${argument.value}`;
    case 'setting':
      return `${argument.name}=${argument.value}`;
    case 'skip':
    case 'literal':
      return argument.source;
  }
}

/** Every function below returns undefined for a text that is not of its kind. */
interface TypeReader {
  readonly text: string;
  readonly tokens: readonly Token[];
  /** It is true if types may have their other names. */
  readonly isDeclared: boolean;
  at: number;
}

function kindAt({ tokens, at }: TypeReader, ahead = 0): Token['kind'] | undefined {
  return tokens[at + ahead]?.kind;
}

/** The source of the next `count` tokens, which are consumed. */
function take(reader: TypeReader, count = 1): string {
  const first = reader.tokens[reader.at];
  const last = reader.tokens[reader.at + count - 1];
  reader.at += count;
  return reader.text.slice(first?.start, last?.end);
}

function readType(reader: TypeReader, depth: number): ClickHouseType | undefined {
  if (kindAt(reader) !== 'word') return undefined;
  if (depth >= MAX_DEPTH && kindAt(reader, 1) === '(') return opaque(take(reader, 1 + balanced(reader, 1)));
  const name = takeAlias(reader) ?? take(reader);
  if (kindAt(reader) !== '(') return { name, arguments: undefined };
  reader.at++;
  const list: TypeArgument[] = [];
  while (kindAt(reader) !== ')') {
    if (list.length > 0 && take(reader) !== ',') return undefined;
    const argument = name === 'JSON' && isSkip(reader) ? readSkip(reader) : readArgument(reader, depth + 1);
    if (argument === undefined) return undefined;
    list.push(argument);
  }
  reader.at++;
  return { name, arguments: list };
}

function readArgument(reader: TypeReader, depth: number): TypeArgument | undefined {
  const kind = kindAt(reader);
  if (kind === 'word' || kind === 'quoted') return readNamed(reader, depth);
  if (kind === 'string') return readString(reader);
  if (kind === 'number') return { kind: 'literal', source: take(reader) };
  if (kind === '[') return { kind: 'literal', source: take(reader, balanced(reader, 0)) };
  const isNegative = kind === '-' && kindAt(reader, 1) === 'number';
  return isNegative ? { kind: 'literal', source: take(reader, 2) } : undefined;
}

function readString(reader: TypeReader): TypeArgument | undefined {
  const source = take(reader);
  if (kindAt(reader) !== '=') return { kind: 'literal', source };
  reader.at++;
  const value = take(reader, kindAt(reader) === '-' ? 2 : 1);
  return { kind: 'enum', name: stringValue(source) ?? source, source, value };
}

function readNamed(reader: TypeReader, depth: number): TypeArgument | undefined {
  if (kindAt(reader, 1) === '=') {
    const name = take(reader);
    reader.at++;
    return { kind: 'setting', name, value: take(reader) };
  }
  const length = pathLength(reader);
  const isNamed = kindAt(reader, length) === 'word' && aliasAt(reader) === undefined;
  const names = isNamed ? reader.tokens.slice(reader.at, reader.at + length) : undefined;
  const label = isNamed ? take(reader, length) : undefined;
  const type = readType(reader, depth);
  const name = names?.map((token) => nameOf(reader.text.slice(token.start, token.end))).join('');
  return type && { kind: 'type', name, label, type };
}

interface Alias {
  readonly type: string;
  /** It is counted in tokens. */
  readonly length: number;
}

/** The longest other name of a type, which no word may follow: the name of an element is followed by one. */
function aliasAt(reader: TypeReader): Alias | undefined {
  if (!reader.isDeclared) return undefined;
  let found: Alias | undefined;
  let words = '';
  for (let length = 1; length <= MAX_WORDS && kindAt(reader, length - 1) === 'word'; length++) {
    const token = reader.tokens[reader.at + length - 1];
    words += `${length === 1 ? '' : ' '}${reader.text.slice(token?.start, token?.end)}`;
    const type = typeOfAlias(words);
    if (type !== undefined) found = { type, length };
  }
  const next = found && kindAt(reader, found.length);
  const isRead = next !== 'word' && (next !== '(' || keepsArguments(found?.type ?? ''));
  return isRead ? found : undefined;
}

function takeAlias(reader: TypeReader): string | undefined {
  const alias = aliasAt(reader);
  reader.at += alias?.length ?? 0;
  return alias?.type;
}

/** A rule of a JSON type. A path named SKIP is printed in backticks. */
function isSkip(reader: TypeReader): boolean {
  const token = reader.tokens[reader.at];
  const next = kindAt(reader, 1);
  return reader.text.slice(token?.start, token?.end) === 'SKIP' && (next === 'quoted' || next === 'word');
}

function readSkip(reader: TypeReader): TypeArgument {
  reader.at++;
  const count = kindAt(reader, 1) === 'string' ? 2 : pathLength(reader);
  return { kind: 'skip', source: `SKIP ${take(reader, count)}` };
}

/** Tokens of a name or of a path: `a` or `a.b`. */
function pathLength(reader: TypeReader): number {
  let length = 1;
  while (kindAt(reader, length) === '.') length += 2;
  return length;
}

/** Tokens from the bracket that is `ahead` to the one that closes it, or to the end. */
function balanced(reader: TypeReader, ahead: number): number {
  let depth = 0;
  for (let count = 1; ; count++) {
    const kind = kindAt(reader, ahead + count - 1);
    if (kind === '(' || kind === '[') depth++;
    if (kind === ')' || kind === ']') depth--;
    if (depth === 0 || kind === undefined) return count;
  }
}

/** A name with an escape that the engine rejects stays as it is written. */
function nameOf(source: string): string {
  return decodedName(source) ?? source;
}
