// Arrays and records in FROM: unnested records become aliases for a path; arrays, and functions that return rows, become ARRAY JOINs.
import type { Expression, FromItem } from '../tree.ts';
import { unconverted } from '../context.ts';
import { columnValue, isRecord } from '../record.ts';
import { joinSql, sql, type Sql } from '../sql.ts';
import { UNKNOWN, value, type Kind, type Type, type Value } from '../value.ts';
import { conditionSql } from './condition.ts';
import { columnsByName, relationOf, inRelations } from './scope.ts';
import type { Context, Relation, RowSource } from './context.ts';
import type { State } from './from.ts';

interface Place {
  readonly state: State;
  /** It sees the earlier elements of FROM. */
  readonly context: Context;
}

/** The unnested expression: the argument of UNNEST, or `table.column` if the table precedes it. */
export function arrayPath({ source, at }: FromItem, { scope }: Context): Expression | undefined {
  if (source.kind === 'unnest') return unnestedOf(source.array);
  if (source.kind !== 'table' || source.parts.length < 2) return undefined;
  const first = source.parts[0]?.name.toLowerCase();
  const isPath = [...scope.relations, ...(scope.parent?.relations ?? [])].some(
    ({ alias, columns }) => alias?.toLowerCase() === first || columns?.has(first ?? '') === true,
  );
  return isPath ? { kind: 'path', at, parts: source.parts } : undefined;
}

/** `COALESCE(array, [])` without its default: a missing array has no elements either. */
export function unnestedOf(array: Expression): Expression {
  if (array.kind !== 'call' || !['coalesce', 'ifnull'].includes(array.name)) return array;
  const [only, ...more] = array.args;
  const areEmpty = more.every((each) => each.kind === 'array' && each.items.length === 0);
  return only !== undefined && more.length > 0 && areEmpty ? only : array;
}

/** An array or a record of BigQuery. */
export function addUnnested(item: FromItem, array: Expression, { state, context }: Place): void {
  const { join, alias, on, using } = item;
  const unnested = context.write(array, context);
  if (using !== undefined || join === 'RIGHT' || join === 'FULL') {
    unconverted(item.at, 'join', 'Arrays can only be unnested by CROSS, INNER or LEFT JOIN');
  }
  const name = alias?.name ?? (item.source.kind === 'table' ? item.source.parts.at(-1)?.name : undefined);
  const isAlias =
    isRecord(unnested) || (unnested.subcolumn !== undefined && isUsedAsRecord(item, name, context));
  const added = isAlias
    ? [recordOf(name, unnested, state.relations)]
    : addArray(item, { unnested, name }, { state, context });
  state.relations = [...state.relations, ...added];
  if (on === undefined || (on.kind === 'boolean' && on.value)) return;
  if (join === 'LEFT')
    unconverted(on.at, 'join', 'LEFT JOIN UNNEST only supports ON TRUE', 'Move the condition to WHERE.');
  addCondition(item, { state, context });
}

/** ON of a join with an array, which ClickHouse does not have. */
function addCondition({ on }: FromItem, { state, context }: Place): void {
  if (on === undefined) return;
  const after: Context = { ...context, scope: { ...context.scope, relations: state.relations } };
  state.conditions.push(conditionSql(on, after));
}

/** An array element or a record, which is read by its name. */
function elementRelation(alias: string | undefined, element: Value): Relation {
  return { alias, written: '', columns: new Map(), element };
}

/** A record of a table that an outer join may lose is lost with it. */
function recordOf(alias: string | undefined, element: Value, relations: readonly Relation[]): Relation {
  const { subcolumn } = element;
  const isOwn = ({ columns, element: other }: Relation) =>
    [
      ...[...(columns?.values() ?? [])].map((column) => column.value),
      ...(other === undefined ? [] : [other]),
    ].some((each) => subcolumn !== undefined && each.subcolumn?.root === subcolumn.root);
  const marker = relations.find(isOwn)?.marker;
  return { ...elementRelation(alias, element), ...(marker === undefined ? {} : { marker }) };
}

/** A dynamically typed path is an array if one of its elements is used as a whole, otherwise a record. */
export function isUsedAsRecord({ source }: FromItem, name: string | undefined, { shared }: Context): boolean {
  if (source.kind === 'unnest' && source.offset !== undefined) return false;
  return name === undefined || shared.isRecordName(name.toLowerCase());
}

interface Unnested {
  readonly unnested: Value;
  readonly name: string | undefined;
}

/** Kinds of elements that cannot be NULL. */
const COMPOSITE: ReadonlySet<Kind> = new Set(['object', 'array', 'tuple', 'map', 'dynamic', 'unknown']);
export const isComposite = ({ kind }: Type): boolean => COMPOSITE.has(kind);

function addArray(
  { source, join }: FromItem,
  { unnested, name }: Unnested,
  { state, context }: Place,
): readonly Relation[] {
  const { sql: array, type } = context.elements(unnested);
  const element = type.element ?? UNKNOWN;
  const { fresh } = context.shared;
  const offset = source.kind === 'unnest' ? source.offset : undefined;
  const [item, place] = [fresh('a'), fresh('o')];
  const numbers = offset === undefined ? '' : sql`, arrayEnumerate(${array}) AS ${place}`;
  const hasNull = !isComposite(element);
  if (state.pieces.length === 0) {
    const whole = fresh('x');
    const read = offset === undefined ? '' : sql`, ${place}`;
    const inner = offset === undefined ? '' : sql`, arrayEnumerate(${whole}) AS ${place}`;
    const table = fresh('t');
    state.pieces.push(
      sql`(SELECT ${item}${read} FROM (SELECT ${array} AS ${whole}) ARRAY JOIN ${whole} AS ${item}${inner}) AS ${table}`,
    );
  } else {
    const each = fresh('x');
    // Without elements there is one row, whose element is NULL if it can be.
    const own = join === 'LEFT' && hasNull ? sql`arrayMap(${each} -> toNullable(${each}), ${array})` : array;
    state.pieces.push(sql`${join === 'LEFT' ? 'LEFT ' : ''}ARRAY JOIN ${own} AS ${item}${numbers}`);
  }
  const isLost = join === 'LEFT' && (!hasNull || offset !== undefined);
  const found = columnValue(item, element);
  const own = elementRelation(name, isLost ? { ...found, absent: sql`empty(${array})` } : found);
  if (offset === undefined) return [own];
  return [own, elementRelation(offset.name, value('int', sql`(${place} - 1)`))];
}

/** An array per row becomes ARRAY JOIN; false if it has to be joined like a table. */
export function addRows(item: FromItem, rows: RowSource, { state, context }: Place): boolean {
  const isFirst = state.pieces.length === 0;
  const isTrue = item.on === undefined || (item.on.kind === 'boolean' && item.on.value);
  const isLeft = item.join === 'LEFT' || rows.isOuter;
  // The condition of an inner join of elements of the row is one of WHERE.
  const isCondition = !isTrue && rows.isCorrelated && !isLeft;
  const isArrayJoin = !isFirst && (isTrue || isCondition) && item.join !== 'RIGHT' && item.join !== 'FULL';
  if (!isArrayJoin) {
    if (rows.isCorrelated)
      unconverted(item.at, 'join', 'This join with the elements of an array is not converted');
    return false;
  }
  const columns = rows.columns.map((each) => ({
    ...each,
    alias: context.shared.fresh(each.name.replaceAll(/\W/g, '_')),
  }));
  const [only, more] = columns;
  const sole = only === undefined || more !== undefined ? undefined : only;
  const variable = context.shared.style.name(sole?.alias ?? context.shared.fresh('element'));
  if (isLeft && sole === undefined)
    unconverted(item.at, 'join', 'This outer join with the elements of an array is not converted');
  const array = isLeft ? sql`arrayMap(x -> toNullable(x), ${rows.array})` : rows.array;
  state.pieces.push(sql`${isLeft ? 'LEFT ' : ''}ARRAY JOIN ${array} AS ${variable}`);
  const values = columns.map(({ name, type, of }) => ({
    name,
    value: { sql: of(variable), type: isLeft ? { ...type, isNullable: true } : type },
  }));
  const relation: Relation = {
    alias: rows.alias,
    written: context.shared.style.name(rows.alias),
    columns: columnsByName(values),
    isInline: true,
  };
  state.relations = [...state.relations, relation];
  if (isCondition) addCondition(item, { state, context });
  return true;
}

/** A query that returns the elements, as a table. */
export function rowsTable(
  { array, columns, alias }: RowSource,
  context: Context,
): { readonly sql: Sql; readonly relations: readonly Relation[] } {
  const { name } = context.shared.style;
  const variable = name(`${alias}_element`.replaceAll(/\W/g, '_'));
  const [only, more] = columns;
  const isSole = only !== undefined && more === undefined && only.of('x') === 'x';
  const query = isSole
    ? sql`SELECT arrayJoin(${array}) AS ${name(only.name)}`
    : sql`SELECT ${joinSql(columns.map((each) => sql`${each.of(variable)} AS ${name(each.name)}`))} FROM (SELECT arrayJoin(${array}) AS ${variable})`;
  const written = name(alias);
  return {
    sql: sql`(${query}) AS ${written}`,
    relations: [relationOf(alias, written, { columns, context })],
  };
}

/** The context of an expression over one array or record, whose names come first. */
export function withElement(context: Context, alias: string | undefined, element: Value): Context {
  return { ...inRelations(context, [elementRelation(alias, element)]), isGrouped: false, rows: undefined };
}
