// Operators of numbers, bits, times and intervals.
import { numberArithmetic, numberSql, type Operation, negative, type Binary } from '../arithmetic.ts';
import { castTo } from '../cast/cast.ts';
import { unconverted, type Context, differs, type Place } from '../context.ts';
import { checkedPower } from '../exact.ts';
import { joinSql, sql, type Sql, int, isKind, isNullable, isTime, operand, value, type Value, isOpen, settled, condition, float, isNumber, loose } from '../value.ts'; // prettier-ignore
import type { Traits } from '../traits.ts';
import { truth } from '../implicit.ts';
import { jsonOperator, numberOfJson } from '../json-path.ts';
import {
  checkedInterval,
  difference,
  intervalValue,
  secondsOf,
  shifted,
  spansOf,
  type Span,
} from '../time/interval.ts';
import { timeLiteral, timestampLiteral } from '../time/literal.ts';
import { moment } from '../time/moment.ts';
import type { Expression, Of } from '../tree.ts';
import { allEqual, compared, comparison, isComparison } from './comparison.ts';
import { LESS } from './json-comparison.ts';

const INTEGER = /^-?\d+$/;

const BITS: Readonly<Record<string, string>> = {
  '&': 'bitAnd',
  '|': 'bitOr',
  '#': 'bitXor',
  '^': 'bitXor',
  '<<': 'bitShiftLeft',
  '>>': 'bitShiftRight',
};

type Operands = readonly [left: Value, right: Value];

/** Writes operators on bits, XOR and the power; undefined for other operators. */
function otherArithmetic([a, b]: Operands, operation: Operation): Value | undefined {
  const { operator, context } = operation;
  const { traits } = context.shared;
  if (operator === '^' && traits.hasPowerOperator) return powerOf(a, b, operation);
  if (operator === 'MOD') return numberArithmetic(a, b, { ...operation, operator: '%' });
  if (operator === 'XOR') {
    const tests = [a, b].map((each) => truth(each, context, operation.at).sql);
    return value('bool', sql`xor(${joinSql(tests)})`, isNullable(a, b), { isNumberInClickHouse: true });
  }
  const name = BITS[operator];
  if (name === undefined) return undefined;
  const { at } = operation;
  // MySQL rounds halves of Float64 in its own ways.
  const isOpen = (each: Value): boolean => isKind(each, 'float') && traits.hasUnsignedBits;
  for (const each of [a, b])
    if (isKind(each, 'bytes', 'text') || isTime(each) || isOpen(each))
      return unconverted(
        at,
        'type',
        `${operator} is supported for numbers`,
        'Cast the operands to integers.',
      );
  const [x, y] = [a, b].map((each) =>
    isRounded(each, context) ? castTo(each, { name: 'BIGINT', at }, { isSafe: false, at, context }) : each,
  );
  if (name.startsWith('bitShift') && /^\(?-\d/.test(String(b.sql)))
    return unconverted(
      at,
      'expression',
      'A shift by a negative number is not converted',
      'Shift the other way.',
    );
  const own = { name, traits };
  const isOpenShift = traits.shiftsBothWays && name.startsWith('bitShift') && !INTEGER.test(String(b.sql));
  if (isOpenShift) return shiftBothWays(x ?? a, y ?? b, own);
  const short = shortShift(a, b, operation);
  if (short !== undefined) return short;
  if (traits.hasShortLiterals && name.startsWith('bitShift') && Number(b.sql) > 63)
    return unconverted(at, 'expression', 'A shift by more than 63 is not converted');
  return bits(x ?? a, y ?? b, own);
}

/** A shift by a number that may be negative, or more than all bits. */
function shiftBothWays(
  a: Value,
  b: Value,
  { name, traits }: { readonly name: string; readonly traits: Traits },
): Value {
  const by = operand(b);
  const left = name === 'bitShiftLeft' ? by : sql`-${by}`;
  const places = { ...b, sql: sql`least(abs(${by}), 63)` };
  const shifted = (direction: string): Sql => bits(a, places, { name: direction, traits }).sql;
  const own = sql`multiIf(${left} > 63, 0, ${left} >= 0, ${shifted('bitShiftLeft')}, ${shifted('bitShiftRight')})`;
  return int(b.type.isNullable ? sql`if(isNull(${by}), NULL, ${own})` : own, isNullable(a, b));
}

function powerOf(a: Value, b: Value, operation: Operation): Value {
  const own = sql`pow(${a.sql}, ${b.sql})`;
  return checkedPower(own, [a, b], operation) ?? value('float', own, isNullable(a, b));
}

/** Returns a shift of two constants of at most 32 bits, with the number of places modulo 32; undefined for others. */
function shortShift(a: Value, b: Value, { operator, context }: Operation): Value | undefined {
  const [own, places] = [a, b].map((each) => String(each.sql).replaceAll(/[()]/g, ''));
  const isShift = operator === '<<' || operator === '>>';
  if (!isShift || !context.shared.traits.hasShortLiterals) return undefined;
  const { bytes } = a.type;
  if (own === undefined || places === undefined || (bytes !== 4 && bytes !== 2)) return undefined;
  if (!INTEGER.test(own) || !INTEGER.test(places)) return undefined;
  const [left, by] = [BigInt(own), BigInt(places) & 31n];
  return int(String(BigInt.asIntN(bytes * 8, operator === '<<' ? left << by : left >> by)), false);
}

const isRounded = (each: Value, { shared }: Context): boolean =>
  shared.traits.hasNumericConditions && isKind(each, 'decimal', 'numeric', 'float');

function bits(
  a: Value,
  b: Value,
  { name, traits }: { readonly name: string; readonly traits: Traits },
): Value {
  // A shift of fewer bits than 64 loses those of the result.
  const isWide = (each: Value): boolean =>
    traits.shiftsLogically || isKind(each, 'bool') || INTEGER.test(String(each.sql));
  const wide = (each: Value): Sql =>
    traits.hasUnsignedBits
      ? sql`toUInt64(${each.sql})`
      : isWide(each)
        ? sql`toInt64(${numberSql(each)})`
        : each.sql;
  const isLogical = traits.shiftsLogically && name === 'bitShiftRight';
  // A shift to the right by all bits leaves the sign.
  const isAll = name === 'bitShiftRight' && !traits.hasUnsignedBits && Number(b.sql) > 63;
  if (!isLogical) return int(sql`${name}(${wide(a)}, ${isAll ? '63' : wide(b)})`, isNullable(a, b));
  // A signed number of positions would make it a signed shift.
  const places = b.type.isNullable ? 'Nullable(UInt64)' : 'UInt64';
  const by = INTEGER.test(String(b.sql)) ? b.sql : sql`accurateCast(${wide(b)}, '${places}')`;
  return int(sql`toInt64(bitShiftRight(toUInt64(${wide(a)}), ${by}))`, isNullable(a, b));
}

/** The bits of an operand, which are all inverted. */
function inverted(inner: Value, isUnsigned: boolean): Value {
  return int(sql`bitNot(${isUnsigned ? 'toUInt64' : 'toInt64'}(${numberSql(inner)}))`, inner.type.isNullable);
}

type Unary = Of<'unary'>;

/** Its opposite is the smallest integer. */
const SMALLEST = '9223372036854775808';

export function writeUnary({ operator, value: of, at }: Unary, context: Context): Value {
  if (operator === '-' && of.kind === 'number' && of.text === SMALLEST)
    return loose('int', `-${SMALLEST}`, false, { scale: 0 });
  const inner = settled(context.write(of, context));
  switch (operator) {
    case 'NOT':
      return condition(sql`NOT ${operand(truth(inner, context, at))}`, inner.type.isNullable);
    case '~':
      if (isKind(inner, 'bytes')) return unconverted(of.at, 'type', '~ of bytes is not supported');
      return inverted(inner, context.shared.traits.hasUnsignedBits);
    case '+':
      return inner;
    case '-':
      if (isKind(inner, 'text', 'date', 'timestamp', 'datetime'))
        return unconverted(at, 'type', 'The sign of a value that is not a number');
      return negative(signed(inner, { at, context }), { at, context });
  }
}

/** A number whose sign is changed: of JSON, where values are converted. */
function signed(inner: Value, place: Place): Value {
  const isConverted = isKind(inner, 'json') && place.context.shared.traits.hasNumericConditions;
  return isConverted ? numberOfJson(inner, place) : inner;
}

/** Writes an operator of two operands. */
export function writeBinary(expression: Binary, context: Context): Value {
  const { operator, left, right, at } = expression;
  if (!isComparison(operator)) return jsonOperator(expression, context) ?? arithmetic(expression, context);
  const place = { operator, at, context };
  return (
    rowComparison(expression, context) ?? comparison(compared(left, context), compared(right, context), place)
  );
}

/** Rows are equal if their fields are; the first fields that differ decide which row is less. */
function rowComparison({ operator, left, right, at }: Binary, context: Context): Value | undefined {
  const isNot = operator === '<>' || operator === '!=';
  const isLess = LESS.has(operator) && !context.shared.traits.rowsAreRecords;
  if (left.kind !== 'row' || right.kind !== 'row' || !(isNot || isLess || operator === '=')) return undefined;
  if (left.items.length !== right.items.length)
    return unconverted(at, 'type', 'Rows of different lengths are compared');
  const sides = [left, right].map(({ items }) => items.map((each) => compared(each, context)));
  const [own = [], others = []] = sides;
  const compare = (each: Value, index: number, by: string): Value =>
    comparison(each, others[index] ?? each, { operator: by, at, context });
  const equal = own.map((each, index) => compare(each, index, '='));
  if (!isLess) return allEqual(equal, isNot);
  const strict = operator.charAt(0);
  return own.reduceRight<Value>(
    (rest, each, index) => {
      if (index === own.length - 1) return compare(each, index, operator);
      const [less, same] = [compare(each, index, strict), equal[index] ?? rest];
      const both = sql`${operand(less)} OR (${operand(same)} AND ${operand(rest)})`;
      return condition(both, isNullable(less, same, rest));
    },
    condition('false', false),
  );
}

function arithmetic(expression: Binary, context: Context): Value {
  const { operator, left, right, at } = expression;
  const byInterval = withInterval(expression, context);
  if (byInterval !== undefined) return byInterval;
  const [a, b] = [numeric(left, context), numeric(right, context)];
  const place = { at, context };
  if (operator === '/') checkQuotient([left, right], [a, b], place);
  const ofTimes = timeArithmetic(expression, [a, b], place);
  if (ofTimes !== undefined) return ofTimes;
  const { dialect, isStrict, traits } = context.shared;
  if (operator === '-' && !isStrict && traits.subtractsTimes && isKind(a, 'unknown') && isKind(b, 'unknown'))
    differs(context, at, 'type_unknown', `If both are times, ${dialect} returns an interval`);
  return otherArithmetic([a, b], { operator, ...place }) ?? numberArithmetic(a, b, { operator, ...place });
}

/** Where JSON is what it holds, the quotient of two integers is one, and another one is not. */
function checkQuotient(
  sources: readonly Expression[],
  values: readonly Value[],
  { at, context }: Place,
): void {
  const { isJsonMixed, hasIntegerDivision } = context.shared.traits;
  if (!isJsonMixed || !hasIntegerDivision) return;
  const areJson = sources.map((each) => isKind(settled(context.write(each, context)), 'json'));
  if (!areJson.includes(true)) return;
  if (values.some((each, index) => isKind(each, 'float') && areJson[index] === false)) return;
  unconverted(
    at,
    'type',
    'The quotient of values in JSON depends on what they are',
    'Cast them to a number.',
  );
}

/** An operand: JSON values are read as numbers, and strings that are numbers. */
function numeric(source: Expression, context: Context): Value {
  const { isJsonOpaque, convertsStrings, ignoresCase } = context.shared.traits;
  const each = settled(context.write(source, context));
  if (isKind(each, 'json') && isJsonOpaque)
    differs(
      context,
      source.at,
      'type',
      'Values of type JSON are not calculated with: cast what JSON_VALUE returns',
    );
  if (isKind(each, 'json')) return numberOfJson(each, { at: source.at, context });
  if (isOpen(each)) return value('float', float(each));
  const isNumeric = convertsStrings && isKind(each, 'text') && /^-?\d+(?:\.\d+)?$/.test(each.literal ?? '');
  if (!isNumeric || each.literal === undefined) return each;
  // In MySQL, a string is a Float64.
  if (ignoresCase) return value('float', each.literal, false);
  return value(each.literal.includes('.') ? 'numeric' : 'int', each.literal, false);
}

/** Times with intervals, days and other times; undefined if there is no time. */
function timeArithmetic(
  { operator, left, right }: Binary,
  [a, b]: readonly [Value, Value],
  place: Place,
): Value | undefined {
  if (operator === '-' && ((isTime(a) && canBeTime(b)) || (isTime(b) && canBeTime(a))))
    return timeDifference(a, b, place);
  if (isTime(a) && (operator === '+' || operator === '-'))
    return moved(a, b, { ...place, operator, by: right });
  if (isTime(b) && operator === '+') return moved(b, a, { ...place, operator, by: left });
  if (!isTime(a) && !isTime(b)) return undefined;
  return unconverted(
    place.at,
    'type',
    `${operator} is not supported for times`,
    'Use a function such as TIMESTAMP_DIFF.',
  );
}

const canBeTime = (each: Value): boolean =>
  isTime(each) || (isKind(each, 'text') && timestampLiteral(each.literal ?? '') !== undefined);

function timeDifference(a: Value, b: Value, { at, context }: Place): Value {
  const { dateDifference, subtractsTimes } = context.shared.traits;
  const [left, right] = [timeBeside(a, b), timeBeside(b, a)];
  const areDates = isKind(left, 'date') && isKind(right, 'date');
  if (areDates ? dateDifference === undefined : !subtractsTimes)
    return unconverted(
      at,
      'type',
      `${context.shared.dialect} does not subtract times, or as numbers`,
      'Use TIMESTAMPDIFF or a similar function.',
    );
  return difference(left, right, context);
}

/** A literal beside a date is one if it has no time of day. */
function timeBeside(own: Value, other: Value): Value {
  if (isTime(own)) return own;
  const read = isKind(other, 'date') ? timeLiteral : timestampLiteral;
  return read(own.literal ?? '') ?? own;
}

interface Move extends Place {
  readonly operator: '+' | '-';
  /** The source of the amount. */
  readonly by: Expression;
}

/** A time and what is added to it or subtracted: an interval, or a number of days. */
function moved(time: Value, amount: Value, { operator, by, at, context }: Move): Value {
  if (isKind(amount, 'seconds', 'interval')) {
    const base = { time: { ...time, sql: moment(time), type: { ...time.type, isWide: true } }, isDay: false };
    const interval = isKind(amount, 'interval')
      ? context.isEvaluated === true
        ? checkedInterval(amount, operator, base)
        : amount.sql
      : sql`toIntervalMicrosecond(toInt64(round(${operand(amount)} * 1000000)))`;
    const kind = !isKind(time, 'date')
      ? time.type.kind
      : context.shared.traits.hasIntervals
        ? 'datetime'
        : 'timestamp';
    return loose(kind, sql`${moment(time)} ${operator} ${interval}`, isNullable(time, amount), {
      isWide: true,
    });
  }
  const isDays = isKind(time, 'date') && (isNumber(amount) || isKind(amount, 'unknown'));
  if (!isDays || !context.shared.traits.addsDays)
    return unconverted(at, 'type', `A value that is no interval is added to a time`, 'Add an interval.');
  return shifted(time, operator, { spans: [{ value: by, unit: { name: 'DAY', at } }], at }, context);
}

/** Arithmetic in which one side is an interval; undefined if there is none. */
function withInterval(expression: Binary, context: Context): Value | undefined {
  const { operator, left, right, at } = expression;
  const [first, second] = [spansOf(left), spansOf(right)];
  if (first === undefined && second === undefined) return undefined;
  const isSum = operator === '+' || operator === '-';
  if (isSum && first !== undefined && second !== undefined)
    return numberArithmetic(secondsOf(first, context), secondsOf(second, context), { operator, at, context });
  const [spans, other] = second === undefined ? [first ?? [], right] : [second, left];
  if (operator === '+' || (operator === '-' && second !== undefined)) {
    const base = settled(context.write(other, context));
    if (isKind(base, 'seconds'))
      return numberArithmetic(base, secondsOf(spans, context), { operator, at, context });
    return shifted(base, operator, { spans, at, isOperator: true }, context);
  }
  if (operator === '/' && first === undefined) {
    const base = settled(context.write(left, context));
    if (isKind(base, 'seconds'))
      return loose('float', sql`${operand(base)} / ${operand(secondsOf(spans, context))}`);
  }
  const product = operator === '*' ? spansOf(expression) : undefined;
  return product === undefined
    ? unconverted(at, 'type', `${operator} is not converted for intervals`)
    : writeInterval(product, at, context);
}

/** An interval as a value of its own. */
export function writeInterval(spans: readonly Span[], at: number, context: Context): Value {
  const [span, more] = spans;
  if (span === undefined || more !== undefined || !context.shared.traits.hasIntervals)
    return unconverted(at, 'type', 'An interval is converted only where it is added to a time or compared');
  return intervalValue(span, context);
}
