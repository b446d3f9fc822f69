// Name resolution: tables, columns, aliases, fields of unnested records.
import { didYouMean, nearest } from '../../base/nearest.ts';
import type { Name } from '../tree.ts';
import { syntax, unknown, type Context, type Relation, type RelationColumn, type Scope } from '../context.ts';
import { columnValue, field, fieldNames, hasField, tupleOf } from '../record.ts';
import { sql, type Sql, value, type Type, type Value } from '../value.ts';

const NO_ALIASES: ReadonlyMap<string, Value> = new Map();

/** A name found in the innermost query that knows its first part, and the parts that are left over: fields. */
export interface Resolved {
  readonly value: Value;
  readonly rest: readonly Name[];
  readonly isOuter: boolean;
  /** A column of a table, rather than an alias. */
  readonly isColumn: boolean;
}

type Found = Omit<Resolved, 'isOuter'>;

const same = (a: string | undefined, b: string): boolean => a?.toLowerCase() === b.toLowerCase();

/** The context of expressions that see these relations, and then the names of the enclosing query. */
export function inRelations(
  context: Context,
  relations: readonly Relation[],
  more: Partial<Scope> = {},
): Context {
  const scope: Scope = { relations, aliases: NO_ALIASES, parent: context.scope, ...more };
  return { ...context, scope };
}

/** The context of the arguments of an aggregate function: columns come before aliases there. */
export function inAggregate(context: Context): Context {
  const { scope } = context;
  const plain = scope.prefersAliases === true ? { ...scope, prefersAliases: false } : scope;
  return { ...context, scope: plain, isGrouped: false, isGuarded: false, grouped: undefined };
}

/** A table with its columns; undefined if they are not known. */
export function relationOf(
  alias: string | undefined,
  written: string,
  {
    columns,
    context,
  }: {
    readonly columns: readonly { readonly name: string; readonly type: Type }[] | undefined;
    readonly context: Context;
  },
): Relation {
  const each = (column: { readonly name: string; readonly type: Type }): RelationColumn => {
    const own = context.shared.style.name(column.name);
    const qualified = sql`${written}.${own}`;
    return context.shared.isStrict
      ? { name: column.name, value: columnValue(qualified, column.type) }
      : { name: column.name, value: { sql: qualified, type: column.type }, bare: own };
  };
  return { alias, written, columns: columns === undefined ? undefined : columnsByName(columns.map(each)) };
}

/** Columns by name in lower case; of two with the same name, the last. */
export function columnsByName(columns: readonly RelationColumn[]): ReadonlyMap<string, RelationColumn> {
  return new Map(columns.map((column) => [column.name.toLowerCase(), column]));
}

/** Resolves a path in a scope or its parents. */
export function resolve(parts: readonly Name[], context: Context): Resolved | undefined {
  for (let each: Scope | undefined = context.scope; each !== undefined; each = each.parent) {
    const found = resolveIn(parts, each, context);
    if (found === undefined) continue;
    markOuter(context.scope, each);
    return { ...found, isOuter: each !== context.scope };
  }
  return undefined;
}

/** Every query between the name and its definition is correlated. */
function markOuter(from: Scope, to: Scope): void {
  for (let each: Scope | undefined = from; each !== undefined && each !== to; each = each.parent)
    each.onOuter?.();
}

function resolveIn(parts: readonly Name[], scope: Scope, context: Context): Found | undefined {
  const [first] = parts;
  if (first === undefined) return undefined;
  const qualified = inTable(parts, scope, context);
  if (qualified !== undefined) return qualified;
  const { isStrict } = context.shared;
  if (!isStrict && parts.length > 1 && scope.parent !== undefined && hasTable(first.name, scope.parent))
    return undefined;
  const rest = parts.slice(1);
  const alias = scope.aliases.get(first.name.toLowerCase());
  if (alias !== undefined && scope.prefersAliases === true) return { value: alias, rest, isColumn: false };
  const column = named(first, scope, isStrict);
  if (column !== undefined) return { value: column, rest, isColumn: true };
  if (alias !== undefined && !isUsed(first, scope)) return { value: alias, rest, isColumn: false };
  const other = unlisted(first, scope, context) ?? wholeRow(first, scope);
  return other === undefined ? undefined : { value: other, rest, isColumn: true };
}

/** `table.column`, `schema.table.column` with the longest qualifier that ends with the name of a table, and fields of elements. */
function inTable(parts: readonly Name[], { relations }: Scope, context: Context): Found | undefined {
  const most = context.shared.isStrict ? 1 : 3;
  for (let count = Math.min(parts.length - 1, most); count >= 1; count--) {
    const relation = relations.findLast(({ alias }) => same(alias, parts[count - 1]?.name ?? ''));
    const column = parts[count];
    if (relation === undefined || column === undefined) continue;
    if (relation.element !== undefined && relation.columns?.size === 0)
      return { value: relation.element, rest: parts.slice(count), isColumn: true };
    const element = elementIn(relation, column);
    return element === undefined
      ? { value: columnIn(relation, column, context), rest: parts.slice(count + 1), isColumn: true }
      : { value: element, rest: parts.slice(count), isColumn: true };
  }
  return undefined;
}

/** The element of an array whose field is read: it has the name of the array, which has no such column. */
function elementIn(relation: Relation, column: Name): Value | undefined {
  const { isInline, alias } = relation;
  if (isInline !== true || columnOf(relation, column) !== undefined) return undefined;
  return columnOf(relation, { name: alias ?? '', at: column.at })?.value;
}

function columnIn(relation: Relation, column: Name, context: Context): Value {
  const { columns, written } = relation;
  if (columns !== undefined) return columnOf(relation, column)?.value ?? columnUnknown(column, [relation]);
  return unknownColumn(sql`${written}.${context.shared.style.name(column.name)}`);
}

const unknownColumn = (own: Sql): Value => value('unknown', own);

/** The column of a relation; undefined if it has no column of that name. */
export function columnOf({ columns }: Relation, { name }: Name): RelationColumn | undefined {
  return columns?.get(name.toLowerCase());
}

/** Returns whether a name is that of a table here or in an outer query. */
export function hasTable(table: string, { relations, parent }: Scope): boolean {
  return (
    relations.some(({ alias }) => same(alias, table)) || (parent !== undefined && hasTable(table, parent))
  );
}

/** A name without a qualifier: an element of an array, a column, or a field of a record. */
function named(name: Name, scope: Scope, isStrict: boolean): Value | undefined {
  const element = scope.relations.findLast(({ alias }) => same(alias, name.name))?.element;
  return element ?? columnAmong(name, scope, isStrict) ?? implicitField(name, scope.relations);
}

function columnAmong(name: Name, { relations, shadowed }: Scope, isStrict: boolean): Value | undefined {
  const lower = name.name.toLowerCase();
  const holders = relations.filter(
    ({ columns, merged }) => columns?.has(lower) === true && merged?.has(lower) !== true,
  );
  const [holder, second] = holders;
  const found = holder?.columns?.get(lower);
  if (found === undefined) return undefined;
  if (second !== undefined && isStrict) return ambiguous(name, holders);
  // With USING, ClickHouse's unqualified name is the merged column, as in the source.
  const isMerged = relations.some(({ merged }) => merged?.has(lower) === true);
  const isQualified = (second !== undefined && !isMerged) || shadowed?.has(lower) === true;
  return found.bare === undefined || isQualified ? found.value : { ...found.value, sql: found.bare };
}

function ambiguous(name: Name, holders: readonly Relation[]): never {
  const choices = holders.slice(0, 2).map(({ alias }) => `${alias ?? 'table'}.${name.name}`);
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

/** Returns whether a record is nested in another one of the same table. */
function isInside({ subcolumn: inner }: Value, { subcolumn: outer }: Value): boolean {
  if (inner === undefined || outer === undefined || inner.path.length <= outer.path.length) return false;
  return inner.root === outer.root && outer.path.every((part, index) => inner.path[index] === part);
}

const isOpen = ({ columns }: Relation): boolean => columns === undefined;

/** Returns whether a name is more likely a column of a table whose columns are unknown than the alias of that name. */
function isUsed({ name }: Name, { relations, shadowed, usedNames }: Scope): boolean {
  const lower = name.toLowerCase();
  return shadowed?.has(lower) === true && usedNames?.has(lower) === true && relations.some(isOpen);
}

/** A column of a table whose columns are unknown; an outer query may know the name instead. */
function unlisted({ name }: Name, scope: Scope, { shared }: Context): Value | undefined {
  const { relations, shadowed, parent } = scope;
  const lower = name.toLowerCase();
  const open = relations.filter(isOpen);
  const [only, more] = open;
  if (only === undefined) return undefined;
  if (parent !== undefined && knows(parent, lower) && relations.length > open.length) return undefined;
  const isQualified = shadowed?.has(lower) === true && only.alias !== undefined && more === undefined;
  const own = shared.style.name(name);
  return unknownColumn(isQualified ? sql`${only.written}.${own}` : own);
}

function knows({ relations, parent }: Scope, lower: string): boolean {
  const isHere = relations.some(({ columns }) => columns?.has(lower) === true);
  return isHere || (parent !== undefined && knows(parent, lower));
}

/** The name of a table as a value. */
function wholeRow({ name }: Name, { relations }: Scope): Value | undefined {
  const columns = relations.findLast(({ alias }) => same(alias, name))?.columns;
  return columns === undefined ? undefined : tupleOf([...columns.values()]);
}

/** Throws: no such column, with the nearest name and how to write fields of records. */
export function columnUnknown(name: Name, relations: readonly Relation[]): never {
  const columns = relations.flatMap((relation) =>
    [...(relation.columns?.values() ?? [])].map((column) => column.name),
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

/** The relation after an outer join that may produce no row of it. */
export function lost(relation: Relation, isStrict: boolean): Relation {
  const { marker, columns, element } = relation;
  if (isStrict && marker === undefined) return relation;
  const absent = marker === undefined ? {} : { absent: marker };
  const mark = (each: Value): Value => ({ ...each, type: { ...each.type, isNullable: true }, ...absent });
  return {
    ...relation,
    columns:
      columns === undefined
        ? undefined
        : new Map([...columns].map(([name, column]) => [name, { ...column, value: mark(column.value) }])),
    ...(element === undefined ? {} : { element: mark(element) }),
  };
}
