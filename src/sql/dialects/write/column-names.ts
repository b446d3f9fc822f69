// Names for the columns of a query, from WITH name(…) or after the alias of a subquery.
import type { Name, Query, Select } from '../tree.ts';
import { unconverted, type Context, type WrittenQuery } from '../context.ts';
import { sql } from '../value.ts';

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
