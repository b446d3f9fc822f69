// IN, ANY and ALL: true, false, or NULL if a value that is NULL could have made the difference.
import type { Context } from './context.ts';
import { nearestOf } from './round.ts';
import { joinSql, sql, type Sql } from './sql.ts';
import { day, isDay, moment } from './time/moment.ts';
import { condition, isNullable, isTime, name, operand, UNKNOWN, type Type, type Value } from './value.ts';

/** The rows of a subquery, which has one column. */
export interface Rows {
  /** Without parentheses. */
  readonly sql: Sql;
  readonly column: string;
  readonly type: Type;
  /** Whether it uses names of the outer query. */
  readonly isCorrelated: boolean;
}

export interface Search {
  readonly isNot: boolean;
  readonly context: Context;
  /** The condition that relates the subject to one member. */
  readonly compare: (member: Value) => Value;
}

const orderOf = (isNot: boolean): readonly [Sql, Sql] => (isNot ? ['false', 'true'] : ['true', 'false']);

/** A condition; negated if `isNot`. */
export function negated(own: Value, isNot: boolean): Value {
  return isNot ? condition(sql`NOT ${operand(own)}`, own.type.isNullable) : own;
}

/** Whether any of the conditions is true. */
export function anyOf(conditions: readonly Value[]): Value {
  const [only, more] = conditions;
  if (only === undefined) return condition('false', false);
  if (more === undefined) return only;
  return {
    ...condition(sql`(${joinSql(conditions.map(operand), ' OR ')})`, isNullable(...conditions)),
    isLoose: false,
  };
}

/** Constants, of which those that are NULL are left out: ClickHouse ignores them in a list. */
export interface Constants {
  readonly subject: Value;
  /** With parentheses. */
  readonly list: Sql;
  readonly hasNull: boolean;
}

/** IN with a list of constants. */
export function inConstants(
  { subject, list, hasNull }: Constants,
  { isNot, context }: Omit<Search, 'compare'>,
): Value {
  const found = sql`${operand(nearestOf(subject))} ${isNot ? 'NOT ' : ''}IN ${list}`;
  if (!hasNull || (context.nullIsFalse === true && !isNot)) return condition(found, isNullable(subject));
  return { ...condition(sql`(${found} ${isNot ? 'AND' : 'OR'} NULL)`, true), isLoose: false };
}

/** IN with the elements of an array. */
export function inArray(subject: Value, array: Value, { isNot, context }: Omit<Search, 'compare'>): Value {
  const element = array.type.element ?? UNKNOWN;
  const found = sql`has(${array.sql}, ${subject.sql})`;
  const isSure = !subject.type.isNullable && !element.isNullable;
  if (isSure || (context.nullIsFalse === true && !isNot && !subject.type.isNullable))
    return condition(sql`${isNot ? 'NOT ' : ''}${found}`, false);
  const [yes, no] = orderOf(isNot);
  const first = subject.type.isNullable
    ? sql`isNull(${subject.sql}), if(empty(${array.sql}), ${no}, NULL), `
    : '';
  const last = element.isNullable ? sql`, has(${array.sql}, NULL), NULL` : '';
  return condition(sql`multiIf(${first}${found}, ${yes}${last}, ${no})`, true);
}

/** IN with the rows of a subquery; `members` are its rows in the form in which the subject is compared with them. */
export function inRows(own: Value, members: Rows, { isNot, context, compare }: Search): Value {
  if (members.isCorrelated) return amongCorrelated(own, members, { isNot, context, compare });
  const [subject, rows] = inWideTypes(own, members);
  const found = sql`${operand(subject)} ${isNot ? 'NOT ' : ''}IN (${rows.sql})`;
  const canBeNull = subject.type.isNullable || rows.type.isNullable;
  if (!canBeNull || (context.nullIsFalse === true && !isNot)) return condition(found, canBeNull);
  const unknown = [
    ...(rows.type.isNullable ? [hasNull(rows)] : []),
    ...(subject.type.isNullable ? [sql`isNull(${subject.sql}) AND NOT (${isEmpty(rows)})`] : []),
  ];
  const [yes, no] = orderOf(isNot);
  return condition(
    sql`multiIf(${operand(subject)} IN (${rows.sql}), ${yes}, ${joinSql(unknown, ' OR ')}, NULL, ${no})`,
    true,
  );
}

/** ClickHouse converts the subject to the type of the rows, which may be one that has fewer times or digits. */
function inWideTypes(subject: Value, rows: Rows): readonly [Value, Rows] {
  const member: Value = { sql: name(rows.column), type: rows.type };
  if (!isTime(subject) || !isTime(member)) return [subject, rows];
  const areDays = isDay(subject) && isDay(member);
  const wide = (each: Value): Sql => (areDays ? day(each) : sql`toDateTime64(${moment(each)}, 6, 'UTC')`);
  const own = sql`SELECT ${wide(member)} AS ${name(rows.column)} FROM (${rows.sql})`;
  const isSame = areDays || !isDay(subject);
  return [isSame ? subject : { ...subject, sql: wide(subject), isLoose: false }, { ...rows, sql: own }];
}

const hasNull = ({ sql: own, column }: Rows): Sql =>
  sql`(SELECT countIf(isNull(${name(column)})) FROM (${own})) > 0`;
const isEmpty = ({ sql: own }: Rows): Sql => sql`(SELECT count() FROM (${own})) = 0`;

/**
 * ClickHouse has no IN with a correlated subquery. Its column gets a name that the subject cannot have; a subject that is NULL
 * is tested apart, since ClickHouse joins the rows by it.
 */
function amongCorrelated(subject: Value, { sql: own, column, type }: Rows, search: Search): Value {
  const { isNot, context, compare } = search;
  const { fresh } = context.shared;
  const [member, table] = [fresh('member'), fresh('rows')];
  const exists = (where: Sql): Sql =>
    sql`exists(SELECT 1 FROM (SELECT ${name(column)} AS ${member} FROM (${own})) AS ${table}${where})`;
  const found = exists(sql` WHERE ${compare({ sql: member, type }).sql}`);
  const unknown = [
    ...(type.isNullable ? [exists(sql` WHERE isNull(${member})`)] : []),
    ...(subject.type.isNullable ? [sql`isNull(${subject.sql}) AND ${exists('')}`] : []),
  ];
  if (unknown.length === 0 || (context.nullIsFalse === true && !isNot))
    return condition(sql`${isNot ? 'NOT ' : ''}${found}`, false);
  const [yes, no] = orderOf(isNot);
  return condition(sql`multiIf(${found}, ${yes}, ${joinSql(unknown, ' OR ')}, NULL, ${no})`, true);
}

/** The comparisons of ANY, with those of ALL that have the opposite result. */
const OPPOSITES: ReadonlyMap<string, string> = new Map([
  ['=', '<>'],
  ['<>', '='],
  ['!=', '='],
  ['<', '>='],
  ['>=', '<'],
  ['>', '<='],
  ['<=', '>'],
]);

/** The operator whose ANY is the opposite of this operator's ALL; undefined if it is not a comparison. */
export const opposite = (operator: string): string | undefined => OPPOSITES.get(operator);

export interface Quantified extends Search {
  /** `=` is IN, which is written elsewhere. */
  readonly operator: string;
}

/** `subject operator ANY (subquery)`: the comparison with the least or the greatest row decides. */
export function anyRow(subject: Value, rows: Rows, search: Quantified): Value {
  const { isNot, context, compare, operator } = search;
  if (rows.isCorrelated) return amongCorrelated(subject, rows, search);
  const extreme = (aggregate: string): Value =>
    compare({
      sql: sql`(SELECT ${aggregate}(${name(rows.column)}) FROM (${rows.sql}))`,
      type: { ...rows.type, isNullable: true },
    });
  const least = ['>', '>=', '<>', '!='].includes(operator) ? [extreme('minOrNull')] : [];
  const greatest = ['<', '<=', '<>', '!='].includes(operator) ? [extreme('maxOrNull')] : [];
  const found = anyOf([...least, ...greatest]);
  const isSure = !subject.type.isNullable && !rows.type.isNullable;
  if (context.nullIsFalse === true && !isNot) return found;
  const [yes, no] = orderOf(isNot);
  const unknown = [
    ...(rows.type.isNullable ? [hasNull(rows)] : []),
    ...(subject.type.isNullable ? [sql`isNull(${subject.sql})`] : []),
  ];
  const rest = isSure ? '' : sql`, ${isEmpty(rows)}, ${no}, ${joinSql(unknown, ' OR ')}, NULL`;
  return condition(sql`multiIf(${found.sql}, ${yes}${rest}, ${no})`, !isSure);
}

/** `subject operator ANY (array)`. */
export function anyElement(array: Value, { isNot, context, compare }: Search): Value {
  const member = context.shared.fresh('member');
  const test = compare({ sql: member, type: array.type.element ?? UNKNOWN });
  const exists = (where: Sql): Sql => sql`arrayExists(${member} -> ${where}, ${array.sql})`;
  if (!test.type.isNullable) return condition(sql`${isNot ? 'NOT ' : ''}${exists(test.sql)}`, false);
  const [yes, no] = orderOf(isNot);
  const found = exists(sql`ifNull(${test.sql}, false)`);
  return condition(sql`multiIf(${found}, ${yes}, ${exists(sql`isNull(${test.sql})`)}, NULL, ${no})`, true);
}
