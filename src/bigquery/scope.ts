// Name resolution: tables, columns, aliases, fields of unnested records.
import { didYouMean, nearest } from '../core/nearest.ts';
import { tupleOf } from '../dialects/record.ts';
import { syntax, unknown } from './translation-error.ts';
import type { Sql } from '../dialects/sql.ts';
import type { Name } from '../sql/syntax-tree.ts';
import { type Type, type Value } from '../dialects/value.ts';
import { field, fieldNames, hasField } from './value.ts';

/** A column of a derived table. */
export interface OutputColumn {
  readonly name: string;
  readonly type: Type;
}

/** A table that FROM may name: its SQL, and its columns. */
export interface Table {
  readonly sql: Sql;
  readonly columns: readonly OutputColumn[];
}

/** A column of a relation, as spelled in its definition. */
export interface RelationColumn {
  readonly name: string;
  readonly value: Value;
}

/** One table, array or record in FROM. */
export interface Relation {
  /** Its alias in the query. */
  readonly alias: string | undefined;
  /** Keyed by name in lower case. */
  readonly columns: ReadonlyMap<string, RelationColumn>;
  /** One element of an unnested array, or the record. */
  readonly element?: Value;
  /** Columns that USING merged with those of an earlier table. */
  readonly merged?: ReadonlySet<string>;
}

/** The names that an expression can refer to. */
export interface Scope {
  readonly relations: readonly Relation[];
  /** Aliases of the select list, in lower case; empty until its columns are written. */
  readonly aliases: ReadonlyMap<string, Value>;
  readonly parent?: Scope;
  /** Called if a name of an outer query is used. */
  readonly onOuter?: () => void;
}

/** What the start of a path resolved to, and the number of parts consumed. */
interface Found {
  readonly value: Value;
  readonly taken: number;
}

const same = (a: string | undefined, b: string) => a?.toLowerCase() === b.toLowerCase();

/** Resolves a path in a scope or its parents. */
export function resolve(parts: readonly Name[], scope: Scope): Value | undefined {
  const left: Scope[] = [];
  for (let each: Scope | undefined = scope; each !== undefined; each = each.parent) {
    const found = resolveIn(parts, each);
    if (found !== undefined) {
      for (const { onOuter } of left) onOuter?.();
      return fieldsOf(found.value, parts.slice(found.taken));
    }
    left.push(each);
  }
  return undefined;
}

/**
 * Follows field names into a record, one after the other.
 * @throws UnconvertedError for a value without such a field
 */
export function fieldsOf(record: Value, names: readonly Name[]): Value {
  return names.reduce((each, name) => field(each, name), record);
}

function resolveIn(parts: readonly Name[], { relations }: Scope): Found | undefined {
  const [first, second] = parts;
  if (first === undefined) return undefined;
  const named = relations.findLast(({ alias }) => same(alias, first.name));
  if (named?.element !== undefined) return { value: named.element, taken: 1 };
  if (named !== undefined && second !== undefined) {
    return { value: columnOf(named, second) ?? columnUnknown(second, [named]), taken: 2 };
  }
  const value = columnAmong(first, relations) ?? implicitField(first, relations);
  if (value !== undefined) return { value, taken: 1 };
  return named === undefined ? undefined : { value: tupleOf([...named.columns.values()]), taken: 1 };
}

/** Columns by name in lower case; of two with the same name, the last. */
export function columnsByName(columns: readonly RelationColumn[]): ReadonlyMap<string, RelationColumn> {
  return new Map(columns.map((column) => [column.name.toLowerCase(), column]));
}

/** The value of a relation's column; undefined if it has no column of that name. */
export function columnOf(relation: Relation, { name }: Name): Value | undefined {
  return relation.columns.get(name.toLowerCase())?.value;
}

function columnAmong(name: Name, relations: readonly Relation[]): Value | undefined {
  const holders = relations.filter(
    (relation) =>
      columnOf(relation, name) !== undefined && relation.merged?.has(name.name.toLowerCase()) !== true,
  );
  const [first, second] = holders;
  if (first === undefined) return undefined;
  if (second === undefined) return columnOf(first, name);
  const choices = [first, second].map(({ alias }) => `${alias ?? 'table'}.${name.name}`);
  return syntax(name.at, `${name.name} is ambiguous: write ${choices.join(' or ')}`);
}

/**
 * A field of an unnested record may be written without the record's name if the record's type has that field, or if there
 * is only one record whose fields are not known at all.
 */
function implicitField(name: Name, relations: readonly Relation[]): Value | undefined {
  const records = relations.flatMap(({ element }) => element ?? []);
  const known = records.findLast((record) => hasField(record, name.name));
  if (known !== undefined) return field(known, name);
  const open = records.filter((record) => record.subcolumn !== undefined && fieldNames(record).length === 0);
  const [only, more] = open.filter((record) => !open.some((other) => isInside(other, record)));
  return only === undefined || more !== undefined ? undefined : field(only, name);
}

/** Whether a record is nested in another one of the same table. */
function isInside({ subcolumn: inner }: Value, { subcolumn: outer }: Value): boolean {
  if (inner === undefined || outer === undefined || inner.path.length <= outer.path.length) return false;
  return inner.root === outer.root && outer.path.every((part, index) => inner.path[index] === part);
}

/** Throws: no such column, with the nearest name and how to write fields of records. */
export function columnUnknown(name: Name, relations: readonly Relation[]): never {
  const columns = relations.flatMap((relation) =>
    [...relation.columns.values()].map((column) => column.name),
  );
  const fields = relations.flatMap(({ element }) => (element === undefined ? [] : fieldNames(element)));
  const aliases = relations.flatMap(({ alias }) => alias ?? []);
  const near = nearest(name.name, [...columns, ...fields, ...aliases]);
  const records = relations.filter(({ element, alias }) => element !== undefined && alias !== undefined);
  const hints = [
    ...(near === undefined ? [] : [didYouMean(near)]),
    ...(columns.length === 0 ? [] : [`The columns are ${[...new Set(columns)].slice(0, 30).join(', ')}.`]),
    ...records.slice(0, 3).map(({ alias }) => `A field of ${alias} is written ${alias}.${name.name}.`),
  ];
  return unknown(name.at, `There is no column ${name.name} here`, hints.join(' ') || undefined);
}
