// Parses the ClickHouse types allowed for parameters: a row of the table in scalar.ts, or lists, tuples and maps of them.
import { didYouMean, nearest } from '../../sql/base/nearest.ts';
import {
  parseDeclaredType,
  printType,
  type ClickHouseType,
  type TypeArgument,
} from '../../sql/types/type.ts';
import type { RawValue } from './reading.ts';
import { typeOfAlias } from '../../sql/types/aliases.ts';
import { scalarNamed, TYPE_NAMES, type ScalarType, type TypeFailure } from './scalar.ts';

/**
 * A type, its canonical name as written in endpoint files, and its name in `{name:…}`. `isNullable`: declared so; a parameter
 * that is NULL if absent has its placeholder from `placeholderType`.
 */
export type ParameterType = {
  readonly name: string;
  readonly engineName: string;
  readonly isNullable: boolean;
} & Shape;

type Shape =
  | { readonly kind: 'scalar'; readonly scalar: ScalarType; readonly isLowCardinality: boolean }
  | { readonly kind: 'array'; readonly element: ParameterType }
  | { readonly kind: 'map'; readonly key: ParameterType; readonly value: ParameterType }
  /** Names are undefined for all elements or for none. */
  | { readonly kind: 'tuple'; readonly elements: readonly TupleElement[] };

export interface TupleElement {
  readonly name: string | undefined;
  readonly type: ParameterType;
}

const HINTS = [...TYPE_NAMES, 'Nullable(T)', 'LowCardinality(T)', 'Array(T)', 'Tuple(T, …)', 'Map(K, V)'];
const HINTS_BY_NAME = new Map(HINTS.map((hint) => [hint.replace(/\(.*/, ''), hint]));
/** Names of other databases and languages that ClickHouse does not have, in lower case. */
const FOREIGN_TYPES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    String: 'str varchar nvarchar2 citext bytes',
    Bool: 'logical',
    Int32: 'int4 serial',
    Int16: 'int2 smallserial',
    Int64: 'long bigserial',
    Float64: 'number float8',
    Float32: 'float4',
    'Decimal(P, S)': 'numeric decimal money bignumeric',
    DateTime: 'timestamptz time datetime2 smalldatetime',
    UUID: 'uniqueidentifier guid',
    'Array(T)': 'list',
    'Map(K, V)': 'object dict json jsonb variant hstore',
    IPv4: 'inet',
  }).flatMap(([type, names]) => names.split(' ').map((name) => [name, type] as const)),
);
const MAX_DEPTH = 5;
const MAX_ELEMENTS = 50;

/**
 * Parses a type such as `UInt16`, `Decimal(10, 2)` or `Array(String)`, or under another of ClickHouse's names, such as `BIGINT`. Whitespace
 * is optional.
 */
export function parseParameterType(text: string): ParameterType | TypeFailure {
  return typeOf(parseDeclaredType(text), 1);
}

function typeOf(tree: ClickHouseType, depth: number): ParameterType | TypeFailure {
  if (depth > MAX_DEPTH)
    return typeFailure(`the type is nested deeper than ${MAX_DEPTH} levels`, 'Use a simpler type');
  switch (tree.name) {
    case 'Nullable':
    case 'LowCardinality':
      return withInner(tree, depth, tree.name === 'Nullable' ? nullable : lowCardinality);
    case 'Array':
      return withInner(tree, depth, arrayOf);
    case 'Map':
      return mapType(tree, depth);
    case 'Tuple':
      return tupleType(tree, depth);
    default:
      return scalarType(tree);
  }
}

function scalarType(tree: ClickHouseType): ParameterType | TypeFailure {
  const scalar = scalarNamed(tree.name, tree.arguments);
  if (scalar === undefined) return unknownType(tree);
  if ('kind' in scalar) return scalar;
  const { name, engineName } = scalar;
  return { kind: 'scalar', name, engineName, scalar, isNullable: false, isLowCardinality: false };
}

/** The single type argument, passed to `make`. */
function withInner(
  tree: ClickHouseType,
  depth: number,
  make: (inner: ParameterType) => ParameterType | TypeFailure,
): ParameterType | TypeFailure {
  const inner = plainTypes(tree, depth, 1);
  if (!isList(inner)) return inner;
  const [type] = inner;
  return type === undefined ? unknownType(tree) : make(type);
}

function nullable(type: ParameterType): ParameterType | TypeFailure {
  if (type.kind !== 'scalar' || type.isLowCardinality)
    return typeFailure(
      `${type.name} cannot be inside Nullable`,
      type.kind === 'scalar' ? 'Write LowCardinality(Nullable(…))' : 'Remove Nullable',
    );
  return { ...type, isNullable: true, ...named('Nullable', type) };
}

function lowCardinality(type: ParameterType): ParameterType | TypeFailure {
  const isAllowed = type.kind === 'scalar' && !/^(?:Decimal|Enum|U?Int(?:128|256))/.test(type.scalar.name);
  if (!isAllowed || type.isLowCardinality)
    return typeFailure(
      `${type.name} cannot be inside LowCardinality`,
      'Remove LowCardinality: it changes no value',
    );
  return { ...type, isLowCardinality: true, ...named('LowCardinality', type) };
}

function arrayOf(element: ParameterType): ParameterType {
  return { kind: 'array', element, isNullable: false, ...named('Array', element) };
}

function named(wrapper: string, { name, engineName }: ParameterType) {
  return { name: `${wrapper}(${name})`, engineName: `${wrapper}(${engineName})` };
}

function mapType(tree: ClickHouseType, depth: number): ParameterType | TypeFailure {
  const types = plainTypes(tree, depth, 2);
  if (!isList(types)) return types;
  const [key, value] = types;
  if (key === undefined || value === undefined) return unknownType(tree);
  if (key.kind !== 'scalar' || key.isNullable)
    return typeFailure(`${key.name} cannot be the key of a Map`, 'Write, for example, Map(String, UInt64)');
  const print = (part: 'name' | 'engineName'): string => `Map(${key[part]}, ${value[part]})`;
  return {
    kind: 'map',
    key,
    value,
    isNullable: false,
    name: print('name'),
    engineName: print('engineName'),
  };
}

function tupleType(tree: ClickHouseType, depth: number): ParameterType | TypeFailure {
  const elements: TupleElement[] = [];
  for (const argument of tree.arguments ?? []) {
    if (argument.kind !== 'type') return unknownType(tree);
    const type = typeOf(argument.type, depth + 1);
    if (isFailure(type)) return type;
    elements.push({ name: argument.name, type });
  }
  const names = elements.flatMap(({ name }) => name ?? []);
  if (elements.length === 0 || elements.length > MAX_ELEMENTS) return unknownType(tree);
  if (names.length > 0 && (names.length < elements.length || new Set(names).size < names.length))
    return typeFailure('a Tuple has different names for all its elements, or for none', 'Rename them');
  if (names.some((name) => !/^[A-Za-z_]\w*$/.test(name)))
    return typeFailure('a name in a Tuple consists of letters, digits and underscores', 'Rename it');
  const print = (part: 'name' | 'engineName'): string =>
    `Tuple(${elements.map(({ name, type }) => `${name === undefined ? '' : `${name} `}${type[part]}`).join(', ')})`;
  return { kind: 'tuple', elements, isNullable: false, name: print('name'), engineName: print('engineName') };
}

/** The arguments as types without names; a failure if their number is another. */
function plainTypes(
  tree: ClickHouseType,
  depth: number,
  count: number,
): readonly ParameterType[] | TypeFailure {
  const types: ParameterType[] = [];
  for (const argument of tree.arguments ?? []) {
    if (!isPlainType(argument)) return unknownType(tree);
    const type = typeOf(argument.type, depth + 1);
    if (isFailure(type)) return type;
    types.push(type);
  }
  return types.length === count ? types : unknownType(tree);
}

function isPlainType(argument: TypeArgument): argument is Extract<TypeArgument, { kind: 'type' }> {
  return argument.kind === 'type' && argument.name === undefined;
}

function isList(types: readonly ParameterType[] | TypeFailure): types is readonly ParameterType[] {
  return Array.isArray(types);
}

export function isFailure(type: ParameterType | TypeFailure): type is TypeFailure {
  return type.kind === 'failure';
}

/** The type for `{name:Type}`: times in an explicit zone, Nullable if the value may be null. */
export function placeholderType(type: ParameterType, nullIfAbsent: boolean): string {
  if (type.kind !== 'scalar' || type.isNullable || !nullIfAbsent) return type.engineName;
  const inner = `Nullable(${type.scalar.engineName})`;
  return type.isLowCardinality ? `LowCardinality(${inner})` : inner;
}

/** The type for `{name:Type}` of a value that is not NULL. */
export function placeholderIfGiven(type: ParameterType): string {
  if (type.kind !== 'scalar' || !type.isNullable) return type.engineName;
  return type.isLowCardinality ? `LowCardinality(${type.scalar.engineName})` : type.scalar.engineName;
}

/** The type of single values that constraints apply to: the type itself, or that of an array's elements. */
export function scalarOf(type: ParameterType): ScalarType | undefined {
  const inner = type.kind === 'array' ? type.element : type;
  return inner.kind === 'scalar' ? inner.scalar : undefined;
}

/** The names of an Enum, also of the elements of an array; undefined for other types. */
export function listedValues(type: ParameterType): readonly string[] | undefined {
  const range = scalarOf(type)?.range;
  return range?.kind === 'enum' ? range.names : undefined;
}

/**
 * Raw values of a type, for statements that are described but never run; the likeliest to fit first. `preferred` replaces the
 * strings that stand first.
 */
export function neutralValues(type: ParameterType, preferred: readonly string[] = []): readonly RawValue[] {
  switch (type.kind) {
    case 'scalar':
      return type.scalar.constraints === 'text'
        ? [...preferred, ...type.scalar.neutral]
        : type.scalar.neutral;
    case 'array': {
      const [first, second, ...others] = neutralValues(type.element, preferred);
      const lists = [first, ...(second === undefined ? [] : [second])].map((value) => [value ?? '']);
      return [
        ...lists,
        [],
        ...(first === undefined
          ? []
          : [
              [first, first],
              [first, first, first],
            ]),
        ...others.map((each) => [each]),
      ];
    }
    case 'tuple':
      return [
        Object.fromEntries(elementsOf(type).map(([name, inner]) => [name, neutralValues(inner)[0] ?? ''])),
      ].map((record) => (type.elements[0]?.name === undefined ? Object.values(record) : record));
    case 'map': {
      const [key, value] = [neutralValues(type.key)[0], neutralValues(type.value)[0]];
      return [typeof key === 'string' ? { [key]: value ?? '' } : {}, {}];
    }
  }
}

function elementsOf({ elements }: Extract<ParameterType, { kind: 'tuple' }>) {
  return elements.map(({ name, type }, index) => [name ?? `_${index}`, type] as const);
}

function typeFailure(message: string, hint: string): TypeFailure {
  return { kind: 'failure', message, hint };
}

function unknownType(tree: ClickHouseType): TypeFailure {
  const text = printType(tree);
  if (/^Identifier\b/i.test(text)) {
    const message = 'Identifier is not allowed: it would insert caller input into the query itself';
    return typeFailure(
      message,
      'Name each table or column in the query, and select one by a String parameter',
    );
  }
  const name = text.replace(/\W.*/s, '');
  const alias = typeOfAlias(text.replace(/\s*\(.*/s, ''));
  const [, element = /^list\((\w+)\)$/i.exec(text)?.[1]] = /^(\w+)\s*\[\s*\]$/.exec(text) ?? [];
  if (alias === 'String') return typeFailure(`ClickHouse ignores the length of ${text.slice(0, 100)}`, `Write String, and max_length: ${/\d+/.exec(text)?.[0] ?? '…'}`); // prettier-ignore
  const guess =
    (element && `Array(${typeOfAlias(element) ?? element})`) ??
    HINTS_BY_NAME.get(alias ?? '') ??
    FOREIGN_TYPES.get(name.toLowerCase()) ??
    HINTS_BY_NAME.get(nearest(name, HINTS_BY_NAME.keys()) ?? '');
  const hint = didYouMean(guess) ?? `The types are ${HINTS.join(', ')}`;
  return typeFailure(`${text.slice(0, 100)} is not a supported parameter type`, hint);
}
