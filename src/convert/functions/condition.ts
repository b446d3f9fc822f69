// Conditional functions.
import { joinSql, sql, type Sql } from '../../dialects/sql.ts';
import { comparison } from '../write/comparison.ts';
import { unified } from '../write/unify.ts';
import { condition, isKind, isNullable, value, type Value } from '../../dialects/value.ts';
import { castTo } from '../../dialects/cast/cast.ts';
import { mayBeNan, nanExtreme, ordersNan } from '../../dialects/nan.ts';
import { caselessLiteral } from '../../dialects/collation.ts';
import { truth } from '../../dialects/truth.ts';
import { byDialect, integer, type Application, type Rules } from '../../dialects/function.ts';

/** The first argument that is not NULL. */
function coalesce(application: Application): Value {
  const args = application.all();
  const [first, more] = args;
  if (first !== undefined && more === undefined) return first;
  const { sqls, type } = unified(args, application);
  return {
    sql: sql`coalesce(${joinSql(sqls)})`,
    type: { ...type, isNullable: args.every((each) => each.type.isNullable) },
  };
}

function nullIf({ arg, at, context }: Application): Value {
  const [own, other] = [arg(0), arg(1)];
  const equal = comparison(own, other, { operator: '=', at, context });
  const [left, test] = [String(own.sql), String(equal.sql)];
  const isPlain = test.startsWith(`${left} =`);
  const built = isPlain
    ? `nullIf(${left}, ${test.slice(left.length + 3)})`
    : sql`if(${equal.sql}, NULL, ${own.sql})`;
  return { sql: built, type: { ...own.type, isNullable: true } };
}

function choose(test: Sql, results: readonly [Value, Value], place: Application): Value {
  const { sqls, type } = unified(results, place);
  return { sql: sql`if(${test}, ${joinSql(sqls)})`, type };
}

/** IF and IFF. */
function choice(application: Application): Value {
  const { arg, optional, context, at } = application;
  const test = truth(arg(0), context, at);
  return choose(test.sql, [arg(1), optional(2) ?? value('null', 'NULL')], application);
}

/** DECODE: NULL equals NULL. */
function decode(application: Application): Value {
  const { all, at, context } = application;
  const [subject, ...rest] = all();
  if (subject === undefined) return value('null', 'NULL');
  const pairs: (readonly [Sql, Value])[] = [];
  for (let index = 0; index + 1 < rest.length; index += 2) {
    const [when, result] = [rest[index], rest[index + 1]];
    if (when === undefined || result === undefined) break;
    const operator =
      when.type.kind === 'null' || (when.type.isNullable && subject.type.isNullable) ? '<=>' : '=';
    pairs.push([comparison(subject, when, { operator, at, context }).sql, result]);
  }
  const last = rest.length % 2 === 1 ? (rest.at(-1) ?? value('null', 'NULL')) : value('null', 'NULL');
  const { sqls, type } = unified([...pairs.map(([, result]) => result), last], application);
  return {
    sql: sql`multiIf(${joinSql(pairs.map(([test], index) => sql`${test}, ${sqls[index] ?? 'NULL'}`))}, ${sqls.at(-1) ?? 'NULL'})`,
    type,
  };
}

/** GREATEST and LEAST. */
function extreme(name: 'greatest' | 'least') {
  return (application: Application): Value => {
    const { all, context, call, fail } = application;
    const args = all();
    const { traits } = context.shared;
    const present = args.filter((each) => !isKind(each, 'null'));
    const isText = present.filter(({ type }) => type.kind === 'text' && type.isMixed !== true);
    if (traits.hasNumericConditions && isText.length > 0 && isText.length < present.length)
      return fail(`${call.name} of strings and other values is not converted`, 'Cast them to one type.');
    const { sqls, type } = unified(args, application);
    const [only, more] = sqls;
    if (only !== undefined && more === undefined) return { sql: only, type };
    const nullable = sqls.filter((_, index) => args[index]?.type.isNullable === true);
    const keys = args.map((each) => caselessLiteral(each, context) ?? context.key(each).sql);
    const isPlain = keys.every((key, index) => key === args[index]?.sql);
    if (ordersNan(context) && args.some(mayBeNan))
      return {
        sql: nanExtreme(name, sqls),
        type: { ...type, isNullable: args.every((each) => each.type.isNullable) },
      };
    const built = isPlain
      ? sql`${name}(${joinSql(sqls)})`
      : sql`arrayReduce('${name === 'least' ? 'argMin' : 'argMax'}', [${joinSql(sqls)}], [${joinSql(keys)}])`;
    if (nullable.length === 0) return { sql: built, type };
    if (!context.shared.traits.extremeOfNullIsNull)
      return { sql: built, type: { ...type, isNullable: nullable.length === args.length } };
    return {
      sql: sql`if(${joinSql(
        nullable.map((each) => sql`(${each}) IS NULL`),
        ' OR ',
      )}, NULL, ${built})`,
      type: { ...type, isNullable: true },
    };
  };
}

/** CONVERT(type, value) of Redshift, CONVERT(value, type) of MySQL. */
function convert({ call, source, arg, at, context, dialect, fail }: Application): Value {
  const isMysql = dialect === 'mysql' || dialect === 'mariadb';
  if (call.args.length !== 2) return fail('convert is converted with two arguments');
  const [type, own] = isMysql ? [source(1), arg(0)] : [source(0), arg(1)];
  const named =
    type.kind === 'path'
      ? { name: type.parts.at(-1)?.name ?? '', sizes: undefined }
      : type.kind === 'call'
        ? { name: type.name, sizes: type.args.map((each) => integer(each) ?? 0) }
        : fail('The type of convert is not known');
  return castTo(
    own,
    { name: named.name.toUpperCase(), at, ...(named.sizes === undefined ? {} : { sizes: named.sizes }) },
    { isSafe: false, at, context },
  );
}

export const CONDITION_FUNCTIONS: Rules = {
  coalesce,
  ifnull: coalesce,
  nvl: coalesce,
  nullif: nullIf,
  if: choice,
  iff: choice,
  iif: choice,
  nvl2: (application) => {
    const { arg } = application;
    return choose(sql`${arg(0).sql} IS NOT NULL`, [arg(1), arg(2)], application);
  },
  zeroifnull: ({ arg }) => ({
    sql: sql`ifNull(${arg(0).sql}, 0)`,
    type: { ...arg(0).type, isNullable: false },
  }),
  nullifzero: ({ arg }) => ({
    sql: sql`nullIf(${arg(0).sql}, 0)`,
    type: { ...arg(0).type, isNullable: true },
  }),
  decode: byDialect({ snowflake: decode, redshift: decode }),
  convert,
  greatest: extreme('greatest'),
  least: extreme('least'),
  isnull: byDialect({
    mysql: ({ arg }) => condition(sql`${arg(0).sql} IS NULL`, false),
    mariadb: ({ arg }) => condition(sql`${arg(0).sql} IS NULL`, false),
    redshift: coalesce,
  }),
  equal_null: ({ arg, at, context }) => comparison(arg(0), arg(1), { operator: '<=>', at, context }),
  xor: ({ all }) => condition(sql`xor(${joinSql(all().map(({ sql }) => sql))})`, isNullable(...all())),
  field: ({ all, at, context }) => {
    const [subject, ...rest] = all();
    if (subject === undefined) return value('int', '0', false);
    const tests = rest.map(
      (each, index) =>
        sql`${comparison(subject, each, { operator: '=', at, context }).sql}, ${String(index + 1)}`,
    );
    return value('int', sql`multiIf(${joinSql(tests)}, 0)`, false, { scale: 0 });
  },
  elt: ({ all, source, fail }) => {
    const [, ...rest] = all();
    const index = source(0);
    const chosen = index.kind === 'number' ? rest[Number(index.text) - 1] : undefined;
    return chosen ?? fail('elt is converted only with a literal position');
  },
};
