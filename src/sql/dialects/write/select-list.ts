// The select list: its columns, their names, and the forms in which they are shown.
import type { Name, Query, Select, Expression, Item } from '../tree.ts';
import {
  unconverted,
  type Context,
  type WrittenQuery,
  differs,
  type Use,
  type Place,
  note,
  syntax,
  tooLarge,
  unknown,
  type OutputColumn,
  type Relation,
} from '../context.ts';
import { sql, key, shown as inResult, whole, bytesOfDigits, DYNAMIC, value, type Value, type Sql } from '../value.ts'; // prettier-ignore
import { columnType, field, fieldNames } from '../record.ts';
import { roundHalfAway } from '../exact.ts';
import { fieldsOf } from './element.ts';
import { pathsOf } from './nested.ts';

/** A column of a select list. */
export interface Column extends OutputColumn {
  /** The value before it was converted for the result. */
  readonly raw: Value;
  /** As written: a star, or an expression with its alias. */
  readonly sql: Sql;
  /** The expression in the source; undefined for columns of a star. */
  readonly source?: Expression;
  /** The source can refer to it by its name. */
  readonly isNamed: boolean;
  /** A star that was not replaced by the columns: what they are, if they are known. */
  readonly star?: { readonly columns: readonly OutputColumn[] | undefined };
}

/** A column before it has a name of its own. */
interface Draft {
  readonly name: string | undefined;
  readonly raw: Value;
  readonly at: number;
  readonly source?: Expression;
  readonly isNamed: boolean;
  /** The source names it: by an alias, or as a path. */
  readonly hasName: boolean;
  readonly star?: Column;
}

/** What is written for the aliases: offline their names, at run time their expressions, since a name could be one of a table. */
export function aliasesOf(columns: readonly Column[], { shared }: Context): ReadonlyMap<string, Value> {
  const entries = columns
    .filter(({ isNamed }) => isNamed)
    .map(({ name, raw, value: own }): readonly [string, Value] => [
      name.toLowerCase(),
      shared.isStrict ? raw : { sql: shared.style.name(name), type: own.type },
    ]);
  return new Map(entries);
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

const MAX_COLUMNS = 250;

/** The select list. `only` is the name of the only table of FROM. */
export function writeItems(
  select: Select,
  context: Context,
  use: Use & { readonly only?: string | undefined },
): readonly Column[] {
  const { traits, isStrict } = context.shared;
  const columns: Column[] = [];
  const names = namer(context);
  for (const item of select.items) {
    const inside = traits.seesEarlierAliases
      ? { ...context, scope: { ...context.scope, aliases: aliasesOf(columns, context) } }
      : context;
    const drafts = item.kind === 'star' ? writeStar(item, context) : [writeItem(item, inside)];
    for (const draft of drafts) columns.push(draft.star ?? columnOf(draft, names, { ...use, context }));
    if (isStrict && columns.length > MAX_COLUMNS)
      tooLarge(select.at, `A SELECT may have at most ${MAX_COLUMNS} columns`);
  }
  return columns;
}

function writeItem({ value: source, alias }: Extract<Item, { kind: 'value' }>, context: Context): Draft {
  const { isStrict, traits } = context.shared;
  const name = alias?.name ?? pathName(source);
  return {
    name: isStrict ? name : (alias?.name ?? implicitName(source)),
    raw: context.write(source, context),
    at: source.at,
    source,
    hasName: name !== undefined,
    isNamed: name !== undefined || traits.namesExpressions,
  };
}

/**
 * The column with its name. A column of the only table has it without an alias, which would be a name of the table: the sandbox then
 * gives the table a scope of its own, at a cost.
 */
function columnOf(
  draft: Draft,
  names: (draft: Draft) => string,
  { only, context, ...use }: Use & { readonly only?: string | undefined; readonly context: Context },
): Column {
  const name = names(draft);
  const own = shown(draft.raw, use, { at: draft.at, context });
  const written = context.shared.style.name(name);
  const text = String(own.sql);
  const isName = text === written || (only !== undefined && text === `${only}.${written}`);
  const { raw, isNamed, source } = draft;
  return {
    name,
    value: own,
    raw,
    sql: isName ? own.sql : sql`${own.sql} AS ${written}`,
    isNamed,
    ...(source === undefined ? {} : { source }),
  };
}

/** Gives each column a name of its own. At run time, columns without a name have BigQuery's. */
function namer(context: Context): (draft: Draft) => string {
  const used = new Set<string>();
  const { isStrict } = context.shared;
  let unnamed = 0;
  return ({ name, at, hasName }) => {
    const own = name ?? `f${unnamed++}_`;
    let unique = own;
    for (let count = isStrict ? 1 : 2; used.has(unique.toLowerCase()); count++) unique = `${own}_${count}`;
    used.add(unique.toLowerCase());
    if (unique !== own && hasName)
      note(context, 'note', {
        at,
        code: 'clause',
        message: `Two columns are named ${own}: the second one is renamed to ${unique}`,
      });
    return unique;
  };
}

/** The column's name, if it has one: its alias, or the last part of a path. */
export function nameOf({ alias, value: own }: Extract<Item, { kind: 'value' }>): string | undefined {
  return alias?.name ?? pathName(own);
}

function pathName(own: Expression): string | undefined {
  if (own.kind === 'path') return own.parts.at(-1)?.name;
  return own.kind === 'field' ? own.name.name : undefined;
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
  const isName = expression.value.kind === 'path' || expression.value.kind === 'call';
  return isName ? implicitName(expression.value) : expression.type.name.toLowerCase();
}

type Star = Extract<Item, { kind: 'star' }>;

/** A star. At run time, and where a table has no columns in the SQL, it is replaced by the columns. */
function writeStar(item: Star, context: Context): readonly Draft[] {
  const { isStrict } = context.shared;
  if (!isStrict && !context.scope.relations.some(({ isInline }) => isInline === true))
    return [starAsWritten(item, context)];
  const all = starColumns(item, context);
  if (all === undefined)
    return unconverted(
      item.at,
      'clause',
      'A star is not converted together with an unnested array or a lateral subquery',
      'Name the columns.',
    );
  const { at, except, replace } = item;
  if (all.length === 0) syntax(at, '* matches no columns', 'List the fields that you need.');
  const has = ({ name }: Name): boolean => all.some((column) => isSame(column, name));
  const missing = [...except, ...replace.map(({ name }) => name)].find((name) => !has(name));
  if (missing !== undefined) unknown(missing.at, `* has no column ${missing.name}`);
  return all
    .filter((column) => !except.some(({ name }) => isSame(column, name)))
    .map((column) => {
      const other = replace.find(({ name }) => isSame(column, name.name));
      return other === undefined
        ? { name: column.name, raw: column.value, at, isNamed: false, hasName: false }
        : {
            name: column.name,
            raw: context.write(other.value, context),
            at: other.value.at,
            source: other.value,
            isNamed: true,
            hasName: false,
          };
    });
}

interface StarColumn {
  readonly name: string | undefined;
  readonly value: Value;
}

const isSame = ({ name }: StarColumn, other: string): boolean => name?.toLowerCase() === other.toLowerCase();

/** The columns of a star; undefined if those of a table are not known. */
function starColumns({ of }: Star, context: Context): readonly StarColumn[] | undefined {
  const { relations } = context.scope;
  if (of === undefined) return flattened(relations.map((each) => columnsOf(each)));
  const [first, second] = of.kind === 'path' ? of.parts.slice(context.shared.isStrict ? 0 : -1) : [];
  const relation = relations.findLast(
    ({ alias }) => alias?.toLowerCase() === first?.name.toLowerCase() && alias !== undefined,
  );
  if (relation !== undefined && second === undefined && relation.element === undefined)
    return relation.columns === undefined ? undefined : [...relation.columns.values()];
  const record =
    relation?.element !== undefined && of.kind === 'path'
      ? fieldsOf(relation.element, of.parts.slice(1), context)
      : context.write(of, context);
  return fieldColumns(record);
}

function flattened(lists: readonly (readonly StarColumn[] | undefined)[]): readonly StarColumn[] | undefined {
  return lists.some((each) => each === undefined) ? undefined : lists.flatMap((each) => each ?? []);
}

/** Columns of a table, elements of an array. A record is returned with the column that contains it. */
function columnsOf({ columns, element, alias, merged }: Relation): readonly StarColumn[] | undefined {
  if (columns === undefined) return undefined;
  if (element === undefined)
    return [...columns.values()].filter(({ name }) => merged?.has(name.toLowerCase()) !== true);
  if (element.type.kind === 'tuple') return fieldColumns(element);
  return element.subcolumn === undefined ? [{ name: alias, value: element }] : [];
}

function fieldColumns(record: Value): readonly StarColumn[] {
  return fieldNames(record).map((name) => ({ name, value: field(record, { name, at: 0 }) }));
}

/** A star as the source has it, which ClickHouse reads in the same way. */
function starAsWritten(item: Star, context: Context): Draft {
  const { name } = context.shared.style;
  const { of, except, replace, at } = item;
  const [table] = of?.kind === 'path' ? of.parts.slice(-1) : [];
  const names = except.map((each) => name(each.name)).join(', ');
  const others = replace.map(
    (each) => `${String(context.write(each.value, context).sql)} AS ${name(each.name.name)}`,
  );
  const written = `${table === undefined ? '' : `${name(table.name)}.`}*${names === '' ? '' : ` EXCEPT (${names})`}${others.length === 0 ? '' : ` REPLACE (${others.join(', ')})`}`;
  const raw = value('unknown', written);
  const excluded = new Set(except.map((each) => each.name.toLowerCase()));
  const columns =
    replace.length > 0
      ? undefined
      : starColumns(item, context)?.flatMap((each) =>
          each.name === undefined || excluded.has(each.name.toLowerCase())
            ? []
            : [{ name: each.name, value: { sql: name(each.name), type: each.value.type } }],
        );
  const star: Column = { name: '*', value: raw, raw, sql: written, isNamed: false, star: { columns } };
  return { name: '*', raw, at, isNamed: false, hasName: false, star };
}

/** The columns of a select list; undefined if those of a star are not known. */
export function outputColumns(columns: readonly Column[]): readonly OutputColumn[] | undefined {
  if (columns.some(({ star }) => star !== undefined && star.columns === undefined)) return undefined;
  return columns.flatMap((each) => each.star?.columns ?? [{ name: each.name, value: each.value }]);
}

/** The query with names for its columns. */
export function renamed(query: Query, columns: readonly Name[]): Query {
  const { body } = query;
  if (body.kind === 'select') return { ...query, body: { ...body, items: aliased(body, columns) } };
  if (body.kind === 'query') return { ...query, body: renamed(body, columns) };
  if (body.kind === 'rows') return query;
  const [first, ...others] = body.members;
  if (first === undefined) return query;
  const named =
    first.kind === 'select' ? { ...first, items: aliased(first, columns) } : renamed(first, columns);
  return { ...query, body: { ...body, members: [named, ...others] } };
}

function aliased({ items }: Select, columns: readonly Name[]): Select['items'] {
  return items.map((item, index) => {
    const alias = columns[index];
    if (item.kind === 'star')
      return unconverted(item.at, 'clause', 'A star is not converted where the columns are named');
    return alias === undefined ? item : { ...item, alias };
  });
}

/** A written query with names for its columns, for what `renamed` could not name: VALUES. */
export function withNames(
  written: WrittenQuery,
  columns: readonly Name[] | undefined,
  { shared: { style } }: Context,
): WrittenQuery {
  const { columns: known, sql: query } = written;
  if (columns === undefined || known === undefined) return written;
  if (columns.every((each, index) => known[index]?.name === each.name)) return written;
  const wanted = known.map((each, index) => columns[index]?.name ?? each.name);
  const items = known.map(
    (each, index) => `${style.name(each.name)} AS ${style.name(wanted[index] ?? each.name)}`,
  );
  return {
    sql: style.lines([sql`SELECT ${items.join(', ')}`, sql`FROM ${style.block(query)}`]),
    columns: known.map((each, index) => ({ ...each, name: wanted[index] ?? each.name })),
  };
}

/** A value as a column. */
function shown(own: Value, { isShown, isPlain }: Use, place: Place): Value {
  // The group key is a string; the original value is the same for all rows of a group, so any of them can be returned.
  if (own.original !== undefined && !isPlain) return { type: DYNAMIC, sql: sql`any(${own.original})` };
  const kept = isPlain && own.type.kind === 'dynamic' ? key(own) : exact(own, place);
  const type = columnType(kept);
  if (isShown) return { ...formatted(kept, place), type };
  const { absent: _, ...column } = kept;
  return { ...column, sql: whole(kept), type };
}

/** The formats of the result. */
export function formatted(own: Value, { at, context }: Place): Value {
  const { kind, isNumberInClickHouse } = own.type;
  const { isStrict, traits } = context.shared;
  if (kind === 'bool' && !traits.hasNumericConditions && (isStrict || isNumberInClickHouse === true))
    return { sql: sql`toBool(${whole(own)})`, type: { ...own.type, isNumberInClickHouse: false } };
  // BigQuery's forms of these types are strings.
  if (kind === 'interval' && isStrict) return context.asText(own, at);
  if (kind === 'datetime' && isStrict)
    return value('text', sql`replaceOne(${context.asText(own, at).sql}, ' ', 'T')`);
  if (kind === 'seconds') differs(context, at, 'type', 'An interval is returned as a number of seconds');
  if (kind === 'interval') differs(context, at, 'type', 'An interval is returned in the form of ClickHouse');
  return { ...own, sql: inResult(own) };
}

/** Quotients with their digits, and JSON that is a string. */
function exact(own: Value, { at, context }: Place): Value {
  const { kind, scale } = own.type;
  const { dialect, traits } = context.shared;
  // In MySQL, these are strings, unless they are beside numbers.
  const bytes = traits.hasUnsignedBits ? bytesOfDigits(own) : undefined;
  if (bytes !== undefined) return value('text', bytes, false, { isBinary: true });
  if (kind === 'json' && traits.isJsonMixed) return value('text', own.sql, true, { isMixed: true });
  if (kind !== 'numeric' || traits.quotientDigits !== 'four more') return own;
  if (scale !== undefined && !/^(?:[\d.-]+$|round\()/.test(String(own.sql)))
    return { ...roundHalfAway(own, Math.min(scale, 15)), type: own.type };
  const message = `${dialect} rounds quotients and averages of exact numbers to a number of digits that depends on the columns`;
  if (scale === undefined) differs(context, at, 'type_unknown', message);
  return own;
}
