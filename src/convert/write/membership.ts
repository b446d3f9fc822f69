// IN, = ANY and <> ALL.
import { joinSql, sql, type Sql } from '../../dialects/sql.ts';
import type { Expression } from '../../sql/syntax-tree.ts';
import { comparison, toward, caseless, compared } from './comparison.ts';
import { unconverted } from '../../dialects/context.ts';
import type { Context } from './context.ts';
import { correlatedExists, writeNested } from './subquery.ts';
import { condition, isKind, isNullable, name, operand, type Value } from '../../dialects/value.ts';

type In = Extract<Expression, { kind: 'in' }>;

/** Writes IN. */
export function writeIn(expression: In, context: Context): Value {
  const { among, isNot, at } = expression;
  const subject = compared(expression.value, context);
  switch (among.kind) {
    case 'list':
      return inList(subject, among.values, { isNot, at, context });
    case 'query':
      return inQuery(expression, subject, context);
    case 'unnest': {
      const array = context.write(among.array, context);
      return condition(sql`${isNot ? 'NOT ' : ''}has(${array.sql}, ${subject.sql})`, isNullable(subject));
    }
  }
}

interface Options {
  readonly isNot: boolean;
  readonly at: number;
  readonly context: Context;
}

/** ClickHouse ignores NULL in the list, and needs constants. */
function inList(subject: Value, items: readonly Expression[], { isNot, at, context }: Options): Value {
  const values = items.map((each) => compared(each, context));
  const present = values.filter(({ type }) => type.kind !== 'null');
  const isConstant = items.every(({ kind }) =>
    ['string', 'number', 'boolean', 'null', 'time', 'parameter'].includes(kind),
  );
  const hasNull = present.length < values.length;
  if (present.length === 0) return condition('NULL', true);
  if (!isConstant && !isKind(subject, 'tuple')) {
    const equal = values.map((each) => comparison(subject, each, { operator: '=', at, context }).sql);
    return condition(sql`${isNot ? 'NOT ' : ''}(${joinSql(equal, ' OR ')})`, isNullable(subject, ...values));
  }
  const [own, list] = adaptedList(subject, present, { isNot, at, context });
  const [only] = items;
  // An array parameter needs no parentheses.
  const built = sql`${operand(own)} ${isNot ? 'NOT ' : ''}IN ${items.length === 1 && only?.kind === 'parameter' ? list : sql`(${list})`}`;
  return hasNull
    ? condition(sql`(${built} ${isNot ? 'AND' : 'OR'} NULL)`, true)
    : condition(built, isNullable(subject));
}

function adaptedList(
  subject: Value,
  values: readonly Value[],
  { at, context }: Options,
): readonly [Value, Sql] {
  const [first] = values;
  const converted = values.map((each) => toward(each, subject, { at, context }));
  const own = first === undefined ? subject : toward(subject, first, { at, context });
  const isLetters = values.find((each) => each.literal !== undefined && /\p{L}/u.test(each.literal));
  if (isLetters === undefined) return [own, joinSql(converted.map(({ sql }) => sql))];
  return [
    caseless(own, isLetters, context),
    joinSql(converted.map((each) => caseless(each, own, context).sql)),
  ];
}

function inQuery({ among, isNot, at, value: inner }: In, subject: Value, context: Context): Value {
  if (among.kind !== 'query') return subject;
  const nested = writeNested(among.query, context);
  if (nested.isCorrelated) {
    if (subject.type.kind === 'tuple')
      return unconverted(
        at,
        'expression',
        'IN with several columns and a correlated subquery is not converted',
      );
    const exists = correlatedExists(among.query, inner, { at, context });
    if (isNot && (subject.type.isNullable || nested.columns?.[0]?.value.type.isNullable !== false))
      return unconverted(
        at,
        'expression',
        'NOT IN with a correlated subquery that may return NULL is not converted',
        'Write NOT EXISTS.',
      );
    return condition(`${isNot ? 'NOT ' : ''}${exists}`, false);
  }
  const [column] = nested.columns ?? [];
  const member = column === undefined ? subject : caseless(subject, column.value, context);
  const isSame = member === subject;
  const query =
    isSame || column === undefined
      ? nested.sql
      : sql`SELECT lowerUTF8(${name(column.name)}) FROM (${nested.sql})`;
  const built = sql`${operand(member)} ${isNot ? 'NOT ' : ''}IN (${query})`;
  if (!isNot || subject.type.kind === 'tuple' || column === undefined)
    return condition(built, isNullable(subject));
  if (!subject.type.isNullable && !column.value.type.isNullable) return condition(built, false);
  // NOT IN is NULL if the query returns NULL, and true if it returns nothing.
  const empty = sql`(SELECT count() FROM (${nested.sql})) = 0`;
  const unknown = sql`(SELECT countIf(${name(column.name)} IS NULL) FROM (${nested.sql})) > 0`;
  const whole = subject.type.isNullable
    ? sql`multiIf(${empty}, true, ${unknown}, NULL, ${built})`
    : sql`if(${unknown}, NULL, ${built})`;
  return { ...condition(whole, true), isLoose: false };
}

/** Writes `value = ANY (…)` and `value <> ALL (…)`. */
export function writeQuantified(
  { operator, quantifier, value: inner, among, at }: Extract<Expression, { kind: 'quantified' }>,
  context: Context,
): Value {
  const isIn =
    (operator === '=' && quantifier === 'ANY') ||
    ((operator === '<>' || operator === '!=') && quantifier === 'ALL');
  if (!isIn)
    return unconverted(
      at,
      'expression',
      `${operator} ${quantifier} is not converted`,
      'Compare with min or max.',
    );
  const isNot = quantifier === 'ALL';
  if (among.kind === 'query')
    return writeIn(
      { kind: 'in', value: inner, among: { kind: 'query', query: among.query }, isNot, at },
      context,
    );
  if (among.kind === 'array')
    return writeIn(
      { kind: 'in', value: inner, among: { kind: 'list', values: among.items }, isNot, at },
      context,
    );
  const array = context.write(among, context);
  const subject = context.write(inner, context);
  return condition(sql`${isNot ? 'NOT ' : ''}has(${array.sql}, ${subject.sql})`, isNullable(subject));
}
