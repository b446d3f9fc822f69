// Lateral subqueries: those that compute values become these values, those that filter by an equality are joined.
import { joinSql, sql } from '../../dialects/sql.ts';
import type { Expression, FromItem, Name, Query, Select } from '../../sql/syntax-tree.ts';
import { isAggregate } from '../../dialects/functions/row-functions.ts';
import { unconverted } from '../../dialects/context.ts';
import type { Context } from './context.ts';
import type { Joined } from './scope.ts';
import { indent } from './layout.ts';
import { hasAggregate } from '../../dialects/correlated.ts';
import { writeNested } from './subquery.ts';
import { name, type Value } from '../../dialects/value.ts';

/** A join with a lateral subquery; undefined if it does not refer to earlier tables. */
export function lateralJoin(item: FromItem, context: Context): Joined | undefined {
  const { source, at } = item;
  if (source.kind !== 'query') return undefined;
  if (item.isLateral !== true) return undefined;
  const before = context.shared.notes.length;
  const nested = writeNested(source.query, context);
  if (!nested.isCorrelated) {
    context.shared.notes.length = before;
    return undefined;
  }
  context.shared.notes.length = before;
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
): Joined {
  const values = new Map<string, Value>();
  body.items.forEach((item, index) => {
    if (item.kind === 'star' || hasAggregate(item.value))
      return unconverted(body.at, 'join', 'This lateral subquery is not converted');
    const alias =
      columns?.[index]?.name ??
      item.alias?.name ??
      (item.value.kind === 'path' ? item.value.parts.at(-1)?.name : undefined) ??
      `column${index + 1}`;
    values.set(alias.toLowerCase(), { ...context.write(item.value, context), isLoose: true });
    return undefined;
  });
  return { sql: undefined, relation: { alias: own, columns: undefined, isOptional: false, values } };
}

interface Key {
  readonly inner: Expression;
  readonly outer: Expression;
}

interface Place {
  readonly item: FromItem;
  readonly own: string;
  readonly context: Context;
}

/** The conditions of a subquery: its equalities with earlier tables, and what is left. */
interface Conditions {
  readonly keys: readonly (Key & { readonly name: string })[];
  readonly where: Expression | undefined;
}

/** A subquery whose rows are selected by equalities with earlier tables: it is joined by them. */
function keyed(query: Query, body: Select, { item, own, context }: Place): Joined {
  const isUngrouped =
    body.groupBy.length === 0 && body.items.some((each) => each.kind === 'value' && hasAggregate(each.value));
  checkShape(query, body, isUngrouped);
  const { keys, where } = conditionsOf(body, context);
  const { limit, ...unlimited } = query;
  const select = withKeys(body, { keys, where }, isUngrouped);
  const written = writeNested({ ...unlimited, body: select }, context);
  if (written.isCorrelated)
    return unconverted(
      item.at,
      'join',
      'A lateral subquery that refers to earlier tables elsewhere than in an equality is not converted',
    );
  const by =
    limit === undefined || isUngrouped
      ? ''
      : `\nLIMIT ${limit} BY ${keys.map((each) => name(each.name)).join(', ')}`;
  const on = joinSql(
    keys.map((each) => sql`${name(own)}.${name(each.name)} = ${context.write(each.outer, context).sql}`),
    ' AND ',
  );
  const isLeft = item.join === 'LEFT' || isUngrouped;
  const columns = written.columns
    ?.slice(0, -keys.length)
    .map((each) => ({ name: each.name, type: each.value.type }));
  const counts = isUngrouped ? { values: countColumns(body, own, written.columns) } : {};
  return {
    sql: sql`${isLeft ? 'LEFT' : 'INNER'} JOIN (\n${indent(written.sql + by)}\n) AS ${name(own)}\n  ON ${on}`,
    relation: { alias: own, columns, isOptional: isLeft, ...counts },
  };
}

function checkShape(query: Query, body: Select, isUngrouped: boolean): void {
  const isPlain =
    !body.isDistinct && body.distinctOn === undefined && body.qualify === undefined && body.groupBy !== 'ALL';
  const hasWindow = body.items.some((each) => each.kind === 'value' && hasOver(each.value));
  const isWhole =
    query.offset === undefined && query.tables.length === 0 && !(isUngrouped && body.having !== undefined);
  if (!isPlain || !isWhole || hasWindow)
    unconverted(body.at, 'join', 'This lateral subquery is not converted');
  if (isUngrouped) checkAggregates(body);
}

function hasOver(part: unknown): boolean {
  if (typeof part !== 'object' || part === null) return false;
  return ('over' in part && part.over !== undefined) || Object.values(part).some(hasOver);
}

function conditionsOf(body: Select, context: Context): Conditions {
  const { where } = body;
  const conjuncts =
    where?.kind === 'chain' && where.operator === 'AND' ? where.values : where === undefined ? [] : [where];
  const inner = new Set(body.from.map((each) => aliasOf(each).toLowerCase()));
  const outer = new Set(
    context.relations.flatMap(({ alias }) => alias?.toLowerCase() ?? []).filter((each) => !inner.has(each)),
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
function keyOf(condition: Expression, outer: ReadonlySet<string>): Key | undefined {
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

function countColumns(
  { items }: Select,
  own: string,
  columns: readonly { readonly name: string; readonly value: Value }[] | undefined,
): ReadonlyMap<string, Value> {
  const values = new Map<string, Value>();
  items.forEach((item, index) => {
    const column = columns?.[index];
    const isCount =
      item.kind === 'value' && item.value.kind === 'call' && item.value.name.startsWith('count');
    if (column === undefined) return;
    const sql = `${name(own)}.${name(column.name)}`;
    values.set(
      column.name.toLowerCase(),
      isCount
        ? { sql: `ifNull(${sql}, 0)`, type: { ...column.value.type, isNullable: false } }
        : { sql, type: { ...column.value.type, isNullable: true } },
    );
  });
  return values;
}
