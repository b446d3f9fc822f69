// Comparisons: both sides are converted to a common type.
import type { Context } from '../context.ts';
import { arrayOf } from '../functions/array.ts';
import { syntax, untranslated } from '../translation-error.ts';
import { type Sql, joinSql, located, sql } from '../../dialects/sql.ts';
import { timeLiteral } from '../time-literal.ts';
import type { Expression, TimeType } from '../../sql/syntax-tree.ts';
import { value, type Value } from '../../dialects/value.ts';
import { key, number, text, whole } from '../value.ts';
import { unnestedOf } from './unnested.ts';

const OPERATORS: ReadonlySet<string> = new Set(['=', '!=', '<>', '<', '>', '<=', '>=']);

/** The comparison; undefined if the operator is not a comparison. */
export function comparison(
  expression: Extract<Expression, { kind: 'binary' }>,
  context: Context,
): Value | undefined {
  const { operator, at } = expression;
  const sides = (): readonly Sql[] =>
    alike([expression.left, expression.right].map((each) => operand(each, context)));
  if (OPERATORS.has(operator)) {
    return value('bool', located(at, sql`(${joinSql(sides(), ` ${operator === '<>' ? '!=' : operator} `)})`));
  }
  if (operator === 'IS DISTINCT FROM') return value('bool', sql`(NOT (${joinSql(sides(), ' <=> ')}))`);
  if (operator === 'IS NOT DISTINCT FROM') return value('bool', sql`(${joinSql(sides(), ' <=> ')})`);
  return undefined;
}

/** LIKE and ILIKE. */
export function matching(expression: Extract<Expression, { kind: 'like' }>, context: Context): Value {
  const { operator, isNot, at } = expression;
  if (operator !== 'LIKE' && operator !== 'ILIKE') untranslated(at, `${operator} is not supported`);
  const texts = [expression.value, expression.pattern].map((each) => text(context.write(each, context)));
  return value('bool', located(at, sql`(${joinSql(texts, ` ${isNot ? 'NOT ' : ''}${operator} `)})`));
}

/** A side of a comparison. */
interface Operand {
  readonly written: Expression;
  readonly value: Value;
}

/** Translates one side of a comparison. */
export function operand(written: Expression, context: Context): Operand {
  return { written, value: context.write(written, context) };
}

/** Whether two values are equal. */
export function equality(left: Operand, right: Operand): Sql {
  return sql`(${joinSql(alike([left, right]), ' = ')})`;
}

/** Makes the values comparable: strings compared with times are parsed as times. */
function alike(operands: readonly Operand[]): readonly Sql[] {
  const values = operands.map((each) => each.value);
  const time = values.map(({ type }) => type.kind).find(isTime);
  const areNumbers = values.some(({ type }) => type.kind === 'int' || type.kind === 'float');
  const isLoose = values.some(({ type }) => type.kind === 'dynamic' || type.kind === 'object');
  return values.map((each, index) => {
    const written = operands[index]?.written;
    if (time !== undefined && written?.kind === 'string')
      return timeLiteral(time, written.value, written.at).sql;
    if (!isLoose) return whole(each);
    if (areNumbers) return number(each);
    return looseSide(each, values);
  });
}

/** A dynamically typed path becomes a Boolean next to a Boolean, a time next to a time, otherwise a string. */
function looseSide(each: Value, values: readonly Value[]): Sql {
  if (each.type.kind !== 'dynamic') return key(each).sql;
  const kinds = values.map(({ type }) => type.kind);
  if (kinds.includes('bool')) return sql`accurateCastOrNull(${each.sql}, 'Bool')`;
  if (kinds.some(isTime)) return sql`parseDateTime64BestEffortOrNull(${text(each)}, 6, 'UTC')`;
  return text(each);
}

function isTime(kind: string): kind is TimeType {
  return kind === 'timestamp' || kind === 'datetime' || kind === 'date';
}

/** BETWEEN and IN. */
export function membership(
  expression: Extract<Expression, { kind: 'between' | 'in' }>,
  context: Context,
): Value {
  const { isNot, at } = expression;
  const operandOf = (each: Expression) => operand(each, context);
  const not = isNot ? 'NOT ' : '';
  if (expression.kind === 'between') {
    const [own = '', low = '', high = ''] = alike(
      [expression.value, expression.low, expression.high].map(operandOf),
    );
    return value('bool', located(at, sql`(${own} ${not}BETWEEN ${low} AND ${high})`));
  }
  const { among } = expression;
  if (among.kind === 'list') {
    const operands = [expression.value, ...among.values].map(operandOf);
    const [own = '', ...list] = alike(operands);
    if (operands.some((each) => isTime(each.value.type.kind))) {
      // IN does not convert times to the precision of its left side.
      const equal = list.map((each) => sql`(${own} = ${each})`);
      return value('bool', located(at, sql`(${not}(${joinSql(equal, ' OR ')}))`));
    }
    return value('bool', located(at, sql`(${own} ${not}IN (${joinSql(list)}))`));
  }
  const own = key(context.write(expression.value, context)).sql;
  if (among.kind === 'unnest') {
    const { sql: array } = arrayOf(context.write(unnestedOf(among.array), context));
    return value('bool', located(at, sql`(${not}has(${array}, ${own}))`));
  }
  const query = context.query(among.query, context, { isShown: false, isPlain: true });
  if (query.columns.length !== 1) syntax(among.query.at, 'A subquery after IN must have one column');
  return value('bool', located(at, sql`(${own} ${not}IN (${query.sql}))`));
}
