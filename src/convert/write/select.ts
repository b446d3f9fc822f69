// One SELECT.
import type { Expression, Grouping, Item, Name, Order, Select } from '../../sql/syntax-tree.ts';
import { roundHalfAway } from './arithmetic.ts';
import { caselessKey } from './comparison.ts';
import { differs, note, unconverted, type Context, type WrittenQuery } from './context.ts';
import { pathsOf, writeFrom } from './from.ts';
import { listed } from './layout.ts';
import { limits } from './query.ts';
import type { Relation } from './scope.ts';
import { containsAggregate } from './subquery.ts';
import { orderOf } from './window.ts';
import { name, value, type Value } from './value.ts';

/** What follows a SELECT. */
export interface Tail {
  readonly orderBy: readonly Order[];
  readonly limit?: string | undefined;
  readonly offset?: string | undefined;
  readonly hasTies?: boolean;
}

interface Column {
  readonly name: string;
  readonly value: Value;
  /** The value before it was converted for the result. */
  readonly raw: Value;
  /** As written: a star, or an expression with its alias. */
  readonly sql: string;
  readonly isStar: boolean;
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
      isOpen:
        !hasGroups && !select.items.some((item) => item.kind === 'value' && containsAggregate(item.value)),
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
      `WHERE ${where.length === 1 ? where.join('') : where.map((each) => `(${each})`).join(' AND ')}`,
    );
  lines.push(...groupLines(select, columns, aliased));
  if (select.having !== undefined) lines.push(`HAVING ${conditionOf(select.having, havingContext(aliased))}`);
  if (select.qualify !== undefined) lines.push(`QUALIFY ${conditionOf(select.qualify, aliased)}`);
  lines.push(...tailLines(select, tail, { columns, context: aliased }));
  // Subqueries in expressions may have added joins.
  if (from.sql !== undefined) lines.splice(1, 0, ...[`FROM ${from.sql}`, ...(base.joins?.pieces ?? [])]);
  const isKnown = columns.every(({ isStar }) => !isStar);
  return { sql: lines.join('\n'), columns: isKnown ? columns : starColumns(select, columns, from.relations) };
}

/** Dialects in which WHERE sees the aliases of the select list. */
const seesAliases = ({ shared }: Context): boolean =>
  ['snowflake', 'sqlite', 'redshift'].includes(shared.dialect);

/** Names of aliases: columns of the same name are qualified, since ClickHouse prefers the alias. */
function shadowedNames({ items }: Select, isCaseless: boolean): ReadonlySet<string> {
  return new Set(
    items.flatMap((item) =>
      item.kind === 'value' &&
      (isCaseless || (item.alias !== undefined && !isSamePath(item.value, item.alias)))
        ? [(item.alias?.name ?? implicitName(item.value)).toLowerCase()]
        : [],
    ),
  );
}

function isSamePath(expression: Expression, alias: Name): boolean {
  return (
    expression.kind === 'path' &&
    expression.parts.length === 1 &&
    expression.parts[0]?.name.toLowerCase() === alias.name.toLowerCase()
  );
}

function aliasesOf(columns: readonly Column[]): Context['aliases'] {
  return new Map(
    columns
      .filter(({ isStar }) => !isStar)
      .map((each) => [each.name.toLowerCase(), { name: each.name, value: each.value }]),
  );
}

function conditionOf(expression: Expression, context: Context): string {
  return context.write(expression, context).sql;
}

/** In MySQL, HAVING reads an alias before a column that is not a key. */
function havingContext(context: Context): Context {
  const { dialect } = context.shared;
  if (dialect !== 'mysql' && dialect !== 'mariadb') return context;
  const keys = context.grouped?.keys ?? new Set();
  const aliases = new Map([...context.aliases].filter(([, { value: own }]) => !keys.has(own.sql)));
  return { ...context, aliases, prefersAliases: true };
}

/** Names that the select list uses. */
function usedNames({ items }: Select): ReadonlySet<string> {
  return new Set(
    items
      .flatMap((item) => (item.kind === 'value' ? pathsOf(item.value) : []))
      .map((parts) => parts[0]?.name.toLowerCase() ?? ''),
  );
}

/** The select list. Some dialects let an item refer to the aliases before it. */
function writeItems(select: Select, context: Context, isShown: boolean): readonly Column[] {
  const columns: Column[] = [];
  const used = new Set<string>();
  for (const item of select.items) {
    const inside = ['snowflake', 'redshift'].includes(context.shared.dialect)
      ? { ...context, aliases: aliasesOf(columns) }
      : context;
    columns.push(
      item.kind === 'star' ? writeStar(item, context) : writeItem(item, { context: inside, isShown, used }),
    );
  }
  return columns;
}

function writeItem(
  item: Extract<Item, { kind: 'value' }>,
  {
    context,
    isShown,
    used,
  }: { readonly context: Context; readonly isShown: boolean; readonly used: Set<string> },
): Column {
  const raw = context.write(item.value, context);
  const written = shown(raw, { isShown, at: item.value.at, context });
  const own = item.alias?.name ?? implicitName(item.value);
  const unique = uniqueName(own, used);
  if (unique !== own)
    note(context, 'note', {
      at: item.value.at,
      code: 'clause',
      message: `Two columns are named ${own}: the second one is renamed to ${unique}`,
    });
  const sql = written.sql === name(unique) ? written.sql : `${written.sql} AS ${name(unique)}`;
  return { name: unique, value: written, raw, sql, isStar: false };
}

function uniqueName(own: string, used: Set<string>): string {
  let unique = own;
  for (let count = 2; used.has(unique.toLowerCase()); count++) unique = `${own}_${count}`;
  used.add(unique.toLowerCase());
  return unique;
}

/** The name that other systems give to a column without an alias. */
function implicitName(expression: Expression): string {
  switch (expression.kind) {
    case 'path':
      return expression.parts.at(-1)?.name ?? 'column';
    case 'field':
      return expression.name.name;
    case 'call':
      return expression.name.startsWith('clickhouse__') ? expression.name.slice(12) : expression.name;
    case 'cast':
      return expression.value.kind === 'path' || expression.value.kind === 'call'
        ? implicitName(expression.value)
        : expression.type.name.toLowerCase();
    case 'extract':
      return 'extract';
    case 'case':
      return 'case';
    default:
      return 'column';
  }
}

const ROUNDED: ReadonlySet<string> = new Set(['mysql', 'mariadb']);

/** A value as a column: conditions as Boolean, MySQL's quotients with their digits. */
function shown(
  written: Value,
  { isShown, at, context }: { readonly isShown: boolean; readonly at: number; readonly context: Context },
): Value {
  const { kind, scale, isNumberInClickHouse } = written.type;
  const { dialect, traits } = context.shared;
  if (kind === 'numeric' && scale === undefined && ROUNDED.has(dialect))
    differs(
      context,
      at,
      'type_unknown',
      `${dialect} rounds quotients and averages of exact numbers to a number of digits that depends on the columns`,
    );
  if (
    kind === 'numeric' &&
    scale !== undefined &&
    ROUNDED.has(dialect) &&
    !/^(?:[\d.-]+$|round\()/.test(written.sql)
  )
    return { ...roundHalfAway(written, Math.min(scale, 15)), type: written.type };
  if (kind === 'json' && dialect === 'sqlite')
    return { ...value('text', written.sql), type: { kind: 'text', isNullable: true, isMixed: true } };
  if (isShown && kind === 'seconds')
    differs(context, at, 'type', 'An interval is returned as a number of seconds');
  if (isShown && kind === 'interval')
    differs(context, at, 'type', 'An interval is returned in the form of ClickHouse');
  if (kind === 'bool' && isNumberInClickHouse === true && !traits.hasNumericConditions && isShown)
    return { sql: `toBool(${written.sql})`, type: { ...written.type, isNumberInClickHouse: false } };
  return written;
}

function writeStar(item: Extract<Item, { kind: 'star' }>, context: Context): Column {
  const [table] = item.of?.kind === 'path' ? item.of.parts.slice(-1) : [];
  if (context.relations.some(({ values }) => values !== undefined && values.size > 0))
    return unconverted(
      item.at,
      'clause',
      'A star is not converted together with an unnested array or a lateral subquery',
      'Name the columns.',
    );
  const except =
    item.except.length === 0 ? '' : ` EXCEPT (${item.except.map((each) => name(each.name)).join(', ')})`;
  const replace =
    item.replace.length === 0
      ? ''
      : ` REPLACE (${item.replace.map((each) => `${context.write(each.value, context).sql} AS ${name(each.name.name)}`).join(', ')})`;
  const sql = `${table === undefined ? '' : `${name(table.name)}.`}*${except}${replace}`;
  return { name: '*', value: value('unknown', sql), raw: value('unknown', sql), sql, isStar: true };
}

/** The columns of a select list with stars, if those of its tables are known. */
function starColumns(
  select: Select,
  columns: readonly Column[],
  relations: readonly Relation[],
): WrittenQuery['columns'] {
  const all = columns.map((column, index) => {
    const item = select.items[index];
    if (!column.isStar || item?.kind !== 'star') return [{ name: column.name, value: column.value }];
    if (item.replace.length > 0) return undefined;
    const of = item.of?.kind === 'path' ? item.of.parts.at(-1)?.name.toLowerCase() : undefined;
    const tables = relations.filter(({ alias }) => of === undefined || alias?.toLowerCase() === of);
    if (tables.some((table) => table.columns === undefined)) return undefined;
    const except = new Set(item.except.map((each) => each.name.toLowerCase()));
    return tables.flatMap((table) =>
      (table.columns ?? [])
        .filter((each) => !except.has(each.name.toLowerCase()))
        .map((each) => ({
          name: each.name,
          value: {
            sql: name(each.name),
            type: table.isOptional ? { ...each.type, isNullable: true } : each.type,
          },
        })),
    );
  });
  return all.every((each) => each !== undefined) ? all.flat() : undefined;
}

/** Dialects that allow columns outside of GROUP BY: they depend on the keys, or any value is returned. */
const HAS_OTHERS: ReadonlySet<string> = new Set(['postgresql', 'mysql', 'mariadb', 'sqlite']);

/** The context of a grouped query, which knows its keys. */
function groupedContext(select: Select, base: Context, isShown: boolean): Context {
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
      grouped: { keys: new Set(keys.map(({ sql }) => sql)), caseless: new Set(caseless), hasOthers },
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
      : columns.find((each) => !each.isStar && each.name.toLowerCase() === only.name.toLowerCase());
  const isColumn =
    only !== undefined &&
    context.relations.some(
      ({ columns: known }) =>
        known?.some((each) => each.name.toLowerCase() === only.name.toLowerCase()) === true,
    );
  return alias === undefined || isColumn ? context.write(expression, context) : alias.raw;
}

function groupLines(select: Select, columns: readonly Column[], context: Context): readonly string[] {
  const { groupBy, groupings = [] } = select;
  if (groupBy === 'ALL') return ['GROUP BY ALL'];
  const plain: Context = { ...context, grouped: undefined };
  if (groupings.length > 0) return [groupingLine(select, groupings, plain)];
  if (groupBy.length === 0) return [];
  const written = groupBy.map((each) => {
    const key = groupKey(each, ungrouped(select, columns, plain), plain);
    if (context.grouped?.caseless.has(key.sql) === true) return caselessKey(key, context).sql;
    const isPosition = each.kind === 'number' && columns[Number(each.text) - 1]?.isStar === false;
    return isPosition ? each.text : context.write(each, plain).sql;
  });
  return [listed('GROUP BY', written)];
}

/** The select list without `any` around columns. */
function ungrouped(select: Select, columns: readonly Column[], context: Context): readonly Column[] {
  if (context.shared.traits.ignoresCase !== true) return columns;
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
  const keys = tail.orderBy.map((order) => orderOf(orderKey(order.value, columns, context), order, context));
  if (keys.length > 0) lines.push(listed('ORDER BY', keys));
  const distinctOn = select.distinctOn ?? [];
  if (distinctOn.length > 0)
    lines.push(`LIMIT 1 BY ${distinctOn.map((each) => orderKey(each, columns, context).sql).join(', ')}`);
  if (isCaseless(select, columns, context)) {
    if (columns.some(({ isStar }) => isStar))
      unconverted(select.at, 'clause', 'SELECT DISTINCT * is not converted');
    lines.push(
      `LIMIT 1 BY ${columns.map((each) => caselessKey({ ...each.value, sql: name(each.name) }, context).sql).join(', ')}`,
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
      : columns.find((each) => !each.isStar && each.name.toLowerCase() === only.name.toLowerCase());
  const column = position ?? named;
  const found =
    column !== undefined && !column.isStar
      ? plainValue(name(column.name), column.value)
      : context.write(expression, context);
  const nullable =
    context.hasRollup === true ? { ...found, type: { ...found.type, isNullable: true } } : found;
  return caselessKey(nullable, context);
}
