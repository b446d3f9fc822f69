// Several joined tables in parentheses as one subquery, whose columns get new names.
import { unconverted, type Context, type Relation } from '../context.ts';
import { NEVER_NULL, whole, joinSql, sql, type Sql, type Value } from '../value.ts';
import { columnType, columnValue, rerooted } from '../record.ts';

/** Joined tables, and the conditions of their joins with arrays. */
export interface Tables {
  readonly sql: Sql;
  readonly relations: readonly Relation[];
  readonly conditions: readonly Sql[];
}

interface PackedPlace {
  readonly context: Context;
  readonly isLost: boolean;
  readonly at: number;
}

/** The subquery with its name, and the same relations over its columns. With `isLost`, each has a `marker`: no row of it. */
export function packed(
  { sql: tables, relations, conditions }: Tables,
  { context, isLost, at }: PackedPlace,
): { readonly sql: Sql; readonly relations: readonly Relation[] } {
  const { shared } = context;
  const table = shared.fresh('t');
  const outputs: Sql[] = [];
  const roots = new Map<Sql, Sql>();
  const add = (own: Sql): Sql => {
    const name = shared.fresh('c');
    outputs.push(sql`${own} AS ${name}`);
    return sql`${table}.${name}`;
  };
  const moved = (value: Value): Value => {
    if (value.absent !== undefined && NEVER_NULL.has(value.type.kind)) {
      unconverted(
        at,
        'join',
        'An outer join of records inside parentheses is not supported',
        'Write (SELECT …) AS name, with the columns that you need.',
      );
    }
    const root = value.subcolumn && roots.get(value.subcolumn.root);
    if (root !== undefined) return rerooted(value, root);
    if (value.subcolumn === undefined) return { sql: add(whole(value)), type: value.type };
    const own = columnValue(add(whole(value)), columnType(value));
    if (own.subcolumn !== undefined) roots.set(value.subcolumn.root, own.subcolumn.root);
    return own;
  };
  const renamed = relations.map((relation) => renamedRelation(relation, moved, { context, isLost, at }));
  const marker = isLost && shared.isStrict ? sql`${add('1')} = 0` : undefined;
  const where = conditions.length === 0 ? [] : [sql`WHERE ${joinSql(conditions, ' AND ')}`];
  const lines = [sql`SELECT ${joinSql(outputs)}`, sql`FROM ${tables}`, ...where];
  return {
    sql: sql`${shared.style.block(shared.style.lines(lines))} AS ${table}`,
    relations: marker === undefined ? renamed : renamed.map((each) => ({ ...each, marker })),
  };
}

function renamedRelation(relation: Relation, moved: (value: Value) => Value, { at }: PackedPlace): Relation {
  const { columns, element } = relation;
  if (columns === undefined)
    return unconverted(
      at,
      'join',
      'A join in parentheses is converted only at the beginning of FROM, or if the columns of its tables are known',
    );
  return {
    ...relation,
    columns: new Map([...columns].map(([key, { name, value }]) => [key, { name, value: moved(value) }])),
    ...(element === undefined ? {} : { element: moved(element) }),
  };
}
