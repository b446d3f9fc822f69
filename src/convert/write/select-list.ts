// The select list: columns, their names, and stars.
import { sql } from '../../dialects/sql.ts';
import type { Expression, Item, Name, Select } from '../../sql/syntax-tree.ts';
import { roundHalfAway } from '../../dialects/rounding.ts';
import { differs, note, unconverted } from '../../dialects/context.ts';
import type { Context, WrittenQuery } from './context.ts';
import { pathsOf } from './from.ts';
import type { Relation } from './scope.ts';
import { name, value, type Value } from '../../dialects/value.ts';

export interface Column {
  readonly name: string;
  readonly value: Value;
  /** The value before it was converted for the result. */
  readonly raw: Value;
  /** As written: a star, or an expression with its alias. */
  readonly sql: string;
  readonly isStar: boolean;
  /** The source can refer to it by its name. */
  readonly isNamed: boolean;
}

export function aliasesOf(columns: readonly Column[]): Context['aliases'] {
  return new Map(
    columns
      .filter(({ isNamed }) => isNamed)
      .map((each) => [each.name.toLowerCase(), { name: each.name, value: each.value }]),
  );
}

/** Names of aliases: columns of the same name are qualified, since ClickHouse prefers the alias. */
export function shadowedNames({ items }: Select, isCaseless: boolean): ReadonlySet<string> {
  const names = items.flatMap((item) => {
    if (item.kind === 'star') return [];
    const { alias, value: whole } = item;
    const own = whole.kind === 'collate' ? whole.value : whole;
    const isColumn = own.kind === 'path' && (alias === undefined || isSamePath(own, alias));
    return isCaseless || !isColumn ? [alias?.name ?? implicitName(own)] : [];
  });
  return new Set(names.map((each) => each.toLowerCase()));
}

function isSamePath(expression: Expression, alias: Name): boolean {
  return (
    expression.kind === 'path' &&
    expression.parts.length === 1 &&
    expression.parts[0]?.name.toLowerCase() === alias.name.toLowerCase()
  );
}

/** Names that the select list uses. */
export function usedNames({ items }: Select): ReadonlySet<string> {
  return new Set(
    items
      .flatMap((item) => (item.kind === 'value' ? pathsOf(item.value) : []))
      .map((parts) => parts[0]?.name.toLowerCase() ?? ''),
  );
}

/** The select list. Some dialects let an item refer to the aliases before it. */
export function writeItems(select: Select, context: Context, isShown: boolean): readonly Column[] {
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

/** Dialects in which the name of an expression without an alias can be used elsewhere in the query. */
const NAMES_EXPRESSIONS: ReadonlySet<string> = new Set(['postgresql', 'redshift']);

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
  const isNamed =
    item.alias !== undefined || item.value.kind === 'path' || NAMES_EXPRESSIONS.has(context.shared.dialect);
  const unique = uniqueName(own, used);
  if (unique !== own && (item.alias !== undefined || item.value.kind === 'path'))
    note(context, 'note', {
      at: item.value.at,
      code: 'clause',
      message: `Two columns are named ${own}: the second one is renamed to ${unique}`,
    });
  const sql = written.sql === name(unique) ? written.sql : `${String(written.sql)} AS ${name(unique)}`;
  return { name: unique, value: written, raw, sql, isStar: false, isNamed };
}

function uniqueName(own: string, used: Set<string>): string {
  let unique = own;
  for (let count = 2; used.has(unique.toLowerCase()); count++) unique = `${own}_${count}`;
  used.add(unique.toLowerCase());
  return unique;
}

/** The name that other systems give to a column without an alias. */
function implicitName(expression: Expression): string {
  const { kind } = expression;
  if (kind === 'path') return expression.parts.at(-1)?.name ?? 'column';
  if (kind === 'field') return expression.name.name;
  if (kind === 'collate') return implicitName(expression.value);
  if (kind === 'call') return expression.name.replace(/^clickhouse__/, '');
  if (kind === 'extract' || kind === 'case') return kind;
  if (kind !== 'cast') return 'column';
  const isNamed = expression.value.kind === 'path' || expression.value.kind === 'call';
  return isNamed ? implicitName(expression.value) : expression.type.name.toLowerCase();
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
    !/^(?:[\d.-]+$|round\()/.test(String(written.sql))
  )
    return { ...roundHalfAway(written, Math.min(scale, 15)), type: written.type };
  if (kind === 'json' && dialect === 'sqlite')
    return { ...value('text', written.sql), type: { kind: 'text', isNullable: true, isMixed: true } };
  if (isShown && kind === 'seconds')
    differs(context, at, 'type', 'An interval is returned as a number of seconds');
  if (isShown && kind === 'interval')
    differs(context, at, 'type', 'An interval is returned in the form of ClickHouse');
  if (kind === 'bool' && isNumberInClickHouse === true && !traits.hasNumericConditions && isShown)
    return { sql: sql`toBool(${written.sql})`, type: { ...written.type, isNumberInClickHouse: false } };
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
      : ` REPLACE (${item.replace.map((each) => `${String(context.write(each.value, context).sql)} AS ${name(each.name.name)}`).join(', ')})`;
  const sql = `${table === undefined ? '' : `${name(table.name)}.`}*${except}${replace}`;
  return {
    name: '*',
    value: value('unknown', sql),
    raw: value('unknown', sql),
    sql,
    isStar: true,
    isNamed: false,
  };
}

/** The columns of a select list with stars, if those of its tables are known. */
export function starColumns(
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
