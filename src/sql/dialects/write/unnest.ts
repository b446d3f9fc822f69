// Arrays and records in FROM: unnested records become aliases for a path; arrays, and functions that return rows, become ARRAY JOINs.
import type { Expression, FromItem } from '../tree.ts';
import {
  unconverted,
  type Context,
  type FromState,
  type Relation,
  type RelationColumn,
  type RowSource,
} from '../context.ts';
import { columnValue, isRecord } from '../record.ts';
import { joinSql, sql, type Sql, loose, value, type Kind, type Type, type Value } from '../value.ts';
import { conditionSql } from './nested.ts';
import { columnsByName, relationOf, inRelations } from './scope.ts';

interface UnnestPlace {
  readonly state: FromState;
  /** It sees the earlier elements of FROM. */
  readonly context: Context;
}

/** The unnested expression: the argument of UNNEST, or in BigQuery `table.column` if the table precedes it. */
export function arrayPath({ source, at }: FromItem, { scope, shared }: Context): Expression | undefined {
  if (source.kind === 'unnest') return unnestedOf(source.array);
  if (source.kind !== 'table' || source.parts.length < 2 || !shared.traits.rowsAreRecords) return undefined;
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

/** ON of a join with an array, which ClickHouse does not have. */
function addCondition({ on }: FromItem, { state, context }: UnnestPlace): void {
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

/** Kinds of elements that cannot be NULL. */
const COMPOSITE: ReadonlySet<Kind> = new Set(['object', 'array', 'tuple', 'map', 'dynamic', 'unknown']);
export const isComposite = ({ kind }: Type): boolean => COMPOSITE.has(kind);

/** Adds rows to FROM: a record as an alias, an array per row as ARRAY JOIN. False: they have to be joined like a table. */
export function addRows(item: FromItem, rows: RowSource, { state, context }: UnnestPlace): boolean {
  const { join, on, using } = item;
  const record = recordIn(item, rows, context);
  const isTrue = on === undefined || (on.kind === 'boolean' && on.value);
  const isLeft = join === 'LEFT';
  const isInner = using === undefined && join !== 'RIGHT' && join !== 'FULL' && (isTrue || !isLeft);
  const isJoined = isInner && (record !== undefined || state.pieces.length > 0);
  // At run time, and for elements of the row, the condition of an inner join is one of WHERE.
  if (!isInner && (rows.isCorrelated || context.shared.isStrict))
    return unconverted(
      item.at,
      'join',
      'Arrays are joined only by CROSS, INNER or LEFT JOIN … ON TRUE',
      'Move the condition to WHERE.',
    );
  if (!isJoined && rows.isCorrelated && !context.shared.isStrict)
    return unconverted(item.at, 'join', 'A subquery of the elements of an array is not converted');
  if (!isJoined || !(isTrue || rows.isCorrelated || context.shared.isStrict)) return false;
  const added =
    record === undefined
      ? joinedArray(rows, isLeft, { state, context })
      : [recordOf(rows.alias, record, state.relations)];
  state.relations = [...state.relations, ...added];
  if (!isTrue) addCondition(item, { state, context });
  return true;
}

/** At run time, a record that is treated as an array with one element. */
function recordIn(item: FromItem, { written, alias }: RowSource, context: Context): Value | undefined {
  if (written === undefined || !context.shared.isStrict) return undefined;
  const isUsed = written.subcolumn !== undefined && isUsedAsRecord(item, alias, context);
  return isRecord(written) || isUsed ? written : undefined;
}

/** ARRAY JOIN. With LEFT, there is one row without elements, in which they are NULL. */
function joinedArray(rows: RowSource, isLeft: boolean, { state, context }: UnnestPlace): readonly Relation[] {
  const { array, columns, offset } = rows;
  const [only, more] = columns;
  const hasNull = more === undefined && only !== undefined && canBeNull(only.type, context);
  const [item, place] = [freshName(only?.name ?? 'element', context), freshName('place', context)];
  const own = isLeft && hasNull ? sql`arrayMap(x -> toNullable(x), ${array})` : array;
  const numbers = offset === undefined ? '' : sql`, arrayEnumerate(${array}) AS ${place}`;
  state.pieces.push(sql`${isLeft ? 'LEFT ' : ''}ARRAY JOIN ${own} AS ${item}${numbers}`);
  const absent = isLeft && !hasNull ? { absent: sql`empty(${array})` } : {};
  const values = columns.map(({ name, type, of }) => ({
    name,
    value: { ...columnValue(of(item), isLeft ? { ...type, isNullable: true } : type), ...absent },
  }));
  const places = isLeft ? value('int', sql`nullIf(${place}, 0)`) : value('int', place, false);
  return relationsOf(rows, offset === undefined ? values : [...values, placeColumn(offset, places)], context);
}

const freshName = (own: string, { shared }: Context): string =>
  shared.isStrict ? shared.fresh('a') : shared.style.name(shared.fresh(own.replaceAll(/\W/g, '_')));

/** Returns whether elements can be replaced by NULL; of those whose type is not known, only offline. */
const canBeNull = (type: Type, { shared }: Context): boolean =>
  !isComposite(type) || (type.kind === 'unknown' && !shared.isStrict);

function placeColumn({ name, base }: NonNullable<RowSource['offset']>, place: Value): RelationColumn {
  const { type, sql: own } = place;
  const from = base === 0 ? loose('int', sql`${own} - 1`, type.isNullable, { scale: 0 }) : place;
  return { name, value: from };
}

/** At run time, an element is read by its name; offline, the columns are written as expressions. */
function relationsOf(
  { alias }: RowSource,
  columns: readonly RelationColumn[],
  { shared }: Context,
): readonly Relation[] {
  if (shared.isStrict)
    return columns.map(({ name, value: own }, index) => elementRelation(index === 0 ? alias : name, own));
  const own = alias ?? 'element';
  return [{ alias: own, written: shared.style.name(own), columns: columnsByName(columns), isInline: true }];
}

/** A query that returns the elements, as a table. */
export function rowsTable(
  rows: RowSource,
  context: Context,
): { readonly sql: Sql; readonly relations: readonly Relation[] } {
  const { array, columns, offset, alias = 'element' } = rows;
  const { isStrict, fresh, style } = context.shared;
  const table = isStrict ? fresh('t') : style.name(alias);
  const [only, more] = columns;
  if (!isStrict && only !== undefined && more === undefined && offset === undefined) {
    const query = sql`SELECT ${only.of(sql`arrayJoin(${array})`)} AS ${style.name(only.name)}`;
    return { sql: sql`(${query}) AS ${table}`, relations: [relationOf(alias, table, { columns, context })] };
  }
  const [item, place, whole] = ['element', 'place', 'whole'].map((each) => freshName(each, context));
  const own = columns.map(({ name, type, of }) => ({ name, value: { sql: of(item ?? ''), type } }));
  const all = offset === undefined ? own : [...own, placeColumn(offset, value('int', place ?? '', false))];
  const items = all.map((each) => sql`${each.value.sql} AS ${style.name(each.name)}`);
  const numbers = offset === undefined ? '' : sql`, arrayEnumerate(${whole ?? ''}) AS ${place ?? ''}`;
  const from = sql`(SELECT ${array} AS ${whole ?? ''}) ARRAY JOIN ${whole ?? ''} AS ${item ?? ''}${numbers}`;
  const types = all.map((each) => ({ name: each.name, type: each.value.type }));
  const relation = relationOf(alias, table, { columns: types, context });
  return {
    sql: sql`(SELECT ${joinSql(items)} FROM ${from}) AS ${table}`,
    relations: isStrict ? relationsOf(rows, [...(relation.columns?.values() ?? [])], context) : [relation],
  };
}

/** The context of an expression over one array or record, whose names come first. */
export function withElement(context: Context, alias: string | undefined, element: Value): Context {
  return withElements(context, [{ alias, element }]);
}

/** Does the same over one array, with the places of its elements. */
export function withElements(
  context: Context,
  elements: readonly { readonly alias: string | undefined; readonly element: Value }[],
): Context {
  const relations = elements.map(({ alias, element }) => elementRelation(alias, element));
  return { ...inRelations(context, relations), isGrouped: false, rows: undefined };
}
