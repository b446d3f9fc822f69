// Window functions that are not aggregates.
import { joinSql, sql, type Sql } from '../../dialects/sql.ts';
import type { Call } from '../../sql/syntax-tree.ts';
import { unified } from '../write/unify.ts';
import { overSql } from '../write/window.ts';
import { value, type Value } from '../../dialects/value.ts';
import type { Application } from '../../dialects/function.ts';

type WindowRule = (application: Application, over: Sql) => Value;

export function isWindowFunction({ name, over }: Call): boolean {
  return over !== undefined && RULES.has(name);
}

/** Writes a window function. */
export function writeWindowFunction(application: Application): Value {
  const { call, context, fail } = application;
  const rule = RULES.get(call.name);
  if (rule === undefined || call.over === undefined) return fail(`${call.name} is not converted`);
  // Snowflake's default frame of these functions is the whole partition.
  const isWhole = application.dialect === 'snowflake' && call.name.endsWith('_value');
  return rule(
    application,
    overSql(
      call.over,
      context,
      isWhole ? 'ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING' : undefined,
    ),
  );
}

function ranking(name: string, kind: 'int' | 'float'): WindowRule {
  return ({ all }, over) =>
    value(
      kind,
      sql`${name}(${joinSql(all().map(({ sql }) => sql))}) OVER ${over}`,
      false,
      kind === 'int' ? { scale: 0 } : {},
    );
}

/**
 * lag and lead. Without a default, ClickHouse returns 0 or an empty string unless the column is nullable. The default
 * applies outside of the partition, and not to NULL inside of it.
 */
function shifted(name: 'lag' | 'lead'): WindowRule {
  return ({ arg, optional, source, call, fail }, over) => {
    if (call.nulls === 'IGNORE') return fail(`${name} IGNORE NULLS is not converted`);
    const own = arg(0);
    const offset = optional(1)?.sql ?? '1';
    const moved = {
      sql: sql`${name}(toNullable(${own.sql}), ${offset}) OVER ${over}`,
      type: { ...own.type, isNullable: true },
    };
    if (call.args.length < 3 || source(2).kind === 'null') return moved;
    const fallback = arg(2);
    const { sqls, type } = unified([moved, fallback]);
    if (!own.type.isNullable)
      return {
        sql: sql`coalesce(${joinSql(sqls)})`,
        type: { ...type, isNullable: fallback.type.isNullable },
      };
    const isOutside = sql`${name}(toNullable(1), ${offset}) OVER ${over} IS NULL`;
    return { sql: sql`if(${isOutside}, ${sqls[1] ?? 'NULL'}, ${sqls[0] ?? 'NULL'})`, type };
  };
}

function edge(name: 'first_value' | 'last_value'): WindowRule {
  return ({ arg, call }, over) => {
    const own = arg(0);
    const nulls = !own.type.isNullable ? '' : call.nulls === 'IGNORE' ? ' IGNORE NULLS' : ' RESPECT NULLS';
    return { sql: sql`${name}(${own.sql})${nulls} OVER ${over}`, type: own.type };
  };
}

function nth({ arg }: Application, over: Sql): Value {
  const own = arg(0);
  return {
    sql: sql`nth_value(toNullable(${own.sql}), ${arg(1).sql}) OVER ${over}`,
    type: { ...own.type, isNullable: true },
  };
}

const RULES: ReadonlyMap<string, WindowRule> = new Map<string, WindowRule>([
  ['row_number', ranking('row_number', 'int')],
  ['rank', ranking('rank', 'int')],
  ['dense_rank', ranking('dense_rank', 'int')],
  ['ntile', ranking('ntile', 'int')],
  ['percent_rank', ranking('percent_rank', 'float')],
  ['cume_dist', ranking('cume_dist', 'float')],
  ['lag', shifted('lag')],
  ['lead', shifted('lead')],
  ['first_value', edge('first_value')],
  ['last_value', edge('last_value')],
  ['nth_value', nth],
]);
