// IN, ANY and ALL: true, false, or NULL if a value that is NULL could have made the difference.
import { caseless, checkLiterals, folded } from '../equality.ts';
import { asValue, unconverted, type Context, type Place } from '../context.ts';
import { key, settled, joinSql, type Sql, sql, condition, isKind, isNullable, isNumber, isTime, name, operand, type Type, UNKNOWN, type Value } from '../value.ts'; // prettier-ignore
import { nearestOf } from '../exact.ts';
import { day, isDay, moment } from '../time/moment.ts';
import type { Expression, Of, Query } from '../tree.ts';
import { compared, comparison } from './comparison.ts';
import { writeNested } from './nested.ts';
import { unnestedOf } from './unnest.ts';
import { elementToward, toward } from './unify.ts';

/** The rows of a subquery, which has one column. */
interface Rows {
  /** Without parentheses. */
  readonly sql: Sql;
  readonly column: string;
  readonly type: Type;
  /** It is true if it uses names of the outer query. */
  readonly isCorrelated: boolean;
}

interface Search {
  readonly isNot: boolean;
  readonly context: Context;
  /** The condition that relates the subject to one member. */
  readonly compare: (member: Value) => Value;
}

const orderOf = (isNot: boolean): readonly [Sql, Sql] => (isNot ? ['false', 'true'] : ['true', 'false']);

/** A condition; negated if `isNot`. */
function negated(own: Value, isNot: boolean): Value {
  return isNot ? condition(sql`NOT ${operand(own)}`, own.type.isNullable) : own;
}

/** Returns whether any of the conditions is true. */
function anyOf(conditions: readonly Value[]): Value {
  const [only, more] = conditions;
  if (only === undefined) return condition('false', false);
  if (more === undefined) return only;
  return {
    ...condition(sql`(${joinSql(conditions.map(operand), ' OR ')})`, isNullable(...conditions)),
    isLoose: false,
  };
}

/** Constants, of which those that are NULL are left out: ClickHouse ignores them in a list. */
interface Constants {
  readonly subject: Value;
  /** The text has parentheses. */
  readonly list: Sql;
  readonly hasNull: boolean;
}

/** IN with a list of constants. */
function inConstants(
  { subject, list, hasNull }: Constants,
  { isNot, context }: Omit<Search, 'compare'>,
): Value {
  const found = sql`${operand(nearestOf(subject))} ${isNot ? 'NOT ' : ''}IN ${list}`;
  if (!hasNull || (context.nullIsFalse === true && !isNot)) return condition(found, isNullable(subject));
  return { ...condition(sql`(${found} ${isNot ? 'AND' : 'OR'} NULL)`, true), isLoose: false };
}

/** IN with the elements of an array. */
function inArray(subject: Value, array: Value, { isNot, context }: Omit<Search, 'compare'>): Value {
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
function inRows(own: Value, members: Rows, { isNot, context, compare }: Search): Value {
  if (members.isCorrelated) return amongCorrelated(own, members, { isNot, context, compare });
  const [subject, rows] = rowsInWideTypes(own, members);
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
function rowsInWideTypes(subject: Value, rows: Rows): readonly [Value, Rows] {
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
const opposite = (operator: string): string | undefined => OPPOSITES.get(operator);

interface QuantifiedSearch extends Search {
  /** `=` is IN, which is written elsewhere. */
  readonly operator: string;
}

/** `subject operator ANY (subquery)`: the comparison with the least or the greatest row decides. */
function anyRow(subject: Value, rows: Rows, search: QuantifiedSearch): Value {
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
function anyElement(array: Value, { isNot, context, compare }: Search): Value {
  const member = context.shared.fresh('member');
  const test = compare({ sql: member, type: array.type.element ?? UNKNOWN });
  const exists = (where: Sql): Sql => sql`arrayExists(${member} -> ${where}, ${array.sql})`;
  if (!test.type.isNullable) return condition(sql`${isNot ? 'NOT ' : ''}${exists(test.sql)}`, false);
  const [yes, no] = orderOf(isNot);
  const found = exists(sql`ifNull(${test.sql}, false)`);
  return condition(sql`multiIf(${found}, ${yes}, ${exists(sql`isNull(${test.sql})`)}, NULL, ${no})`, true);
}

type In = Of<'in'>;
type Quantified = Of<'quantified'>;

interface Membership extends Place {
  readonly isNot: boolean;
}

/** Writes IN with a list, an array or a subquery. */
export function writeIn({ among, isNot, at, value: inner }: In, context: Context): Value {
  const place = { isNot, at, context };
  if (among.kind === 'list') return inList(inner, among.values, place);
  const subject = compared(inner, context);
  if (among.kind === 'query') return inQuery(subject, among.query, place);
  const array = unnestedOf(among.array);
  if (array.kind === 'array') return inList(inner, array.items, place);
  return inArray(...elementToward(subject, arrayOf(array, context), place), place);
}

function arrayOf(array: Expression, context: Context): Value {
  const inside = asValue(context);
  return context.elements(settled(inside.write(array, inside)));
}

const CONSTANTS: ReadonlySet<string> = new Set(['string', 'number', 'boolean', 'null', 'time', 'parameter']);

function isConstant(written: Expression): boolean {
  if (written.kind === 'unary') return written.operator !== 'NOT' && isConstant(written.value);
  return CONSTANTS.has(written.kind);
}

/** ClickHouse ignores NULL in the list, and needs constants. */
function inList(inner: Expression, items: readonly Expression[], place: Membership): Value {
  const { isNot, at, context } = place;
  if (items.length === 0) return condition(isNot ? 'true' : 'false', false);
  if (inner.kind === 'row') return negated(anyOf(items.map((each) => equality(inner, each, context))), isNot);
  const subject = compared(inner, context);
  const values = items.map((each) => compared(each, context));
  const present = values.filter((each) => !isKind(each, 'null'));
  const constants = items.every(isConstant) ? constantsOf(subject, present, place) : undefined;
  if (constants === undefined)
    return negated(
      anyOf(values.map((each) => comparison(subject, each, { operator: '=', at, context }))),
      isNot,
    );
  const [own, list] = constants;
  // An array parameter needs no parentheses.
  const isParameter = items.length === 1 && items[0]?.kind === 'parameter';
  return inConstants(
    { subject: own, list: isParameter ? list : sql`(${list})`, hasNull: present.length < values.length },
    place,
  );
}

const equality = (left: Expression, right: Expression, context: Context): Value =>
  context.write({ kind: 'binary', operator: '=', left, right, at: right.at }, asValue(context));

/** The subject and a list of constants in one type; undefined if each of them is to be compared. */
function constantsOf(
  subject: Value,
  values: readonly Value[],
  { at, context }: Place,
): readonly [Value, Sql] | undefined {
  const [first] = values;
  if (first === undefined || isKind(subject, 'tuple', 'json')) return undefined;
  const isOpen = isKind(subject, 'dynamic');
  const than = isOpen ? first : subject;
  const areMixed = values.some((each) => isNumber(each) !== isNumber(than));
  const isEach = isOpen || isKind(subject, 'text') || context.shared.traits.numbersAreLess;
  if (areMixed && isEach) return undefined;
  const list = values.map((each) => toward(each, subject, { at, context }));
  const own = toward(subject, first, { at, context });
  if ([own, ...list].some(isTime)) return inWideTypes(own, list);
  checkLiterals([own, ...list], { at, context });
  const isLetters = values.find((each) => each.literal !== undefined && /\p{L}/u.test(each.literal));
  if (isLetters === undefined) return [own, joinSql(list.map((each) => each.sql))];
  return [caseless(own, isLetters, context), joinSql(list.map((each) => caseless(each, own, context).sql))];
}

/** IN converts its members to the type of the subject, which may have fewer times. */
function inWideTypes(subject: Value, list: readonly Value[]): readonly [Value, Sql] | undefined {
  if (![subject, ...list].every(isTime)) return undefined;
  const wide = [subject, ...list].every(isDay) ? day : moment;
  return [{ ...subject, sql: wide(subject), isLoose: false }, joinSql(list.map(wide))];
}

function inQuery(own: Value, query: Query, place: Membership): Value {
  const { isNot, at, context } = place;
  if (isKind(own, 'tuple') && !context.shared.traits.rowsAreRecords) return inColumns(own, query, place);
  const subject = key(own);
  const rows = recordsOf(own, rowsOf(query, context), place);
  const member = caseless(subject, { sql: '', type: rows.type }, context);
  const column = context.shared.style.name(rows.column);
  const members =
    member === subject
      ? rows
      : { ...rows, sql: sql`SELECT ${folded(column, context)} AS ${column} FROM (${rows.sql})` };
  const compare = (each: Value): Value => comparison(each, subject, { operator: '=', at, context });
  return inRows(member, members, { isNot, context, compare });
}

/** The rows of a subquery of one column. */
function rowsOf(query: Query, context: Context): Rows {
  const { sql: own, columns, isCorrelated } = writeNested(query, context, { isShown: false, isPlain: true });
  const [column, more] = columns ?? [];
  if (more !== undefined)
    return unconverted(query.at, 'expression', 'A subquery after IN, ANY or ALL must have one column');
  if (column === undefined) {
    return unconverted(
      query.at,
      'expression',
      'A subquery after IN, ANY or ALL must name its column',
      'Name the column instead of *.',
    );
  }
  return { sql: own, column: column.name, type: column.value.type, isCorrelated };
}

/** Records with NULL are not found by IN: they are compared one by one, where NULL is false. */
function recordsOf(own: Value, rows: Rows, { isNot, at, context }: Membership): Rows {
  const types = [own.type, rows.type].flatMap(({ fields }) => [...(fields?.values() ?? [])]);
  if (!types.some((type) => type.isNullable)) return rows;
  if (isNot || context.nullIsFalse !== true)
    return unconverted(
      at,
      'expression',
      'IN with records whose fields may be NULL is supported only as a condition',
      'Write EXISTS.',
    );
  return { ...rows, isCorrelated: true };
}

/** IN with several columns: ClickHouse does not find rows with NULL, which matters only where NULL is not false. */
function inColumns(subject: Value, query: Query, { isNot, at, context }: Membership): Value {
  const { sql: own, columns, isCorrelated } = writeNested(query, context);
  if (isCorrelated)
    return unconverted(
      at,
      'expression',
      'IN with several columns and a correlated subquery is not converted',
      'Write EXISTS.',
    );
  const types = [
    ...(subject.type.fields?.values() ?? [UNKNOWN]),
    ...(columns?.map((each) => each.value.type) ?? [UNKNOWN]),
  ];
  if (types.some((type) => type.isNullable) && (isNot || context.nullIsFalse !== true))
    return unconverted(
      at,
      'expression',
      'IN with several columns that may be NULL is converted only as a condition',
      'Write EXISTS.',
    );
  return condition(sql`${subject.sql} ${isNot ? 'NOT ' : ''}IN (${own})`, false);
}

/** Writes `value operator ANY (…)` and `value operator ALL (…)`. */
export function writeQuantified(expression: Quantified, context: Context): Value {
  const { quantifier, at, among, value: inner } = expression;
  const isNot = quantifier === 'ALL';
  const operator = isNot ? opposite(expression.operator) : expression.operator;
  if (operator === undefined)
    return unconverted(at, 'expression', `${expression.operator} ALL is not converted`);
  if (operator === '=' && among.kind === 'query')
    return inQuery(compared(inner, context), among.query, { isNot, at, context });
  if (operator === '=' && among.kind === 'array') return inList(inner, among.items, { isNot, at, context });
  const subject = compared(inner, context);
  const compare = (member: Value): Value =>
    comparison(subject, member, { operator, at, context: asValue(context) });
  if (among.kind === 'query')
    return anyRow(subject, rowsOf(among.query, context), { isNot, context, compare, operator });
  if (among.kind === 'array')
    return negated(anyOf(among.items.map((each) => compare(compared(each, context)))), isNot);
  const array = arrayOf(among, context);
  return operator === '='
    ? inArray(...elementToward(subject, array, { at, context }), { isNot, context })
    : anyElement(array, { isNot, context, compare });
}
