// Functions of numbers.
import { truncatedTime } from '../../dialects/time/functions.ts';
import { joinSql, sql } from '../../dialects/sql.ts';
import { numberArithmetic } from '../write/arithmetic.ts';
import { roundHalfAway } from '../../dialects/rounding.ts';
import { differs } from '../../dialects/context.ts';
import { float, isNullable, operand, value, type Kind, type Value } from '../../dialects/value.ts';
import {
  byDialect,
  integer,
  same,
  type Application,
  type Rule,
  type Rules,
} from '../../dialects/function.ts';

/** A function of Float64. */
function real(name: string): Rule {
  return ({ all }) => {
    const args = all();
    return value('float', sql`${name}(${joinSql(args.map((each) => float(each)))})`, isNullable(...args));
  };
}

/** A function whose result has the type of its argument. */
function keeping(name: string, kind?: Kind): Rule {
  return ({ arg }) => {
    const own = arg(0);
    return {
      sql: sql`${name}(${own.sql})`,
      type: { ...own.type, kind: kind ?? own.type.kind, scale: own.type.scale },
    };
  };
}

/** floor and ceil: whole numbers. */
function whole(name: string): Rule {
  return ({ arg, call, fail }) => {
    if (call.args.length > 1) return fail(`${name} is converted with one argument`);
    const own = arg(0);
    if (own.type.kind === 'int') return own;
    return { sql: sql`${name}(${own.sql})`, type: { ...own.type, scale: 0 } };
  };
}

/** round: exact numbers away from zero, floats in PostgreSQL to even. */
function round(application: Application): Value {
  const { arg, call, source, dialect, context, at } = application;
  const own = arg(0);
  const digits = call.args.length > 1 ? integer(source(1)) : 0;
  if (digits === undefined)
    return application.fail('round is converted only with a literal number of digits');
  if (own.type.kind === 'int') return digits >= 0 ? own : rounded(own, digits);
  if (own.type.kind === 'float' && ['postgresql', 'redshift'].includes(dialect))
    return { ...own, sql: sql`round(${own.sql}${digits === 0 ? '' : `, ${digits}`})`, isLoose: false };
  if (own.type.kind === 'unknown') {
    differs(
      context,
      at,
      'type_unknown',
      'If the value is a float, ClickHouse rounds halves to even; exact numbers are rounded away from zero',
    );
    return { ...own, sql: sql`round(${own.sql}${digits === 0 ? '' : `, ${digits}`})`, isLoose: false };
  }
  const written = roundHalfAway(own, digits);
  return own.type.kind === 'float'
    ? { ...written, type: { kind: 'float', isNullable: own.type.isNullable } }
    : { ...written, type: { ...written.type, scale: Math.max(0, digits) } };
}

/** Integers at a negative digit: ClickHouse rounds them to even too. */
function rounded(own: Value, digits: number): Value {
  return value(
    'int',
    sql`toInt64(round(toDecimal128(${own.sql}, 0), ${String(digits)}))`,
    own.type.isNullable,
    {
      scale: 0,
    },
  );
}

/** Digits after a position are cut off. */
export function truncateNumber(application: Application): Value {
  const time = application.call.name === 'trunc' ? truncatedTime(application) : undefined;
  if (time !== undefined) return time;
  const { arg, call, source } = application;
  const own = arg(0);
  const digits = call.args.length > 1 ? integer(source(1)) : 0;
  if (digits === undefined)
    return application.fail('trunc is converted only with a literal number of digits');
  if (own.type.kind === 'int' && digits >= 0) return own;
  const near = own.type.kind === 'numeric' ? sql`${operand(own)} * 1.000000000000002` : own.sql;
  return {
    sql: sql`trunc(${near}${digits === 0 ? '' : `, ${digits}`})`,
    type: { ...own.type, scale: Math.max(0, digits) },
  };
}

function modulo(application: Application): Value {
  const { arg, at, context } = application;
  return numberArithmetic(arg(0), arg(1), { operator: '%', at, context });
}

/** Integer division of BigQuery and PostgreSQL. */
const div: Rule = ({ arg }) =>
  value('int', sql`intDiv(${arg(0).sql}, ${arg(1).sql})`, isNullable(arg(0), arg(1)), { scale: 0 });

/** A quotient, with NULL or 0 instead of an error for a divisor of zero. */
function safeQuotient(ofZero: 'NULL' | '0'): Rule {
  return ({ arg, dialect }) => {
    const [a, b] = [arg(0), arg(1)];
    const quotient = sql`${float(a)} / ${float(b)}`;
    const kind = dialect === 'bigquery' ? 'float' : 'numeric';
    if (ofZero === 'NULL') return value(kind, sql`if(${operand(b)} = 0, NULL, ${quotient})`);
    return value(kind, sql`if(${operand(b)} = 0, 0, ${quotient})`, isNullable(a, b));
  };
}

/** log(x), log(base, x): base 10 in PostgreSQL, e in MySQL and BigQuery. */
function logarithm(application: Application): Value {
  const { arg, call, dialect } = application;
  const nullable = isNullable(...application.all());
  if (call.args.length === 1) {
    const isNatural = ['mysql', 'mariadb', 'bigquery'].includes(dialect);
    return value('float', sql`${isNatural ? 'log' : 'log10'}(${float(arg(0))})`, nullable);
  }
  const [base, own] = dialect === 'bigquery' ? [arg(1), arg(0)] : [arg(0), arg(1)];
  return value('float', sql`log(${float(own)}) / log(${float(base)})`, nullable);
}

export const NUMBER_FUNCTIONS: Rules = {
  abs: keeping('abs'),
  sign: ({ arg }) => value('int', sql`sign(${arg(0).sql})`, arg(0).type.isNullable, { scale: 0 }),
  ceil: whole('ceil'),
  ceiling: whole('ceil'),
  floor: whole('floor'),
  round,
  trunc: truncateNumber,
  truncate: truncateNumber,
  mod: modulo,
  div,
  safe_divide: safeQuotient('NULL'),
  div0: safeQuotient('0'),
  div0null: ({ arg }) =>
    value(
      'numeric',
      sql`if(ifNull(${operand(arg(1))}, 0) = 0, 0, ${float(arg(0))} / ${float(arg(1))})`,
      arg(0).type.isNullable,
    ),
  power: real('pow'),
  pow: real('pow'),
  sqrt: real('sqrt'),
  cbrt: real('cbrt'),
  exp: real('exp'),
  ln: real('log'),
  log: logarithm,
  log10: real('log10'),
  log2: real('log2'),
  pi: same('pi', 'float'),
  degrees: real('degrees'),
  radians: real('radians'),
  sin: real('sin'),
  cos: real('cos'),
  tan: real('tan'),
  asin: real('asin'),
  acos: real('acos'),
  atan: real('atan'),
  atan2: real('atan2'),
  square: ({ arg }) =>
    value(arg(0).type.kind, sql`${operand(arg(0))} * ${operand(arg(0))}`, arg(0).type.isNullable),
  bit_count: same('bitCount', 'int', { scale: 0 }),
  bitand: same('bitAnd', 'int', { scale: 0 }),
  bitor: same('bitOr', 'int', { scale: 0 }),
  bitxor: same('bitXor', 'int', { scale: 0 }),
  bitwise_and: same('bitAnd', 'int', { scale: 0 }),
  bitwise_or: same('bitOr', 'int', { scale: 0 }),
  random: () => value('float', 'randCanonical()', false),
  rand: () => value('float', 'randCanonical()', false),
  width_bucket: (application) => application.fail('width_bucket is not converted', 'Use widthBucket.'),
  min: extremeOf('least'),
  max: extremeOf('greatest'),
  try_to_number: tryNumber,
  try_to_decimal: tryNumber,
  try_to_double: tryNumber,
  to_number: ({ arg, call, fail }) =>
    call.args.length > 1
      ? fail('to_number is converted with one argument')
      : value('numeric', sql`toFloat64(${arg(0).sql})`, arg(0).type.isNullable),
};

/** SQLite's min and max of several arguments: NULL if one of them is NULL. */
function extremeOf(name: 'least' | 'greatest'): Rule {
  return byDialect({
    sqlite: ({ all }) => {
      const args = all();
      const nullable = args
        .filter(({ type }) => type.isNullable)
        .map((each) => sql`${operand(each)} IS NULL`);
      const numbers = args.some(({ type }) => type.kind !== 'int')
        ? args.map((each) =>
            each.type.kind === 'int' && !/^-?\d+$/.test(String(each.sql))
              ? sql`toFloat64(${each.sql})`
              : each.sql,
          )
        : args.map(({ sql }) => sql);
      const built = sql`${name}(${joinSql(numbers)})`;
      return {
        sql: nullable.length === 0 ? built : sql`if(${joinSql(nullable, ' OR ')}, NULL, ${built})`,
        type: {
          ...(args.find(({ type }) => type.kind !== 'int') ?? args[0] ?? value('null', 'NULL')).type,
          isNullable: nullable.length > 0,
        },
      };
    },
  });
}

/** Snowflake's conversions of strings that return NULL for other strings. */
function tryNumber({ arg, call, fail }: Application): Value {
  const own = arg(0);
  if (call.args.length > 1 || own.type.kind !== 'text')
    return fail(`${call.name} is converted only for strings, with one argument`);
  const isWhole = call.name !== 'try_to_double';
  return isWhole
    ? value('int', sql`toInt64OrNull(${own.sql})`, true, { scale: 0 })
    : value('float', sql`toFloat64OrNull(${own.sql})`);
}
