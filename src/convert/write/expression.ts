// Writes expressions.
import { joinSql, sql, type Sql } from '../../dialects/sql.ts';
import { quoteString } from '../../sql/literal.ts';
import type { Expression } from '../../sql/syntax-tree.ts';
import { arithmetic, otherArithmetic } from './arithmetic.ts';
import { writeCall } from './call.ts';
import { castTo, writeCast } from '../../dialects/cast/cast.ts';
import { compared, comparison } from './comparison.ts';
import { differs, placeholder, unconverted, UnconvertedError, within } from '../../dialects/context.ts';
import { truth } from '../../dialects/truth.ts';
import type { Context, GroupKeys } from './context.ts';
import { asTime, localTime } from '../../dialects/time/argument.ts';
import { extracted } from '../../dialects/time/parts.ts';
import { timestamp } from '../../dialects/time/moment.ts';
import { zoneOf } from '../../dialects/time/zone.ts';
import { jsonAt, jsonOperator } from '../../dialects/json-path.ts';
import { writeBetween, writeCase, writeIs } from './condition.ts';
import { writeIn, writeQuantified } from './membership.ts';
import { writeLike } from './pattern.ts';
import { resolve } from './scope.ts';
import { writeSubquery } from './subquery.ts';
import { dateLiteral, timestampLiteral } from '../../dialects/time/literal.ts';
import { unified } from './unify.ts';
import {
  condition,
  isKind,
  isNullable,
  loose,
  name,
  operand,
  UNKNOWN,
  value,
  type Value,
} from '../../dialects/value.ts';

type Of<K extends Expression['kind']> = Extract<Expression, { kind: K }>;

/** Writes an expression; a part that cannot be converted becomes a comment. */
export function writeExpression(expression: Expression, context: Context): Value {
  try {
    const inside = within(expression, context);
    return inside.grouped === undefined
      ? writeAny(expression, inside)
      : writeGrouped(expression, inside.grouped, inside);
  } catch (error) {
    if (!(error instanceof UnconvertedError)) throw error;
    return value('unknown', placeholder(context, error));
  }
}

/** Outside of aggregate functions, a grouped query can read only the keys, and any value of other columns. */
function writeGrouped(
  expression: Expression,
  { keys, caseless, hasOthers }: GroupKeys,
  context: Context,
): Value {
  const plain = writeAny(expression, { ...context, grouped: undefined });
  const any = { ...plain, sql: sql`any(${plain.sql})`, isLoose: false };
  const key = String(plain.sql);
  if (keys.has(key)) return caseless.has(key) ? any : plain;
  if (expression.kind !== 'path') return writeAny(expression, context);
  const { isColumn, isOuter } = resolve(expression.parts, context);
  return hasOthers && isColumn && !isOuter ? any : plain;
}

type Writer<K extends Expression['kind']> = (expression: Of<K>, context: Context) => Value;

/** How each kind of expression is written. */
const WRITERS: { readonly [K in Expression['kind']]: Writer<K> } = {
  string: ({ value: text }) => ({ ...value('text', quoteString(text), false), literal: text }),
  bytes: writeBytes,
  number: ({ text }, context) => writeNumber(text, context),
  boolean: ({ value: own }) => value('bool', own ? 'true' : 'false', false),
  null: () => value('null', 'NULL'),
  time: writeTime,
  parameter: ({ name: own }) => value('unknown', `@${own}`),
  path: writePath,
  field: ({ of, name: { name: field } }, context) => fieldOf(context.write(of, context), field, context),
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
  lambda: writeLambda,
  named_argument: ({ at, name: own }) =>
    unconverted(at, 'expression', `The named argument ${own.name} is not converted`),
  slice: writeSlice,
  query: writeSubquery,
  unread: ({ at, reason }) => unconverted(at, 'expression', `Not converted: ${reason}`),
};

function writeAny<K extends Expression['kind']>(
  expression: Extract<Expression, { kind: K }>,
  context: Context,
): Value {
  // The writer of a kind accepts the expressions of that kind.
  const writer = WRITERS[expression.kind] as (each: Expression, context: Context) => Value;
  return writer(expression, context);
}

function standalone({ at }: Of<'interval' | 'intervals'>): Value {
  return unconverted(at, 'type', 'An interval is converted only where it is added to a time or compared');
}

function writeBytes({ value: bytes }: Of<'bytes'>): Value {
  if (/^[ -~]*$/.test(bytes)) return { ...value('text', quoteString(bytes), false), literal: bytes };
  return value('text', `unhex('${Buffer.from(bytes, 'latin1').toString('hex')}')`, false);
}

function writeCollation({ value: own, collation }: Of<'collate'>, context: Context): Value {
  const message = `COLLATE ${collation.name} is left out: strings are compared by their bytes`;
  differs(context, collation.at, 'collation', message);
  return context.write(own, context);
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

function writePath({ parts }: Of<'path'>, context: Context): Value {
  const { value: found, rest } = resolve(parts, context);
  return rest.reduce((of, { name: field }) => fieldOf(of, field, context), found);
}

/** A field of a tuple or a map, or of JSON. */
function fieldOf(of: Value, field: string, { shared }: Context): Value {
  if (of.type.kind === 'map')
    return value(of.type.element?.kind ?? 'unknown', sql`${operand(of)}[${quoteString(field)}]`, false);
  if (of.type.kind === 'tuple') return value('unknown', sql`tupleElement(${of.sql}, ${quoteString(field)})`);
  if (of.type.kind === 'unknown' && shared.dialect !== 'snowflake')
    return value('unknown', sql`${operand(of)}.${name(field)}`);
  return jsonAt(of, [quoteString(field)]);
}

function writeIndex({ of, index, base, at }: Of<'index'>, context: Context): Value {
  if (of.kind === 'call' && of.name === 'approx_quantiles' && index.kind === 'number')
    return context.write(
      {
        ...of,
        args: [...of.args, { kind: 'number', text: String(Number(index.text) + (base === 0 ? 0 : -1)), at }],
      },
      context,
    );
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
  const number =
    index.kind === 'number'
      ? String(Number(index.text) + (base === 0 ? 1 : 0))
      : base === 0
        ? sql`${operand(place)} + 1`
        : place.sql;
  const element = array.type.element ?? { kind: 'unknown' };
  return { sql: sql`arrayElementOrNull(${array.sql}, ${number})`, type: { ...element, isNullable: true } };
}

function writeSlice({ of, from, to, at }: Of<'slice'>, context: Context): Value {
  const array = context.write(of, context);
  const first = from === undefined ? '1' : context.write(from, context).sql;
  const last = to === undefined ? undefined : context.write(to, context);
  if (array.type.kind === 'json') return unconverted(at, 'expression', 'A slice of JSON is not converted');
  const length = last === undefined ? '' : sql`, greatest(0, ${operand(last)} - ${first} + 1)`;
  return { sql: sql`arraySlice(${array.sql}, ${first}${length})`, type: array.type };
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
  const { shared } = context;
  switch (operator) {
    case 'NOT':
      return condition(sql`NOT ${operand(truth(inner, context, at))}`, inner.type.isNullable);
    case '~':
      return value(
        'int',
        sql`bitNot(${shared.traits.ignoresCase ? 'toUInt64' : 'toInt64'}(${inner.sql}))`,
        inner.type.isNullable,
      );
    case '+':
      return inner;
    case '-':
      if (isKind(inner, 'text', 'date', 'timestamp'))
        return unconverted(at, 'type', 'The sign of a value that is not a number');
      return { ...inner, sql: sql`-${operand(inner)}`, isLoose: true };
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
  if (values.some((each) => isKind(each, 'array'))) return joinedArrays(values);
  const strings = values.map(
    (each) => castTo(each, { name: 'TEXT', at }, { isSafe: false, at, context }).sql,
  );
  return value('text', sql`concat(${joinSql(strings)})`, nullable);
}

/** Arrays, and single elements of them, one after the other. */
function joinedArrays(values: readonly Value[]): Value {
  const arrays = values.map((each) => (isKind(each, 'array', 'unknown') ? each.sql : sql`[${each.sql}]`));
  const type = values.find((each) => isKind(each, 'array'))?.type ?? UNKNOWN;
  return { sql: sql`arrayConcat(${joinSql(arrays)})`, type };
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
    otherArithmetic(expression, context) ??
    unconverted(at, 'expression', `The operator ${operator} is not converted`)
  );
}

function writeArray(items: readonly Value[]): Value {
  const { sqls, type } = unified(items);
  return { sql: sql`[${joinSql(sqls)}]`, type: { kind: 'array', isNullable: false, element: type } };
}

function writeRow(items: readonly Value[]): Value {
  const fields = new Map(items.map(({ type }, index) => [String(index + 1), type]));
  return value('tuple', sql`(${joinSql(items.map((each) => each.sql))})`, false, { fields });
}

function writeLambda({ parameters, body }: Of<'lambda'>, context: Context): Value {
  const values = new Map(
    parameters.map((each) => [each.name.toLowerCase(), value('unknown', name(each.name))]),
  );
  const relation = { alias: undefined, columns: undefined, isOptional: false, values };
  const written = context.write(body, { ...context, relations: [relation], parent: context });
  const names = parameters.map((each) => name(each.name));
  return loose(
    written.type.kind,
    sql`${names.length === 1 ? names.join('') : `(${names.join(', ')})`} -> ${written.sql}`,
    written.type.isNullable,
  );
}
