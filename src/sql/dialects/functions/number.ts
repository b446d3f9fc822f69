// Functions of numbers.
import { numberArithmetic, wholeQuotient } from '../arithmetic.ts';
import { exactQuotient, exactReal, isExact, ranged, checkedPower, roundHalfAway } from '../exact.ts';
import { accepting, taking, same } from '../function.ts';
import { constantOf, opposite } from '../constant.ts';
import type { Application, Rule, Rules } from '../context.ts';
import { mayBeNan } from '../equality.ts';
import { joinSql, onlyIf, sql, type Sql, condition, float, isKind, isNullable, loose, operand, value, type Value, int } from '../value.ts'; // prettier-ignore
import { round, truncateNumber } from './rounding.ts';
import { truncatedTime } from '../time/functions.ts';

/** Where a function of Float64 has no finite result although its result is no error. */
type Exception = (own: Sql) => Sql;

const ofInfinity: Exception = (own) => sql`NOT isFinite(${own})`;

/** Returns whether a result is NUMERIC, of which Float64 has the digits. */
const isNumeric = ({ traits }: Application, args: readonly Value[]): boolean =>
  traits.numericScale !== undefined &&
  args.some(isExact) &&
  args.every(
    ({ type }) =>
      type.kind === 'int' || (type.kind === 'decimal' && (type.scale ?? 0) <= (traits.numericScale ?? 0)),
  );

/** The numbers of which functions have a value: the least and the greatest; with `isOpen`, neither of them. */
interface Domain {
  readonly least: number;
  readonly most?: number;
  readonly isOpen?: boolean;
}

const POSITIVE: Domain = { least: 0, isOpen: true };
const DOMAINS: ReadonlyMap<string, Domain> = new Map(
  Object.entries({
    sqrt: { least: 0 },
    log: POSITIVE,
    log2: POSITIVE,
    log10: POSITIVE,
    // Where the base must be greater than 1.
    'log base': { least: 1, isOpen: true },
    asin: { least: -1, most: 1 },
    acos: { least: -1, most: 1 },
    acosh: { least: 1 },
    atanh: { least: -1, most: 1 },
  }),
);

/** Returns whether a number is one of those. */
function insideSql(own: Sql, { least, most, isOpen = false }: Domain): Sql {
  const than = isOpen ? '' : '=';
  const above = sql`${own} >${than} ${String(least)}`;
  return most === undefined ? above : sql`${above} AND ${own} <${than} ${String(most)}`;
}

/** An argument; one of which the function has no value is an error in most dialects, and NULL in some. */
function inDomain(name: string, own: Value, { traits, fail, call }: Application): Value {
  const domain = DOMAINS.get(name);
  if (domain === undefined || traits.hasOpenDomains) return own;
  const literal = Number(String(own.sql));
  const { least, most = Infinity, isOpen = false } = domain;
  if (isOpen ? literal > least && literal < most : literal >= least && literal <= most) return own;
  if (traits.dividesByZero)
    return {
      ...own,
      sql: sql`if(${insideSql(operand(own), domain)}, ${own.sql}, NULL)`,
      type: { ...own.type, isNullable: true },
      isLoose: false,
    };
  return Number.isNaN(literal) ? own : fail(`${call.name} of ${String(own.sql)} is an error`);
}

const OF_TWO: ReadonlySet<string> = new Set(['pow', 'atan2']);

/** A function of Float64. What is not a finite number of finite numbers is an error where it is certain to be one. */
function real(name: string, exception = ofInfinity): Rule {
  return (application) => {
    const read = OF_TWO.has(name) ? [application.arg(0), application.arg(1)] : [application.arg(0)];
    const args = read.map((each) => inDomain(name, each, application));
    const own = sql`${name}(${joinSql(args.map((each) => float(each)))})`;
    return finite(own, { args, exception, application });
  };
}

/** In MySQL, both names have one argument or two. */
export const arcTangent: Rule = (application) =>
  real(application.call.args.length === 1 ? 'atan' : 'atan2')(application);

function finite(
  own: Sql,
  {
    args,
    exception,
    application,
  }: { readonly args: readonly Value[]; readonly exception: Exception; readonly application: Application },
): Value {
  const nullable = isNullable(...args);
  const { dividesByZero } = application.traits;
  const { name } = application.call;
  const [base, exponent] = args;
  const isPower = name === 'exp' || name.startsWith('pow');
  const checked =
    isPower && base !== undefined ? checkedPower(own, [base, exponent], application) : undefined;
  if (checked !== undefined) return checked;
  const canBeNaN = isPower && exponent?.type.kind !== 'int';
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
  const finiteOnly = sql`(${onlyIf(own, isDefined)})`;
  return isExactResult ? exactReal(finiteOnly, nullable) : value('float', finiteOnly, nullable);
}

const abs: Rule = ({ arg, traits, fail }) => {
  const own = arg(0);
  if (constantOf(own)?.startsWith('-') === true && opposite(own, traits) === 'none')
    return fail('The result of abs has too many digits');
  return { sql: sql`abs(${own.sql})`, type: own.type };
};

/** ClickHouse has the sign of NaN: 1. `ofNan`: another one. */
export const signBy =
  (ofNan: (own: Sql) => Sql): Rule =>
  ({ arg, traits }) => {
    const own = arg(0);
    const plain = sql`sign(${own.sql})`;
    if (!traits.hasNan || !mayBeNan(own)) return int(plain, own.type.isNullable, { bits: 1 });
    return value('float', sql`if(isNaN(${own.sql}), ${ofNan(own.sql)}, ${plain})`, own.type.isNullable);
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

const modulo: Rule = (application) => {
  const { at, context } = application;
  const own = numberArithmetic(application.arg(0), divisorOf(application), { operator: '%', at, context });
  return { ...own, sql: operand(own), isLoose: false };
};

/** Integer division. */
const div: Rule = (application) =>
  wholeQuotient(application.arg(0), divisorOf(application), {
    operator: 'DIV',
    at: application.at,
    context: application.context,
  });

/** A result of Float64, or NULL if it is not finite and the operands are. */
export function finiteOrNull(own: Sql, operands: readonly Value[]): Sql {
  const tests = operands.map((each) => sql`isFinite(${float(each)})`);
  return sql`if(NOT isFinite(${own}) AND ${joinSql(tests, ' AND ')}, NULL, ${own})`;
}

/** A quotient, with NULL or 0 instead of an error for a divisor of zero. */
function safeQuotient(ofZero: 'NULL' | '0'): Rule {
  return (application) => {
    const { traits, at, context } = application;
    const [a, b] = [application.arg(0), application.arg(1)];
    const isNumeric = traits.numericScale !== undefined && isExact(a) && b.type.kind !== 'float';
    if (isNumeric)
      return exactQuotient(
        a,
        { ...b, sql: sql`nullIf(${b.sql}, 0)`, type: { ...b.type, isNullable: true } },
        { at, context },
      );
    const plain = sql`${float(a)} / ${float(b)}`;
    const kind = traits.hasFloatNumbers ? 'float' : 'numeric';
    const quotient = kind === 'float' && ofZero === 'NULL' ? finiteOrNull(plain, [a, b]) : plain;
    const isZero = sql`${operand(b)} = 0${ofZero === '0' && a.type.isNullable ? sql` AND ${operand(a)} IS NOT NULL` : ''}`;
    const built = sql`if(${isZero}, ${ofZero}, ${quotient})`;
    return value(kind, built, ofZero === 'NULL' || isNullable(a, b));
  };
}

/** A logarithm: the name of the one with one argument, which argument is the base, and the domain of the base. */
interface Logarithm {
  readonly plain: 'log' | 'log10';
  readonly baseAt?: 0 | 1;
  readonly domain?: 'log' | 'log base';
}

/** log(x), log(base, x). */
export function logarithm({ plain, baseAt = 0, domain = 'log' }: Logarithm): Rule {
  return (application) => {
    const { arg, call, traits } = application;
    if (call.args.length === 1) return real(plain)(application);
    const [own, base] = [arg(1 - baseAt), arg(baseAt)];
    const known = { '2': 'log2', '10': 'log10' }[String(base.sql)];
    if (known !== undefined) return real(known)({ ...application, arg: () => own });
    const inside = inDomain('log', own, application);
    const of = inDomain(domain, base, application);
    const by = sql`log(${float(of)})`;
    const quotient = sql`log(${float(inside)}) / ${by}`;
    if (traits.dividesByZero) return loose('float', sql`log(${float(inside)}) / nullIf(${by}, 0)`);
    if (!traits.hasOpenDomains) return loose('float', quotient, isNullable(own, base));
    // Neither 0, of which the logarithm is infinite, nor infinity is a base.
    const exact = sql`(${quotient} + 0 * ${by})`;
    return finite(exact, { args: [own, base], exception: ofInfinity, application });
  };
}

export const tests =
  (name: string): Rule =>
  (application) => {
    const own = application.arg(0);
    return condition(sql`${name}(${own.sql})`, own.type.isNullable);
  };

const truncateOnly = accepting('number', truncateNumber);

/** Of a time, too. */
export const truncate: Rule = (application) => truncatedTime(application) ?? truncateOnly(application);

export const NUMBER_FUNCTIONS: Rules = {
  ...taking('number', {
    abs,
    ceil: whole('ceil'),
    ceiling: whole('ceil'),
    floor: whole('floor'),
    round,
    truncate: truncateNumber,
    mod: modulo,
    safe_divide: safeQuotient('NULL'),
    div0: safeQuotient('0'),
    log: logarithm({ plain: 'log10' }),
    ln: real('log'),
    square: ({ arg }) => value(arg(0).type.kind, sql`${operand(arg(0))} * ${operand(arg(0))}`, false),
    sqrt: real('sqrt', (own) => sql`isNaN(${own}) OR ${own} > 0`),
    ...Object.fromEntries(
      'cbrt exp log10 log2 degrees radians sin cos tan asin acos atan atan2 sinh cosh tanh asinh acosh atanh'
        .split(' ')
        .map((name) => [name, real(name)]),
    ),
  }),
  // The power 0 of NaN is 1, and so is every power of 1.
  ...taking(
    'number',
    { power: real('pow'), pow: real('pow'), sign: signBy((own) => own) },
    'propagate',
    undefined,
    'decide',
  ),
  ...taking(
    'number',
    {
      div,
      bitand: same('bitAnd', 'int', { scale: 0 }),
      bitor: same('bitOr', 'int', { scale: 0 }),
      bitxor: same('bitXor', 'int', { scale: 0 }),
      bitwise_and: same('bitAnd', 'int', { scale: 0 }),
      bitwise_or: same('bitOr', 'int', { scale: 0 }),
    },
    'propagate',
    undefined,
    'error',
  ),
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
  ...taking('any', { bit_count: bitCount }, 'propagate', undefined, 'error'),
  ...taking('any', { trunc: truncateOnly }, 'propagate', undefined, 'propagate'),
  ...taking('any', {
    try_to_number: tryNumber,
    try_to_decimal: tryNumber,
    try_to_double: tryNumber,
    to_number: ({ arg, call, fail }) =>
      call.args.length > 1
        ? fail('to_number is converted with one argument')
        : roundHalfAway(value('numeric', sql`toFloat64(${arg(0).sql})`, false), 0),
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
  return int(sql`bitCount(toInt64(${own.sql}))`, false, { bits: 7 });
}

/** Snowflake's conversions of strings that return NULL for other strings. */
function tryNumber({ arg, call, fail }: Application): Value {
  const own = arg(0);
  if (call.args.length > 1 || own.type.kind !== 'text')
    return fail(`${call.name} is converted only for strings, with one argument`);
  if (call.name === 'try_to_double') return value('float', sql`toFloat64OrNull(${own.sql})`);
  return value('decimal', sql`round(toDecimal128OrNull(${own.sql}, 12))`, true, { scale: 0 });
}
