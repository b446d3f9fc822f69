// IN, ANY and ALL.
import type { Context } from '../../dialects/write/context.ts';
import { asValue, unconverted } from '../../dialects/context.ts';
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
} from '../../dialects/membership.ts';
import { joinSql, sql, type Sql } from '../../dialects/sql.ts';
import { condition, isKind, isNumber, name, UNKNOWN, type Value } from '../../dialects/value.ts';
import type { Expression, Query } from '../../dialects/tree.ts';
import { caseless } from '../../dialects/collation.ts';
import { comparison, toward, compared } from './comparison.ts';
import { writeNested } from '../../dialects/write/nested.ts';

type In = Extract<Expression, { kind: 'in' }>;
type Quantified = Extract<Expression, { kind: 'quantified' }>;

interface Place {
  readonly isNot: boolean;
  readonly at: number;
  readonly context: Context;
}

/** Writes IN. */
export function writeIn({ among, isNot, at, value: inner }: In, context: Context): Value {
  const subject = compared(inner, asValue(context));
  const place = { isNot, at, context };
  switch (among.kind) {
    case 'list':
      return inList(subject, among.values, place);
    case 'query':
      return inQuery(subject, among.query, place);
    case 'unnest':
      return inArray(subject, context.write(among.array, asValue(context)), place);
  }
}

const CONSTANTS: ReadonlySet<string> = new Set(['string', 'number', 'boolean', 'null', 'time', 'parameter']);

/** ClickHouse ignores NULL in the list, and needs constants. */
function inList(subject: Value, items: readonly Expression[], place: Place): Value {
  const { isNot, at, context } = place;
  const values = items.map((each) => compared(each, asValue(context)));
  const present = values.filter((each) => !isKind(each, 'null'));
  // SQLite does not convert a string and a number that are both written in the query.
  const areMixed =
    context.shared.dialect === 'sqlite' && values.some((each) => isNumber(each) !== isNumber(subject));
  const isSet =
    !areMixed && items.every(({ kind }) => CONSTANTS.has(kind)) && !isKind(subject, 'tuple', 'json');
  if (values.length === 0) return condition(isNot ? 'true' : 'false', false);
  if (present.length === 0) return condition('NULL', true);
  if (!isSet) {
    const equal = values.map((each) => comparison(subject, each, { operator: '=', at, context }));
    return negated(anyOf(equal), isNot);
  }
  const [own, list] = adaptedList(subject, present, place);
  const [only] = items;
  // An array parameter needs no parentheses.
  const isParameter = items.length === 1 && only?.kind === 'parameter';
  return inConstants(
    { subject: own, list: isParameter ? list : sql`(${list})`, hasNull: present.length < values.length },
    place,
  );
}

function adaptedList(
  subject: Value,
  values: readonly Value[],
  { at, context }: Place,
): readonly [Value, Sql] {
  const [first] = values;
  const converted = values.map((each) => toward(each, subject, { at, context }));
  const own = first === undefined ? subject : toward(subject, first, { at, context });
  const isLetters = values.find((each) => each.literal !== undefined && /\p{L}/u.test(each.literal));
  if (isLetters === undefined) return [own, joinSql(converted.map((each) => each.sql))];
  return [
    caseless(own, isLetters, context),
    joinSql(converted.map((each) => caseless(each, own, context).sql)),
  ];
}

function inQuery(subject: Value, query: Query, place: Place): Value {
  const { isNot, at, context } = place;
  if (isKind(subject, 'tuple')) return inColumns(subject, query, place);
  const rows = rowsOf(query, context);
  const member = caseless(subject, { sql: '', type: rows.type }, context);
  const column = name(rows.column);
  const own =
    member === subject
      ? rows
      : { ...rows, sql: sql`SELECT lowerUTF8(${column}) AS ${column} FROM (${rows.sql})` };
  const compare = (each: Value): Value => comparison(each, subject, { operator: '=', at, context });
  return inRows(member, own, { isNot, context, compare });
}

/** The rows of a subquery of one column. */
function rowsOf(query: Query, context: Context): Rows {
  const { sql: own, columns, isCorrelated } = writeNested(query, context);
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

/** IN with several columns: ClickHouse does not find rows with NULL, which matters only where NULL is not false. */
function inColumns(subject: Value, query: Query, { isNot, at, context }: Place): Value {
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
  const { quantifier, at, among } = expression;
  const isNot = quantifier === 'ALL';
  const operator = isNot ? opposite(expression.operator) : expression.operator;
  if (operator === undefined)
    return unconverted(at, 'expression', `${expression.operator} ALL is not converted`);
  if (operator === '=' && among.kind === 'query')
    return writeIn(
      { kind: 'in', value: expression.value, among: { kind: 'query', query: among.query }, isNot, at },
      context,
    );
  if (operator === '=' && among.kind === 'array')
    return writeIn(
      { kind: 'in', value: expression.value, among: { kind: 'list', values: among.items }, isNot, at },
      context,
    );
  const inside = asValue(context);
  const subject = compared(expression.value, inside);
  const compare = (member: Value): Value => comparison(subject, member, { operator, at, context: inside });
  if (among.kind === 'query')
    return anyRow(subject, rowsOf(among.query, context), { isNot, context, compare, operator });
  if (among.kind === 'array')
    return negated(anyOf(among.items.map((each) => compare(compared(each, inside)))), isNot);
  const array = context.write(among, inside);
  return operator === '='
    ? inArray(subject, array, { isNot, context })
    : anyElement(array, { isNot, context, compare });
}
