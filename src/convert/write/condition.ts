// Conditions: BETWEEN, IS and CASE.
import { jsonOf } from '../../dialects/json-path.ts';
import { sql, joinSql } from '../../dialects/sql.ts';
import { truth } from '../../dialects/truth.ts';
import { condition, isNullable, operand, value, type Value } from '../../dialects/value.ts';
import type { Expression } from '../../sql/syntax-tree.ts';
import { adapted, compared, comparison } from './comparison.ts';
import type { Context } from './context.ts';
import { unified } from './unify.ts';

type Of<K extends Expression['kind']> = Extract<Expression, { kind: K }>;

/** Writes BETWEEN. */
export function writeBetween({ value: inner, low, high, isNot, at }: Of<'between'>, context: Context): Value {
  const subject = compared(inner, context);
  const [from, to] = [compared(low, context), compared(high, context)];
  const lower = comparison(subject, from, { operator: '>=', at, context });
  const upper = comparison(subject, to, { operator: '<=', at, context });
  const isSimple = context.shared.dialect !== 'sqlite';
  const [own, first] = adapted(subject, from, { at, context });
  const [, second] = adapted(subject, to, { at, context });
  const nullable = isNullable(subject, from, to);
  if (isSimple)
    return condition(
      sql`${operand(own)} ${isNot ? 'NOT ' : ''}BETWEEN ${operand(first)} AND ${operand(second)}`,
      nullable,
    );
  return condition(sql`${isNot ? 'NOT ' : ''}(${lower.sql} AND ${upper.sql})`, nullable);
}

/** Writes IS: NULL is neither true nor false. */
export function writeIs({ what, isNot, at }: Of<'is'>, inner: Value, context: Context): Value {
  if (what === 'NULL')
    return condition(
      sql`${operand(inner.type.kind === 'json' ? jsonPresence(inner) : inner)} IS ${isNot ? 'NOT ' : ''}NULL`,
      false,
    );
  const test = truth(inner, context, at);
  const own = what === 'TRUE' ? sql`ifNull(${test.sql}, false)` : sql`ifNull(NOT ${operand(test)}, false)`;
  return condition(isNot ? sql`NOT ${own}` : own, false);
}

function jsonPresence(inner: Value): Value {
  const { json } = jsonOf(inner);
  return json.path.length === 0 ? value('json', json.root) : inner;
}

/** Writes CASE. */
export function writeCase({ subject, branches, otherwise, at }: Of<'case'>, context: Context): Value {
  const tested = subject === undefined ? undefined : context.write(subject, context);
  const conditions = branches.map(({ when }) => {
    const written = compared(when, context);
    return tested === undefined
      ? truth(written, context, when.at).sql
      : comparison(tested, written, { operator: '=', at, context }).sql;
  });
  const results = branches.map(({ result }) => context.write(result, context));
  const last = otherwise === undefined ? value('null', 'NULL') : context.write(otherwise, context);
  const { sqls, type } = unified([...results, last]);
  const whens = conditions.map((each, index) => sql`WHEN ${each} THEN ${sqls[index] ?? 'NULL'}`);
  return {
    sql: sql`CASE ${joinSql(whens, ' ')}${otherwise === undefined ? '' : sql` ELSE ${sqls.at(-1) ?? 'NULL'}`} END`,
    type,
  };
}
