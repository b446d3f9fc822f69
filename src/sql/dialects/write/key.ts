// Keys of ORDER BY and GROUP BY, and groupings.
import { syntax, type Context, unconverted, type Use } from '../context.ts';
import { type Sql, sql, type Value, joinSql, value } from '../value.ts';
import type { Style } from '../style.ts';
import type { Expression, Grouping, Name, Order, Select } from '../tree.ts';
import { containsAggregate, hasWindow, pathsOf } from './nested.ts';
import { orderOf } from '../window.ts';
import { type Column, shadowedNames, writeItems } from './select-list.ts';

/** The column at a position; undefined for other expressions, and after a star whose columns are not known. */
export function columnAt(expression: Expression, columns: readonly Column[]): Column | undefined {
  if (expression.kind !== 'number' || !/^\d+$/.test(expression.text)) return undefined;
  const index = Number(expression.text) - 1;
  if (columns.slice(0, index + 1).some(({ star }) => star !== undefined)) return undefined;
  return (
    columns[index] ??
    syntax(expression.at, `There is no column ${expression.text}: the query has ${columns.length}`)
  );
}

/** The column with an alias; undefined for other expressions. */
export function columnNamed(expression: Expression, columns: readonly Column[]): Column | undefined {
  const [only, more] = expression.kind === 'path' ? expression.parts : [];
  if (only === undefined || more !== undefined) return undefined;
  return columns.find(({ isNamed, name }) => isNamed && name.toLowerCase() === only.name.toLowerCase());
}

const CONSTANTS: ReadonlySet<string> = new Set(['string', 'number', 'boolean', 'null', 'time']);

/** ClickHouse would read a number as a position. */
function isConstant(expression: Expression | undefined): boolean {
  return expression !== undefined && CONSTANTS.has(expression.kind);
}

/** The keys of ORDER BY; constants are none. */
export function orderKeys(
  orders: readonly Order[],
  columns: readonly Column[],
  context: Context,
): readonly Sql[] {
  return orders.flatMap((order) => {
    const column = columnAt(order.value, columns) ?? columnNamed(order.value, columns);
    if (isConstant(column === undefined ? order.value : column.source) && !isPosition(order.value, columns))
      return [];
    return orderOf(orderKey(order.value, column, context), order, context);
  });
}

function isPosition({ kind }: Expression, columns: readonly Column[]): boolean {
  return kind === 'number' && columns.some(({ star }) => star !== undefined);
}

/** The value of a key of ORDER BY or DISTINCT ON. */
export function orderKey(expression: Expression, column: Column | undefined, context: Context): Value {
  const found = column === undefined ? context.write(expression, context) : byName(column, context);
  const own = context.hasRollup === true ? { ...found, type: { ...found.type, isNullable: true } } : found;
  return context.key(own);
}

/** By name, so that the expression is neither written nor evaluated twice; a value whose column is in another form is written again. */
function byName({ name, raw, value: own }: Column, context: Context): Value {
  const key = context.key(raw);
  const isOther = context.shared.isStrict && (key.original !== undefined || raw.type.kind === 'object');
  return isOther ? key : { sql: context.shared.style.name(name), type: own.type };
}

/** The clauses that follow a SELECT. */
export interface Tail {
  readonly orderBy: readonly Order[];
  readonly limit?: string | undefined;
  readonly offset?: string | undefined;
  readonly hasTies?: boolean;
}

/** ORDER BY with its written keys, what comes before LIMIT, and LIMIT. */
export function tailLines(
  keys: readonly Sql[],
  { limit, offset, hasTies }: Tail,
  style: Style,
  limitBy: readonly Sql[] = [],
): readonly Sql[] {
  const order = keys.length === 0 ? [] : [style.list('ORDER BY', keys)];
  const skipped = offset === undefined ? '' : `OFFSET ${offset}`;
  const lines = [...order, ...limitBy];
  if (limit === undefined) return skipped === '' ? lines : [...lines, skipped];
  const ties = hasTies === true ? ' WITH TIES' : '';
  return [...lines, sql`LIMIT ${limit}${skipped === '' ? '' : ` ${skipped}`}${ties}`];
}

export const hasGroups = ({ groupBy, groupings = [] }: Select): boolean =>
  groupBy === 'ALL' || groupBy.length > 0 || groupings.length > 0;

/** The context of a grouped query, which knows its keys. */
export function groupedContext(select: Select, base: Context, use: Use): Context {
  const { groupBy, groupings = [] } = select;
  const { traits, isStrict } = base.shared;
  const { groupsOtherColumns, extremeSelectsRow } = traits;
  if (groupsOtherColumns) checkRows(select, extremeSelectsRow);
  if (isStrict && groupings.length > 0) return withOptionalKeys(select, base, use);
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

/** Columns that are no keys, of a query without groups, or beside MIN and MAX where these decide the row. */
function checkRows({ items, groupBy, groupings = [] }: Select, extremeSelectsRow: boolean): void {
  if (groupBy === 'ALL' || groupings.length > 0) return;
  const values = items.flatMap((item) => (item.kind === 'value' ? [item] : []));
  const isOfRow =
    groupBy.length === 0
      ? values.some(({ value: each }) => containsAggregate(each))
      : extremeSelectsRow && values.some(({ value: each }) => isExtreme(each));
  if (!isOfRow) return;
  const keys = new Set(
    groupBy.flatMap((key) => (key.kind === 'number' ? [key.text] : pathsOf(key).map(nameOf))),
  );
  for (const [index, { value: each, alias }] of values.entries()) {
    const names = [String(index + 1), ...(alias === undefined ? [] : [alias.name.toLowerCase()])];
    const columns = pathsOf(each).map(nameOf);
    const isKey = [...names, ...columns].some((own) => keys.has(own));
    if (columns.length > 0 && !isKey && !containsAggregate(each) && !hasWindow(each))
      unconverted(
        each.at,
        'clause',
        'This is a column of a row that the source chooses',
        'Group by it, or write an aggregate.',
      );
  }
}

const nameOf = (path: readonly Name[]): string => path.at(-1)?.name.toLowerCase() ?? '';

/** A key that is NULL in the rows of groupings without it: ClickHouse has the default of its type there. */
export const optionalKey = (own: Value): Value => ({
  ...value(own.type.kind, sql`toNullable(${own.sql})`),
  type: { ...own.type, isNullable: true },
});

function withOptionalKeys(select: Select, base: Context, use: Use): Context {
  const draft = writeItems(select, base, use);
  const all = (select.groupings ?? []).flatMap(({ sets }) => sets.flat());
  const keys = new Set(all.map((each) => String(keyOf(each, draft, base).sql)));
  return { ...base, grouped: { keys, caseless: new Set(), hasOthers: false, isOptional: true } };
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
  if (groupings.length > 0) {
    const write = (each: Expression): Sql =>
      plain.shared.isStrict
        ? (columnOf(each, columns, plain)?.raw ?? optionalKey(plain.write(each, plain))).sql
        : each.kind === 'number'
          ? each.text
          : plain.write(each, plain).sql;
    return [groupingLine(select, groupings, { context: plain, write })];
  }
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

interface GroupingPlace {
  readonly context: Context;
  readonly write: (key: Expression) => Sql;
}

function groupingLine(
  { groupBy }: Select,
  groupings: readonly Grouping[],
  { context, write }: GroupingPlace,
): Sql {
  const [grouping, more] = groupings;
  const at = grouping?.at ?? 0;
  if (grouping === undefined || more !== undefined || groupBy === 'ALL' || groupBy.length > 0)
    return unconverted(
      at,
      'clause',
      'Only one ROLLUP, CUBE or GROUPING SETS without other keys is converted',
    );
  if (!context.shared.isStrict) context.shared.settings.set('group_by_use_nulls', '1');
  const sets = grouping.sets.map((set) => set.map(write));
  if (context.shared.isStrict) return setsLine(expanded(grouping.kind, sets, at));
  if (grouping.kind !== 'sets' && sets.every((set) => set.length === 1))
    return sql`GROUP BY ${grouping.kind.toUpperCase()}(${joinSql(sets.flat())})`;
  if (grouping.kind === 'cube') return unconverted(grouping.at, 'clause', 'CUBE of lists is not converted');
  return setsLine(expanded(grouping.kind, sets, at));
}

const setsLine = (sets: readonly (readonly Sql[])[]): Sql =>
  sql`GROUP BY GROUPING SETS (${joinSql(sets.map((set) => sql`(${joinSql(set)})`))})`;

/** More groupings than these make too long a query. */
const MAX_CUBE = 6;

/** All groupings, each by itself: over no rows, ClickHouse's ROLLUP and CUBE have no total. */
function expanded(
  kind: Grouping['kind'],
  sets: readonly (readonly Sql[])[],
  at: number,
): readonly (readonly Sql[])[] {
  if (kind === 'sets') return sets;
  if (kind === 'rollup') return [...sets.map((_, index) => sets.slice(0, sets.length - index).flat()), []];
  if (sets.length > MAX_CUBE)
    return unconverted(at, 'clause', `CUBE of more than ${MAX_CUBE} elements is not supported`);
  return sets.reduceRight<readonly (readonly Sql[])[]>(
    (rest, set) => [rest.map((each) => [...set, ...each]), rest].flat(),
    [[]],
  );
}

/** Returns whether there is a row of all rows, also if there are none. */
export const hasTotal = ({ groupings = [] }: Select): boolean =>
  groupings.some(({ kind, sets }) => kind !== 'sets' || sets.some((set) => set.length === 0));

/** HAVING and QUALIFY. */
export function havingContext(context: Context): Context {
  if (!context.shared.traits.havingPrefersAliases) return context;
  const keys = context.grouped?.keys ?? new Set();
  const aliases = new Map([...context.scope.aliases].filter(([, own]) => !keys.has(String(own.sql))));
  return { ...context, scope: { ...context.scope, aliases, prefersAliases: true } };
}
