// Lateral subqueries: those that compute values become these values, those that filter by an equality are joined.
import type { Expression, FromItem, Name, Query, Select } from '../tree.ts';
import {
  unconverted,
  type Context,
  type OutputColumn,
  type Relation,
  type RelationColumn,
} from '../context.ts';
import { isAggregate } from '../functions/row-functions.ts';
import { joinSql, sql, type Sql, whole } from '../value.ts';
import { writeNested, conjunctsOf, containsAggregate, hasWindow, isCount } from './nested.ts';
import { columnsByName, lost, relationOf } from './scope.ts';

/** A join with a lateral subquery. */
interface Lateral {
  /** Undefined if its columns are written as expressions. */
  readonly sql: Sql | undefined;
  readonly relation: Relation;
}

/** A join with a lateral subquery; undefined if it does not refer to earlier tables. */
export function lateralJoin(item: FromItem, context: Context): Lateral | undefined {
  const { source, at } = item;
  if (source.kind !== 'query' || item.isLateral !== true) return undefined;
  const { notes } = context.shared;
  const before = notes.length;
  const { isCorrelated } = writeNested(source.query, context);
  notes.length = before;
  if (!isCorrelated) return undefined;
  const isTrue = item.on === undefined || (item.on.kind === 'boolean' && item.on.value);
  if (!isTrue || !['CROSS', 'INNER', 'LEFT'].includes(item.join))
    return unconverted(at, 'join', 'A lateral subquery is converted only with ON TRUE');
  const { body } = source.query;
  if (body.kind !== 'select') return unconverted(at, 'join', 'A lateral set operation is not converted');
  const own = item.alias?.name ?? context.shared.fresh('lateral');
  if (body.from.length === 0 && body.where === undefined)
    return computed(body, own, { context, columns: item.columns });
  return keyed(source.query, body, { item, own, context });
}

/** `LATERAL (SELECT a + b AS c)`: the names are replaced by the expressions. */
function computed(
  body: Select,
  own: string,
  { context, columns }: { readonly context: Context; readonly columns: readonly Name[] | undefined },
): Lateral {
  const values: RelationColumn[] = [];
  body.items.forEach((item, index) => {
    if (item.kind === 'star' || containsAggregate(item.value))
      return unconverted(body.at, 'join', 'This lateral subquery is not converted');
    const name =
      columns?.[index]?.name ??
      item.alias?.name ??
      (item.value.kind === 'path' ? item.value.parts.at(-1)?.name : undefined) ??
      `column${index + 1}`;
    values.push({ name, value: { ...context.write(item.value, context), isLoose: true } });
    return undefined;
  });
  const written = context.shared.style.name(own);
  return {
    sql: undefined,
    relation: { alias: own, written, columns: columnsByName(values), isInline: true },
  };
}

interface JoinKey {
  readonly inner: Expression;
  readonly outer: Expression;
}

interface LateralPlace {
  readonly item: FromItem;
  readonly own: string;
  readonly context: Context;
}

/** The conditions of a subquery: its equalities with earlier tables, and what is left. */
interface Conditions {
  readonly keys: readonly (JoinKey & { readonly name: string })[];
  readonly where: Expression | undefined;
}

/** A subquery whose rows are selected by equalities with earlier tables: it is joined by them. */
function keyed(query: Query, body: Select, { item, own, context }: LateralPlace): Lateral {
  const { style } = context.shared;
  const isUngrouped =
    body.groupBy.length === 0 &&
    body.items.some((each) => each.kind === 'value' && containsAggregate(each.value));
  checkShape(query, body, isUngrouped);
  const { keys, where } = conditionsOf(body, context);
  const { limit, ...unlimited } = query;
  const select = withKeys(body, { keys, where }, isUngrouped);
  const nested = writeNested({ ...unlimited, body: select }, context, { isShown: false, isPlain: true });
  if (nested.isCorrelated)
    return unconverted(
      item.at,
      'join',
      'A lateral subquery that refers to earlier tables elsewhere than in an equality is not converted',
    );
  const names = keys.map((each) => style.name(each.name));
  const limits = limit === undefined || isUngrouped ? [] : [`LIMIT ${limit} BY ${names.join(', ')}`];
  const written = style.name(own);
  const on = keys.map((each, index) => {
    const column = sql`${written}.${names[index] ?? ''}`;
    const found = nested.columns?.at(index - keys.length)?.value.type;
    // A group has any of the strings that are equal to its key.
    const own =
      found !== undefined && context.shared.traits.ignoresCase
        ? context.key({ sql: column, type: found }).sql
        : column;
    const outer = context.key(context.write(each.outer, context)).sql;
    // Computed integers may be unsigned, and have no common type with the other side then.
    const isComputed = each.inner.kind !== 'path' && found?.kind === 'int';
    return isComputed ? sql`toInt64(${own}) = toInt64(${outer})` : sql`${own} = ${outer}`;
  });
  const isLeft = item.join === 'LEFT' || isUngrouped;
  const { isStrict, settings, fresh } = context.shared;
  const marker = isLeft && isStrict ? style.name(fresh('h')) : undefined;
  if (isLeft && !isStrict) settings.set('join_use_nulls', '1');
  const columns = nested.columns?.slice(0, -keys.length);
  const counts = isUngrouped ? body : undefined;
  const relation = joinedRelation(columns, { own, isLeft, marker, counts, context });
  const rows = style.block(style.lines([nested.sql, ...limits]));
  const table = marker === undefined ? rows : sql`(SELECT *, 1 AS ${marker} FROM ${rows})`;
  const kind = isLeft ? 'LEFT' : 'INNER';
  return { sql: sql`${kind} JOIN ${table} AS ${written}${style.below}ON ${joinSql(on, ' AND ')}`, relation };
}

interface Joining {
  readonly own: string;
  readonly isLeft: boolean;
  readonly marker: string | undefined;
  /** The subquery, if it has aggregates without groups: without rows, count is 0. */
  readonly counts: Select | undefined;
  readonly context: Context;
}

function joinedRelation(
  columns: readonly OutputColumn[] | undefined,
  { own, isLeft, marker, counts, context }: Joining,
): Relation {
  const types = columns?.map(({ name, value: { type } }) => ({ name, type }));
  const written = context.shared.style.name(own);
  const plain = relationOf(own, written, { columns: types, context });
  const marked = marker === undefined ? plain : { ...plain, marker: sql`${written}.${marker} = 0` };
  const relation = isLeft ? lost(marked, context.shared.isStrict) : marked;
  if (counts === undefined || relation.columns === undefined) return relation;
  const counted = [...relation.columns.values()].map((column, index) => {
    const item = counts.items[index];
    if (item?.kind !== 'value' || !isCount(item.value)) return { name: column.name, value: column.value };
    const type = { ...column.value.type, isNullable: false };
    return { name: column.name, value: { sql: sql`ifNull(${whole(column.value)}, 0)`, type } };
  });
  return { ...relation, columns: columnsByName(counted) };
}

function checkShape(query: Query, body: Select, isUngrouped: boolean): void {
  const isPlain =
    !body.isDistinct && body.distinctOn === undefined && body.qualify === undefined && body.groupBy !== 'ALL';
  const hasWindows = body.items.some((each) => each.kind === 'value' && hasWindow(each.value));
  const isWhole =
    query.offset === undefined && query.tables.length === 0 && !(isUngrouped && body.having !== undefined);
  if (!isPlain || !isWhole || hasWindows)
    unconverted(body.at, 'join', 'This lateral subquery is not converted');
  if (isUngrouped) checkAggregates(body);
}

function conditionsOf(body: Select, context: Context): Conditions {
  const { where } = body;
  const conjuncts = conjunctsOf(where);
  const inner = new Set(body.from.map((each) => aliasOf(each).toLowerCase()));
  const outer = new Set(
    context.scope.relations
      .flatMap(({ alias }) => alias?.toLowerCase() ?? [])
      .filter((each) => !inner.has(each)),
  );
  const found = conjuncts.map((each) => keyOf(each, outer));
  const keys = found.flatMap((each) =>
    each === undefined ? [] : [{ ...each, name: context.shared.fresh('key') }],
  );
  if (keys.length === 0)
    return unconverted(
      body.at,
      'join',
      'A lateral subquery is converted only if it selects rows by equality with a qualified column of an earlier table',
    );
  const rest = conjuncts.filter((_, index) => found[index] === undefined);
  const [first, ...others] = rest;
  return {
    keys,
    where: others.length === 0 ? first : { kind: 'chain', operator: 'AND', values: rest, at: body.at },
  };
}

function aliasOf({ alias, source }: FromItem): string {
  return alias?.name ?? (source.kind === 'table' ? source.parts.at(-1)?.name : undefined) ?? '';
}

/** The subquery with its keys as further columns, and grouped by them. */
function withKeys(body: Select, { keys, where }: Conditions, isUngrouped: boolean): Select {
  const { where: whole, groupBy, ...rest } = body;
  const isGrouped = isUngrouped || groupBy === 'ALL' || groupBy.length > 0;
  const items = keys.map((each) => ({
    kind: 'value' as const,
    value: each.inner,
    alias: { name: each.name, at: whole?.at ?? body.at },
  }));
  const groups = groupBy === 'ALL' ? [] : groupBy;
  return {
    ...rest,
    ...(where === undefined ? {} : { where }),
    items: [...body.items, ...items],
    groupBy: isGrouped ? [...groups, ...keys.map((each) => each.inner)] : [],
  };
}

/** `inner = outer.column`. */
function keyOf(condition: Expression, outer: ReadonlySet<string>): JoinKey | undefined {
  if (condition.kind !== 'binary' || condition.operator !== '=') return undefined;
  const isOuter = (each: Expression): boolean =>
    each.kind === 'path' && each.parts.length > 1 && outer.has(each.parts[0]?.name.toLowerCase() ?? '');
  const { left, right } = condition;
  if (isOuter(right) && !isOuter(left)) return { inner: left, outer: right };
  return isOuter(left) && !isOuter(right) ? { inner: right, outer: left } : undefined;
}

/** Without rows, count is 0 and other aggregates are NULL: only plain calls can be distinguished. */
function checkAggregates({ items, at }: Select): void {
  for (const item of items) {
    const isPlain = item.kind === 'value' && item.value.kind === 'call' && isAggregate(item.value);
    if (!isPlain)
      unconverted(
        at,
        'join',
        'A lateral subquery of aggregates is converted only if each column is a plain aggregate',
      );
  }
}
