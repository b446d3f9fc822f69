// GROUP BY, and what the other clauses of a grouped query can read.
import type { Expression, Grouping, Select } from '../../sql/syntax-tree.ts';
import { caselessKey } from '../../dialects/collation.ts';
import { unconverted } from '../../dialects/context.ts';
import type { Context } from './context.ts';
import { listed } from './layout.ts';
import { shadowedNames, writeItems, type Column } from './select-list.ts';
import type { Value } from '../../dialects/value.ts';

/** Dialects that allow columns outside of GROUP BY: they depend on the keys, or any value is returned. */
const HAS_OTHERS: ReadonlySet<string> = new Set(['postgresql', 'mysql', 'mariadb', 'sqlite']);

/** The context of a grouped query, which knows its keys. */
export function groupedContext(select: Select, base: Context, isShown: boolean): Context {
  const { groupBy, groupings = [] } = select;
  const { dialect } = base.shared;
  if (groupBy === 'ALL' || groupBy.length === 0 || groupings.length > 0 || !HAS_OTHERS.has(dialect))
    return base;
  const qualified: Context = { ...base, shadowed: shadowedNames(select, true) };
  const hasOthers =
    dialect !== 'sqlite' || !select.items.some((item) => item.kind === 'value' && isExtreme(item.value));
  const build = (context: Context): Context => {
    const draft = writeItems(select, context, isShown);
    const keys = groupBy.map((each) => groupKey(each, draft, context));
    const caseless = keys.filter((key) => caselessKey(key, context).sql !== key.sql).map(({ sql }) => sql);
    return {
      ...context,
      grouped: {
        keys: new Set(keys.map((each) => String(each.sql))),
        caseless: new Set(caseless.map(String)),
        hasOthers,
      },
    };
  };
  const plain = build(base);
  const isPlain = writeItems(select, plain, isShown).every(
    (column) => column.isStar || !/\bany\(/.test(column.sql),
  );
  return isPlain ? plain : build(qualified);
}

/** With min or max, SQLite returns the other columns of that row. */
const isExtreme = (expression: Expression): boolean =>
  expression.kind === 'call' && ['min', 'max'].includes(expression.name) && expression.args.length === 1;

/** A key of GROUP BY: a position, an alias, or an expression. */
function groupKey(expression: Expression, columns: readonly Column[], context: Context): Value {
  const at = expression.kind === 'number' ? columns[Number(expression.text) - 1] : undefined;
  if (at !== undefined) return at.raw;
  const [only, more] = expression.kind === 'path' ? expression.parts : [];
  const alias =
    only === undefined || more !== undefined
      ? undefined
      : columns.find((each) => each.isNamed && each.name.toLowerCase() === only.name.toLowerCase());
  const isColumn =
    only !== undefined &&
    context.relations.some(
      ({ columns: known }) =>
        known?.some((each) => each.name.toLowerCase() === only.name.toLowerCase()) === true,
    );
  return alias === undefined || isColumn ? context.write(expression, context) : alias.raw;
}

export function groupLines(select: Select, columns: readonly Column[], context: Context): readonly string[] {
  const { groupBy, groupings = [] } = select;
  if (groupBy === 'ALL') return ['GROUP BY ALL'];
  const plain: Context = { ...context, grouped: undefined };
  if (groupings.length > 0) return [groupingLine(select, groupings, plain)];
  if (groupBy.length === 0) return [];
  const written = groupBy.map((each) => {
    const key = groupKey(each, ungrouped(select, columns, plain), plain);
    if (context.grouped?.caseless.has(String(key.sql)) === true) return caselessKey(key, context).sql;
    const isPosition = each.kind === 'number' && columns[Number(each.text) - 1]?.isStar === false;
    return isPosition ? each.text : context.write(each, plain).sql;
  });
  return [listed('GROUP BY', written)];
}

/** The select list without `any` around columns. */
function ungrouped(select: Select, columns: readonly Column[], context: Context): readonly Column[] {
  if (!context.shared.traits.ignoresCase) return columns;
  return columns.map((column, index) => {
    const item = select.items[index];
    return item?.kind === 'value'
      ? { ...column, raw: context.write(item.value, { ...context, aliases: new Map() }) }
      : column;
  });
}

function groupingLine({ groupBy }: Select, groupings: readonly Grouping[], context: Context): string {
  const [grouping, more] = groupings;
  if (grouping === undefined || more !== undefined || groupBy === 'ALL' || groupBy.length > 0)
    return unconverted(
      grouping?.at ?? 0,
      'clause',
      'Only one ROLLUP, CUBE or GROUPING SETS without other keys is converted',
    );
  context.shared.settings.set('group_by_use_nulls', '1');
  const sets = grouping.sets.map((set) =>
    set.map((each) => (each.kind === 'number' ? each.text : context.write(each, context).sql)),
  );
  if (grouping.kind !== 'sets' && sets.every((set) => set.length === 1))
    return `GROUP BY ${grouping.kind.toUpperCase()}(${sets.flat().join(', ')})`;
  if (grouping.kind === 'cube') return unconverted(grouping.at, 'clause', 'CUBE of lists is not converted');
  const all =
    grouping.kind === 'sets'
      ? sets
      : sets.map((_, index) => sets.slice(0, sets.length - index).flat()).concat([[]]);
  return `GROUP BY GROUPING SETS (${all.map((set) => `(${set.join(', ')})`).join(', ')})`;
}

/** In MySQL, HAVING reads an alias before a column that is not a key. */
export function havingContext(context: Context): Context {
  const { dialect } = context.shared;
  if (dialect !== 'mysql' && dialect !== 'mariadb') return context;
  const keys = context.grouped?.keys ?? new Set();
  const aliases = new Map([...context.aliases].filter(([, { value: own }]) => !keys.has(String(own.sql))));
  return { ...context, aliases, prefersAliases: true };
}
