// One SELECT.
import { joinSql, type Sql } from '../../dialects/sql.ts';
import type { Expression, Order, Select } from '../../sql/syntax-tree.ts';
import { truth } from '../../dialects/truth.ts';
import { caselessKey } from './comparison.ts';
import { unconverted } from '../../dialects/context.ts';
import type { Context, WrittenQuery } from './context.ts';
import { writeFrom } from './from.ts';
import { groupedContext, groupLines, havingContext } from './grouping.ts';
import { limits, listed } from './layout.ts';
import { aliasesOf, shadowedNames, starColumns, usedNames, writeItems, type Column } from './select-list.ts';
import { hasAggregate } from '../../dialects/correlated.ts';
import { orderOf } from '../../dialects/window.ts';
import { name, type Value } from '../../dialects/value.ts';

/** What follows a SELECT. */
export interface Tail {
  readonly orderBy: readonly Order[];
  readonly limit?: string | undefined;
  readonly offset?: string | undefined;
  readonly hasTies?: boolean;
}

/** Writes a SELECT with the ORDER BY and LIMIT that follow it. */
export function writeSelect(
  select: Select,
  tail: Tail,
  { context, isShown }: { readonly context: Context; readonly isShown: boolean },
): WrittenQuery {
  const from = writeFrom(select.from, context);
  const windows = new Map(select.windows.map((each) => [each.name.name.toLowerCase(), each.window]));
  const hasGroups =
    select.groupBy === 'ALL' || select.groupBy.length > 0 || (select.groupings ?? []).length > 0;
  const base: Context = {
    ...context,
    relations: from.relations,
    windows,
    isUngrouped: !hasGroups,
    aliases: new Map(),
    shadowed: shadowedNames(select, false),
    usedNames: usedNames(select),
    grouped: undefined,
    joins: {
      pieces: [],
      isOpen: !hasGroups && !select.items.some((item) => item.kind === 'star' || hasAggregate(item.value)),
    },
  };
  const inside = groupedContext(select, base, isShown);
  const columns = writeItems(select, inside, isShown);
  const aliased: Context = {
    ...inside,
    aliases: aliasesOf(columns),
    hasRollup: (select.groupings ?? []).length > 0,
  };
  const lines = [
    listed(
      select.isDistinct && !isCaseless(select, columns, inside) ? 'SELECT DISTINCT' : 'SELECT',
      columns.map(({ sql }) => sql),
    ),
  ];
  const where = [
    ...from.conditions,
    ...(select.where === undefined
      ? []
      : [conditionOf(select.where, { ...(seesAliases(context) ? aliased : inside), grouped: undefined })]),
  ];
  if (where.length > 0)
    lines.push(
      `WHERE ${where.length === 1 ? where.join('') : where.map((each) => `(${String(each)})`).join(' AND ')}`,
    );
  lines.push(...groupLines(select, columns, aliased));
  if (select.having !== undefined)
    lines.push(`HAVING ${String(conditionOf(select.having, havingContext(aliased)))}`);
  if (select.qualify !== undefined) lines.push(`QUALIFY ${String(conditionOf(select.qualify, aliased))}`);
  lines.push(...tailLines(select, tail, { columns, context: aliased }));
  // Subqueries in expressions may have added joins.
  if (from.sql !== undefined) lines.splice(1, 0, `FROM ${from.sql}`, ...(base.joins?.pieces ?? []));
  const isKnown = columns.every(({ isStar }) => !isStar);
  return { sql: lines.join('\n'), columns: isKnown ? columns : starColumns(select, columns, from.relations) };
}

/** Dialects in which WHERE sees the aliases of the select list. */
const seesAliases = ({ shared }: Context): boolean =>
  ['snowflake', 'sqlite', 'redshift'].includes(shared.dialect);

function conditionOf(expression: Expression, context: Context): Sql {
  const inside = { ...context, nullIsFalse: true };
  return truth(context.write(expression, inside), inside, expression.at).sql;
}

/** SELECT DISTINCT of strings that are equal without regard to case. */
function isCaseless({ isDistinct }: Select, columns: readonly Column[], { shared }: Context): boolean {
  return (
    isDistinct &&
    shared.traits.ignoresCase &&
    columns.some((each) => each.value.type.kind === 'text' && each.value.literal === undefined)
  );
}

function tailLines(
  select: Select,
  tail: Tail,
  { columns, context }: { readonly columns: readonly Column[]; readonly context: Context },
): readonly string[] {
  const lines: string[] = [];
  const keys = tail.orderBy.flatMap((order) =>
    orderOf(orderKey(order.value, columns, context), order, context),
  );
  if (keys.length > 0) lines.push(listed('ORDER BY', keys));
  const distinctOn = select.distinctOn ?? [];
  if (distinctOn.length > 0)
    lines.push(
      `LIMIT 1 BY ${String(joinSql(distinctOn.map((each) => orderKey(each, columns, context).sql)))}`,
    );
  if (isCaseless(select, columns, context)) {
    if (columns.some(({ isStar }) => isStar))
      unconverted(select.at, 'clause', 'SELECT DISTINCT * is not converted');
    lines.push(
      `LIMIT 1 BY ${String(joinSql(columns.map((each) => caselessKey({ ...each.value, sql: name(each.name) }, context).sql)))}`,
    );
  }
  return [...lines, ...limits({ ...tail, hasTies: tail.hasTies === true })];
}

const plainValue = (sql: string, { type }: Value): Value => ({ sql, type });

/** A key of ORDER BY: a position, an alias before a column, or an expression. */
function orderKey(expression: Expression, columns: readonly Column[], context: Context): Value {
  const position = expression.kind === 'number' ? columns[Number(expression.text) - 1] : undefined;
  const [only, more] = expression.kind === 'path' ? expression.parts : [];
  const named =
    only === undefined || more !== undefined
      ? undefined
      : columns.find((each) => each.isNamed && each.name.toLowerCase() === only.name.toLowerCase());
  const column = position ?? named;
  const found =
    column !== undefined && !column.isStar
      ? plainValue(name(column.name), column.value)
      : context.write(expression, context);
  const nullable =
    context.hasRollup === true ? { ...found, type: { ...found.type, isNullable: true } } : found;
  return caselessKey(nullable, context);
}
