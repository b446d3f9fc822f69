// Writes FROM: tables are joined; unnested records become aliases for a path; unnested arrays become ARRAY JOINs.
import { nearest } from '../../core/nearest.ts';
import type { Context } from '../context.ts';
import { arrayOf } from '../functions/array.ts';
import { syntax, unknown, untranslated } from '../translation-error.ts';
import { columnOf, columnsByName, type OutputColumn, type Relation } from '../scope.ts';
import { type Sql, joinSql, located, sql } from '../../dialects/sql.ts';
import type { Expression, FromItem, Name } from '../../sql/syntax-tree.ts';
import { value, type Value } from '../../dialects/value.ts';
import { columnValue, condition, isRecord, key, quoteName } from '../value.ts';
import { packed } from './packed.ts';
import { unnestedOf } from './unnested.ts';

/** FROM as SQL, and what the other clauses need to know about it. */
export interface WrittenFrom {
  /** Undefined if there is no table to read. */
  readonly sql: Sql | undefined;
  readonly relations: readonly Relation[];
  /** Conditions of joins with arrays, which must be in WHERE. */
  readonly conditions: readonly Sql[];
}

/** State while FROM is written. */
interface State {
  readonly pieces: Sql[];
  relations: readonly Marked[];
  readonly conditions: Sql[];
}

/**
 * Translates the elements of FROM in order: each can refer to those before it.
 * @throws UnconvertedError
 */
export function writeFrom(items: readonly FromItem[], context: Context): WrittenFrom {
  const [first, ...more] = items;
  // Parentheses around the first tables change nothing.
  const all = first?.source.kind === 'group' ? [...first.source.items, ...more] : items;
  const { pieces, relations, conditions } = writeItems(all, { context, isLost: false });
  return { sql: pieces.length === 0 ? undefined : joinSql(pieces, ' '), relations, conditions };
}

function writeItems(items: readonly FromItem[], { context, isLost }: TableOptions): State {
  const state: State = { pieces: [], relations: [], conditions: [] };
  for (const [index, item] of items.entries()) {
    const array = arrayPath(item, state, context);
    if (array !== undefined) addUnnested(item, array, state, context);
    else addTable(item, state, { context, isLost: isLost || isLostLater(items.slice(index + 1)) });
  }
  return state;
}

/** Whether a later outer join may produce no row of this table. */
function isLostLater(later: readonly FromItem[]): boolean {
  return later.some(({ join }) => join === 'RIGHT' || join === 'FULL');
}

function inScope(relations: readonly Relation[], context: Context): Context {
  const scope = { relations, aliases: new Map<string, Value>(), parent: context.scope };
  return { ...context, scope, aliases: 'no', isGrouped: false };
}

/** The unnested expression: the argument of UNNEST, or `table.column` if the table precedes it. */
function arrayPath({ source, at }: FromItem, { relations }: State, context: Context): Expression | undefined {
  if (source.kind === 'unnest') return unnestedOf(source.array);
  if (source.kind !== 'table' || source.parts.length < 2) return undefined;
  const first = source.parts[0]?.name.toLowerCase();
  const named = [...relations, ...context.scope.relations];
  const isPath = named.some(
    ({ alias, columns }) => alias?.toLowerCase() === first || columns.has(first ?? ''),
  );
  return isPath ? { kind: 'path', at, parts: source.parts } : undefined;
}

interface TableOptions {
  readonly context: Context;
  /** Whether a later outer join may produce no row of it. */
  readonly isLost: boolean;
}

/** What is joined next: its SQL with a name, and what it adds to the scope. */
interface Joined {
  readonly sql: Sql;
  readonly relations: readonly Marked[];
}

/** Joins a table, a subquery, or a join in parentheses. */
function addTable(item: FromItem, state: State, { context, isLost }: TableOptions): void {
  const { join, source } = item;
  const isMarked = isLost || join === 'LEFT' || join === 'FULL';
  const options = { context, isLost: isMarked };
  const added =
    source.kind === 'group'
      ? writeGroup(source.items, { ...options, at: item.at })
      : namedTable(item, options);
  // An outer join adds the absence condition to every preceding column.
  const before = join === 'RIGHT' || join === 'FULL' ? state.relations : [];
  context.spend(
    item.at,
    [...before, ...added.relations].reduce((sum, each) => sum + each.columns.size, 0),
  );
  const { condition: on, merged } = joinCondition(item, state.relations, { own: added.relations, context });
  const isFirst = state.pieces.length === 0;
  const keyword = isFirst
    ? ''
    : on === undefined
      ? 'CROSS JOIN '
      : `${join === 'CROSS' ? 'INNER' : join} JOIN `;
  state.pieces.push(sql`${keyword}${located(item.at, added.sql)}${on === undefined ? '' : sql` ON ${on}`}`);
  const kept = join === 'RIGHT' || join === 'FULL' ? state.relations.map(lost) : state.relations;
  const own = join === 'LEFT' || join === 'FULL' ? added.relations.map(lost) : added.relations;
  state.relations = [...kept, ...(merged === undefined ? own : own.map((each) => ({ ...each, merged })))];
}

function namedTable(item: FromItem, { context, isLost }: TableOptions): Joined {
  const { sql: table, columns, alias } = readTable(item, context);
  const name = context.shared.fresh('t');
  const marker = isLost ? context.shared.fresh('h') : undefined;
  const read = marker === undefined ? table : sql`(SELECT *, 1 AS ${quoteName(marker)} FROM ${table})`;
  const own: Relation = {
    alias,
    columns: columnsByName(
      columns.map((column) => ({
        name: column.name,
        value: columnValue(sql`${name}.${quoteName(column.name)}`, column.type),
      })),
    ),
  };
  const marked = marker === undefined ? own : { ...own, marker: sql`${name}.${quoteName(marker)} = 0` };
  return { sql: sql`${read} AS ${name}`, relations: [marked] };
}

/** A join in parentheses: one table with unnested records, or several tables as a subquery. */
function writeGroup(items: readonly FromItem[], options: TableOptions & { readonly at: number }): Joined {
  const { pieces, relations, conditions } = writeItems(items, options);
  const [only = '', more] = pieces;
  if (more === undefined && conditions.length === 0) return { sql: only, relations };
  return packed({ sql: joinSql(pieces, ' '), relations, conditions }, options);
}

type Marked = Relation & {
  /** The condition that a later outer join produced no row of it. */
  readonly marker?: Sql;
};

/** The relation after an outer join that may produce no row of it. */
function lost(relation: Marked): Marked {
  const { marker: absent } = relation;
  if (absent === undefined) return relation;
  const mark = (each: Value): Value => ({ ...each, type: { ...each.type, isNullable: true }, absent });
  return {
    ...relation,
    columns: columnsByName(
      [...relation.columns.values()].map((column) => ({ ...column, value: mark(column.value) })),
    ),
    ...(relation.element === undefined ? {} : { element: mark(relation.element) }),
  };
}

interface Read {
  readonly sql: Sql;
  readonly columns: readonly OutputColumn[];
  readonly alias: string | undefined;
}

function readTable({ source, alias, at }: FromItem, context: Context): Read {
  if (source.kind === 'query') {
    const query = context.query(source.query, context, { isShown: false, isPlain: false });
    return { sql: sql`(${query.sql})`, columns: query.columns, alias: alias?.name };
  }
  const parts = source.kind === 'table' ? source.parts : [];
  const [name, more] = parts;
  if (name === undefined) return syntax(at, 'Table functions are not allowed');
  if (more !== undefined) return notHere(name, parts.map((part) => part.name).join('.'), context);
  const table = context.tables.get(name.name.toLowerCase());
  if (table === undefined) return notHere(name, name.name, context);
  return { ...table, alias: alias?.name ?? name.name };
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

interface JoinOptions {
  readonly own: readonly Relation[];
  readonly context: Context;
}

function joinCondition(
  { on, using, join, at }: FromItem,
  before: readonly Relation[],
  { own, context }: JoinOptions,
) {
  if (using !== undefined) {
    if (join === 'RIGHT' || join === 'FULL')
      untranslated(at, `${join} JOIN with USING is not supported`, 'Write ON a.x = b.x.');
    const pairs = using.map((name) => sql`${usedColumn(name, before)} = ${usedColumn(name, own)}`);
    return {
      condition: joinSql(pairs, ' AND '),
      merged: new Set(using.map(({ name }) => name.toLowerCase())),
    };
  }
  if (on === undefined) {
    if (join !== 'CROSS') syntax(at, `${join} JOIN requires ON or USING`);
    return { condition: undefined, merged: undefined };
  }
  const inside = inScope([...before, ...own], context);
  return { condition: condition(inside.write(on, { ...inside, nullIsFalse: true })), merged: undefined };
}

function usedColumn(name: Name, relations: readonly Relation[]): Sql {
  const found = relations.map((relation) => columnOf(relation, name)).find((each) => each !== undefined);
  return found === undefined
    ? unknown(name.at, `USING requires column ${name.name} on both sides`)
    : key(found).sql;
}

function addUnnested(item: FromItem, array: Expression, state: State, context: Context): void {
  const { join, alias, on, using } = item;
  const inside = inScope(state.relations, context);
  const unnested = inside.write(array, inside);
  if (using !== undefined || join === 'RIGHT' || join === 'FULL') {
    untranslated(item.at, 'Arrays can only be unnested by CROSS, INNER or LEFT JOIN');
  }
  const name = alias?.name ?? (item.source.kind === 'table' ? item.source.parts.at(-1)?.name : undefined);
  const isAlias =
    isRecord(unnested) || (unnested.subcolumn !== undefined && isUsedAsRecord(item, name, context));
  const added = isAlias
    ? [recordOf(name, unnested, state.relations)]
    : addArray(item, { unnested, name }, state, context);
  state.relations = [...state.relations, ...added];
  if (on === undefined || (on.kind === 'boolean' && on.value)) return;
  if (join === 'LEFT')
    untranslated(on.at, 'LEFT JOIN UNNEST only supports ON TRUE', 'Move the condition to WHERE.');
  const after = inScope(state.relations, context);
  state.conditions.push(condition(after.write(on, { ...after, nullIsFalse: true })));
}

/** A record of a table that an outer join may lose is lost with it. */
function recordOf(alias: string | undefined, element: Value, relations: readonly Marked[]): Marked {
  const { subcolumn } = element;
  const isOwn = ({ columns, element: other }: Marked) =>
    [...[...columns.values()].map((column) => column.value), ...(other === undefined ? [] : [other])].some(
      (each) => subcolumn !== undefined && each.subcolumn?.root === subcolumn.root,
    );
  const marker = relations.find(isOwn)?.marker;
  return { alias, columns: new Map(), element, ...(marker === undefined ? {} : { marker }) };
}

/** A dynamically typed path is an array if one of its elements is used as a whole, otherwise a record. */
function isUsedAsRecord({ source }: FromItem, name: string | undefined, { isRecordName }: Context): boolean {
  if (source.kind === 'unnest' && source.offset !== undefined) return false;
  return name === undefined || isRecordName(name.toLowerCase());
}

interface Unnested {
  readonly unnested: Value;
  readonly name: string | undefined;
}

function addArray(
  { source, join }: FromItem,
  { unnested, name }: Unnested,
  state: State,
  context: Context,
): readonly Relation[] {
  const { sql: array, element } = arrayOf(unnested);
  const offset = source.kind === 'unnest' ? source.offset : undefined;
  const [item, place] = [context.shared.fresh('a'), context.shared.fresh('o')];
  const numbers = offset === undefined ? '' : sql`, arrayEnumerate(${array}) AS ${place}`;
  if (state.pieces.length === 0) {
    const whole = context.shared.fresh('x');
    const read = offset === undefined ? '' : sql`, ${place}`;
    const inner = offset === undefined ? '' : sql`, arrayEnumerate(${whole}) AS ${place}`;
    const table = context.shared.fresh('t');
    state.pieces.push(
      sql`(SELECT ${item}${read} FROM (SELECT ${array} AS ${whole}) ARRAY JOIN ${whole} AS ${item}${inner}) AS ${table}`,
    );
  } else if (join === 'LEFT')
    state.pieces.push(leftArray({ array, item, numbers, isScalar: isScalar(element.kind) }, context));
  else state.pieces.push(sql`ARRAY JOIN ${array} AS ${item}${numbers}`);
  const isLost = join === 'LEFT' && (!isScalar(element.kind) || offset !== undefined);
  const found = columnValue(item, element);
  const own: Relation = {
    alias: name,
    columns: new Map(),
    element: isLost ? { ...found, absent: sql`empty(${array})` } : found,
  };
  if (offset === undefined) return [own];
  return [own, { alias: offset.name, columns: new Map(), element: value('int', sql`(${place} - 1)`) }];
}

function isScalar(kind: string): boolean {
  return !['object', 'array', 'tuple', 'map', 'dynamic', 'unknown'].includes(kind);
}

interface LeftArray {
  readonly array: Sql;
  readonly item: string;
  readonly numbers: Sql;
  readonly isScalar: boolean;
}

/** An empty array produces one row with a null element. */
function leftArray({ array, item, numbers, isScalar: hasNull }: LeftArray, { shared }: Context): Sql {
  if (!hasNull || numbers !== '') return sql`LEFT ARRAY JOIN ${array} AS ${item}${numbers}`;
  const each = shared.fresh('x');
  return sql`ARRAY JOIN emptyArrayToSingle(arrayMap(${each} -> toNullable(${each}), ${array})) AS ${item}`;
}
