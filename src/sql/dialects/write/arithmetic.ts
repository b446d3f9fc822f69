// Operators of numbers, times and intervals.
import { negative, numberArithmetic, type Binary } from '../arithmetic.ts';
import { inverted, otherArithmetic } from '../bits.ts';
import { differs, unconverted, type Context, type Place } from '../context.ts';
import { jsonOperator, numberOfJson } from '../json-path.ts';
import { isOpen, settled, sql, condition, float, isKind, isNullable, isNumber, isTime, loose, operand, value, type Value } from '../value.ts'; // prettier-ignore
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
import { truth } from '../implicit.ts';
import { allEqual, compared, comparison, isComparison } from './comparison.ts';

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

const LESS: ReadonlySet<string> = new Set(['<', '<=', '>', '>=']);

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
