// Queries: WITH, set operations, VALUES.
import { joinSql, sql } from '../../dialects/sql.ts';
import type { Query, Rows, Select, SetOperation, WithTable } from '../../sql/syntax-tree.ts';
import { caselessKey } from './comparison.ts';
import { differs, placeholder, unconverted, UnconvertedError } from '../../dialects/context.ts';
import type { Context, WrittenQuery } from './context.ts';
import { named, renamed } from './column-names.ts';
import { indent, limits } from './layout.ts';
import type { WithColumns } from './scope.ts';
import { writeSelect, type Tail } from './select.ts';
import { orderOf } from './window.ts';
import { unified } from './unify.ts';
import { name, value, type Type, type Value } from '../../dialects/value.ts';

type Column = NonNullable<WrittenQuery['columns']>[number];

/** How the rows of a query are used. */
export interface Use {
  /** The rows are the result. */
  readonly isShown: boolean;
}

/** Writes a query; one that cannot be converted as a whole becomes a comment. */
export function writeQuery(query: Query, context: Context, use: Use = { isShown: false }): WrittenQuery {
  try {
    return writeWhole(query, context, use);
  } catch (error) {
    if (!(error instanceof UnconvertedError)) throw error;
    return { sql: `SELECT ${placeholder(context, error)}`, columns: undefined };
  }
}

function writeWhole(query: Query, context: Context, use: Use): WrittenQuery {
  const written: string[] = [];
  const withTables = new Map(context.withTables);
  const inside = { ...context, withTables };
  for (const table of query.tables) {
    const { sql, columns } = writeTable(table, inside);
    written.push(`${name(table.name.name)} AS (\n${indent(sql)}\n)`);
    const known: WithColumns = {
      name: table.name.name,
      columns: columns?.map((each) => ({ name: each.name, type: each.value.type })),
    };
    withTables.set(table.name.name.toLowerCase(), known);
  }
  const body = writeBody(
    query.body,
    { orderBy: query.orderBy, limit: query.limit, offset: query.offset, hasTies: query.hasTies === true },
    { context: inside, use },
  );
  if (written.length === 0) return body;
  const isRecursive = query.tables.some((table) => table.isRecursive === true);
  return { ...body, sql: sql`WITH ${isRecursive ? 'RECURSIVE ' : ''}${written.join(', ')}\n${body.sql}` };
}

function writeTable(table: WithTable, context: Context): WrittenQuery {
  const query = table.columns === undefined ? table.query : renamed(table.query, table.columns);
  if (table.isRecursive !== true) return named(writeQuery(query, context), table.columns);
  const { body } = query;
  const isSupported =
    body.kind === 'set' &&
    body.operator === 'UNION ALL' &&
    query.limit === undefined &&
    query.tables.length === 0;
  if (!isSupported || body.kind !== 'set')
    return unconverted(
      table.name.at,
      'clause',
      'Only a recursive query of the form … UNION ALL … is converted',
    );
  const [first] = body.members;
  if (first === undefined)
    return unconverted(table.name.at, 'clause', 'This recursive query is not converted');
  const start = writeMember(first, context, { isShown: false });
  const columns = start.columns?.map((each) => ({ name: each.name, type: each.value.type }));
  const known: WithColumns = { name: table.name.name, columns };
  const rest = body.members.slice(1);
  const write = (types: WithColumns): readonly WrittenQuery[] => {
    const inside = {
      ...context,
      withTables: new Map(context.withTables).set(table.name.name.toLowerCase(), types),
    };
    return rest.map((each) => writeMember(each, inside, { isShown: false }));
  };
  const typed = aligned([start, ...write(known)])[0] ?? start;
  const begin = widened(typed);
  const types = {
    name: table.name.name,
    columns: begin.columns?.map((each) => ({ name: each.name, type: each.value.type })),
  };
  return {
    sql: joinSql(
      [begin, ...write(types)].map(({ sql }) => sql),
      '\nUNION ALL\n',
    ),
    columns: begin.columns,
  };
}

/** The types of the first member decide: integers must not be of the size of a literal. */
function widened(start: WrittenQuery): WrittenQuery {
  if (start.columns?.some((each) => each.value.type.bytes !== undefined) !== true) return start;
  return converted(start, (each) =>
    each.value.type.bytes !== undefined ? `toInt64(${name(each.name)})` : undefined,
  );
}

/** A query with some of its columns converted. */
function converted(
  query: WrittenQuery,
  convert: (column: Column, index: number) => string | undefined,
  types?: readonly Type[],
): WrittenQuery {
  const { columns = [] } = query;
  const sqls = columns.map(convert);
  if (sqls.every((sql) => sql === undefined)) return query;
  const items = columns.map((each, index) =>
    sqls[index] === undefined ? name(each.name) : `${sqls[index]} AS ${name(each.name)}`,
  );
  const typed = columns.map((each, index) => ({
    ...each,
    value: {
      sql: each.value.sql,
      type: (sqls[index] === undefined ? undefined : types?.[index]) ?? each.value.type,
    },
  }));
  return { sql: `SELECT ${items.join(', ')}\nFROM (\n${indent(query.sql)}\n)`, columns: typed };
}

/** Members of a set operation with common types: ClickHouse has none for Int64 and Float64, or for strings and times. */
function aligned(members: readonly WrittenQuery[]): readonly WrittenQuery[] {
  const [first] = members;
  if (members.some(({ columns }) => columns === undefined || columns.length !== first?.columns?.length))
    return members;
  const kinds =
    first?.columns?.map(
      (_, index) => new Set(members.map(({ columns }) => columns?.[index]?.value.type.kind)),
    ) ?? [];
  return members.map((member) => {
    const types: Type[] = [];
    const convert = (column: Column, index: number): string | undefined => {
      const { kind, isNullable } = column.value.type;
      const others = kinds[index] ?? new Set();
      types[index] = column.value.type;
      if ((others.has('float') || others.has('numeric')) && (kind === 'int' || kind === 'decimal')) {
        types[index] = { kind: 'float', isNullable };
        return `toFloat64(${name(column.name)})`;
      }
      const isMixed =
        members.some(({ columns }) => columns?.[index]?.value.type.isUnsigned === true) && others.size === 1;
      if (
        kind === 'int' &&
        isMixed &&
        members.some(({ columns }) => columns?.[index]?.value.type.isUnsigned !== true)
      ) {
        types[index] = { kind: 'int', isNullable, scale: 0 };
        return `toInt64(${name(column.name)})`;
      }
      const isText = kind === 'text' && column.value.literal !== undefined;
      if (isText && others.has('date')) {
        types[index] = { kind: 'date', isNullable };
        return `toDate32(${name(column.name)})`;
      }
      if ((isText || kind === 'date') && others.has('timestamp')) {
        types[index] = { kind: 'timestamp', isNullable };
        return `toDateTime64(${name(column.name)}, 6, 'UTC')`;
      }
      return undefined;
    };
    return converted(member, convert, types);
  });
}

interface Place {
  readonly context: Context;
  readonly use: Use;
}

function writeBody(body: Query['body'], tail: Tail, { context, use }: Place): WrittenQuery {
  switch (body.kind) {
    case 'select':
      return writeSelect(body, tail, { context, isShown: use.isShown });
    case 'rows':
      return withTail(writeRows(body, context), tail, { context, use });
    case 'set':
      return writeSet(body, tail, { context, use });
    case 'query': {
      const inner = writeQuery(body, context, use);
      const hasTail = tail.orderBy.length > 0 || tail.limit !== undefined || tail.offset !== undefined;
      return hasTail
        ? withTail({ ...inner, sql: `SELECT *\nFROM (\n${indent(inner.sql)}\n)` }, tail, { context, use })
        : inner;
    }
  }
}

function writeRows({ rows, at }: Rows, context: Context): WrittenQuery {
  const width = rows[0]?.length ?? 0;
  const written = rows.map((row) => row.map((each) => context.write(each, context)));
  if (width === 0 || rows.some((row) => row.length !== width))
    return unconverted(at, 'clause', 'VALUES with rows of different lengths');
  const columns = Array.from({ length: width }, (_, index) => {
    const { type } = unified(written.flatMap((row) => row[index] ?? []));
    return { name: `column${index + 1}`, value: { sql: `column${index + 1}`, type } };
  });
  const selects = written.map(
    (row) => `SELECT ${row.map(({ sql }, index) => `${String(sql)} AS column${index + 1}`).join(', ')}`,
  );
  return { sql: selects.join('\nUNION ALL\n'), columns };
}

function writeMember(member: Select | Query, context: Context, use: Use): WrittenQuery {
  if (member.kind === 'select')
    return writeSelect(member, { orderBy: [] }, { context, isShown: use.isShown });
  const inner = writeQuery(member, context, use);
  const isPlain =
    member.orderBy.length === 0 &&
    member.limit === undefined &&
    member.tables.length === 0 &&
    member.body.kind === 'select';
  return isPlain ? inner : { ...inner, sql: `SELECT * FROM (\n${indent(inner.sql)}\n)` };
}

function writeSet(
  { operator, members, at }: SetOperation,
  tail: Tail,
  { context, use }: Place,
): WrittenQuery {
  if (operator.startsWith('INTERSECT ALL') || operator.startsWith('EXCEPT ALL'))
    return unconverted(at, 'clause', `${operator} is not converted`);
  const written = aligned(members.map((each) => writeMember(each, context, use)));
  const isDistinct = !operator.endsWith('ALL');
  const hasStrings = written.some(
    ({ columns: all }) =>
      all?.some(
        (each) => each.value.literal === undefined && caselessKey(each.value, context).sql !== each.value.sql,
      ) === true,
  );
  if (isDistinct && hasStrings)
    differs(context, at, 'collation', `${operator} keeps strings that differ only in case`);
  const columns = commonColumns(written);
  const isUnion = operator.startsWith('UNION');
  const sql = joinSql(
    written.map((each) => (isUnion ? each.sql : `(\n${indent(each.sql)}\n)`)),
    `\n${operator}\n`,
  );
  if (tail.orderBy.length === 0 && tail.limit === undefined && tail.offset === undefined)
    return { sql, columns };
  return withTail({ sql: `SELECT *\nFROM (\n${indent(sql)}\n)`, columns }, tail, { context, use });
}

function commonColumns(written: readonly WrittenQuery[]): readonly Column[] | undefined {
  const [first] = written;
  return first?.columns?.map((column, index) => {
    const values = written.map((each) => each.columns?.[index]?.value ?? value('unknown', ''));
    return { name: column.name, value: { sql: name(column.name), type: unified(values).type } };
  });
}

/** ORDER BY and LIMIT of a query whose columns are known by name. */
function withTail(
  inner: WrittenQuery,
  { orderBy, limit, offset, hasTies }: Tail,
  { context }: Place,
): WrittenQuery {
  const aliases = new Map(
    (inner.columns ?? []).map((each) => [each.name.toLowerCase(), { name: each.name, value: each.value }]),
  );
  const inside: Context = { ...context, relations: [], aliases };
  const keys = orderBy.map((order) => orderOf(keyAt(order.value, inner, inside), order, context));
  const lines = [inner.sql];
  if (keys.length > 0) lines.push(`ORDER BY ${keys.join(', ')}`);
  lines.push(...limits({ limit, offset, hasTies: hasTies === true }));
  return { sql: joinSql(lines, '\n'), columns: inner.columns };
}

function keyAt(expression: Parameters<Context['write']>[0], inner: WrittenQuery, context: Context): Value {
  const column = expression.kind === 'number' ? inner.columns?.[Number(expression.text) - 1] : undefined;
  return column === undefined
    ? context.write(expression, context)
    : { ...column.value, sql: name(column.name) };
}
