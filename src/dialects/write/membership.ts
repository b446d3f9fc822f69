// IN, ANY and ALL.
import { caseless } from '../collation.ts';
import { asValue, unconverted } from '../context.ts';
import {
  anyElement,
  anyOf,
  anyRow,
  inArray,
  inConstants,
  inRows,
  negated,
  opposite,
  type Rows,
} from '../membership.ts';
import { key, settled } from '../operand.ts';
import { joinSql, sql, type Sql } from '../sql.ts';
import { day, isDay, moment } from '../time/moment.ts';
import type { Expression, Query } from '../tree.ts';
import { condition, isKind, isNumber, isTime, UNKNOWN, type Value } from '../value.ts';
import { compared, comparison, elementToward, toward } from './comparison.ts';
import type { Context, Place } from './context.ts';
import { writeNested } from './nested.ts';
import { unnestedOf } from './unnest.ts';

type In = Extract<Expression, { kind: 'in' }>;
type Quantified = Extract<Expression, { kind: 'quantified' }>;

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
  if (areMixed && (isOpen || context.shared.traits.numbersAreLess)) return undefined;
  const list = values.map((each) => toward(each, subject, { at, context }));
  const own = toward(subject, first, { at, context });
  if ([own, ...list].some(isTime)) return inWideTypes(own, list);
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
      : { ...rows, sql: sql`SELECT lowerUTF8(${column}) AS ${column} FROM (${rows.sql})` };
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
