// Writes expressions as ClickHouse SQL.
import { isMissing } from '../../dialects/subcolumn.ts';
import { field } from '../../dialects/record.ts';
import { condition, number, text, whole } from '../../dialects/operand.ts';
import { syntax } from '../../dialects/context.ts';
import { arrayOfType, isNullable, UNKNOWN, value, type Value } from '../../dialects/value.ts';
import { quoteString } from '../../sql/literal.ts';
import { withInterval, writeArithmetic, writeUnary } from './arithmetic.ts';
import { bytesLiteral } from '../../dialects/functions/bytes.ts';
import { writeCall } from './call.ts';
import { writeCast } from '../../dialects/cast/cast.ts';
import { bigqueryText } from '../../dialects/cast/text.ts';
import { jsonAt } from '../../dialects/json-path.ts';
import { between, compared, comparison, matching, operand as sideOf } from './comparison.ts';
import { membership } from './membership.ts';
import { likeFirst, memberAt, writeStruct } from './struct.ts';
import type { Context } from '../../dialects/write/context.ts';
import { elementAt } from '../../dialects/functions/array-value.ts';
import { QUANTILE_ELEMENT } from '../../dialects/functions/quantile.ts';
import { type Sql, joinSql, located, sql } from '../../dialects/sql.ts';
import { asTime, exactLiteral, literalOf, localTime } from '../../dialects/time/argument.ts';
import { intervalValue } from '../../dialects/time/interval.ts';
import { timestamp } from '../../dialects/time/moment.ts';
import { extracted } from '../../dialects/time/parts.ts';
import { zoneOf } from '../../dialects/time/zone.ts';
import type { Expression } from '../../dialects/tree.ts';
import { unified } from '../common-type.ts';
import { COMMON, expressionWriter, type Writers } from '../../dialects/write/expression.ts';
import { UNWRITTEN } from './unwritten.ts';

type Of<K extends Expression['kind']> = Extract<Expression, { kind: K }>;

const WRITERS: Writers = {
  ...COMMON,
  string: writeLiteral,
  bytes: writeLiteral,
  number: writeLiteral,
  boolean: writeLiteral,
  time: writeLiteral,
  field: ({ of, name }, context) => field(elementOf(of, context), name),
  index: writeIndex,
  call: writeCall,
  cast: writeCast,
  extract: writeExtract,
  interval: intervalValue,
  unary: writeUnary,
  chain: (expression, context) =>
    writeChain(
      expression,
      expression.values.map((each) => context.write(each, context)),
    ),
  binary: (expression, context) =>
    comparison(expression, context) ??
    withInterval(expression, context) ??
    writeArithmetic(
      expression,
      [context.write(expression.left, context), context.write(expression.right, context)],
      context,
    ),
  like: matching,
  between,
  in: membership,
  is: (expression, context) => writeIs(expression, context.write(expression.value, context), context),
  case: writeCase,
  array: ({ items }, context) => writeArray(likeFirst(items).map((each) => context.write(each, context))),
  struct: writeStruct,
  ...UNWRITTEN,
};

/** Writes an expression. @throws UnconvertedError */
export const writeExpression = expressionWriter(WRITERS);

function writeLiteral(
  expression: Of<'string'> | Of<'bytes'> | Of<'number'> | Of<'boolean'> | Of<'null'> | Of<'time'>,
): Value {
  switch (expression.kind) {
    case 'string':
      return {
        ...value('text', located(expression.at, quoteString(expression.value)), false),
        literal: expression.value,
      };
    case 'bytes':
      return bytesLiteral(expression.value, 'bigquery');
    case 'number':
      return writeNumber(expression);
    case 'boolean':
      return value('bool', expression.value ? 'true' : 'false', false);
    case 'null':
      return value('null', 'NULL');
    case 'time':
      return exactLiteral(expression.type, expression.value, expression.at);
  }
}

function writeNumber({ text: digits, at }: Of<'number'>): Value {
  const plain = digits.replace(/^(-?)\./, '$10.').replace(/\.(?!\d)/, '.0');
  // Two signs would begin a comment.
  const own = plain.startsWith('-') ? `(${plain})` : plain;
  if (!/^-?(?:\d+|0[xX].*)$/.test(plain)) return { ...value('float', own, false), literal: plain };
  const number = BigInt(plain.replace('-', '')) * (plain.startsWith('-') ? -1n : 1n);
  if (BigInt.asIntN(64, number) !== number) syntax(at, `${digits} is not a 64-bit integer`);
  const bits = number.toString(2).replace('-', '').length;
  return { ...value('int', own, false, { scale: 0, bits }), literal: plain };
}

/** An operand whose field or element is accessed, and which is therefore not itself the group key. */
function ungrouped(expression: Expression, context: Context): Value {
  return context.write(expression, { ...context, isGrouped: false });
}

/** The operand of an accessor. Of `records[OFFSET(0)]`, the record: it is treated as an array with one element. */
function elementOf(expression: Expression, context: Context): Value {
  if (expression.kind !== 'index' || !isFirst(expression)) return ungrouped(expression, context);
  const inner = elementOf(expression.of, context);
  return inner.subcolumn === undefined ? itemOf(expression, inner, context) : inner;
}

function isFirst({ index, base }: Of<'index'>): boolean {
  return index.kind === 'number' && Number(index.text) === base;
}

function writeIndex(expression: Of<'index'>, context: Context): Value {
  const { of, index, base } = expression;
  if (
    of.kind === 'call' &&
    of.name === 'approx_quantiles' &&
    index.kind === 'number' &&
    /^\d/.test(index.text)
  ) {
    const place = { ...index, text: String(Number(index.text) - base) };
    return writeCall({ ...of, name: QUANTILE_ELEMENT, args: [...of.args, place] }, context);
  }
  const inner = elementOf(of, context);
  return inner.type.kind === 'object' && isFirst(expression) ? inner : itemOf(expression, inner, context);
}

function itemOf({ index, base }: Of<'index'>, inner: Value, context: Context): Value {
  const place = context.write(index, context);
  if (inner.type.kind === 'map')
    return { sql: sql`${inner.sql}[${whole(place)}]`, type: inner.type.element ?? UNKNOWN };
  if (inner.type.kind === 'json') return jsonAt(inner, [jsonStep(index, place)]);
  if (inner.type.fields !== undefined) return memberAt(inner, inner.type.fields, { index, base });
  return elementAt(context.elements(inner), { ...place, sql: number(place) }, base);
}

/** A key, or a position from 0. */
function jsonStep(index: Expression, place: Value): Sql {
  if (place.type.kind === 'text') return whole(place);
  if (index.kind === 'number') return String(Number(index.text) + 1);
  return sql`${number(place)} + 1`;
}

function writeExtract({ part, value: of, zone }: Of<'extract'>, context: Context): Value {
  const own =
    of.kind === 'string'
      ? literalOf(of.value, of.at, 'timestamp')
      : asTime(context.write(of, context), context, of.at, 'timestamp');
  if (zone === undefined) return extracted(own, part, context);
  const name = zone.kind === 'string' ? zoneOf(zone.value) : undefined;
  if (name === undefined) return syntax(zone.at, 'Expected a time zone as a string literal');
  return extracted(timestamp(localTime(own, name), own.type.isNullable), part, context);
}

function writeChain({ operator }: Of<'chain'>, values: readonly Value[]): Value {
  if (operator !== '||') return value('bool', sql`(${joinSql(values.map(condition), ` ${operator} `)})`);
  const [first] = values;
  if (first === undefined) return value('text', "''", false);
  if (first.type.kind === 'array') {
    return { sql: sql`arrayConcat(${joinSql(values.map((each) => each.sql))})`, type: first.type };
  }
  if (values.every(({ type }) => type.kind === 'bytes'))
    return {
      sql: sql`concat(${joinSql(values.map(text))})`,
      type: { ...first.type, isNullable: isNullable(...values) },
    };
  const texts = values.map((each) => (each.type.kind === 'text' ? whole(each) : bigqueryText(each)));
  return value('text', sql`concat(${joinSql(texts)})`, isNullable(...values));
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
  const tested = subject === undefined ? undefined : sideOf(subject, context);
  const conditions = branches.map(({ when }) =>
    tested === undefined
      ? condition(context.write(when, context))
      : compared('=', [tested, sideOf(when, context)], when.at).sql,
  );
  const results = branches.map(({ result }) => context.write(result, context));
  const last = otherwise === undefined ? value('null', 'NULL') : context.write(otherwise, context);
  const { sqls, type } = unified([...results, last]);
  const whens = conditions.map((each, index) => sql` WHEN ${each} THEN ${sqls[index] ?? ''}`);
  return { sql: located(at, sql`CASE${joinSql(whens, '')} ELSE ${sqls.at(-1) ?? 'NULL'} END`), type };
}

function writeArray(items: readonly Value[]): Value {
  const { sqls, type } = unified(items);
  const own = type.kind === 'bool' ? sqls.map((each) => sql`toBool(${each})`) : sqls;
  return { sql: sql`[${joinSql(own)}]`, type: arrayOfType(type) };
}
