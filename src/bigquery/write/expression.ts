// Writes expressions as ClickHouse SQL.
import { arrayOfType, type Type, UNKNOWN, value, type Value } from '../../dialects/value.ts';
import { quoteString } from '../../sql/literal.ts';
import { apply, writeCall } from './call.ts';
import { writeCast } from '../../dialects/cast/cast.ts';
import { between, compared, comparison, matching, operand } from './comparison.ts';
import { membership } from './membership.ts';
import { jsonAt } from '../../dialects/json-path.ts';
import { likeFirst, memberAt, writeStruct } from './struct.ts';
import { within } from '../../dialects/context.ts';
import type { Context } from '../context.ts';
import { quantile } from '../functions/aggregate.ts';
import { arrayOf } from '../functions/array.ts';
import { syntax, untranslated } from '../translation-error.ts';
import { columnUnknown, fieldsOf, resolve } from '../scope.ts';
import { type Sql, joinSql, located, sql } from '../../dialects/sql.ts';
import { asTime, exactLiteral, literalOf, localTime } from '../../dialects/time/argument.ts';
import { intervalValue, shifted, spansOf } from '../../dialects/time/interval.ts';
import { day, isDay, moment, timestamp } from '../../dialects/time/moment.ts';
import { extracted } from '../../dialects/time/parts.ts';
import { zoneOf } from '../../dialects/time/zone.ts';
import type { Expression, Name } from '../../sql/syntax-tree.ts';
import { unified } from '../common-type.ts';
import { condition, field, isMissing, key, number, quoteName, text, whole } from '../value.ts';
import { writeArrayQuery } from './array-query.ts';

type Of<K extends Expression['kind']> = Extract<Expression, { kind: K }>;

/** @throws UnconvertedError */
export function writeExpression(expression: Expression, context: Context): Value {
  context.spend(expression.at);
  const written = writeAny(expression, within(expression, context));
  const isText = context.isGrouped && (written.type.kind === 'dynamic' || written.type.kind === 'object');
  return isText ? key(written) : written;
}

function writeAny(expression: Expression, context: Context): Value {
  const write = (each: Expression) => writeExpression(each, context);
  if (isUnwritten(expression)) untranslated(expression.at, `${UNWRITTEN[expression.kind]} not supported`);
  switch (expression.kind) {
    case 'string':
    case 'number':
    case 'boolean':
    case 'null':
    case 'time':
      return writeLiteral(expression);
    case 'path':
      return writePath(expression.parts, context);
    case 'field':
      return field(elementOf(expression.of, context), expression.name);
    case 'index':
      return writeIndex(expression, context);
    case 'call':
      return writeCall(expression, context);
    case 'cast':
      return writeCast(expression, context);
    case 'extract':
      return writeExtract(expression, context);
    case 'interval':
      return intervalValue(expression, context);
    case 'unary':
      return writeUnary(expression, write(expression.value));
    case 'chain':
      return writeChain(expression, expression.values.map(write));
    case 'binary':
      return (
        comparison(expression, context) ??
        withInterval(expression, context) ??
        writeArithmetic(expression, [write(expression.left), write(expression.right)])
      );
    case 'like':
      return matching(expression, context);
    case 'between':
      return between(expression, context);
    case 'in':
      return membership(expression, context);
    case 'is':
      return writeIs(expression, write(expression.value), context);
    case 'case':
      return writeCase(expression, context);
    case 'array':
      return writeArray(likeFirst(expression.items).map(write));
    case 'struct':
      return writeStruct(expression, context);
    case 'query':
      return writeQueryValue(expression, context);
    case 'row':
      return untranslated(expression.at, 'Tuples are not supported', 'Compare the values one by one.');
  }
}

const UNWRITTEN = {
  bytes: 'Literals of bytes are',
  collate: 'COLLATE is',
  parameter: 'Parameters are',
  at_zone: 'AT TIME ZONE is',
  intervals: 'Intervals of several units are',
  quantified: 'ANY and ALL are',
  lambda: 'Lambdas are',
  named_argument: 'Named arguments are',
  slice: 'Slices of arrays are',
  unread: 'This expression is',
} as const;

function isUnwritten(expression: Expression): expression is Of<keyof typeof UNWRITTEN> {
  return expression.kind in UNWRITTEN;
}

function writeLiteral(
  expression: Of<'string'> | Of<'number'> | Of<'boolean'> | Of<'null'> | Of<'time'>,
): Value {
  switch (expression.kind) {
    case 'string':
      return {
        ...value('text', located(expression.at, quoteString(expression.value)), false),
        literal: expression.value,
      };
    case 'number':
      return writeNumber(expression.text);
    case 'boolean':
      return value('bool', expression.value ? 'true' : 'false', false);
    case 'null':
      return value('null', 'NULL');
    case 'time':
      return exactLiteral(expression.type, expression.value, expression.at);
  }
}

function writeNumber(digits: string): Value {
  const plain = digits.replace(/^(-?)\./, '$10.').replace(/\.(?!\d)/, '.0');
  const kind = /^-?(?:\d+|0[xX].*)$/.test(plain) ? 'int' : 'float';
  // Two signs would begin a comment.
  return { ...value(kind, plain.startsWith('-') ? `(${plain})` : plain, false), literal: plain };
}

function writePath(parts: readonly Name[], context: Context): Value {
  const [first] = parts;
  const at = first?.at ?? 0;
  const found =
    (context.aliases === 'first' ? aliasOf(parts, context) : undefined) ??
    resolve(parts, context.scope) ??
    (context.aliases === 'last' ? aliasOf(parts, context) : undefined);
  if (found === undefined) return columnUnknown(first ?? { name: '', at }, context.scope.relations);
  return { ...found, sql: located(at, found.sql) };
}

/** An operand whose field or element is accessed, and which is therefore not itself the group key. */
function ungrouped(expression: Expression, context: Context): Value {
  return writeAny(expression, { ...context, isGrouped: false });
}

function aliasOf(parts: readonly Name[], context: Context): Value | undefined {
  const [first, ...rest] = parts;
  const { aliases, relations } = context.scope;
  const aliased = aliases.get(first?.name.toLowerCase() ?? '');
  if (aliased === undefined) return undefined;
  const isTable = relations.some(({ alias }) => alias?.toLowerCase() === first?.name.toLowerCase());
  if (rest.length > 0 && isTable) return undefined;
  return fieldsOf(aliased, rest);
}

/** The operand of an accessor. Of `records[OFFSET(0)]`, the record: it is treated as an array with one element. */
function elementOf(expression: Expression, context: Context): Value {
  if (expression.kind !== 'index' || !isFirst(expression)) return ungrouped(expression, context);
  const inner = elementOf(expression.of, context);
  return inner.subcolumn === undefined ? elementAt(expression, inner, context) : inner;
}

function isFirst({ index, base }: Of<'index'>): boolean {
  return index.kind === 'number' && Number(index.text) === base;
}

const COMPOSITE: ReadonlySet<Type['kind']> = new Set([
  'object',
  'array',
  'tuple',
  'map',
  'dynamic',
  'unknown',
]);

function writeIndex(expression: Of<'index'>, context: Context): Value {
  const { of, index, base } = expression;
  if (
    of.kind === 'call' &&
    of.name === 'approx_quantiles' &&
    index.kind === 'number' &&
    /^\d/.test(index.text)
  ) {
    const { application } = apply(of, context);
    const one = quantile(application, Number(index.text) - base);
    return { ...one, sql: located(of.at, one.sql) };
  }
  const inner = elementOf(of, context);
  return inner.type.kind === 'object' && isFirst(expression) ? inner : elementAt(expression, inner, context);
}

function elementAt({ index, base }: Of<'index'>, inner: Value, context: Context): Value {
  if (inner.type.kind === 'map') {
    return {
      sql: sql`${inner.sql}[${whole(writeExpression(index, context))}]`,
      type: inner.type.element ?? UNKNOWN,
    };
  }
  if (inner.type.kind === 'json') return jsonAt(inner, [jsonStep(index, context)]);
  if (inner.type.fields !== undefined) return memberAt(inner, inner.type.fields, { index, base });
  const { sql: array, element } = arrayOf(inner);
  const place = base === 1 ? number(writeExpression(index, context)) : offsetSql(index, context);
  return {
    sql: sql`${COMPOSITE.has(element.kind) ? 'arrayElement' : 'arrayElementOrNull'}(${array}, ${place})`,
    type: element,
  };
}

/** A key, or a position from 0. */
function jsonStep(index: Expression, context: Context): Sql {
  const step = writeExpression(index, context);
  return step.type.kind === 'text' ? whole(step) : offsetSql(index, context);
}

function offsetSql(index: Expression, context: Context): Sql {
  if (index.kind === 'number' && /^\d+$/.test(index.text)) return String(Number(index.text) + 1);
  return sql`${number(writeExpression(index, context))} + 1`;
}

function writeExtract({ part, value: of, zone }: Of<'extract'>, context: Context): Value {
  const own =
    of.kind === 'string'
      ? literalOf(of.value, of.at, 'timestamp')
      : asTime(writeExpression(of, context), context, of.at, 'timestamp');
  if (zone === undefined) return extracted(own, part, context);
  const name = zone.kind === 'string' ? zoneOf(zone.value) : undefined;
  if (name === undefined) return syntax(zone.at, 'Expected a time zone as a string literal');
  return extracted(timestamp(localTime(own, name), own.type.isNullable), part, context);
}

function writeUnary({ operator }: Of<'unary'>, inner: Value): Value {
  switch (operator) {
    case 'NOT':
      return value('bool', sql`NOT (${condition(inner)})`);
    case '~':
      return value('int', sql`bitNot(toInt64(${number(inner)}))`);
    case '-':
    case '+':
      return { sql: operator === '-' ? sql`(-${number(inner)})` : number(inner), type: inner.type };
  }
}

function writeChain({ operator }: Of<'chain'>, values: readonly Value[]): Value {
  if (operator !== '||') return value('bool', sql`(${joinSql(values.map(condition), ` ${operator} `)})`);
  const [first] = values;
  if (first?.type.kind === 'array') {
    return { sql: sql`arrayConcat(${joinSql(values.map((each) => each.sql))})`, type: first.type };
  }
  return value('text', sql`concat(${joinSql(values.map((each) => sql`toString(${text(each)})`))})`);
}

const BIT_FUNCTIONS: Readonly<Record<string, string>> = {
  '|': 'bitOr',
  '&': 'bitAnd',
  '^': 'bitXor',
  '<<': 'bitShiftLeft',
  '>>': 'bitShiftRight',
};
const ARITHMETIC: ReadonlySet<string> = new Set(['+', '-', '*', '/']);
const TIMES: ReadonlySet<Type['kind']> = new Set(['timestamp', 'datetime', 'date']);

function writeArithmetic({ operator, at }: Of<'binary'>, [left, right]: readonly [Value, Value]): Value {
  const bits = BIT_FUNCTIONS[operator];
  if (bits !== undefined)
    return value('int', sql`${bits}(toInt64(${number(left)}), toInt64(${number(right)}))`);
  if (!ARITHMETIC.has(operator)) untranslated(at, `The operator ${operator} is not supported`);
  const written = located(at, sql`(${number(left)} ${operator} ${number(right)})`);
  const time = timeArithmetic(operator, at, [left, right]);
  if (time !== undefined) return { ...time, sql: located(at, time.sql) };
  const areWhole = operator !== '/' && left.type.kind === 'int' && right.type.kind === 'int';
  return value(areWhole ? 'int' : 'float', written);
}

/** A time and an interval that is written beside it; undefined for other operands. */
function withInterval({ operator, left, right, at }: Of<'binary'>, context: Context): Value | undefined {
  const [first, second] = [spansOf(left), spansOf(right)];
  const spans = second ?? first;
  if (spans === undefined || (first !== undefined && second !== undefined)) return undefined;
  if (operator !== '+' && !(operator === '-' && second !== undefined)) return undefined;
  const time = writeExpression(second === undefined ? right : left, context);
  if (!TIMES.has(time.type.kind) && time.type.kind !== 'unknown') return undefined;
  const moved = shifted({ ...time, sql: whole(time) }, operator, { spans, at, isOperator: true }, context);
  return { ...moved, sql: located(at, sql`(${moved.sql})`) };
}

/** Times with intervals and days; undefined for other operands. */
function timeArithmetic(
  operator: string,
  at: number,
  [left, right]: readonly [Value, Value],
): Value | undefined {
  const time = [left, right].find(({ type }) => TIMES.has(type.kind));
  if (time === undefined) return undefined;
  const other = time === left ? right : left;
  const isSum = operator === '+' || (operator === '-' && time === left);
  if (isSum && other.type.kind === 'interval') {
    const kind = time.type.kind === 'date' ? 'datetime' : time.type.kind;
    const own = sql`(${moment({ ...time, sql: whole(time) })} ${operator} ${other.sql})`;
    return value(kind, own, true, { isWide: true });
  }
  if (isSum && isDay(time) && (other.type.kind === 'int' || other.type.kind === 'unknown'))
    return value(
      'date',
      sql`(${day({ ...time, sql: whole(time) })} ${operator} toIntervalDay(${number(other)}))`,
      true,
      { isWide: true },
    );
  return untranslated(
    at,
    `${operator} is not supported for these types`,
    'Use functions such as TIMESTAMP_DIFF or DATE_DIFF.',
  );
}

function writeIs({ what, isNot, value: of }: Of<'is'>, inner: Value, context: Context): Value {
  if (what === 'NULL') return value('bool', isRecordNull(of, inner, context, isNot) ?? isNull(inner, isNot));
  const own = sql`ifNull(${condition(inner)}, ${what === 'TRUE' ? 'false' : 'true'})`;
  return value('bool', (what === 'TRUE') === isNot ? sql`(NOT ${own})` : sql`(${own})`);
}

/** An unnested record of unknown fields is null only if there is no object either; undefined for other values. */
function isRecordNull(
  of: Expression,
  { type, subcolumn, sql: own }: Value,
  { scope }: Context,
  isNot: boolean,
): Sql | undefined {
  const [name, more] = of.kind === 'path' ? of.parts : [];
  if (name === undefined || more !== undefined || type.kind !== 'dynamic' || subcolumn === undefined)
    return undefined;
  const isRecord = scope.relations.some(
    ({ alias, element }) =>
      element?.subcolumn === subcolumn && alias?.toLowerCase() === name.name.toLowerCase(),
  );
  return isRecord ? sql`(${isNot ? 'NOT ' : ''}${isMissing(own, subcolumn)})` : undefined;
}

function isNull(inner: Value, isNot: boolean): Sql {
  const { kind } = inner.type;
  if (inner.absent !== undefined && kind !== 'dynamic' && (kind === 'object' || kind === 'array')) {
    return isNot ? sql`(NOT ${inner.absent})` : inner.absent;
  }
  if (kind === 'array' || kind === 'map' || kind === 'object')
    return sql`(${isNot ? 'notEmpty' : 'empty'}(${inner.sql}))`;
  return sql`(${whole(inner)} IS ${isNot ? 'NOT ' : ''}NULL)`;
}

function writeCase({ subject, branches, otherwise, at }: Of<'case'>, context: Context): Value {
  const tested = subject === undefined ? undefined : operand(subject, context);
  const conditions = branches.map(({ when }) =>
    tested === undefined
      ? condition(writeExpression(when, context))
      : compared('=', [tested, operand(when, context)], when.at).sql,
  );
  const results = branches.map(({ result }) => writeExpression(result, context));
  const last = otherwise === undefined ? value('null', 'NULL') : writeExpression(otherwise, context);
  const { sqls, type } = unified([...results, last]);
  const whens = conditions.map((each, index) => sql` WHEN ${each} THEN ${sqls[index] ?? ''}`);
  return { sql: located(at, sql`CASE${joinSql(whens, '')} ELSE ${sqls.at(-1) ?? 'NULL'} END`), type };
}

function writeArray(items: readonly Value[]): Value {
  const { sqls, type } = unified(items);
  return { sql: sql`[${joinSql(sqls)}]`, type: arrayOfType(type) };
}

function writeQueryValue({ form, query, at }: Of<'query'>, context: Context): Value {
  const inline = writeArrayQuery(query, form, context);
  if (inline !== undefined) return inline;
  const written = context.query(query, context, { isShown: false, isPlain: true });
  const [column, more] = written.columns;
  if (form === 'exists') return value('bool', sql`exists(${written.sql})`);
  if (column === undefined || more !== undefined) syntax(at, 'A scalar subquery must have one column');
  if (form === 'value') return { sql: sql`(${written.sql})`, type: column.type };
  const alias = context.shared.fresh('t');
  const array = sql`(SELECT groupArray(${alias}.${quoteName(column.name)}) FROM (${written.sql}) AS ${alias})`;
  return { sql: array, type: arrayOfType(column.type) };
}
