// Several joined tables in parentheses as one subquery, whose columns get new names.
import type { Context } from '../context.ts';
import type { Relation } from '../scope.ts';
import { joinSql, sql, type Sql } from '../../dialects/sql.ts';
import { untranslated } from '../translation-error.ts';
import { type Value } from '../../dialects/value.ts';
import { columnType, columnValue, NEVER_NULL, rerooted, whole } from '../value.ts';

/** Joined tables, and the conditions of their joins with arrays. */
export interface Tables {
  readonly sql: Sql;
  readonly relations: readonly Relation[];
  readonly conditions: readonly Sql[];
}

/** The subquery with its name, and the same relations over its columns. With `isLost`, each has a `marker`: no row of it. */
export function packed(
  { sql: tables, relations, conditions }: Tables,
  { context, isLost, at }: { readonly context: Context; readonly isLost: boolean; readonly at: number },
): { readonly sql: Sql; readonly relations: readonly (Relation & { readonly marker?: Sql })[] } {
  const table = context.shared.fresh('t');
  const outputs: Sql[] = [];
  const roots = new Map<Sql, Sql>();
  const add = (own: Sql): Sql => {
    const name = context.shared.fresh('c');
    outputs.push(sql`${own} AS ${name}`);
    return sql`${table}.${name}`;
  };
  const moved = (value: Value): Value => {
    if (value.absent !== undefined && NEVER_NULL.has(value.type.kind)) {
      untranslated(
        at,
        'An outer join of records inside parentheses is not supported',
        'Write (SELECT …) AS name, with the columns that you need.',
      );
    }
    const root = value.subcolumn && roots.get(value.subcolumn.root);
    if (root !== undefined) return rerooted(value, root);
    const own = columnValue(add(whole(value)), columnType(value));
    if (value.subcolumn !== undefined && own.subcolumn !== undefined)
      roots.set(value.subcolumn.root, own.subcolumn.root);
    return own;
  };
  const renamed = relations.map((relation) => ({
    ...relation,
    columns: new Map(
      [...relation.columns].map(([key, column]) => [key, { ...column, value: moved(column.value) }]),
    ),
    ...(relation.element === undefined ? {} : { element: moved(relation.element) }),
  }));
  const marker = isLost ? sql`${add('1')} = 0` : undefined;
  const where = conditions.length === 0 ? '' : sql` WHERE ${joinSql(conditions, ' AND ')}`;
  return {
    sql: sql`(SELECT ${joinSql(outputs)} FROM ${tables}${where}) AS ${table}`,
    relations: marker === undefined ? renamed : renamed.map((each) => ({ ...each, marker })),
  };
}
