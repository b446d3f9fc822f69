// Knows the types of an endpoint's columns. They are parsed once, since types of documents are long, and what a check asks about
// all of them is answered once.
import { parseType, type ClickHouseType } from '../../sql/types/type.ts';
import type { TableColumn } from './columns.ts';

export type TypeTest = (type: ClickHouseType) => boolean;

export interface KnownTypes {
  /** The types of the columns of this name, one for each table that has one; none if no table has. */
  readonly of: (column: string) => readonly ClickHouseType[];
  readonly all: readonly ClickHouseType[];
  /** Returns whether one of the types is such. Tests are remembered, so that they must be constants. */
  readonly some: (test: TypeTest) => boolean;
  /** Returns whether one of the types, as the engine prints it, matches. Patterns are constants as well. */
  readonly someText: (pattern: RegExp) => boolean;
  /** The types of columns whose types are such; tests are constants as well. */
  readonly columnsOf: (
    test: (types: readonly ClickHouseType[]) => boolean,
  ) => ReadonlyMap<string, readonly ClickHouseType[]>;
}

export function createKnownTypes(columns: readonly TableColumn[]): KnownTypes {
  const byName = new Map<string, ClickHouseType[]>();
  const all = new Map<string, ClickHouseType>();
  for (const { name, type: text } of columns) {
    const type = all.get(text) ?? parseType(text);
    all.set(text, type);
    const known = byName.get(name);
    if (known === undefined) byName.set(name, [type]);
    else known.push(type);
  }
  const types = [...all.values()];
  return {
    of: (column) => byName.get(column) ?? [],
    all: types,
    some: remembered((test) => types.some(test)),
    someText: remembered((pattern) => [...all.keys()].some((text) => pattern.test(text))),
    columnsOf: remembered((test) => new Map([...byName].filter(([, each]) => test(each)))),
  };
}

/** Returns the type of a column of one table, parsed once; undefined if there is no such column. */
export function createTypeOf(
  columns: readonly TableColumn[],
): (column: string) => ClickHouseType | undefined {
  const texts = new Map(columns.map(({ name, type }) => [name, type]));
  const parsed = remembered(parseType);
  return (name) => {
    const text = texts.get(name);
    return text === undefined ? undefined : parsed(text);
  };
}

/** Computes the result for each key once. */
export function remembered<K, T>(compute: (key: K) => T): (key: K) => T {
  const known = new Map<K, T>();
  return (key) => {
    const found = known.get(key) ?? compute(key);
    known.set(key, found);
    return found;
  };
}
