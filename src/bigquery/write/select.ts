// Writes one SELECT: columns, conditions, groups and order over the tables of its FROM.
import { DYNAMIC, type Value } from '../../dialects/value.ts';
import { orderSqls } from './call.ts';
import { bigqueryText } from '../../dialects/cast/text.ts';
import type { Context, QueryUse, WrittenQuery } from '../context.ts';
import { syntax, tooLarge, unknown } from '../translation-error.ts';
import { columnsByName, fieldsOf, type Relation } from '../scope.ts';
import { joinSql, sql, type Sql } from '../../dialects/sql.ts';
import type { Expression, Item, Name, Order, Select } from '../../sql/syntax-tree.ts';
import { columnType, condition, field, fieldNames, key, quoteName, shown, whole } from '../value.ts';
import { writeFrom } from './from.ts';

/** A result column. `written` is its expression, if it has one. */
interface Column {
  readonly name: string | undefined;
  readonly value: Value;
  readonly written?: Expression;
}

/** How a SELECT is used, and its order; empty for members of a set operation. */
export interface SelectUse extends QueryUse {
  readonly orderBy: readonly Order[];
}

/**
 * Translates one SELECT with the ORDER BY that applies to it.
 * @throws UnconvertedError
 */
export function writeSelect(select: Select, context: Context, use: SelectUse): WrittenQuery {
  const from = writeFrom(select.from, context);
  const inside = within(select, from.relations, context);
  const columns = named(writeItems(select, inside));
  const outputs = columns.map((column) =>
    outputOf(column, { ...use, isPlain: use.isPlain || select.isDistinct }),
  );
  const table = onlyTable(from.sql);
  const late: Context = {
    ...inside,
    scope: { ...inside.scope, aliases: aliasesOf(columns) },
    aliases: 'first',
  };
  const clauses: Sql[] = [
    sql`SELECT ${select.isDistinct ? 'DISTINCT ' : ''}${joinSql(outputs.map((output) => namedOutput(output, table)))}`,
  ];
  if (from.sql !== undefined) clauses.push(sql`FROM ${from.sql}`);
  const where = [
    ...from.conditions,
    ...(select.where === undefined ? [] : [clause(select.where, { ...inside, isGrouped: false })]),
  ];
  if (where.length > 0) clauses.push(sql`WHERE ${joinSql(where, ' AND ')}`);
  if (select.groupBy === 'ALL') clauses.push('GROUP BY ALL');
  else if (select.groupBy.length > 0) {
    clauses.push(sql`GROUP BY ${joinSql(select.groupBy.map((each) => groupKey(each, columns, late)))}`);
  }
  if (select.having !== undefined) clauses.push(sql`HAVING ${clause(select.having, late)}`);
  if (select.qualify !== undefined) clauses.push(sql`QUALIFY ${clause(select.qualify, late)}`);
  const orders = use.orderBy.flatMap((order) => orderKey(order, columns, late));
  if (orders.length > 0) clauses.push(sql`ORDER BY ${joinSql(orders)}`);
  return { sql: joinSql(clauses, ' '), columns: outputs.map(({ name, type }) => ({ name, type })) };
}

/** The name of the only table of a FROM; undefined if there are others, or it is a subquery. */
function onlyTable(from: Sql | undefined): string | undefined {
  return /^`[^`]+` AS (t\d+)$/.exec(from === undefined ? '' : String(from))?.[1];
}

/**
 * An output with its name. A column of the only table has it without an alias, which would be a name of the table: the sandbox then
 * gives the table a scope of its own, at a cost.
 */
function namedOutput({ name, sql: own }: Output, table: string | undefined): Sql {
  const isColumn = table !== undefined && String(own) === `${table}.${quoteName(name)}`;
  return isColumn ? own : sql`${own} AS ${quoteName(name)}`;
}

interface Output {
  readonly name: string;
  readonly sql: Sql;
}

function clause(expression: Expression, context: Context): Sql {
  return condition(context.write(expression, { ...context, nullIsFalse: true }));
}

function within(select: Select, relations: readonly Relation[], context: Context): Context {
  return {
    ...context,
    scope: { relations, aliases: new Map(), parent: context.scope },
    aliases: 'no',
    isGrouped: select.groupBy.length > 0,
    isUngrouped: select.groupBy.length === 0,
    windows: new Map(select.windows.map(({ name, window }) => [name.name.toLowerCase(), window])),
  };
}

/** If two columns have the same name, the first one is used. */
function aliasesOf(columns: readonly Column[]): ReadonlyMap<string, Value> {
  const own = columns.filter(({ written }) => written !== undefined);
  return new Map(own.toReversed().map((column) => [(column.name ?? '').toLowerCase(), column.value]));
}

/** The column's name; undefined if BigQuery generates one. */
export function nameOf({ alias, value: written }: Extract<Item, { kind: 'value' }>): string | undefined {
  return alias?.name ?? lastName(written);
}

function lastName(expression: Expression): string | undefined {
  if (expression.kind === 'path') return expression.parts.at(-1)?.name;
  return expression.kind === 'field' ? expression.name.name : undefined;
}

const MAX_COLUMNS = 250;

function writeItems({ items, at }: Select, context: Context): readonly Column[] {
  const columns: Column[] = [];
  for (const item of items) {
    columns.push(...writeItem(item, context));
    if (columns.length > MAX_COLUMNS) tooLarge(at, `A SELECT may have at most ${MAX_COLUMNS} columns`);
  }
  return columns;
}

function writeItem(item: Item, context: Context): readonly Column[] {
  if (item.kind === 'star') return writeStar(item, context);
  const written = item.value;
  return [
    {
      name: nameOf(item),
      value: context.write(written, context),
      written,
    },
  ];
}

function writeStar(
  { of, except, replace, at }: Extract<Item, { kind: 'star' }>,
  context: Context,
): readonly Column[] {
  const all = of === undefined ? context.scope.relations.flatMap(columnsOf) : starOf(of, context);
  if (all.length === 0) syntax(at, '* matches no columns', 'List the fields that you need.');
  const has = (name: Name) => all.some((column) => same(column, name));
  const missing = [...except, ...replace.map(({ name }) => name)].find((name) => !has(name));
  if (missing !== undefined) unknown(missing.at, `* has no column ${missing.name}`);
  return all
    .filter((column) => !except.some((name) => same(column, name)))
    .map((column) => {
      const other = replace.find(({ name }) => same(column, name));
      return other === undefined
        ? column
        : { ...column, value: context.write(other.value, context), written: other.value };
    });
}

function same({ name: own }: Column, { name }: Name): boolean {
  return own?.toLowerCase() === name.toLowerCase();
}

/** Columns of a table, elements of an array. A record is returned with the column that contains it. */
function columnsOf({ columns, element, alias, merged }: Relation): readonly Column[] {
  if (element === undefined)
    return [...columns.values()].filter(({ name }) => merged?.has(name.toLowerCase()) !== true);
  if (element.type.kind === 'tuple') return fieldColumns(element);
  return element.subcolumn === undefined ? [{ name: alias, value: element }] : [];
}

function fieldColumns(record: Value): readonly Column[] {
  return fieldNames(record).map((name) => ({ name, value: field(record, { name, at: 0 }) }));
}

function starOf(of: Expression, context: Context): readonly Column[] {
  const [first, second] = of.kind === 'path' ? of.parts : [];
  const relation = context.scope.relations.findLast(
    ({ alias }) => alias?.toLowerCase() === first?.name.toLowerCase(),
  );
  if (relation !== undefined && second === undefined && relation.element === undefined)
    return [...relation.columns.values()];
  const record =
    relation?.element !== undefined && of.kind === 'path'
      ? fieldsOf(relation.element, of.parts.slice(1))
      : context.write(of, context);
  return fieldColumns(record);
}

/** BigQuery's names for unnamed columns, and for duplicates. */
function named(columns: readonly Column[]): readonly (Column & { readonly name: string })[] {
  const seen = new Map<string, number>();
  let unnamed = 0;
  return columns.map((column) => {
    const name = column.name ?? `f${unnamed++}_`;
    const count = seen.get(name.toLowerCase()) ?? 0;
    seen.set(name.toLowerCase(), count + 1);
    return { ...column, name: count === 0 ? name : `${name}_${count}` };
  });
}

function outputOf({ name, value: own }: Column & { readonly name: string }, { isShown, isPlain }: QueryUse) {
  // The group key is a string; the original value is the same for all rows of a group, so any of them can be returned.
  if (own.original !== undefined && !isPlain) {
    return { name, type: DYNAMIC, sql: sql`any(${own.original})` };
  }
  const kept = isPlain && own.type.kind === 'dynamic' ? key(own) : own;
  const output = { name, type: columnType(kept) };
  const { kind } = kept.type;
  if (isShown && kind === 'bool') return { ...output, sql: sql`CAST(${whole(kept)} AS Nullable(Bool))` };
  if (isShown && kind === 'datetime')
    return { ...output, sql: sql`replaceOne(${bigqueryText(kept)}, ' ', 'T')` };
  if (isShown && kind === 'interval') return { ...output, sql: bigqueryText(kept) };
  return { ...output, sql: isShown ? shown(kept) : whole(kept) };
}

/** The column that an integer refers to; undefined for other expressions. */
function ordinal(expression: Expression, columns: readonly Column[]): Column | undefined {
  if (expression.kind !== 'number' || !/^\d+$/.test(expression.text)) return undefined;
  const column = columns[Number(expression.text) - 1];
  return (
    column ?? syntax(expression.at, `There is no column ${expression.text}: the query has ${columns.length}`)
  );
}

function isConstant(expression: Expression | undefined): boolean {
  return (
    expression !== undefined && ['string', 'number', 'boolean', 'null', 'time'].includes(expression.kind)
  );
}

/** What an expression in GROUP BY or ORDER BY refers to: a result column, by number or name, or itself. */
function keyOf(expression: Expression, columns: readonly Column[], context: Context) {
  const [name, more] = expression.kind === 'path' ? expression.parts : [];
  const aliased = more === undefined ? context.scope.aliases.get(name?.name.toLowerCase() ?? '') : undefined;
  const column = ordinal(expression, columns) ?? columns.find((each) => each.value === aliased);
  const own = column?.value ?? context.write(expression, context);
  return {
    column,
    value: key(own),
    isConstant: isConstant(column === undefined ? expression : column.written),
  };
}

function groupKey(expression: Expression, columns: readonly Column[], context: Context): Sql {
  const { value: own, isConstant: isSame } = keyOf(expression, columns, context);
  // A bare number would be read as a column position.
  return isSame ? sql`materialize(${own.sql})` : own.sql;
}

function orderKey(order: Order, columns: readonly Column[], context: Context): readonly Sql[] {
  const { column, value: own, isConstant: isSame } = keyOf(order.value, columns, context);
  if (isSame) return [];
  // By name, so that the expression is neither written nor evaluated twice.
  const isLoose = own.original !== undefined || column?.value.type.kind === 'object';
  if (column?.name === undefined || isLoose) return orderSqls(own, order);
  return orderSqls({ ...own, sql: quoteName(column.name) }, order);
}

interface NamedRows {
  readonly orders: readonly Order[];
  readonly columns: WrittenQuery['columns'];
  /** The alias of the rows. */
  readonly table: string;
}

/** ORDER BY over columns that are already named, as after UNION. */
export function orderByNames({ orders, columns, table }: NamedRows, context: Context): readonly Sql[] {
  const own = columns.map(({ name, type }) => ({
    name,
    value: { sql: sql`${table}.${quoteName(name)}`, type },
  }));
  const relation: Relation = { alias: undefined, columns: columnsByName(own) };
  const inside: Context = {
    ...context,
    aliases: 'no',
    isGrouped: false,
    scope: { relations: [relation], aliases: new Map(), parent: context.scope },
  };
  return orders.flatMap((order) => orderKey(order, own, inside));
}
