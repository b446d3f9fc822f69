// Window functions that are not aggregates.
import { taking } from '../function.ts';
import type { Application, Rule, Rules } from '../context.ts';
import { joinSql, sql, type Sql, NEVER_NULL, value, type Value } from '../value.ts';
import { overSql } from '../window.ts';
import { unified } from '../write/unify.ts';

type WindowRule = (application: Application, over: Sql) => Value;

/** A rule for calls with OVER. `frame`: the one of dialects whose windows are whole; null if the function has none. */
function windowed(rule: WindowRule, frame: string | null): Rule {
  return (application) => {
    const { call, context, fail } = application;
    if (call.over === undefined) return fail(`${call.name} requires OVER (…)`);
    const own = frame === null || context.shared.traits.windowsAreWhole ? frame : undefined;
    return rule(application, overSql(call.over, context, own));
  };
}

const WHOLE = 'ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING';

function ranking(name: string, kind: 'int' | 'float'): Rule {
  return windowed(({ all }, over) => {
    const args = joinSql(all().map((each) => each.sql));
    return value(kind, sql`${name}(${args}) OVER ${over}`, false, kind === 'int' ? { scale: 0 } : {});
  }, null);
}

/** The value in a type that has NULL: over an empty frame, ClickHouse returns a default value for others. */
const nullable = (own: Value): Sql => (NEVER_NULL.has(own.type.kind) ? own.sql : sql`toNullable(${own.sql})`);

/**
 * lag and lead. Without a default, ClickHouse returns 0 or an empty string unless the column is nullable. The default
 * applies outside of the partition, and not to NULL inside of it.
 */
function shifted(name: 'lag' | 'lead'): Rule {
  return windowed((application, over) => {
    const { arg, optional, source, call, fail } = application;
    if (call.nulls === 'IGNORE') return fail(`${name} IGNORE NULLS is not supported`);
    const own = plainKey(arg(0), application);
    const offset = optional(1)?.sql ?? '1';
    const moved: Value = {
      sql: sql`${name}(${nullable(own)}, ${offset}) OVER ${over}`,
      type: { ...own.type, isNullable: true },
    };
    if (call.args.length < 3 || source(2).kind === 'null') return moved;
    const fallback = arg(2);
    const { sqls, type } = unified([moved, fallback], application);
    const [first = 'NULL', second = 'NULL'] = sqls;
    if (!own.type.isNullable)
      return {
        sql: sql`coalesce(${first}, ${second})`,
        type: { ...type, isNullable: fallback.type.isNullable },
      };
    const isOutside = sql`${name}(toNullable(1), ${offset}) OVER ${over} IS NULL`;
    return { sql: sql`if(${isOutside}, ${second}, ${first})`, type };
  }, null);
}

/** Dynamically typed values as strings. */
const plainKey = (own: Value, { context }: Application): Value =>
  own.type.kind === 'dynamic' || own.type.kind === 'object' ? context.key(own) : own;

function edge(name: 'first_value' | 'last_value'): Rule {
  return windowed((application, over) => {
    const { arg, call } = application;
    const own = plainKey(arg(0), application);
    const nulls = call.nulls === 'IGNORE' ? 'IGNORE' : 'RESPECT';
    return {
      sql: sql`${name}(${nullable(own)}) ${nulls} NULLS OVER ${over}`,
      type: { ...own.type, isNullable: true },
    };
  }, WHOLE);
}

const nth: Rule = windowed((application, over) => {
  const { arg, call } = application;
  const own = plainKey(arg(0), application);
  const type = { ...own.type, isNullable: true };
  // An array of the values has no NULL.
  if (call.nulls === 'IGNORE')
    return { sql: sql`arrayElementOrNull(groupArray(${own.sql}) OVER ${over}, ${arg(1).sql})`, type };
  return { sql: sql`nth_value(${nullable(own)}, ${arg(1).sql}) OVER ${over}`, type };
}, WHOLE);

export const WINDOW_FUNCTIONS: Rules = {
  ...taking(
    'integer',
    {
      row_number: ranking('row_number', 'int'),
      rank: ranking('rank', 'int'),
      dense_rank: ranking('dense_rank', 'int'),
      ntile: ranking('ntile', 'int'),
      percent_rank: ranking('percent_rank', 'float'),
      cume_dist: ranking('cume_dist', 'float'),
    },
    'decide',
    undefined,
    'decide',
  ),
  ...taking('any integer any', { lag: shifted('lag'), lead: shifted('lead') }, 'keep', 'null', 'keep'),
  ...taking(
    'any integer',
    { first_value: edge('first_value'), last_value: edge('last_value'), nth_value: nth },
    'keep',
    'null',
    'keep',
  ),
};
