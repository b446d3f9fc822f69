// Functions of numbers.
import { checkedInteger, numberArithmetic, wholeQuotient } from '../arithmetic.ts';
import { exactQuotient, exactReal, isExact, ranged } from '../exact.ts';
import { accepting, taking } from '../behaviour.ts';
import { byDialect, same, type Application, type Rule, type Rules } from '../function.ts';
import { joinSql, sql, type Sql } from '../sql.ts';
import { round, truncateNumber } from './rounding.ts';
import { truncatedTime } from '../time/functions.ts';
import { condition, float, isKind, isNullable, loose, operand, value, type Value } from '../value.ts';

/** Where a function of Float64 has no finite result although its result is no error. */
type Exception = (own: Sql) => Sql;

const ofInfinity: Exception = (own) => sql`NOT isFinite(${own})`;

/** Whether a result is NUMERIC, of which Float64 has the digits. */
const isNumeric = ({ dialect }: Application, args: readonly Value[]): boolean =>
  dialect === 'bigquery' &&
  args.some(isExact) &&
  args.every(({ type }) => type.kind === 'int' || (type.kind === 'decimal' && (type.scale ?? 0) <= 9));

/** The numbers of which functions have a value: the least and the greatest; with `isOpen`, neither of them. */
interface Domain {
  readonly least: number;
  readonly most?: number;
  readonly isOpen?: boolean;
}

const POSITIVE: Domain = { least: 0, isOpen: true };
const DOMAINS: Readonly<Record<string, Domain>> = {
  sqrt: { least: 0 },
  log: POSITIVE,
  log2: POSITIVE,
  log10: POSITIVE,
  // SQLite's.
  'log base': { least: 1, isOpen: true },
  asin: { least: -1, most: 1 },
  acos: { least: -1, most: 1 },
  acosh: { least: 1 },
  atanh: { least: -1, most: 1 },
};

/** Whether a number is one of those. */
function insideSql(own: Sql, { least, most, isOpen = false }: Domain): Sql {
  const than = isOpen ? '' : '=';
  const above = sql`${own} >${than} ${String(least)}`;
  return most === undefined ? above : sql`${above} AND ${own} <${than} ${String(most)}`;
}

/** An argument; one of which the function has no value is an error in most dialects, and NULL in some. */
function inDomain(name: string, own: Value, { dialect, context, fail, call }: Application): Value {
  const domain = DOMAINS[name];
  if (domain === undefined || dialect === 'bigquery') return own;
  const literal = Number(String(own.sql));
  const { least, most = Infinity, isOpen = false } = domain;
  if (isOpen ? literal > least && literal < most : literal >= least && literal <= most) return own;
  if (context.shared.traits.dividesByZero)
    return {
      ...own,
      sql: sql`if(${insideSql(operand(own), domain)}, ${own.sql}, NULL)`,
      type: { ...own.type, isNullable: true },
      isLoose: false,
    };
  return Number.isNaN(literal) ? own : fail(`${call.name} of ${String(own.sql)} is an error`);
}

/** A function of Float64. What is not a finite number of finite numbers is an error where it is certain to be one. */
function real(name: string, exception = ofInfinity): Rule {
  return (application) => {
    const args = application.all().map((each) => inDomain(name, each, application));
    const own = sql`${name}(${joinSql(args.map((each) => float(each)))})`;
    return finite(own, { args, exception, application });
  };
}

function finite(
  own: Sql,
  {
    args,
    exception,
    application,
  }: { readonly args: readonly Value[]; readonly exception: Exception; readonly application: Application },
): Value {
  const nullable = isNullable(...args);
  const { dividesByZero } = application.context.shared.traits;
  const canBeNaN = application.call.name.startsWith('pow') && args[1]?.type.kind !== 'int';
  if (dividesByZero && canBeNaN) return value('float', sql`if(isNaN(${own}), NULL, ${own})`);
  const isExactResult = isNumeric(application, args);
  const { isSafe } = application.call;
  if (!isSafe && application.context.isEvaluated !== true && !isExactResult)
    return value('float', own, nullable);
  const others = args
    .filter(({ type, sql: each }) => type.kind === 'float' && !/^[\d.]+$/.test(String(each)))
    .map((each) => sql` OR ${exception(float(each))}`);
  const isDefined = sql`isFinite(${own})${joinSql(others, '')}`;
  if (isSafe) return value('float', sql`if(${isDefined}, ${own}, NULL)`);
  const checked = sql`(${own} + 0 % (${isDefined}))`;
  return isExactResult ? exactReal(checked, nullable) : value('float', checked, nullable);
}

/** abs, which has an unsigned type in ClickHouse. */
const abs: Rule = (application) => {
  const own = application.arg(0);
  const { dialect, context } = application;
  if (own.type.kind !== 'int' || dialect !== 'bigquery') return { sql: sql`abs(${own.sql})`, type: own.type };
  if (context.isEvaluated === true && (own.type.bits ?? 63) >= 63 && !application.call.isSafe)
    return checkedInteger(sql`abs(toInt128(${own.sql}))`, own.type.isNullable);
  return { sql: sql`toInt64(abs(${own.sql}))`, type: own.type };
};

const sign: Rule = (application) => {
  const own = application.arg(0);
  const { kind, isNullable: nullable } = own.type;
  if (kind === 'float' && application.dialect === 'bigquery')
    return value('float', sql`if(isNaN(${own.sql}), ${own.sql}, sign(${own.sql}))`, nullable);
  return value('int', sql`sign(${own.sql})`, nullable, { scale: 0, bits: 1 });
};

/** floor and ceil: whole numbers. */
function whole(name: string): Rule {
  return (application) => {
    if (application.call.args.length > 1) return application.fail(`${name} is converted with one argument`);
    const own = application.arg(0);
    if (own.type.kind === 'int') return own;
    const type = { ...own.type, scale: isExact(own) ? own.type.scale : 0 };
    return ranged({ sql: sql`${name}(${own.sql})`, type }, application.context);
  };
}

/** The divisor of a function; with SAFE., the result is NULL instead of an error. */
const divisorOf = (application: Application): Value => {
  const own = application.arg(1);
  if (!application.call.isSafe) return own;
  return { ...own, sql: sql`nullIf(${own.sql}, 0)`, type: { ...own.type, isNullable: true } };
};

/** mod; in SQLite, of numbers with a fraction, which its operator % does not keep. */
const modulo: Rule = (application) => {
  const { at, context, dialect } = application;
  const [dividend, by] = [application.arg(0), divisorOf(application)];
  if (dialect === 'sqlite') return value('float', sql`${float(dividend)} % nullIf(${float(by)}, 0)`, true);
  const own = numberArithmetic(dividend, by, {
    operator: '%',
    at,
    context,
  });
  return { ...own, sql: operand(own), isLoose: false };
};

/** Integer division of BigQuery and PostgreSQL. */
const div: Rule = (application) =>
  wholeQuotient(application.arg(0), divisorOf(application), {
    operator: 'DIV',
    at: application.at,
    context: application.context,
  });

/** A quotient, with NULL or 0 instead of an error for a divisor of zero. */
function safeQuotient(ofZero: 'NULL' | '0'): Rule {
  return (application) => {
    const { dialect, at, context } = application;
    const [a, b] = [application.arg(0), application.arg(1)];
    const isNumeric = dialect === 'bigquery' && isExact(a) && b.type.kind !== 'float';
    if (isNumeric)
      return exactQuotient(
        a,
        { ...b, sql: sql`nullIf(${b.sql}, 0)`, type: { ...b.type, isNullable: true } },
        { at, context },
      );
    const quotient = sql`${float(a)} / ${float(b)}`;
    const kind = dialect === 'bigquery' ? 'float' : 'numeric';
    const built = sql`if(${operand(b)} = 0, ${ofZero}, ${quotient})`;
    return value(kind, built, ofZero === 'NULL' || isNullable(a, b));
  };
}

/** BigQuery's safe_add and others of integers: NULL if the result has more than 64 bits. */
function safeInteger(operator: '+' | '-' | '*'): Rule {
  return ({ arg, fail, call }) => {
    const [a, b] = [arg(0), arg(1)];
    if (a.type.kind !== 'int' || b.type.kind !== 'int') return fail(`${call.name} is supported for integers`);
    const built = sql`toInt128(${a.sql}) ${operator} ${operand(b)}`;
    return value('int', sql`accurateCastOrNull(${built}, 'Int64')`, true, { scale: 0 });
  };
}

/** log(x), log(base, x): base 10 in PostgreSQL, e in MySQL and BigQuery. */
const logarithm: Rule = (application) => {
  const { arg, call, dialect } = application;
  if (call.args.length === 1) {
    const isNatural = ['mysql', 'mariadb', 'bigquery'].includes(dialect);
    return real(isNatural ? 'log' : 'log10')(application);
  }
  const [own, base] = dialect === 'bigquery' ? [arg(0), arg(1)] : [arg(1), arg(0)];
  const known = { '2': 'log2', '10': 'log10' }[String(base.sql)];
  if (known !== undefined) return real(known)({ ...application, all: () => [own] });
  const inside = inDomain('log', own, application);
  const of = inDomain(dialect === 'sqlite' ? 'log base' : 'log', base, application);
  const by = sql`log(${float(of)})`;
  const quotient = sql`log(${float(inside)}) / ${by}`;
  if (application.context.shared.traits.dividesByZero)
    return loose('float', sql`log(${float(inside)}) / nullIf(${by}, 0)`);
  if (dialect !== 'bigquery') return loose('float', quotient, isNullable(own, base));
  // Neither 0, of which the logarithm is infinite, nor infinity is a base.
  const exact = sql`(${quotient} + 0 * ${by})`;
  return finite(exact, { args: [own, base], exception: ofInfinity, application });
};

const tests =
  (name: string): Rule =>
  (application) => {
    const own = application.arg(0);
    return condition(sql`${name}(${own.sql})`, own.type.isNullable);
  };

const truncateOnly = accepting('number', truncateNumber);

/** Of a time, too. */
const truncate: Rule = (application) => truncatedTime(application) ?? truncateOnly(application);

export const NUMBER_FUNCTIONS: Rules = {
  ...taking('number', {
    abs,
    sign,
    ceil: whole('ceil'),
    ceiling: whole('ceil'),
    floor: whole('floor'),
    round,
    truncate: truncateNumber,
    mod: modulo,
    div,
    safe_divide: safeQuotient('NULL'),
    safe_add: byDialect({ bigquery: safeInteger('+') }),
    safe_subtract: byDialect({ bigquery: safeInteger('-') }),
    safe_multiply: byDialect({ bigquery: safeInteger('*') }),
    ieee_divide: byDialect({
      bigquery: ({ arg }) => loose('float', sql`${float(arg(0))} / ${float(arg(1))}`, false),
    }),
    is_nan: byDialect({ bigquery: tests('isNaN'), trino: tests('isNaN') }),
    is_inf: byDialect({ bigquery: tests('isInfinite') }),
    div0: safeQuotient('0'),
    power: real('pow'),
    pow: real('pow'),
    log: logarithm,
    ln: real('log'),
    square: ({ arg }) => value(arg(0).type.kind, sql`${operand(arg(0))} * ${operand(arg(0))}`, false),
    sqrt: real('sqrt', (own) => sql`isNaN(${own}) OR ${own} > 0`),
    ...Object.fromEntries(
      'cbrt exp log10 log2 degrees radians sin cos tan asin acos atan atan2 sinh cosh tanh asinh acosh atanh'
        .split(' ')
        .map((name) => [name, real(name)]),
    ),
    bitand: same('bitAnd', 'int', { scale: 0 }),
    bitor: same('bitOr', 'int', { scale: 0 }),
    bitxor: same('bitXor', 'int', { scale: 0 }),
    bitwise_and: same('bitAnd', 'int', { scale: 0 }),
    bitwise_or: same('bitOr', 'int', { scale: 0 }),
  }),
  ...taking('number', { div0null: ofZeroOrNull }, 'decide'),
  ...taking(
    'any',
    {
      pi: same('pi', 'float'),
      random: () => value('float', 'randCanonical()', false),
      rand: () => value('float', 'randCanonical()', false),
      width_bucket: (application) => application.fail('width_bucket is not converted', 'Use widthBucket.'),
    },
    'decide',
  ),
  ...taking('any', {
    trunc: byDialect({ snowflake: truncate, redshift: truncate, others: truncateOnly }),
    bit_count: bitCount,
    try_to_number: tryNumber,
    try_to_decimal: tryNumber,
    try_to_double: tryNumber,
    to_number: ({ arg, call, fail }) =>
      call.args.length > 1
        ? fail('to_number is converted with one argument')
        : value('numeric', sql`toFloat64(${arg(0).sql})`, false),
  }),
};

function ofZeroOrNull({ arg }: Application): Value {
  const built = sql`if(ifNull(${operand(arg(1))}, 0) = 0, 0, ${float(arg(0))} / ${float(arg(1))})`;
  return value('numeric', built, arg(0).type.isNullable);
}

/** The number of bits of an integer; others are rounded in ways of their own. */
function bitCount({ arg, fail }: Application): Value {
  const own = arg(0);
  if (!isKind(own, 'int', 'bool', 'unknown')) return fail('bit_count is supported for integers');
  return value('int', sql`bitCount(toInt64(${own.sql}))`, false, { scale: 0, bits: 7 });
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
