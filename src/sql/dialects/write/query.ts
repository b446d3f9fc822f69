// Writes a query with its WITH clause, ORDER BY and LIMIT, and set operations.
import type { Rows, SetOperation, Expression, Name, Order, Query, Select, WithTable } from '../tree.ts';
import {
  differs,
  syntax,
  unconverted,
  type Context,
  type OutputColumn,
  type Place,
  type Use,
  type WrittenQuery,
  placeholder,
  UnconvertedError,
  READ,
  type Table,
} from '../context.ts';
import { joinSql, sql, type Sql, UNKNOWN, value, type Type, type Value } from '../value.ts';
import { formatted, renamed, withNames, nameOf } from './select-list.ts';
import { unified } from './unify.ts';
import { consumed } from '../consume.ts';
import { orderKeys, tailLines, type Tail } from './key.ts';
import { columnsByName, inRelations } from './scope.ts';
import { writeSelect, type QueryPlace } from './select.ts';

/** Writes a query; offline, one that cannot be converted as a whole becomes a comment. */
export function writeQuery(query: Query, context: Context, use: Use = READ): WrittenQuery {
  try {
    return consumed(query, 'this query', (node) => writeWhole(node, context, use));
  } catch (error) {
    if (context.shared.isStrict || !(error instanceof UnconvertedError)) throw error;
    return { sql: `SELECT ${placeholder(context, error)}`, columns: undefined };
  }
}

function writeWhole(query: Query, context: Context, use: Use): WrittenQuery {
  const { orderBy, limit, offset, hasTies = false } = query;
  const tail: Tail = { orderBy, limit, offset, hasTies };
  if (query.tables.length === 0) return writeBody(query.body, tail, { context, use });
  const { tables, elements } = writeTables(query.tables, context);
  const body = writeBody(query.body, tail, { context: { ...context, tables }, use });
  const isRecursive = query.tables.some((table) => table.isRecursive === true);
  const head = sql`WITH ${isRecursive ? 'RECURSIVE ' : ''}${joinSql(elements)}`;
  return { ...body, sql: context.shared.style.lines([head, body.sql]) };
}

/** Tables of WITH. At run time they are renamed, so that none can shadow a table of the endpoint. */
function writeTables(own: readonly WithTable[], context: Context) {
  const { shared } = context;
  const tables = new Map<string, Table>(context.tables);
  const elements: Sql[] = [];
  const seen = new Set<string>();
  const alone: Context = { ...context, tables, scope: { relations: [], aliases: new Map() } };
  for (const table of own) {
    const { name } = table;
    const folded = name.name.toLowerCase();
    if (shared.tableNames?.has(folded) === true)
      syntax(name.at, `${name.name} is a table of the endpoint`, 'Choose another name.');
    if (seen.has(folded)) syntax(name.at, `${name.name} is defined twice`);
    seen.add(folded);
    const { sql: query, columns } = writeTable(table, alone);
    const written = shared.isStrict ? shared.fresh('q') : shared.style.name(name.name);
    elements.push(sql`${written} AS ${shared.style.block(query)}`);
    tables.set(folded, { sql: written, columns });
  }
  return { tables, elements };
}

function writeTable(table: WithTable, context: Context): WrittenQuery {
  const query = table.columns === undefined ? table.query : renamed(table.query, table.columns);
  if (table.isRecursive !== true) return withNames(writeQuery(query, context), table.columns, context);
  if (context.shared.isStrict) unconverted(table.name.at, 'clause', 'WITH RECURSIVE is not supported');
  const { body } = query;
  const [first, ...rest] = body.kind === 'set' ? body.members : [];
  const isSupported =
    body.kind === 'set' &&
    body.operator === 'UNION ALL' &&
    query.limit === undefined &&
    query.tables.length === 0;
  if (!isSupported || first === undefined)
    return unconverted(
      table.name.at,
      'clause',
      'Only a recursive query of the form … UNION ALL … is converted',
    );
  const start = writeMember(first, context, READ);
  const write = ({ columns }: WrittenQuery): readonly WrittenQuery[] => {
    const own = { sql: context.shared.style.name(table.name.name), columns };
    const tables = new Map(context.tables).set(table.name.name.toLowerCase(), own);
    return rest.map((each) => writeMember(each, { ...context, tables }, READ));
  };
  const typed = aligned([start, ...write(start)], { at: table.name.at, context })[0] ?? start;
  const begin = widened(typed, context);
  return {
    sql: joinSql(
      [begin, ...write(begin)].map((each) => each.sql),
      '\nUNION ALL\n',
    ),
    columns: begin.columns,
  };
}

function writeBody(body: Query['body'], tail: Tail, { context, use }: QueryPlace): WrittenQuery {
  const orderBy = body.kind === 'select' ? orderOutside(body, tail, context) : tail.orderBy;
  if (body.kind === 'select' && orderBy === undefined) return writeSelect(body, tail, { context, use });
  const inner = writeRows(body, { context, use });
  const hasTail = tail.orderBy.length > 0 || tail.limit !== undefined || tail.offset !== undefined;
  return hasTail ? withTail(inner, { ...tail, orderBy: orderBy ?? [] }, { context, use }) : inner;
}

function writeRows(body: Query['body'], { context, use }: QueryPlace): WrittenQuery {
  switch (body.kind) {
    case 'select':
      return writeSelect(body, { orderBy: [] }, { context, use });
    case 'query':
      return apart(body, writeQuery(body, context, use), context);
    case 'rows':
      return rowsQuery(body, context);
    case 'set': {
      const plain = { ...use, isPlain: true };
      return combined(
        body,
        body.members.map((each) => writeMember(each, context, plain)),
        { context, use },
      );
    }
  }
}

/**
 * ORDER BY as positions of columns, if the select list has a subquery: ClickHouse cannot order by a correlated subquery, but can
 * order by a column that holds its result. Undefined for other queries.
 */
function orderOutside(
  { items }: Select,
  { orderBy }: Tail,
  { shared }: Context,
): readonly Order[] | undefined {
  const hasQuery = items.some((item) => item.kind === 'value' && item.value.kind === 'query');
  if (!shared.isStrict || !hasQuery || orderBy.length === 0) return undefined;
  const orders = orderBy.flatMap((order) => {
    if (order.value.kind === 'number') return [order];
    const index = items.findIndex((item) => item.kind === 'value' && isNamed(item, order.value));
    const text = String(index + 1);
    return index < 0 ? [] : [{ ...order, value: { kind: 'number' as const, text, at: order.value.at } }];
  });
  const hasStar = items.some((item) => item.kind === 'star');
  return hasStar || orders.length < orderBy.length ? undefined : orders;
}

const pathText = (parts: readonly Name[]): string => parts.map(({ name }) => name.toLowerCase()).join('.');

/** Returns whether an expression is the name of an item, or the path that it is. */
function isNamed(item: Extract<Select['items'][number], { kind: 'value' }>, value: Expression): boolean {
  if (value.kind !== 'path') return false;
  const own = pathText(value.parts);
  return (
    own === nameOf(item)?.toLowerCase() || (item.value.kind === 'path' && pathText(item.value.parts) === own)
  );
}

/** A member of a set operation: a query with clauses of its own is in parentheses. */
function writeMember(member: Select | Query, context: Context, use: Use): WrittenQuery {
  if (member.kind === 'select') return writeSelect(member, { orderBy: [] }, { context, use });
  const inner = writeQuery(member, context, use);
  const isPlain =
    member.orderBy.length === 0 &&
    member.limit === undefined &&
    member.tables.length === 0 &&
    member.body.kind === 'select';
  if (isPlain) return inner;
  return member.tables.length > 0
    ? apart(member, inner, context)
    : { ...inner, sql: context.shared.style.block(inner.sql) };
}

/** A query with a WITH of its own, inside another query: ClickHouse has WITH only at the start of a SELECT or a subquery. */
function apart({ tables }: Query, inner: WrittenQuery, { shared }: Context): WrittenQuery {
  return tables.length === 0 ? inner : { ...inner, sql: sql`SELECT * FROM ${shared.style.block(inner.sql)}` };
}

/** ORDER BY and LIMIT of a query whose columns are known by name. */
function withTail(inner: WrittenQuery, tail: Tail, { context }: QueryPlace): WrittenQuery {
  const { shared } = context;
  const columns = (inner.columns ?? []).map(({ name, value: { type } }) => ({
    name,
    value: { sql: shared.style.name(name), type },
  }));
  const relation = {
    alias: undefined,
    written: '',
    columns: inner.columns === undefined ? undefined : columnsByName(columns),
  };
  const inside = { ...inRelations(context, [relation]), isGrouped: false, grouped: undefined };
  const outputs = columns.map((each) => ({
    ...each,
    raw: each.value,
    sql: each.value.sql,
    isStar: false,
    isNamed: true,
  }));
  const keys = orderKeys(tail.orderBy, outputs, inside);
  const alias = shared.isStrict ? sql` AS ${shared.fresh('t')}` : '';
  const lines = ['SELECT *', sql`FROM ${shared.style.block(inner.sql)}${alias}`];
  return {
    sql: shared.style.lines([...lines, ...tailLines(keys, tail, shared.style)]),
    columns: inner.columns,
  };
}

/** Members of a set operation as one query. */
function combined(
  { operator, members: sources, at }: SetOperation,
  members: readonly WrittenQuery[],
  { context, use }: { readonly context: Context; readonly use: Use },
): WrittenQuery {
  if (operator.startsWith('INTERSECT ALL') || operator.startsWith('EXCEPT ALL'))
    return unconverted(at, 'clause', `${operator} is not converted`);
  const width = members[0]?.columns?.length;
  for (const [index, { columns }] of members.entries()) {
    if (width === undefined || columns === undefined || columns.length === width) continue;
    const message = `This query has ${columns.length} columns, the first has ${width}`;
    syntax(sources[index]?.at ?? at, message);
  }
  const written = aligned(members, { at, context, isShown: use.isShown });
  if (!operator.endsWith('ALL')) checkStrings(operator, written, { at, context });
  const { style } = context.shared;
  const parts = written.map((each) => each.sql);
  return { sql: style.lines(between(parts, operator)), columns: commonColumns(written, context) };
}

function between(parts: readonly Sql[], operator: string): readonly Sql[] {
  return parts.flatMap((each, index) => (index === 0 ? [each] : [operator, each]));
}

function checkStrings(operator: string, written: readonly WrittenQuery[], { at, context }: Place): void {
  const isCaseless = ({ value: own }: OutputColumn): boolean =>
    own.literal === undefined && context.key(own).sql !== own.sql;
  if (context.shared.traits.ignoresCase && written.some(({ columns }) => columns?.some(isCaseless) === true))
    differs(context, at, 'collation', `${operator} keeps strings that differ only in case`);
}

function commonColumns(
  written: readonly WrittenQuery[],
  context: Context,
): readonly OutputColumn[] | undefined {
  const [first] = written;
  return first?.columns?.map((column, index) => {
    const values = written.map((each) => each.columns?.[index]?.value ?? value('unknown', ''));
    return {
      name: column.name,
      value: { sql: context.shared.style.name(column.name), type: unified(values).type },
    };
  });
}

/** The types of the first member decide: integers must not be of the size of a literal. */
function widened(start: WrittenQuery, context: Context): WrittenQuery {
  return converted(start, context, ({ value: { type } }, own) =>
    type.bytes === undefined ? undefined : { sql: `toInt64(${own})`, type },
  );
}

interface Conversion {
  readonly sql: string;
  readonly type: Type;
}

interface Members extends Place {
  /** The columns are already in the form of the result. */
  readonly isShown?: boolean;
}

/** A query with some of its columns converted. */
function converted(
  query: WrittenQuery,
  { shared: { style } }: Context,
  convert: (column: OutputColumn, own: string, index: number) => Conversion | undefined,
): WrittenQuery {
  const { columns = [] } = query;
  const names = columns.map((each) => style.name(each.name));
  const conversions = columns.map((each, index) => convert(each, names[index] ?? '', index));
  const items = names.map((own, index) => {
    const { sql: written = own } = conversions[index] ?? {};
    return written === own ? own : `${written} AS ${own}`;
  });
  if (items.every((each, index) => each === names[index])) return query;
  const typed = columns.map((each, index) => ({
    ...each,
    value: { sql: each.value.sql, type: conversions[index]?.type ?? each.value.type },
  }));
  return {
    sql: style.lines([sql`SELECT ${items.join(', ')}`, sql`FROM ${style.block(query.sql)}`]),
    columns: typed,
  };
}

/** Members of a set operation with common types: ClickHouse has none for Int64 and Float64, or for strings and times. */
function aligned(
  members: readonly WrittenQuery[],
  { at, context, isShown = false }: Members,
): readonly WrittenQuery[] {
  const [first] = members;
  const width = first?.columns?.length;
  if (members.some(({ columns }) => columns === undefined || columns.length !== width)) return members;
  const common = (first?.columns ?? []).map((_, index) =>
    unified(
      members.flatMap(({ columns }) => namedValue(columns?.[index], context)),
      { at, context },
    ),
  );
  return members.map((member, place) =>
    converted(member, context, (_, own, index) => {
      const { sqls = [], type = UNKNOWN } = common[index] ?? {};
      const each = sqls[place] ?? own;
      // A DATETIME is a string in the result, a DATE beside it is none yet.
      const isLate = isShown && type.kind === 'datetime' && String(each) !== own;
      return { sql: String(isLate ? formatted({ sql: each, type }, { at, context }).sql : each), type };
    }),
  );
}

/** A column as the outer query reads it. */
function namedValue(column: OutputColumn | undefined, { shared }: Context): readonly Value[] {
  if (column === undefined) return [];
  const { literal, type } = column.value;
  return [{ sql: shared.style.name(column.name), type, ...(literal === undefined ? {} : { literal }) }];
}

/** VALUES. */
function rowsQuery({ rows, at }: Rows, context: Context): WrittenQuery {
  const width = rows[0]?.length ?? 0;
  const written = rows.map((row) => row.map((each) => context.write(each, context)));
  if (width === 0 || rows.some((row) => row.length !== width))
    return unconverted(at, 'clause', 'VALUES with rows of different lengths');
  const columns = Array.from({ length: width }, (_, index) => {
    const { type } = unified(written.flatMap((row) => row[index] ?? []));
    return { name: `column${index + 1}`, value: { sql: `column${index + 1}`, type } };
  });
  const selects = written.map((row) => {
    const items = row.map((each, index) => sql`${each.sql} AS column${String(index + 1)}`);
    return sql`SELECT ${joinSql(items)}`;
  });
  return { sql: context.shared.style.lines(between(selects, 'UNION ALL')), columns };
}
