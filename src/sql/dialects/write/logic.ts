// AND, OR and ||, IS, and CASE.
import { unconverted, type Context } from '../context.ts';
import { concatenatedArrays, isNullArray, joinedArrays } from '../functions/array-value.ts';
import { jsonOf } from '../json-path.ts';
import { objectOf, settled, whole, joinSql, sql, type Sql, condition, isKind, isNullable, operand, text, value, type Value } from '../value.ts'; // prettier-ignore
import type { Expression, Of } from '../tree.ts';
import { truth } from '../implicit.ts';
import { compared, comparison } from './comparison.ts';
import { unified } from './unify.ts';

/** An expression as a condition. */
function test(expression: Expression, context: Context): Value {
  return truth(settled(context.write(expression, context)), context, expression.at);
}

export function writeChain({ operator, values: parts, at }: Of<'chain'>, context: Context): Value {
  if (operator === '||')
    return concatenated(
      parts.map((each) => settled(context.write(each, context))),
      at,
      context,
    );
  const conditions = parts.map((each) => test(each, context));
  return condition(joinSql(conditions.map(joinable), ` ${operator} `), isNullable(...conditions));
}

/** An operand of AND and OR. */
function joinable(each: Value): Sql {
  // Comparisons bind tighter than AND.
  return each.isLoose === true && / (?:AND|OR) /.test(String(each.sql)) ? sql`(${each.sql})` : each.sql;
}

function concatenated(values: readonly Value[], at: number, context: Context): Value {
  if (values.some((each) => isKind(each, 'json', 'object')))
    return unconverted(at, 'expression', '|| of JSON is not converted');
  if (values.some((each) => isKind(each, 'array'))) {
    const areArrays = values.every((each) => isKind(each, 'array', 'null'));
    const { concatSkipsNull } = context.shared.traits;
    return areArrays
      ? concatenatedArrays(values.map(context.elements), concatSkipsNull)
      : joinedArrays(values);
  }
  const [first] = values;
  const nullable = isNullable(...values);
  if (first !== undefined && values.every((each) => isKind(each, 'bytes')))
    return { sql: sql`concat(${joinSql(values.map(text))})`, type: { ...first.type, isNullable: nullable } };
  return value('text', sql`concat(${joinSql(values.map((each) => context.asText(each, at).sql))})`, nullable);
}

export function writeIs({ what, isNot, value: of }: Of<'is'>, context: Context): Value {
  if (what === 'NULL') {
    if (of.kind === 'row' && context.shared.traits.fieldsDecideNull) return areNull(of.items, isNot, context);
    const inner = context.write(of, context);
    return isRecordNull(of, inner, context, isNot) ?? isNull(inner, isNot, context);
  }
  const tested = test(of, context);
  const own = what === 'TRUE' ? tested.sql : sql`NOT ${operand(tested)}`;
  return condition(sql`${isNot ? 'NOT ' : ''}ifNull(${own}, false)`, false);
}

/** Returns whether all values are NULL, or none of them is. */
function areNull(items: readonly Expression[], isNot: boolean, context: Context): Value {
  const tests = items.map((each) => isNull(context.write(each, context), isNot, context).sql);
  return condition(joinSql(tests, ' AND '), false);
}

/** An unnested record of unknown fields is null only if there is no object either; undefined for other values. */
function isRecordNull(
  of: Expression,
  { type, subcolumn, sql: own }: Value,
  { scope }: Context,
  isNot: boolean,
): Value | undefined {
  const [name, more] = of.kind === 'path' ? of.parts : [];
  if (name === undefined || more !== undefined || type.kind !== 'dynamic' || subcolumn === undefined)
    return undefined;
  const isRecord = scope.relations.some(
    ({ alias, element }) =>
      element?.subcolumn === subcolumn && alias?.toLowerCase() === name.name.toLowerCase(),
  );
  const isMissing = sql`(${own} IS NULL AND empty(${objectOf(subcolumn)}))`;
  return isRecord ? condition(sql`${isNot ? 'NOT ' : ''}${isMissing}`, false) : undefined;
}

function isNull(inner: Value, isNot: boolean, { shared }: Context): Value {
  const { emptyArrayIsNull } = shared.traits;
  if (isKind(inner, 'array') || (emptyArrayIsNull && isKind(inner, 'object', 'map'))) {
    const isEmpty = emptyArrayIsNull ? sql`empty(${inner.sql})` : 'false';
    const own = isKind(inner, 'map') ? isEmpty : (isNullArray(inner) ?? isEmpty);
    return condition(sql`${isNot ? 'NOT ' : ''}${own}`, false);
  }
  const plain = isKind(inner, 'json') ? documentOf(inner) : inner;
  return condition(sql`${operand({ ...plain, sql: whole(plain) })} IS ${isNot ? 'NOT ' : ''}NULL`, false);
}

/** A document is NULL if its text is. */
function documentOf(inner: Value): Value {
  const { json } = jsonOf(inner);
  return json.path.length === 0 ? value('json', json.root) : inner;
}

export function writeCase({ subject, branches, otherwise, at }: Of<'case'>, context: Context): Value {
  const tested = subject === undefined ? undefined : compared(subject, context);
  const conditions = branches.map(({ when }) =>
    tested === undefined
      ? test(when, context).sql
      : comparison(tested, compared(when, context), { operator: '=', at: when.at, context }).sql,
  );
  const results = branches.map(({ result }) => context.write(result, context));
  const last = otherwise === undefined ? value('null', 'NULL') : context.write(otherwise, context);
  const { sqls, type } = unified([...results, last], { at, context });
  const whens = conditions.map((each, index) => sql`WHEN ${each} THEN ${sqls[index] ?? 'NULL'}`);
  const rest = otherwise === undefined ? '' : sql` ELSE ${sqls.at(-1) ?? 'NULL'}`;
  return { sql: sql`CASE ${joinSql(whens, ' ')}${rest} END`, type };
}
