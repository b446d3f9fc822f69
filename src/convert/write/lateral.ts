// Lateral subqueries: those that compute values become these values, those that filter by an equality are joined.
import type { Expression, FromItem, Name, Query, Select } from '../../sql/syntax-tree.ts';
import { isAggregate } from '../functions/aggregate.ts';
import { unconverted, type Context } from './context.ts';
import type { Joined } from './from.ts';
import { indent } from './layout.ts';
import { containsAggregate, writeNested } from './subquery.ts';
import { name, type Value } from './value.ts';

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

/** `LATERAL (SELECT a + b AS c)`: the names stand for the expressions. */
function computed(
  body: Select,
  own: string,
  { context, columns }: { readonly context: Context; readonly columns: readonly Name[] | undefined },
): Joined {
  const values = new Map<string, Value>();
  body.items.forEach((item, index) => {
    if (item.kind === 'star' || containsAggregate(item.value))
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

/** A subquery whose rows are selected by equalities with earlier tables: it is joined by them. */
function keyed(query: Query, body: Select, { item, own, context }: Place): Joined {
  const { at } = item;
  const conjuncts =
    body.where?.kind === 'chain' && body.where.operator === 'AND'
      ? body.where.values
      : body.where === undefined
        ? []
        : [body.where];
  const inner = new Set(
    body.from.map((each) =>
      (
        each.alias?.name ??
        (each.source.kind === 'table' ? each.source.parts.at(-1)?.name : '') ??
        ''
      ).toLowerCase(),
    ),
  );
  const outer = new Set(
    context.relations.flatMap(({ alias }) => alias?.toLowerCase() ?? []).filter((each) => !inner.has(each)),
  );
  const keys = conjuncts.map((each) => keyOf(each, outer));
  const found = keys.filter((each) => each !== undefined);
  if (found.length === 0)
    return unconverted(
      at,
      'join',
      'A lateral subquery is converted only if it selects rows by equality with a qualified column of an earlier table',
    );
  const rest = conjuncts.filter((_, index) => keys[index] === undefined);
  const names = found.map(() => context.shared.fresh('key'));
  const [first, ...others] = rest;
  const where =
    first === undefined
      ? undefined
      : others.length === 0
        ? first
        : ({ kind: 'chain', operator: 'AND', values: rest, at } as const);
  const isUngrouped =
    body.groupBy.length === 0 &&
    body.items.some((each) => each.kind === 'value' && containsAggregate(each.value));
  if (isUngrouped) checkAggregates(body);
  if (
    body.isDistinct ||
    body.distinctOn !== undefined ||
    body.qualify !== undefined ||
    body.groupBy === 'ALL' ||
    query.offset !== undefined ||
    query.tables.length > 0
  )
    return unconverted(at, 'join', 'This lateral subquery is not converted');
  const inners = found.map((each) => each.inner);
  const keyItems = found.map((each, index) => ({
    kind: 'value' as const,
    value: each.inner,
    alias: { name: names[index] ?? 'key', at },
  }));
  const isGrouped = isUngrouped || body.groupBy.length > 0;
  const select: Select = {
    ...withoutWhere(body),
    ...(where === undefined ? {} : { where }),
    items: [...body.items, ...keyItems],
    groupBy: isGrouped ? [...body.groupBy, ...inners] : [],
  };
  const { limit, ...unlimited } = query;
  const hasLimit = limit !== undefined && !isUngrouped;
  const written = writeNested({ ...unlimited, body: select }, context);
  if (written.isCorrelated)
    return unconverted(
      at,
      'join',
      'A lateral subquery that refers to earlier tables elsewhere than in an equality is not converted',
    );
  const by = hasLimit ? `\nLIMIT ${limit} BY ${names.map(name).join(', ')}` : '';
  const on = found
    .map(
      (each, index) =>
        `${name(own)}.${name(names[index] ?? 'key')} = ${context.write(each.outer, context).sql}`,
    )
    .join(' AND ');
  const isLeft = item.join === 'LEFT' || isUngrouped;
  const columns = written.columns
    ?.slice(0, -found.length)
    .map((each) => ({ name: each.name, type: each.value.type }));
  const counts = isUngrouped ? countColumns(body, own, written.columns) : undefined;
  const sql = `${isLeft ? 'LEFT' : 'INNER'} JOIN (\n${indent(written.sql + by)}\n) AS ${name(own)}\n  ON ${on}`;
  return {
    sql,
    relation: {
      alias: own,
      columns,
      isOptional: isLeft,
      ...(counts === undefined ? {} : { values: counts }),
    },
  };
}

function withoutWhere({ where: _, ...rest }: Select): Select {
  return rest;
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

/** Without rows, count is 0 and other aggregates are NULL: only plain calls can be told apart. */
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
