// Name resolution: tables, columns, aliases.
import type { Sql } from '../../dialects/sql.ts';
import type { Name } from '../../sql/syntax-tree.ts';
import type { Context } from './context.ts';
import { unconverted } from '../../dialects/context.ts';
import { name, typeOfColumn, value, type Type, type Value } from '../../dialects/value.ts';

export interface Column {
  readonly name: string;
  readonly type: Type;
}

/** Columns of a table of WITH; undefined if they are not known. */
export interface WithColumns {
  readonly name: string;
  readonly columns: readonly Column[] | undefined;
}

/** One element of FROM. */
export interface Relation {
  /** As in the source. */
  readonly alias: string | undefined;
  readonly columns: readonly Column[] | undefined;
  /** An outer join may add rows without values. */
  readonly isOptional: boolean;
  /** Columns that USING merged with those of an earlier table, in lower case. */
  readonly merged?: ReadonlySet<string> | undefined;
  /** Written instead of its columns, by name in lower case: for elements of arrays. */
  readonly values?: ReadonlyMap<string, Value> | undefined;
}

/** What one element of FROM becomes. */
export interface Joined {
  /** With the alias; undefined for a relation without rows of its own. */
  readonly sql: Sql | undefined;
  readonly relation: Relation;
}

const same = (a: string | undefined, b: string): boolean => a?.toLowerCase() === b.toLowerCase();

/** The columns of a table as the options know them. */
export function tableColumns(parts: readonly Name[], { shared }: Context): readonly Column[] | undefined {
  const found = shared.columnsOf?.(parts.map((part) => part.name));
  return found?.map((column) => ({
    name: column.name,
    type: withoutDynamic(typeOfColumn(column)),
  }));
}

/** A column of type Dynamic is one of an unknown type. */
function withoutDynamic(type: Type): Type {
  return type.kind === 'dynamic' ? { ...type, kind: 'unknown' } : type;
}

/** A path resolved in the innermost query that knows its first part, and the parts that are left over: fields. */
export interface Resolved {
  readonly value: Value;
  readonly rest: readonly Name[];
  readonly isOuter: boolean;
  /** A column of a table, rather than an alias. */
  readonly isColumn: boolean;
}

/** Resolves a path; with tables whose columns are unknown, a name that nothing else defines is theirs. */
export function resolve(parts: readonly Name[], context: Context): Resolved {
  for (let each: Context | undefined = context; each !== undefined; each = each.parent) {
    const found = resolveIn(parts, each);
    if (found === undefined) continue;
    const isOuter = each !== context;
    if (isOuter) markOuter(context, each);
    return { ...found, isOuter };
  }
  return {
    value: value('unknown', parts.map((part) => name(part.name)).join('.')),
    rest: [],
    isOuter: false,
    isColumn: false,
  };
}

/** Every query between the name and its definition is correlated. */
function markOuter(from: Context, to: Context): void {
  for (let each: Context | undefined = from; each !== undefined && each !== to; each = each.parent)
    each.onOuter?.();
}

function resolveIn(parts: readonly Name[], context: Context): Omit<Resolved, 'isOuter'> | undefined {
  const { relations } = context;
  const [first] = parts;
  if (first === undefined) return undefined;
  // `schema.table.column`: the longest qualifier that ends with a table's name.
  for (let count = Math.min(parts.length - 1, 3); count >= 1; count--) {
    const table = parts[count - 1];
    const relation = relations.findLast(({ alias }) => same(alias, table?.name ?? ''));
    const column = parts[count];
    if (relation === undefined || column === undefined) continue;
    return { value: qualified(relation, column), rest: parts.slice(count + 1), isColumn: true };
  }
  if (parts.length > 1 && context.parent !== undefined && hasTable(first.name, context.parent))
    return undefined;
  const own = unqualified(first, context);
  return own === undefined ? undefined : { ...own, rest: parts.slice(1) };
}

function hasTable(table: string, { relations, parent }: Context): boolean {
  return (
    relations.some(({ alias }) => same(alias, table)) || (parent !== undefined && hasTable(table, parent))
  );
}

function qualified(relation: Relation, column: Name): Value {
  const alias = name(relation.alias ?? '');
  const own = relation.values?.get(column.name.toLowerCase());
  if (own !== undefined) return own;
  const known = relation.columns?.find((each) => same(each.name, column.name));
  if (known === undefined && relation.columns !== undefined)
    unconverted(
      column.at,
      'expression',
      `There is no column ${column.name} in ${relation.alias ?? 'the table'}`,
    );
  return typed(`${alias}.${name(known?.name ?? column.name)}`, known?.type, relation);
}

function typed(sql: string, type: Type | undefined, { isOptional }: Relation): Value {
  const known = type ?? { kind: 'unknown', isNullable: true };
  return { sql, type: isOptional ? { ...known, isNullable: true } : known };
}

function unqualified(
  column: Name,
  { relations, aliases, parent, shadowed, usedNames, prefersAliases }: Context,
): Pick<Resolved, 'value' | 'isColumn'> | undefined {
  const lower = column.name.toLowerCase();
  const isShadowed = shadowed?.has(lower) === true;
  const preferred = prefersAliases === true ? aliases.get(lower) : undefined;
  if (preferred !== undefined)
    return { value: { sql: name(preferred.name), type: preferred.value.type }, isColumn: false };
  for (const relation of relations) {
    const own = relation.values?.get(lower);
    if (own !== undefined) return { value: own, isColumn: true };
    const known = relation.columns?.find((each) => same(each.name, column.name));
    if (known === undefined) continue;
    const isShared =
      relations.filter(({ columns }) => columns?.some((each) => same(each.name, column.name)) === true)
        .length > 1;
    // With USING, ClickHouse's unqualified name is the merged column, as in the source.
    const isMerged = relations.some(({ merged }) => merged?.has(lower) === true);
    const isQualified = (isShared && !isMerged) || isShadowed;
    const sql = isQualified ? `${name(relation.alias ?? '')}.${name(known.name)}` : name(known.name);
    return { value: typed(sql, known.type, relation), isColumn: true };
  }
  const alias = aliases.get(lower);
  const isUsed =
    isShadowed &&
    usedNames?.has(lower) === true &&
    relations.some(({ columns, values }) => columns === undefined && values === undefined);
  if (alias !== undefined && !isUsed)
    return { value: { sql: name(alias.name), type: alias.value.type }, isColumn: false };
  const open = relations.filter(({ columns, values }) => columns === undefined && values === undefined);
  const [only] = open;
  if (only === undefined) return undefined;
  // A table whose columns are unknown: an outer query may know the name instead.
  if (parent !== undefined && knows(parent, lower) && relations.length > open.length) return undefined;
  const isQualified = isShadowed && only.alias !== undefined && open.length === 1;
  const sql = isQualified ? `${name(only.alias)}.${name(column.name)}` : name(column.name);
  return { value: typed(sql, undefined, only), isColumn: true };
}

function knows(context: Context, lower: string): boolean {
  const here = context.relations.some(
    ({ columns }) => columns?.some((each) => same(each.name, lower)) === true,
  );
  return here || (context.parent !== undefined && knows(context.parent, lower));
}
