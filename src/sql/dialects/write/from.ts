// FROM: tables, subqueries and other sources, in source order.
import {
  unconverted,
  type Context,
  type Relation,
  syntax,
  unknown,
  READ,
  placeholder,
  UnconvertedError,
  type FromState,
} from '../context.ts';
import { NEVER_NULL, whole, joinSql, sql, type Sql, type Value, type Type, located } from '../value.ts'; // prettier-ignore
import { columnType, columnValue, rerooted, typeOfColumn } from '../record.ts';
import { nearest } from '../../base/nearest.ts';
import type { FromItem, Name } from '../tree.ts';
import { renamed, withNames } from './select-list.ts';
import { hasTable, relationOf, inRelations, lost } from './scope.ts';
import { consumed } from '../consume.ts';
import { joinCondition, mergedColumns } from './join.ts';
import { lateralJoin } from './lateral.ts';
import { rowsOf } from './row-source.ts';
import { addRows, arrayPath, rowsTable } from './unnest.ts';

/** What is joined next: its SQL with a name, and what it adds to the scope. */
interface Joined {
  /** Undefined for a relation without rows of its own, and if there is no table to read. */
  readonly sql: Sql | undefined;
  readonly relations: readonly Relation[];
}

/** FROM as SQL, and what the other clauses need to know about it. */
interface WrittenFrom extends Joined {
  /** Conditions of joins with arrays, which must be in WHERE. */
  readonly conditions: readonly Sql[];
}

interface ItemPlace {
  readonly context: Context;
  /** An outer join may produce no row of it. */
  readonly isLost: boolean;
}

interface JoinPlace extends ItemPlace {
  readonly at: number;
}

/** The subquery with its name, and the same relations over its columns. With `isLost`, each has a `marker`: no row of it. */
function packed(
  { sql: tables = '', relations, conditions }: WrittenFrom,
  { context, isLost, at }: JoinPlace,
): { readonly sql: Sql; readonly relations: readonly Relation[] } {
  const { shared } = context;
  const table = shared.fresh('t');
  const outputs: Sql[] = [];
  const roots = new Map<Sql, Sql>();
  const add = (own: Sql): Sql => {
    const name = shared.fresh('c');
    outputs.push(sql`${own} AS ${name}`);
    return sql`${table}.${name}`;
  };
  const moved = (value: Value): Value => {
    if (value.absent !== undefined && NEVER_NULL.has(value.type.kind)) {
      unconverted(
        at,
        'join',
        'An outer join of records inside parentheses is not supported',
        'Write (SELECT …) AS name, with the columns that you need.',
      );
    }
    const root = value.subcolumn && roots.get(value.subcolumn.root);
    if (root !== undefined) return rerooted(value, root);
    if (value.subcolumn === undefined) return { sql: add(whole(value)), type: value.type };
    const own = columnValue(add(whole(value)), columnType(value));
    if (own.subcolumn !== undefined) roots.set(value.subcolumn.root, own.subcolumn.root);
    return own;
  };
  const renamed = relations.map((relation) => renamedRelation(relation, moved, { context, isLost, at }));
  const marker = isLost && shared.isStrict ? sql`${add('1')} = 0` : undefined;
  const where = conditions.length === 0 ? [] : [sql`WHERE ${joinSql(conditions, ' AND ')}`];
  const lines = [sql`SELECT ${joinSql(outputs)}`, sql`FROM ${tables}`, ...where];
  return {
    sql: sql`${shared.style.block(shared.style.lines(lines))} AS ${table}`,
    relations: marker === undefined ? renamed : renamed.map((each) => ({ ...each, marker })),
  };
}

function renamedRelation(relation: Relation, moved: (value: Value) => Value, { at }: JoinPlace): Relation {
  const { columns, element } = relation;
  if (columns === undefined)
    return unconverted(
      at,
      'join',
      'A join in parentheses is converted only at the beginning of FROM, or if the columns of its tables are known',
    );
  return {
    ...relation,
    columns: new Map([...columns].map(([key, { name, value }]) => [key, { name, value: moved(value) }])),
    ...(element === undefined ? {} : { element: moved(element) }),
  };
}

interface TypedColumn {
  readonly name: string;
  readonly type: Type;
}

/** A table before it has a name in the query. */
interface Read {
  readonly sql: Sql;
  readonly columns: readonly TypedColumn[] | undefined;
  /** As the source refers to it. */
  readonly alias: string | undefined;
  /** Its name in ClickHouse if it is written without an alias. */
  readonly own?: string;
  /** Its name in ClickHouse, if that is another one. */
  readonly real?: string;
}

/** A table or a subquery with the name by which its columns are written: offline that of the source. */
function readTable(item: FromItem, { context, isLost }: ItemPlace): Joined {
  const read = readSource(item, context);
  if (read === undefined) return { sql: undefined, relations: [] };
  const { sql: table, columns, alias, own, real = own } = read;
  const { shared } = context;
  if (!shared.isStrict) {
    const name = alias ?? shared.fresh('subquery');
    const written = shared.style.name(name);
    const relation = relationOf(name, written, { columns, context });
    // Inside of the subquery, ClickHouse would read the name of the outer table as that of this one.
    if (real !== undefined && real !== name && hasTable(real, context.scope))
      return { sql: sql`(SELECT * FROM ${table}) AS ${written}`, relations: [relation] };
    return { sql: own === name ? table : sql`${table} AS ${written}`, relations: [relation] };
  }
  const name = shared.fresh('t');
  const relation = relationOf(alias, name, { columns, context });
  if (!isLost) return { sql: sql`${table} AS ${name}`, relations: [relation] };
  const marker = shared.style.name(shared.fresh('h'));
  return {
    sql: sql`(SELECT *, 1 AS ${marker} FROM ${table}) AS ${name}`,
    relations: [{ ...relation, marker: sql`${name}.${marker} = 0` }],
  };
}

/** Undefined for a table of no columns, such as DUAL. */
function readSource(item: FromItem, context: Context): Read | undefined {
  const { source, alias, columns, at } = item;
  if (source.kind === 'table') return readNamed(item, source.parts, context);
  if (source.kind !== 'query') return unconverted(at, 'join', 'This source is not converted');
  const query = columns === undefined ? source.query : renamed(source.query, columns);
  const written = withNames(context.query(query, context, READ), columns, context);
  const known = written.columns?.map(({ name, value }) => ({ name, type: value.type }));
  return { sql: context.shared.style.block(written.sql), columns: known, alias: alias?.name };
}

function readNamed(
  { alias, columns, at }: FromItem,
  parts: readonly Name[],
  context: Context,
): Read | undefined {
  const [first, more] = parts;
  const last = parts.at(-1)?.name ?? '';
  if (first === undefined) return syntax(at, 'Expected a table');
  if (columns !== undefined)
    return unconverted(at, 'clause', 'Names of columns after the alias of a table are not converted');
  const own = alias?.name ?? last;
  const known = more === undefined ? context.tables.get(last.toLowerCase()) : undefined;
  if (known !== undefined) {
    const types = known.columns?.map(({ name, value }) => ({ name, type: value.type }));
    const { name } = context.shared.style;
    const real = String(known.sql);
    return { sql: known.sql, columns: types, alias: own, ...(real === name(own) ? { own } : { real }) };
  }
  if (context.shared.isStrict) return notHere(first, parts.map(({ name }) => name).join('.'), context);
  if (last.toLowerCase() === 'dual' && more === undefined) return undefined;
  return sequenceTable(last, own, context) ?? foreignTable(parts, own, context);
}

function notHere({ at }: Name, written: string, { tables }: Context): never {
  const names = [...tables.keys()];
  const near = nearest(written.split('.').at(-1) ?? '', names);
  return unknown(
    at,
    `There is no table ${written.slice(0, 100)}: the tables are ${names.join(', ') || 'none'}`,
    near && `Write ${near}, without project or dataset.`,
  );
}

const DEFAULT_SCHEMAS: ReadonlySet<string> = new Set(['public', 'main', 'dbo']);

/** A table of the other system, under its name in ClickHouse. */
function foreignTable(parts: readonly Name[], alias: string, { shared }: Context): Read {
  const qualified = parts
    .slice(-2)
    .filter(
      (part, index, all) =>
        !(all.length === 2 && index === 0 && DEFAULT_SCHEMAS.has(part.name.toLowerCase())),
    );
  const names = parts.map((part) => part.name);
  const written = shared.tableOf?.(names) ?? qualified.map((part) => part.name);
  const columns = shared.columnsOf?.(names)?.map((column) => ({
    name: column.name,
    type: withoutDynamic(typeOfColumn(column)),
  }));
  const own = written.at(-1) ?? '';
  return { sql: written.map(shared.style.name).join('.'), columns, alias, own };
}

/** A column of type Dynamic is one of an unknown type. */
function withoutDynamic(type: Type): Type {
  return type.kind === 'dynamic' ? { ...type, kind: 'unknown' } : type;
}

/** A table of numbers. */
function sequenceTable(last: string, alias: string, { shared }: Context): Read | undefined {
  const found = shared.traits.hasSequenceTables ? /^seq_(\d+)_to_(\d+)(?:_step_(\d+))?$/i.exec(last) : null;
  if (found === null) return undefined;
  const [, from = '0', to = '0', step = '1'] = found;
  const isDown = Number(from) > Number(to);
  return {
    sql: `(SELECT arrayJoin(range(${from}, ${to} ${isDown ? '-' : '+'} 1, ${isDown ? '-' : ''}${step})) AS seq)`,
    columns: [{ name: 'seq', type: { kind: 'int', isNullable: false, scale: 0 } }],
    alias,
  };
}

/** Writes the elements of FROM in order: each can refer to those before it. */
export function writeFrom(items: readonly FromItem[], context: Context): WrittenFrom {
  const { pieces, relations, conditions } = writeItems(flattened(items), { context, isLost: false });
  const { style } = context.shared;
  return { sql: pieces.length === 0 ? undefined : style.lines(pieces), relations, conditions };
}

/** A join in parentheses at the beginning needs none. */
function flattened(items: readonly FromItem[]): readonly FromItem[] {
  const [first, ...others] = items;
  return first?.source.kind === 'group' && first.alias === undefined
    ? [...flattened(first.source.items), ...others]
    : items;
}

function writeItems(items: readonly FromItem[], { context, isLost }: ItemPlace): FromState {
  const state: FromState = { pieces: [], relations: [], conditions: [] };
  for (const [index, item] of items.entries()) {
    try {
      const place = { context, isLost: isLost || isLostLater(items.slice(index + 1)) };
      consumed(item, 'this element of FROM', (node) => addItem(node, state, place));
    } catch (error) {
      if (context.shared.isStrict || !(error instanceof UnconvertedError)) throw error;
      addPlaceholder(item, error, { state, context });
    }
  }
  return state;
}

/** Returns whether a later outer join may produce no row of this table. */
function isLostLater(later: readonly FromItem[]): boolean {
  return later.some(({ join }) => join === 'RIGHT' || join === 'FULL');
}

function addPlaceholder(
  { alias }: FromItem,
  error: UnconvertedError,
  { state, context }: { readonly state: FromState; readonly context: Context },
): void {
  const comment = placeholder(context, error);
  state.pieces.push(state.pieces.length === 0 ? comment : `CROSS JOIN ${comment}`);
  const written = alias === undefined ? '' : context.shared.style.name(alias.name);
  const relation = { alias: alias?.name, written, columns: undefined };
  state.relations = [...state.relations, relation];
}

function addItem(item: FromItem, state: FromState, place: ItemPlace): void {
  const { context } = place;
  const { source } = item;
  const inside: Context = { ...inRelations(context, state.relations), isGrouped: false, grouped: undefined };
  const array = arrayPath(item, inside);
  if (array !== undefined || source.kind === 'function') {
    // These refer to earlier tables, with LATERAL and without it.
    const { isLateral: _ } = item;
    const rows = rowsOf(item, array, inside);
    if (addRows(item, rows, { state, context: inside })) return undefined;
    return addJoined(item, rowsTable(rows, inside), state, context);
  }
  if (source.kind === 'query' && state.pieces.length > 0) {
    const lateral = lateralJoin(item, inside);
    if (lateral !== undefined) {
      state.relations = [...state.relations, lateral.relation];
      if (lateral.sql !== undefined) state.pieces.push(lateral.sql);
      return undefined;
    }
  }
  return addJoined(item, sourceOf(item, place), state, context);
}

function sourceOf(item: FromItem, { context, isLost }: ItemPlace): Joined {
  const { join, source } = item;
  const place = { context, isLost: isLost || join === 'LEFT' || join === 'FULL' };
  if (source.kind !== 'group') return readTable(item, place);
  return writeGroup(source.items, { ...place, at: item.at });
}

/** A join in parentheses: one table with unnested records, or several tables as a subquery. */
function writeGroup(items: readonly FromItem[], place: JoinPlace): Joined {
  const { pieces, relations, conditions } = writeItems(items, place);
  const [only = '', more] = pieces;
  if (more === undefined && conditions.length === 0) return { sql: only, relations };
  return packed({ sql: place.context.shared.style.lines(pieces), relations, conditions }, place);
}

function addJoined(
  item: FromItem,
  { sql: own, relations: added }: Joined,
  state: FromState,
  context: Context,
) {
  if (own === undefined) return;
  const { join } = item;
  const keepsOwn = join === 'RIGHT' || join === 'FULL';
  // An outer join adds the absence condition to every preceding column.
  const before = keepsOwn ? state.relations : [];
  const columns = [...before, ...added].reduce((sum, each) => sum + (each.columns?.size ?? 0), 0);
  context.shared.spend(item.at, columns);
  if (state.pieces.length === 0) {
    state.pieces.push(located(item.at, own));
    state.relations = added;
    return;
  }
  const { keyword, condition, merged } = joinCondition(item, state.relations, { added, context });
  if (keyword !== 'CROSS' && keyword !== 'INNER' && !context.shared.isStrict)
    context.shared.settings.set('join_use_nulls', '1');
  state.pieces.push(sql`${keyword} JOIN ${located(item.at, own)}${condition}`);
  const isStrict = context.shared.isStrict;
  const kept = keepsOwn ? state.relations.map((each) => lost(each, isStrict)) : state.relations;
  const isOptional = join === 'LEFT' || join === 'FULL';
  const fresh = isOptional ? added.map((each) => lost(each, isStrict)) : added;
  const without = (each: Relation): Relation => ({
    ...each,
    merged: new Set([...(each.merged ?? []), ...(merged ?? [])]),
  });
  state.relations =
    merged === undefined
      ? [...kept, ...fresh]
      : isStrict && keepsOwn
        ? [mergedColumns(merged, item, [kept, fresh]), ...[...kept, ...fresh].map(without)]
        : [...kept, ...fresh.map(without)];
}
