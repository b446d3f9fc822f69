// Keys of GROUP BY, ORDER BY and DISTINCT ON: a position, an alias, or an expression; and the clauses ORDER BY and LIMIT.
import { syntax, type Context } from '../context.ts';
import { type Sql, sql, type Value } from '../value.ts';
import type { Style } from '../style.ts';
import type { Expression, Order } from '../tree.ts';
import { orderOf } from '../window.ts';
import type { Column } from './select-list.ts';

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
export function isConstant(expression: Expression | undefined): boolean {
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
