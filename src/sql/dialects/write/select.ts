// One SELECT: columns, conditions, groups and order over the tables of its FROM.
import type { Expression, Select } from '../tree.ts';
import { consumed } from '../consume.ts';
import { unconverted, type Context, type Relation, type Use, type WrittenQuery } from '../context.ts';
import { joinSql, sql, type Sql } from '../value.ts';
import { conditionSql, containsAggregate } from './nested.ts';
import { writeFrom } from './from.ts';
import {
  groupedContext,
  groupLines,
  hasGroups,
  hasTotal,
  havingContext,
  columnAt,
  columnNamed,
  orderKey,
  orderKeys,
  tailLines,
  type Tail,
} from './key.ts';
import { inRelations } from './scope.ts';
import {
  aliasesOf,
  outputColumns,
  shadowedNames,
  usedNames,
  writeItems,
  type Column,
} from './select-list.ts';

/** Writes a SELECT with the ORDER BY and LIMIT that follow it. */
export function writeSelect(select: Select, tail: Tail, place: QueryPlace): WrittenQuery {
  return consumed(select, 'this SELECT', (node) => writeClauses(node, tail, place));
}

/** Where a query is written, and for what. */
export interface QueryPlace {
  readonly context: Context;
  readonly use: Use;
}

function writeClauses(select: Select, tail: Tail, { context, use }: QueryPlace): WrittenQuery {
  const { style } = context.shared;
  const from = writeFrom(select.from, context);
  const base = selectContext(select, from.relations, context);
  const isPlain = use.isPlain || select.isDistinct;
  const inside = groupedContext(select, base, use);
  const columns = writeItems(select, inside, { ...use, isPlain, only: onlyTable(from.sql) });
  const late = lateContext(select, columns, inside);
  const isCaseless = isDistinctCaseless(select, columns, inside);
  const isDistinct = select.isDistinct && !isCaseless;
  const head = style.list(
    isDistinct ? 'SELECT DISTINCT' : 'SELECT',
    columns.map((each) => each.sql),
  );
  const lines = [
    ...whereLines(select, from.conditions, context.shared.traits.whereSeesAliases ? late : inside),
    ...groupLines(select, columns, late),
    ...havingLines(select, havingContext(late)),
    ...conditionLines('QUALIFY', select.qualify, late),
    ...tailLines(orderKeys(tail.orderBy, columns, late), tail, style, limitBy(select, columns, late)),
  ];
  // Subqueries in expressions may have added joins.
  const tables = from.sql === undefined ? [] : [sql`FROM ${from.sql}`, ...(base.joins?.pieces ?? [])];
  return { sql: style.lines([head, ...tables, ...lines]), columns: outputColumns(columns) };
}

/** The context of WHERE and of the select list. */
function selectContext(select: Select, relations: readonly Relation[], context: Context): Context {
  const isGrouped = hasGroups(select);
  const { isStrict } = context.shared;
  const names = isStrict ? {} : { shadowed: shadowedNames(select, false), usedNames: usedNames(select) };
  const isAggregated = select.items.some((item) => item.kind === 'star' || containsAggregate(item.value));
  return {
    ...inRelations(context, relations, names),
    windows: new Map(select.windows.map((each) => [each.name.name.toLowerCase(), each.window])),
    isGrouped,
    isUngrouped: !isGrouped || (isStrict && hasTotal(select)),
    grouped: undefined,
    rows: undefined,
    joins: { pieces: [], isOpen: !isGrouped && !isAggregated },
  };
}

/** The context of the clauses that see the aliases of the select list. */
function lateContext(select: Select, columns: readonly Column[], inside: Context): Context {
  const aliases = aliasesOf(columns, inside);
  const { prefersAliases } = inside.shared.traits;
  return {
    ...inside,
    scope: { ...inside.scope, aliases, prefersAliases },
    hasRollup: (select.groupings ?? []).length > 0,
  };
}

/** The name of the only table of a FROM; undefined if there are others, or it is a subquery. */
function onlyTable(from: Sql | undefined): string | undefined {
  return from === undefined ? undefined : /^`[^`]+` AS (t\d+)$/.exec(String(from))?.[1];
}

function whereLines(select: Select, conditions: readonly Sql[], context: Context): readonly Sql[] {
  const inside: Context = { ...context, isGrouped: false, isGuarded: true, grouped: undefined };
  const own = select.where === undefined ? [] : [conditionSql(select.where, inside)];
  const [only, more] = [...conditions, ...own];
  if (only === undefined) return [];
  if (more === undefined) return [sql`WHERE ${only}`];
  return [
    sql`WHERE ${joinSql(
      [...conditions, ...own].map((each) => sql`(${each})`),
      ' AND ',
    )}`,
  ];
}

function conditionLines(
  keyword: string,
  expression: Expression | undefined,
  context: Context,
): readonly Sql[] {
  return expression === undefined ? [] : [sql`${keyword} ${conditionSql(expression, context)}`];
}

/** SELECT DISTINCT of strings that are equal without regard to case. */
function isDistinctCaseless(
  { isDistinct }: Select,
  columns: readonly Column[],
  { shared }: Context,
): boolean {
  return (
    isDistinct &&
    shared.traits.ignoresCase &&
    columns.some((each) => each.value.type.kind === 'text' && each.value.literal === undefined)
  );
}

/** HAVING; without an aggregate, ClickHouse has no row of all rows. */
function havingLines(select: Select, context: Context): readonly Sql[] {
  const lines = conditionLines('HAVING', select.having, context);
  if (!context.shared.isStrict || !hasTotal(select)) return lines;
  return [sql`${lines.length === 0 ? 'HAVING' : sql`${joinSql(lines)} AND`} count() >= 0`];
}

const oneBy = (keys: readonly Sql[]): Sql => sql`LIMIT 1 BY ${joinSql(keys)}`;

/** LIMIT 1 BY, for DISTINCT ON and DISTINCT without regard to case. */
function limitBy(select: Select, columns: readonly Column[], context: Context): readonly Sql[] {
  const lines: Sql[] = [];
  const distinctOn = select.distinctOn ?? [];
  if (distinctOn.length > 0)
    lines.push(
      oneBy(
        distinctOn.map((each) => {
          const column = columnAt(each, columns) ?? columnNamed(each, columns);
          return orderKey(each, column, context).sql;
        }),
      ),
    );
  if (isDistinctCaseless(select, columns, context)) {
    if (columns.some(({ star }) => star !== undefined))
      unconverted(select.at, 'clause', 'SELECT DISTINCT * is not converted');
    const { style } = context.shared;
    lines.push(oneBy(columns.map((each) => context.key({ ...each.value, sql: style.name(each.name) }).sql)));
  }
  return lines;
}
