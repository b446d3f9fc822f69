// Writes expressions.
import { joinSql, sql, type Sql } from '../../dialects/sql.ts';
import { quoteString } from '../../sql/literal.ts';
import type { Expression, Name } from '../../dialects/tree.ts';
import { inverted, negative } from '../../dialects/arithmetic.ts';
import { isByteCollation } from '../../dialects/collation.ts';
import { bytesLiteral } from '../../dialects/functions/bytes.ts';
import { arithmetic, otherOperator } from './arithmetic.ts';
import { writeCall } from './call.ts';
import { castTo, writeCast } from '../../dialects/cast/cast.ts';
import { adapted, compared, comparison } from './comparison.ts';
import { differs, unconverted } from '../../dialects/context.ts';
import { truth } from '../../dialects/truth.ts';
import { asTime, localTime } from '../../dialects/time/argument.ts';
import { extracted } from '../../dialects/time/parts.ts';
import { timestamp } from '../../dialects/time/moment.ts';
import { zoneOf } from '../../dialects/time/zone.ts';
import type { Context } from '../../dialects/write/context.ts';
import { COMMON, expressionWriter, type Writers } from '../../dialects/write/expression.ts';
import { jsonAt, jsonOf, jsonOperator } from '../../dialects/json-path.ts';
import { writeIn, writeQuantified } from './membership.ts';
import { writeLike } from './pattern.ts';
import { elementAt, isNullArray, joinedArrays } from '../../dialects/functions/array-value.ts';
import { sliceOf } from '../../dialects/functions/array.ts';
import { QUANTILE_ELEMENT } from '../../dialects/functions/quantile.ts';
import { dateLiteral, timestampLiteral } from '../../dialects/time/literal.ts';
import { mayBeNan, ordersNan } from '../../dialects/nan.ts';
import { nearestOf } from '../../dialects/round.ts';
import { unified } from './unify.ts';
import {
  condition,
  isKind,
  isNullable,
  loose,
  name,
  operand,
  value,
  type Value,
} from '../../dialects/value.ts';

type Of<K extends Expression['kind']> = Extract<Expression, { kind: K }>;

/** How each kind of expression is written. */
const WRITERS: Writers = {
  ...COMMON,
  string: ({ value: text }) => ({ ...value('text', quoteString(text), false), literal: text }),
  bytes: writeBytes,
  number: ({ text }, context) => writeNumber(text, context),
  time: writeTime,
  index: writeIndex,
  call: writeCall,
  cast: writeCast,
  extract: (expression, context) =>
    extractedAge(expression, context) ??
    extracted(context.write(zoned(expression), context), expression.part, context),
  at_zone: writeZone,
  interval: standalone,
  intervals: standalone,
  unary: (expression, context) => writeUnary(expression, context.write(expression.value, context), context),
  collate: writeCollation,
  chain: (expression, context) =>
    writeChain(
      expression,
      expression.values.map((each) => context.write(each, context)),
      context,
    ),
  binary: writeBinary,
  like: writeLike,
  quantified: writeQuantified,
  between: writeBetween,
  in: writeIn,
  is: (expression, context) => writeIs(expression, context.write(expression.value, context), context),
  case: writeCase,
  array: ({ items }, context) => writeArray(items.map((each) => context.write(each, context))),
  row: ({ items }, context) => writeRow(items.map((each) => context.write(each, context))),
  struct: ({ at }) => unconverted(at, 'expression', 'STRUCT is not converted', 'Use tuple(…) or a map.'),
  slice: writeSlice,
};

/** Writes an expression; a part that cannot be converted becomes a comment. */
export const writeExpression = expressionWriter(WRITERS);

function standalone({ at }: Of<'interval' | 'intervals'>): Value {
  return unconverted(at, 'type', 'An interval is converted only where it is added to a time or compared');
}

function writeBytes({ value: bytes }: Of<'bytes'>, { shared }: Context): Value {
  return bytesLiteral(bytes, shared.dialect);
}

function writeCollation({ value: inner, collation }: Of<'collate'>, context: Context): Value {
  const own = context.write(inner, context);
  if (isByteCollation(collation.name, context.shared.dialect))
    return { ...own, type: { ...own.type, isBinary: true } };
  if (context.shared.traits.ignoresCase && /_ci$/i.test(collation.name)) return own;
  const message = `COLLATE ${collation.name} is left out: strings are compared by their bytes`;
  differs(context, collation.at, 'collation', message);
  return own;
}

const FLOAT_LITERALS: ReadonlySet<string> = new Set(['bigquery', 'sqlite']);

function writeNumber(digits: string, { shared }: Context): Value {
  const plain = digits.replace(/^(-?)\./, '$10.').replace(/\.(?!\d)/, '.0');
  if (/^-?\d+$/.test(plain))
    return value('int', plain, false, { scale: 0, bytes: Math.abs(Number(plain)) < 2 ** 31 ? 4 : undefined });
  if (/^-?0x/i.test(plain)) return value('int', plain, false, { scale: 0 });
  if (/e/i.test(plain) || FLOAT_LITERALS.has(shared.dialect)) return value('float', plain, false);
  return value('numeric', plain, false, { scale: plain.split('.')[1]?.length ?? 0 });
}

function writeTime({ type, value: literal, at }: Of<'time'>): Value {
  const written = type === 'date' ? dateLiteral(literal) : timestampLiteral(literal);
  return (
    written ?? unconverted(at, 'type', `'${literal}' is not a date or time of the form 2024-12-31 10:00:00`)
  );
}

/** A field of JSON, or of a value of an unknown type. */
export function jsonField(of: Value, { name: own }: Name, { shared }: Context): Value {
  if (of.type.kind === 'tuple') return value('unknown', sql`tupleElement(${of.sql}, ${quoteString(own)})`);
  if (of.type.kind === 'unknown' && shared.dialect !== 'snowflake')
    return value('unknown', sql`${operand(of)}.${name(own)}`);
  return jsonAt(of, [quoteString(own)]);
}

function writeIndex({ of, index, base }: Of<'index'>, context: Context): Value {
  if (of.kind === 'call' && of.name === 'approx_quantiles' && index.kind === 'number') {
    const place = { ...index, text: String(Number(index.text) - base) };
    return context.write({ ...of, name: QUANTILE_ELEMENT, args: [...of.args, place] }, context);
  }
  const array = context.write(of, context);
  const place = context.write(index, context);
  if (array.type.kind === 'json') {
    const step =
      index.kind === 'number'
        ? String(Number(index.text) + (base === 0 ? 1 : 0))
        : base === 0
          ? sql`${operand(place)} + 1`
          : place.sql;
    return jsonAt(array, [step]);
  }
  if (array.type.kind === 'map')
    return value(array.type.element?.kind ?? 'unknown', sql`${operand(array)}[${place.sql}]`, false);
  return elementAt(context.elements(array), place, base);
}

function writeSlice({ of, from, to, at }: Of<'slice'>, context: Context): Value {
  const array = context.write(of, context);
  if (array.type.kind === 'json') return unconverted(at, 'expression', 'A slice of JSON is not converted');
  const [first, last] = [from, to].map((each) =>
    each === undefined ? undefined : context.write(each, context),
  );
  return sliceOf(context.elements(array), first, last);
}

function zoned({ value: inner, zone, at }: Of<'extract'>): Expression {
  return zone === undefined ? inner : { kind: 'at_zone', value: inner, zone, at };
}

/** PostgreSQL's `EXTRACT(YEAR FROM age(later, earlier))`. */
function extractedAge({ value: inner, part }: Of<'extract'>, context: Context): Value | undefined {
  if (inner.kind !== 'call' || inner.name !== 'age' || inner.args.length !== 2) return undefined;
  const [to, from] = inner.args.map((each) => asTime(context.write(each, context), context, inner.at));
  if (to === undefined || from === undefined) return undefined;
  const months = sql`age('month', ${from.sql}, ${to.sql})`;
  const nullable = isNullable(to, from);
  if (part.name === 'YEAR') return value('decimal', sql`intDiv(${months}, 12)`, nullable, { scale: 0 });
  return part.name === 'MONTH' ? loose('decimal', sql`${months} % 12`, nullable, { scale: 0 }) : undefined;
}

const isUtc = (each: Value): boolean => /^(?:utc|gmt|etc\/utc)$/i.test(each.literal ?? '');

/** `value AT TIME ZONE zone`. */
function writeZone({ value: inner, zone, at }: Of<'at_zone'>, context: Context): Value {
  const there = context.write(zone, context);
  const own = castTo(
    context.write(inner, context),
    { name: 'TIMESTAMP', at },
    { isSafe: false, at, context },
  );
  const isChained = inner.kind === 'at_zone' && isUtc(context.write(inner.zone, context));
  if (isUtc(there) && inner.kind !== 'at_zone') return own;
  if (!isChained && context.shared.dialect === 'postgresql') note(context, at);
  const name = zone.kind === 'string' ? zoneOf(zone.value) : undefined;
  if (name === undefined)
    return unconverted(
      zone.at,
      'time_zone',
      'A time zone is converted only as a literal with the name of a zone',
    );
  return timestamp(localTime(own, name), own.type.isNullable);
}

function note(context: Context, at: number): void {
  const message =
    'The time is read as an instant (timestamp with time zone); a timestamp without time zone would be converted the other way';
  context.shared.notes.push({ severity: 'differs', code: 'time_zone', offset: at, end: at + 1, message });
}

function writeUnary({ operator, at }: Of<'unary'>, inner: Value, context: Context): Value {
  switch (operator) {
    case 'NOT':
      return condition(sql`NOT ${operand(truth(inner, context, at))}`, inner.type.isNullable);
    case '~':
      return inverted(inner, context.shared.traits.ignoresCase);
    case '+':
      return inner;
    case '-':
      if (isKind(inner, 'text', 'date', 'timestamp'))
        return unconverted(at, 'type', 'The sign of a value that is not a number');
      return negative(inner, context);
  }
}

function writeChain({ operator, at }: Of<'chain'>, values: readonly Value[], context: Context): Value {
  const nullable = isNullable(...values);
  if (operator !== '||') {
    const conditions = values.map((each) => conditionSql(truth(each, context, at)));
    return condition(joinSql(conditions, ` ${operator} `), nullable);
  }
  if (values.some(({ type }) => type.kind === 'json' || type.kind === 'object'))
    return unconverted(at, 'expression', '|| of JSON is not converted');
  if (values.some(({ type }) => type.kind === 'array')) return joinedArrays(values);
  const strings = values.map(
    (each) => castTo(each, { name: 'TEXT', at }, { isSafe: false, at, context }).sql,
  );
  return value('text', sql`concat(${joinSql(strings)})`, nullable);
}

/** An operand of AND and OR. */
function conditionSql(each: Value): Sql {
  // Comparisons bind tighter than AND.
  return each.isLoose === true && / (?:AND|OR) /.test(String(each.sql)) ? sql`(${each.sql})` : each.sql;
}

const COMPARISONS: ReadonlySet<string> = new Set([
  '=',
  '<>',
  '<',
  '<=',
  '>',
  '>=',
  '<=>',
  'IS DISTINCT FROM',
  'IS NOT DISTINCT FROM',
]);

function writeBinary(expression: Of<'binary'>, context: Context): Value {
  const { operator, left, right, at } = expression;
  if (COMPARISONS.has(operator))
    return comparison(compared(left, context), compared(right, context), { operator, at, context });
  const json = jsonOperator(expression, context);
  if (json !== undefined) return json;
  if (['+', '-', '*', '/', '%'].includes(operator)) return arithmetic(expression, context);
  return (
    otherOperator(expression, context) ??
    unconverted(at, 'expression', `The operator ${operator} is not converted`)
  );
}

function writeBetween({ value: inner, low, high, isNot, at }: Of<'between'>, context: Context): Value {
  const subject = compared(inner, context);
  const [from, to] = [compared(low, context), compared(high, context)];
  const lower = comparison(subject, from, { operator: '>=', at, context });
  const upper = comparison(subject, to, { operator: '<=', at, context });
  // NaN is between no numbers.
  const isOrdered = ordersNan(context) && [from, to].some(mayBeNan);
  const isSimple = context.shared.dialect !== 'sqlite' && !isOrdered;
  const [own = subject, first = from] = adapted(subject, from, { at, context }).map(nearestOf);
  const second = nearestOf(adapted(subject, to, { at, context })[1]);
  const nullable = isNullable(subject, from, to);
  const range = sql`BETWEEN ${operand(first)} AND ${operand(second)}`;
  // ClickHouse reads NOT BETWEEN as two comparisons, none of which is true of NaN.
  if (isSimple && isNot && mayBeNan(subject)) return condition(sql`NOT (${operand(own)} ${range})`, nullable);
  if (isSimple) return condition(sql`${operand(own)} ${isNot ? 'NOT ' : ''}${range}`, nullable);
  return condition(sql`${isNot ? 'NOT ' : ''}(${lower.sql} AND ${upper.sql})`, nullable);
}

function writeIs({ what, isNot, at }: Of<'is'>, inner: Value, context: Context): Value {
  if (what === 'NULL' && inner.type.kind === 'array')
    return value(
      'bool',
      isNot ? sql`NOT ${isNullArray(inner) ?? 'false'}` : (isNullArray(inner) ?? 'false'),
      false,
    );
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

function writeCase({ subject, branches, otherwise, at }: Of<'case'>, context: Context): Value {
  const tested = subject === undefined ? undefined : context.write(subject, context);
  const conditions = branches.map(({ when }) => {
    const written = compared(when, context);
    return tested === undefined
      ? truth(written, context, when.at).sql
      : comparison(tested, written, { operator: '=', at, context }).sql;
  });
  const results = branches.map(({ result }) => context.write(result, context));
  const last = otherwise === undefined ? value('null', 'NULL') : context.write(otherwise, context);
  const { sqls, type } = unified([...results, last], { at, context });
  const whens = conditions.map((each, index) => sql`WHEN ${each} THEN ${sqls[index] ?? 'NULL'}`);
  return {
    sql: sql`CASE ${joinSql(whens, ' ')}${otherwise === undefined ? '' : sql` ELSE ${sqls.at(-1) ?? 'NULL'}`} END`,
    type,
  };
}

function writeArray(items: readonly Value[]): Value {
  const { sqls, type } = unified(items);
  return { sql: sql`[${joinSql(sqls)}]`, type: { kind: 'array', isNullable: false, element: type } };
}

function writeRow(items: readonly Value[]): Value {
  const fields = new Map(items.map(({ type }, index) => [String(index + 1), type]));
  return value('tuple', sql`(${joinSql(items.map((each) => each.sql))})`, false, { fields });
}
