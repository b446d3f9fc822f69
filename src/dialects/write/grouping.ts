// GROUP BY, and what the other clauses of a grouped query can read.
import type { Expression, Grouping, Select } from '../tree.ts';
import { unconverted } from '../context.ts';
import { joinSql, sql, type Sql } from '../sql.ts';
import type { Value } from '../value.ts';
import type { Context, Use } from './context.ts';
import { columnAt, columnNamed, isConstant } from './key.ts';
import { shadowedNames, writeItems, type Column } from './select-list.ts';

export const hasGroups = ({ groupBy, groupings = [] }: Select): boolean =>
  groupBy === 'ALL' || groupBy.length > 0 || groupings.length > 0;

/** The context of a grouped query, which knows its keys. */
export function groupedContext(select: Select, base: Context, use: Use): Context {
  const { groupBy, groupings = [] } = select;
  const { groupsOtherColumns, extremeSelectsRow } = base.shared.traits;
  if (groupBy === 'ALL' || groupBy.length === 0 || groupings.length > 0 || !groupsOtherColumns) return base;
  const scope = { ...base.scope, shadowed: shadowedNames(select, true) };
  const hasOthers =
    !extremeSelectsRow || !select.items.some((item) => item.kind === 'value' && isExtreme(item.value));
  const build = (context: Context): Context => {
    const draft = writeItems(select, context, use);
    const keys = groupBy.map((each) => keyOf(each, draft, context));
    const caseless = keys.filter((key) => context.key(key).sql !== key.sql);
    return {
      ...context,
      grouped: {
        keys: new Set(keys.map((each) => String(each.sql))),
        caseless: new Set(caseless.map((each) => String(each.sql))),
        hasOthers,
      },
    };
  };
  const plain = build(base);
  const isPlain = writeItems(select, plain, use).every(
    (column) => column.star !== undefined || !/\bany\(/.test(String(column.sql)),
  );
  return isPlain ? plain : build({ ...base, scope });
}

const isExtreme = (expression: Expression): boolean =>
  expression.kind === 'call' && ['min', 'max'].includes(expression.name) && expression.args.length === 1;

/** The column that a key of GROUP BY refers to. */
function columnOf(
  expression: Expression,
  columns: readonly Column[],
  { scope, shared }: Context,
): Column | undefined {
  const named = columnNamed(expression, columns);
  const isColumn =
    named !== undefined &&
    !shared.traits.prefersAliases &&
    scope.relations.some((each) => each.columns?.has(named.name.toLowerCase()) === true);
  return columnAt(expression, columns) ?? (isColumn ? undefined : named);
}

/** A key of GROUP BY before it is converted. */
function keyOf(expression: Expression, columns: readonly Column[], context: Context): Value {
  return columnOf(expression, columns, context)?.raw ?? context.write(expression, context);
}

/** The clause; none for a query without groups. */
export function groupLines(select: Select, columns: readonly Column[], context: Context): readonly Sql[] {
  const { groupBy, groupings = [] } = select;
  if (groupBy === 'ALL') return ['GROUP BY ALL'];
  const plain: Context = { ...context, grouped: undefined };
  if (groupings.length > 0) return [groupingLine(select, groupings, plain)];
  if (groupBy.length === 0) return [];
  const list = plain.shared.isStrict ? columns : ungrouped(select, columns, plain);
  const written = groupBy.map((each) => groupSql(each, list, context));
  return [context.shared.style.list('GROUP BY', written)];
}

function groupSql(expression: Expression, columns: readonly Column[], context: Context): Sql {
  const { shared, grouped } = context;
  const column = columnOf(expression, columns, context);
  const plain: Context = { ...context, grouped: undefined };
  const key = column?.raw ?? context.write(expression, plain);
  if (shared.isStrict) {
    const own = context.key(key).sql;
    // A bare number would be read as a column position.
    return isConstant(column === undefined ? expression : column.source) ? sql`materialize(${own})` : own;
  }
  if (grouped?.caseless.has(String(key.sql)) === true) return context.key(key).sql;
  if (column === undefined) return key.sql;
  return expression.kind === 'number' ? expression.text : context.write(expression, plain).sql;
}

/** The select list without `any` around columns. */
function ungrouped(select: Select, columns: readonly Column[], context: Context): readonly Column[] {
  if (!context.shared.traits.ignoresCase) return columns;
  const inside = { ...context, scope: { ...context.scope, aliases: new Map<string, Value>() } };
  return columns.map((column, index) => {
    const item = select.items[index];
    return item?.kind === 'value' ? { ...column, raw: context.write(item.value, inside) } : column;
  });
}

function groupingLine({ groupBy }: Select, groupings: readonly Grouping[], context: Context): Sql {
  const [grouping, more] = groupings;
  const at = grouping?.at ?? 0;
  if (grouping === undefined || more !== undefined || groupBy === 'ALL' || groupBy.length > 0)
    return unconverted(
      at,
      'clause',
      'Only one ROLLUP, CUBE or GROUPING SETS without other keys is converted',
    );
  if (context.shared.isStrict) return unconverted(at, 'clause', 'Grouping sets are not supported');
  context.shared.settings.set('group_by_use_nulls', '1');
  const sets = grouping.sets.map((set) =>
    set.map((each) => (each.kind === 'number' ? each.text : context.write(each, context).sql)),
  );
  if (grouping.kind !== 'sets' && sets.every((set) => set.length === 1))
    return sql`GROUP BY ${grouping.kind.toUpperCase()}(${joinSql(sets.flat())})`;
  if (grouping.kind === 'cube') return unconverted(grouping.at, 'clause', 'CUBE of lists is not converted');
  const all =
    grouping.kind === 'sets'
      ? sets
      : sets.map((_, index) => sets.slice(0, sets.length - index).flat()).concat([[]]);
  return sql`GROUP BY GROUPING SETS (${joinSql(all.map((set) => sql`(${joinSql(set)})`))})`;
}

/** HAVING and QUALIFY. */
export function havingContext(context: Context): Context {
  if (!context.shared.traits.havingPrefersAliases) return context;
  const keys = context.grouped?.keys ?? new Set();
  const aliases = new Map([...context.scope.aliases].filter(([, own]) => !keys.has(String(own.sql))));
  return { ...context, scope: { ...context.scope, aliases, prefersAliases: true } };
}
