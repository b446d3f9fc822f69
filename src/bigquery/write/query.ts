// Writes whole queries: WITH, set operations, and their ORDER BY and LIMIT.
import { isNumberKind, NULL_TYPE, type Type, UNKNOWN } from '../../dialects/value.ts';
import type { Context, QueryUse, WrittenQuery } from '../context.ts';
import { syntax, untranslated } from '../translation-error.ts';
import { joinSql, sql, type Sql } from '../../dialects/sql.ts';
import type { Order, Query, Select, SetOperation } from '../../sql/syntax-tree.ts';
import type { Table } from '../scope.ts';
import { nameOf, orderByNames, writeSelect } from './select.ts';

/** @throws UnconvertedError */
export function writeQuery(query: Query, context: Context, use: QueryUse): WrittenQuery {
  const { tables, elements } = writeTables(query, context);
  const inside = { ...context, tables };
  const body = writeBody(query, inside, use);
  const limit = query.limit === undefined ? '' : ` LIMIT ${query.limit}`;
  const offset = query.offset === undefined ? '' : ` OFFSET ${query.offset}`;
  const head = elements.length === 0 ? '' : sql`WITH ${joinSql(elements)} `;
  return { sql: sql`${head}${body.sql}${limit}${offset}`, columns: body.columns };
}

function writeRows(body: Query['body'], context: Context, use: QueryUse): WrittenQuery {
  switch (body.kind) {
    case 'select':
      return writeSelect(body, context, { ...use, orderBy: [] });
    case 'set':
      return writeSet(body, context, use);
    case 'query':
      return writeQuery(body, context, use);
    case 'rows':
      return untranslated(body.at, 'VALUES is not supported'); // the parser does not produce it
  }
}

/** ClickHouse cannot order by a correlated subquery, but can order by a column that holds its result. */
function isOrderedOutside({ items }: Select, orderBy: readonly Order[]): boolean {
  const names = new Set(
    items.flatMap((item) => (item.kind === 'value' ? (nameOf(item)?.toLowerCase() ?? []) : [])),
  );
  const isColumn = ({ value }: Order) =>
    value.kind === 'number' ||
    (value.kind === 'path' &&
      value.parts.length === 1 &&
      names.has(value.parts[0]?.name.toLowerCase() ?? ''));
  const hasQuery = items.some((item) => item.kind === 'value' && item.value.kind === 'query');
  return hasQuery && orderBy.length > 0 && orderBy.every(isColumn);
}

/** Tables of WITH are renamed, so that none can shadow a table of the endpoint. */
function writeTables({ tables: own }: Query, context: Context) {
  const tables = new Map<string, Table>(context.tables);
  const elements: Sql[] = [];
  const seen = new Set<string>();
  for (const { name, query } of own) {
    const folded = name.name.toLowerCase();
    if (context.reserved.has(folded)) {
      syntax(name.at, `${name.name} is a table of the endpoint`, 'Choose another name.');
    }
    if (seen.has(folded)) syntax(name.at, `${name.name} is defined twice`);
    seen.add(folded);
    const alone: Context = {
      ...context,
      tables,
      scope: { relations: [], aliases: new Map() },
      aliases: 'no',
    };
    const written = writeQuery(query, alone, { isShown: false, isPlain: false });
    const fresh = context.shared.fresh('q');
    elements.push(sql`${fresh} AS (${written.sql})`);
    tables.set(folded, { sql: fresh, columns: written.columns });
  }
  return { tables, elements };
}

function writeBody(query: Query, context: Context, use: QueryUse): WrittenQuery {
  const { body, orderBy } = query;
  if (body.kind === 'select' && !isOrderedOutside(body, orderBy)) {
    return writeSelect(body, context, { ...use, orderBy });
  }
  const inner = writeRows(body, context, use);
  const isBare = orderBy.length === 0 && query.limit === undefined && query.tables.length === 0;
  if (isBare) return inner;
  const table = context.shared.fresh('t');
  const orders = orderByNames({ orders: orderBy, columns: inner.columns, table }, context);
  const order = orders.length === 0 ? '' : sql` ORDER BY ${joinSql(orders)}`;
  return { sql: sql`SELECT * FROM (${inner.sql}) AS ${table}${order}`, columns: inner.columns };
}

function writeSet({ operator, members }: SetOperation, context: Context, use: QueryUse): WrittenQuery {
  const written = members.map((member) => writeMember(member, context, { ...use, isPlain: true }));
  const [first] = written;
  const columns = first?.columns ?? [];
  for (const [index, each] of written.entries()) {
    if (each.columns.length === columns.length) continue;
    const message = `This query has ${each.columns.length} columns, the first has ${columns.length}`;
    syntax(members[index]?.at ?? 0, message);
  }
  const merged = columns.map(({ name }, index) => ({
    name,
    type: commonType(written.map((each) => each.columns[index]?.type ?? UNKNOWN)),
  }));
  return {
    sql: joinSql(
      written.map((each) => each.sql),
      ` ${operator} `,
    ),
    columns: merged,
  };
}

function commonType(types: readonly Type[]): Type {
  const known = types.filter(({ kind }) => kind !== 'null');
  const [first] = known;
  if (first === undefined) return NULL_TYPE;
  const isNullable = types.some((each) => each.isNullable);
  if (known.every(({ kind }) => kind === first.kind)) return { ...first, isNullable };
  return known.every(({ kind }) => isNumberKind(kind)) ? { kind: 'float', isNullable } : UNKNOWN;
}

function writeMember(member: Select | Query, context: Context, use: QueryUse): WrittenQuery {
  if (member.kind === 'select') return writeSelect(member, context, { ...use, orderBy: [] });
  const { sql: own, columns } = writeQuery(member, context, use);
  return { sql: member.tables.length === 0 ? sql`(${own})` : sql`SELECT * FROM (${own})`, columns };
}
