// Conditional functions.
import { taking } from '../function.ts';
import type { Application, Rule, Rules } from '../context.ts';
import { caselessLiteral, checkLiterals, mayBeNan, nanExtreme, ordersNan } from '../equality.ts';
import { beside, joinSql, sql, type Sql, condition, isKind, isNullable, isTime, operand, value, type Value, int } from '../value.ts'; // prettier-ignore
import { truth } from '../implicit.ts';
import { emptyArray, isNullArray } from './array-value.ts';
import { comparison } from '../write/comparison.ts';
import { toward, unified } from '../write/unify.ts';

const isNull = (own: Value): Sql => sql`${operand(own)} IS NULL`;
const anyOf = (conditions: readonly Sql[]): Sql => joinSql(conditions, ' OR ');

/** The first argument that is not NULL. */
export const coalesce: Rule = (application) => {
  const args = application.all();
  const [first = application.fail(`${application.call.name} requires an argument`), more] = args;
  if (more === undefined) return first;
  if (args.some((each) => isKind(each, 'array'))) return firstArray(args.map((each) => beside(each, args)));
  const { sqls, type } = unified(args, application);
  return {
    sql: sql`coalesce(${joinSql(sqls)})`,
    type: { ...type, isNullable: args.every((each) => each.type.isNullable) },
  };
};

/** The first array that is not NULL, by the conditions of those that can be: ClickHouse has none. */
function firstArray(arrays: readonly Value[]): Value {
  const present = arrays.filter((each) => !isKind(each, 'null'));
  const { type } = unified(present);
  const absent = present.map(absentOf);
  const chosen = present.slice(0, -1).reduceRight<Value>(
    (rest, each, index) => {
      const isNone = absent[index];
      return isNone === undefined
        ? { sql: each.sql, type }
        : { sql: sql`if(${isNone}, ${rest.sql}, ${each.sql})`, type };
    },
    { ...emptyArray(), ...present.at(-1), type },
  );
  const conditions = absent.flatMap((each) => each ?? []);
  const all = conditions.length === present.length ? { absent: sql`(${joinSql(conditions, ' AND ')})` } : {};
  return { ...chosen, type: { ...type, isNullable: false, isNullIfEmpty: false }, ...all };
}

/** When an array is NULL: a branch of CASE may be. */
function absentOf(own: Value): Sql | undefined {
  return isNullArray(own) ?? (own.type.isNullable ? sql`isNull(${own.sql})` : undefined);
}

const nullIf: Rule = ({ arg, at, context }) => {
  const other = arg(1);
  // A literal beside a time is one.
  const own = isTime(other) ? toward(arg(0), other, { at, context }) : arg(0);
  const equal = comparison(own, other, { operator: '=', at, context });
  const [left, test] = [String(own.sql), String(equal.sql)];
  const isPlain = test.startsWith(`${left} =`);
  const built = isPlain
    ? sql`nullIf(${own.sql}, ${test.slice(left.length + 3)})`
    : sql`if(${equal.sql}, NULL, ${own.sql})`;
  return { sql: built, type: { ...own.type, isNullable: true } };
};

function choose(test: Sql, results: readonly [Value, Value], application: Application): Value {
  const { sqls, type } = unified(results, application);
  return { sql: sql`if(${test}, ${joinSql(sqls)})`, type };
}

/** IF, and IFF, whose last argument may be omitted. */
function choice(hasElse: boolean): Rule {
  return (application) => {
    const { arg, optional, context, at } = application;
    const test = truth(arg(0), context, at);
    const otherwise = hasElse ? arg(2) : (optional(2) ?? value('null', 'NULL'));
    return choose(test.sql, [arg(1), otherwise], application);
  };
}

/** DECODE: NULL equals NULL. */
export const decode: Rule = (application) => {
  const { all, at, context } = application;
  const [subject, ...rest] = all();
  if (subject === undefined) return value('null', 'NULL');
  const pairs: (readonly [Sql, Value])[] = [];
  for (let index = 0; index + 1 < rest.length; index += 2) {
    const [when, result] = [rest[index], rest[index + 1]];
    if (when === undefined || result === undefined) break;
    const operator = isKind(when, 'null') || (when.type.isNullable && subject.type.isNullable) ? '<=>' : '=';
    pairs.push([comparison(subject, when, { operator, at, context }).sql, result]);
  }
  const last = rest.length % 2 === 1 ? (rest.at(-1) ?? value('null', 'NULL')) : value('null', 'NULL');
  const { sqls, type } = unified([...pairs.map(([, result]) => result), last], application);
  return {
    sql: sql`multiIf(${joinSql(pairs.map(([test], index) => sql`${test}, ${sqls[index] ?? 'NULL'}`))}, ${sqls.at(-1) ?? 'NULL'})`,
    type,
  };
};

/** Returns whether only some values are strings, or times: MySQL and SQLite would compare them as numbers or as strings. */
function areMixed(args: readonly Value[]): boolean {
  const present = args.filter((each) => !isKind(each, 'null'));
  if (args.length > 1 && present.some((each) => isKind(each, 'json') || each.type.isMixed === true))
    return true;
  const families = present.map((each) => (isTime(each) ? 'time' : isKind(each, 'text') ? 'text' : 'other'));
  return new Set(families).size > 1;
}

/** GREATEST and LEAST. */
export function extreme(name: 'greatest' | 'least'): Rule {
  return (application) => {
    const { all, context, call, fail } = application;
    const args = all();
    if (context.shared.traits.hasNumericConditions && areMixed(args))
      return fail(`${call.name} of values of different types is not converted`, 'Cast them to one type.');
    const { sqls, type } = unified(args, application);
    const [only = application.fail(`${call.name} requires an argument`), more] = sqls;
    if (more === undefined) return { sql: only, type };
    const { extremeOfNullIsNull, extremeOfNanIsNan } = context.shared.traits;
    const nullable = args.filter((each) => each.type.isNullable);
    const floats = sqls
      .filter((_, index) => args[index]?.literal === undefined)
      .map((each) => sql`isNaN(${each})`);
    if (ordersNan(context) && args.some(mayBeNan))
      return {
        sql: nanExtreme(name, sqls),
        type: { ...type, isNullable: nullable.length === args.length },
      };
    checkLiterals(args, application);
    const keys = args.map((each) => caselessLiteral(each, context) ?? context.key(each).sql);
    const isPlain = keys.every((key, index) => key === args[index]?.sql);
    const own = isPlain
      ? sql`${name}(${joinSql(sqls)})`
      : sql`arrayReduce('${name === 'least' ? 'argMin' : 'argMax'}', [${joinSql(sqls)}], [${joinSql(keys)}])`;
    const built =
      extremeOfNanIsNan && type.kind === 'float' && floats.length > 0
        ? sql`if(${anyOf(floats)}, nan, ${own})`
        : own;
    if (nullable.length === 0) return { sql: built, type };
    if (!extremeOfNullIsNull)
      return { sql: built, type: { ...type, isNullable: nullable.length === args.length } };
    return {
      sql: sql`if(${anyOf(nullable.map(isNull))}, NULL, ${built})`,
      type: { ...type, isNullable: true },
    };
  };
}

export const isNullTest: Rule = ({ arg }) => condition(isNull(arg(0)), false);

export const CONDITION_FUNCTIONS: Rules = {
  ...taking(
    'any',
    {
      coalesce,
      ifnull: coalesce,
      nvl: coalesce,
      if: choice(true),
      iff: choice(false),
      iif: choice(false),
      nvl2: (application) => {
        const { arg } = application;
        return choose(sql`${operand(arg(0))} IS NOT NULL`, [arg(1), arg(2)], application);
      },
      zeroifnull: ({ arg }) => ({
        sql: sql`ifNull(${arg(0).sql}, 0)`,
        type: { ...arg(0).type, isNullable: false },
      }),
      nullifzero: ({ arg }) => ({
        sql: sql`nullIf(${arg(0).sql}, 0)`,
        type: { ...arg(0).type, isNullable: true },
      }),
    },
    'decide',
    undefined,
    'keep',
  ),
  ...taking(
    'any',
    {
      nullif: nullIf,
      greatest: extreme('greatest'),
      least: extreme('least'),
      equal_null: ({ arg, at, context }) => comparison(arg(0), arg(1), { operator: '<=>', at, context }),
      xor: ({ all }) =>
        condition(sql`xor(${joinSql(all().map(({ sql: own }) => own))})`, isNullable(...all())),
      field: ({ all, at, context, fail }) => {
        const [subject, ...rest] = all();
        if (subject === undefined) return value('int', '0', false);
        const others = rest.filter((each) => isTime(subject) && each.type.kind !== subject.type.kind);
        if (others.some(isTime))
          return fail('field of dates and times is not converted', 'Cast them to one type.');
        const tests = rest.map(
          (each, index) =>
            sql`${comparison(subject, each, { operator: '=', at, context }).sql}, ${String(index + 1)}`,
        );
        return int(sql`multiIf(${joinSql(tests)}, 0)`, false);
      },
      elt: ({ all, source, fail }) => {
        const [, ...rest] = all();
        const index = source(0);
        const chosen = index.kind === 'number' ? rest[Number(index.text) - 1] : undefined;
        return chosen ?? fail('elt is converted only with a literal position');
      },
    },
    'decide',
    undefined,
    'decide',
  ),
};
