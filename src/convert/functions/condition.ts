// Conditional functions.
import { comparison } from '../write/comparison.ts';
import { unified } from '../write/unify.ts';
import { condition, isNullable, value, type Value } from '../write/value.ts';
import { castTo } from '../write/cast.ts';
import { byDialect, integer, type Application, type Rules } from './function.ts';

/** The first argument that is not NULL. */
function coalesce({ all }: Application): Value {
  const args = all();
  const [first, more] = args;
  if (first !== undefined && more === undefined) return first;
  const { sqls, type } = unified(args);
  return {
    sql: `coalesce(${sqls.join(', ')})`,
    type: { ...type, isNullable: args.every((each) => each.type.isNullable) },
  };
}

function nullIf({ arg, at, context }: Application): Value {
  const [own, other] = [arg(0), arg(1)];
  const equal = comparison(own, other, { operator: '=', at, context });
  const isPlain = equal.sql.startsWith(`${own.sql} =`);
  const sql = isPlain
    ? `nullIf(${own.sql}, ${equal.sql.slice(own.sql.length + 3)})`
    : `if(${equal.sql}, NULL, ${own.sql})`;
  return { sql, type: { ...own.type, isNullable: true } };
}

function choose(test: string, [yes, no]: readonly [Value, Value]): Value {
  const { sqls, type } = unified([yes, no]);
  return { sql: `if(${test}, ${sqls.join(', ')})`, type };
}

/** IF and IFF. */
function choice({ arg, optional }: Application): Value {
  return choose(arg(0).sql, [arg(1), optional(2) ?? value('null', 'NULL')]);
}

/** DECODE: NULL equals NULL. */
function decode({ all, at, context }: Application): Value {
  const [subject, ...rest] = all();
  if (subject === undefined) return value('null', 'NULL');
  const pairs: (readonly [string, Value])[] = [];
  for (let index = 0; index + 1 < rest.length; index += 2) {
    const [when, result] = [rest[index], rest[index + 1]];
    if (when === undefined || result === undefined) break;
    const operator =
      when.type.kind === 'null' || (when.type.isNullable && subject.type.isNullable) ? '<=>' : '=';
    pairs.push([comparison(subject, when, { operator, at, context }).sql, result]);
  }
  const last = rest.length % 2 === 1 ? (rest.at(-1) ?? value('null', 'NULL')) : value('null', 'NULL');
  const { sqls, type } = unified([...pairs.map(([, result]) => result), last]);
  return {
    sql: `multiIf(${pairs.map(([test], index) => `${test}, ${sqls[index] ?? 'NULL'}`).join(', ')}, ${sqls.at(-1) ?? 'NULL'})`,
    type,
  };
}

/** GREATEST and LEAST. */
function extreme(name: 'greatest' | 'least') {
  return ({ all, context }: Application): Value => {
    const args = all();
    const { sqls, type } = unified(args);
    const [only, more] = sqls;
    if (only !== undefined && more === undefined) return { sql: only, type };
    const nullable = sqls.filter((_, index) => args[index]?.type.isNullable === true);
    const sql = `${name}(${sqls.join(', ')})`;
    if (nullable.length === 0) return { sql, type };
    if (!context.shared.traits.extremeOfNullIsNull)
      return { sql, type: { ...type, isNullable: nullable.length === args.length } };
    return {
      sql: `if(${nullable.map((each) => `(${each}) IS NULL`).join(' OR ')}, NULL, ${sql})`,
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
  nvl2: ({ arg }) => choose(`${arg(0).sql} IS NOT NULL`, [arg(1), arg(2)]),
  zeroifnull: ({ arg }) => ({ sql: `ifNull(${arg(0).sql}, 0)`, type: { ...arg(0).type, isNullable: false } }),
  nullifzero: ({ arg }) => ({ sql: `nullIf(${arg(0).sql}, 0)`, type: { ...arg(0).type, isNullable: true } }),
  decode,
  convert,
  greatest: extreme('greatest'),
  least: extreme('least'),
  isnull: byDialect({
    mysql: ({ arg }) => condition(`${arg(0).sql} IS NULL`, false),
    mariadb: ({ arg }) => condition(`${arg(0).sql} IS NULL`, false),
    redshift: coalesce,
  }),
  equal_null: ({ arg, at, context }) => comparison(arg(0), arg(1), { operator: '<=>', at, context }),
  xor: ({ all }) =>
    condition(
      `xor(${all()
        .map(({ sql }) => sql)
        .join(', ')})`,
      isNullable(...all()),
    ),
  field: ({ all, at, context }) => {
    const [subject, ...rest] = all();
    if (subject === undefined) return value('int', '0', false);
    const tests = rest.map(
      (each, index) => `${comparison(subject, each, { operator: '=', at, context }).sql}, ${index + 1}`,
    );
    return value('int', `multiIf(${tests.join(', ')}, 0)`, false, { scale: 0 });
  },
  elt: ({ all, source, fail }) => {
    const [, ...rest] = all();
    const index = source(0);
    const chosen = index.kind === 'number' ? rest[Number(index.text) - 1] : undefined;
    return chosen ?? fail('elt is converted only with a literal position');
  },
};
