// FROM: tables, subqueries and joins in parentheses are joined; arrays and functions that return rows are joined by ARRAY JOIN.
import type { FromItem } from '../tree.ts';
import { consumed } from '../consume.ts';
import { placeholder, UnconvertedError, type Context, type FromState, type Relation } from '../context.ts';
import { located, sql, type Sql } from '../value.ts';
import { joinCondition, mergedColumns } from './join.ts';
import { lateralJoin } from './lateral.ts';
import { packed } from './packed.ts';
import { inRelations, lost } from './scope.ts';
import { rowsOf } from './row-source.ts';
import { readTable, type ItemPlace } from './table.ts';
import { addRows, arrayPath, rowsTable } from './unnest.ts';

/** FROM as SQL, and what the other clauses need to know about it. */
export interface WrittenFrom {
  /** Undefined if there is no table to read. */
  readonly sql: Sql | undefined;
  readonly relations: readonly Relation[];
  /** Conditions of joins with arrays, which must be in WHERE. */
  readonly conditions: readonly Sql[];
}

/** What is joined next: its SQL with a name, and what it adds to the scope. */
interface Joined {
  /** Undefined for a relation without rows of its own. */
  readonly sql: Sql | undefined;
  readonly relations: readonly Relation[];
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
function writeGroup(items: readonly FromItem[], place: ItemPlace & { readonly at: number }): Joined {
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
