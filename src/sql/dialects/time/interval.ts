// Intervals, and arithmetic with times.
import { roundHalfAway } from '../exact.ts';
import { joinSql, onlyIf, sql, type Sql, float, isKind, isNullable, isTime, loose, operand, value, type Value, int } from '../value.ts'; // prettier-ignore
import type { Expression, Unit, Of } from '../tree.ts';
import { unconverted, type Context } from '../context.ts';
import { timestampLiteral } from './literal.ts';
import { day, isDay, moment, isOfDays, MICROSECONDS, MONTHS, secondsIn } from './moment.ts';
import { isOutOfRange, staysInRange, type Move, type Moved } from './range.ts';

/** One part of an interval. */
export interface Span {
  readonly value: Expression;
  readonly unit: Unit;
}

/** The parts of an expression that is an interval; undefined for other expressions. */
export function spansOf(expression: Expression): readonly Span[] | undefined {
  const { kind } = expression;
  if (kind === 'interval') return [expression];
  if (kind === 'intervals') return expression.parts;
  if (kind === 'cast')
    return expression.type.name === 'INTERVAL' ? fromConcatenation(expression.value) : undefined;
  if (kind === 'unary' && expression.operator === '-')
    return scaled(spansOf(expression.value), number('-1', expression.at));
  if (kind === 'binary') return multiplied(expression);
  return kind === 'call' && expression.name === 'make_interval' ? fromNamed(expression.args) : undefined;
}

const number = (text: string, at: number): Expression => ({ kind: 'number', text, at });

function multiplied({ operator, left, right }: Of<'binary'>): readonly Span[] | undefined {
  if (operator !== '*') return undefined;
  const spans = spansOf(left);
  return spans === undefined ? scaled(spansOf(right), left) : scaled(spans, right);
}

function scaled(spans: readonly Span[] | undefined, by: Expression): readonly Span[] | undefined {
  return spans?.map(({ value: own, unit }) => {
    const isOne = own.kind === 'number' && Number(own.text) === 1;
    return { unit, value: isOne ? by : { kind: 'binary', operator: '*', left: own, right: by, at: own.at } };
  });
}

const WORD = /^\s*(year|month|week|day|hour|minute|second)s?\s*$/i;

/** `(n || ' days')::interval`. */
function fromConcatenation(expression: Expression): readonly Span[] | undefined {
  if (expression.kind !== 'chain' || expression.operator !== '||') return undefined;
  const [amount, unit, more] = expression.values;
  const [, word] = unit?.kind === 'string' ? (WORD.exec(unit.value) ?? []) : [];
  if (amount === undefined || word === undefined || more !== undefined) return undefined;
  const plain = amount.kind === 'cast' ? amount.value : amount;
  return [{ value: plain, unit: { name: word.toUpperCase(), at: unit?.at ?? 0 } }];
}

const NAMED: Readonly<Record<string, string>> = {
  years: 'YEAR',
  months: 'MONTH',
  weeks: 'WEEK',
  days: 'DAY',
  hours: 'HOUR',
  mins: 'MINUTE',
  secs: 'SECOND',
};

function fromNamed(args: readonly Expression[]): readonly Span[] | undefined {
  const spans = args.map((each) => {
    const unit = each.kind === 'named_argument' ? NAMED[each.name.name.toLowerCase()] : undefined;
    return each.kind === 'named_argument' && unit !== undefined
      ? { value: each.value, unit: { name: unit, at: each.at } }
      : undefined;
  });
  return spans.every((each) => each !== undefined) ? spans : undefined;
}

const ORDER = [
  'CENTURY',
  'DECADE',
  'YEAR',
  'QUARTER',
  'MONTH',
  'WEEK',
  'DAY',
  'HOUR',
  'MINUTE',
  'SECOND',
  'MILLISECOND',
  'MICROSECOND',
  'NANOSECOND',
];
/** Returns years, for units that ClickHouse does not have. */
const yearsIn = (unit: string): number | undefined =>
  unit === 'CENTURY' || unit === 'DECADE' ? (MONTHS[unit] ?? 0) / 12 : undefined;

/** An interval as a number of seconds. */
export function secondsOf(spans: readonly Span[], context: Context): Value {
  const parts = spans.map(({ value: amount, unit }) => {
    const factor = secondsIn(unit.name);
    if (factor === undefined)
      return unconverted(
        unit.at,
        'type',
        `An interval of ${unit.name.toLowerCase()}s has no fixed length`,
        'Compare the times instead, or use days.',
      );
    if (amount.kind === 'number') return value('seconds', String(Number(amount.text) * factor), false);
    const written = context.write(amount, context);
    return value('seconds', sql`${operand(written)} * ${String(factor)}`, written.type.isNullable);
  });
  const built = joinSql(
    parts.map((each) => each.sql),
    ' + ',
  );
  return {
    sql: built,
    type: { kind: 'seconds', isNullable: isNullable(...parts) },
    isLoose: parts.length > 1 || String(built).includes('*'),
  };
}

/** The integer that a literal denotes; undefined for other expressions. */
export function integerOf(amount: Expression): bigint | undefined {
  if (amount.kind === 'unary' && amount.operator === '-') {
    const inner = integerOf(amount.value);
    return inner === undefined ? undefined : -inner;
  }
  const text = amount.kind === 'number' ? amount.text : amount.kind === 'string' ? amount.value : '';
  return /^[+-]?\d+$/.test(text) ? BigInt(text.replace('+', '')) : undefined;
}

/** An interval of ClickHouse; `amount` is the number of its units, if it is an integer. */
interface IntervalStep {
  readonly sql: Sql;
  readonly title: string;
  readonly amount?: bigint | Sql;
}

/** The unit's interval in ClickHouse. */
function stepOf({ value: amount, unit }: Span, context: Context): IntervalStep {
  const factor = yearsIn(unit.name);
  const name = factor === undefined ? unit.name : 'YEAR';
  const isKnown = ORDER.includes(name) && !(context.shared.isStrict && name === 'NANOSECOND');
  if (!isKnown) unconverted(unit.at, 'type', `The unit ${unit.name} is not supported`);
  const integer = integerOf(amount);
  const title = name.charAt(0) + name.slice(1).toLowerCase();
  if (integer !== undefined) {
    const times = integer * BigInt(factor ?? 1);
    return {
      sql: times < 0 ? `toInterval${title}(${times})` : `INTERVAL ${times} ${name}`,
      title,
      amount: times,
    };
  }
  const isRounded = context.shared.traits.roundsIntervals && name !== 'SECOND';
  if (amount.kind === 'number' && isRounded)
    return { sql: `INTERVAL ${roundedHalf(Number(amount.text)) * (factor ?? 1)} ${name}`, title };
  if (amount.kind === 'number') return { sql: fractionSql(Number(amount.text), unit), title };
  const written = context.write(amount, context);
  // BigQuery accepts integers only: what looks like a fraction is an integer of a type that is not known.
  if (isKind(written, 'text') && isRounded)
    return unconverted(amount.at, 'type', 'A string is used as a number of units', 'Cast it to a number.');
  if (isKind(written, 'text') || context.shared.isStrict) {
    const whole = isKind(written, 'int') ? written.sql : sql`toInt64(${float(written)})`;
    return { sql: sql`toInterval${title}(${whole})`, title, amount: whole };
  }
  return { sql: computed(written, { value: amount, unit }, { title, isRounded }), title };
}

/** Halves are rounded away from zero. */
const roundedHalf = (number: number): number => Math.sign(number) * Math.round(Math.abs(number));

/** An interval of a number of units that is computed. */
function computed(
  written: Value,
  { unit }: Span,
  { title, isRounded }: { readonly title: string; readonly isRounded: boolean },
): Sql {
  const factor = yearsIn(unit.name);
  if (isTime(written)) return unconverted(unit.at, 'type', 'A time is used as a number of units');
  if (isKind(written, 'int', 'unknown'))
    return sql`toInterval${title}(${factor === undefined ? written.sql : sql`${operand(written)} * ${String(factor)}`})`;
  if (isRounded) {
    const own = isKind(written, 'float') ? sql`round(${written.sql})` : roundHalfAway(written, 0).sql;
    return sql`toInterval${title}(toInt64(${own}))`;
  }
  const seconds = secondsIn(unit.name);
  if (seconds === undefined)
    return unconverted(unit.at, 'type', `A fraction of a ${title.toLowerCase()} is not supported`);
  return sql`toIntervalMicrosecond(toInt64(round(${operand(written)} * ${String(seconds * 1e6)})))`;
}

/** The interval as a value of its own, which ClickHouse has for one unit. */
export function intervalValue(span: Span, context: Context): Value {
  const isLiteral = integerOf(span.value) !== undefined;
  return value('interval', stepOf(span, context).sql, !isLiteral, { unit: span.unit.name });
}

/** `INTERVAL '1.5' HOUR`. */
function fractionSql(amount: number, unit: Unit): string {
  const seconds =
    (secondsIn(unit.name) ??
      unconverted(unit.at, 'type', `A fraction of a ${unit.name.toLowerCase()} is not supported`)) * amount;
  if (Number.isInteger(seconds)) return `INTERVAL ${seconds} SECOND`;
  return `INTERVAL ${Math.round(seconds * 1e6)} MICROSECOND`;
}

/** What is added, and where. */
export interface Shift {
  readonly spans: readonly Span[];
  readonly at: number;
  /** BigQuery's operators make a DATETIME of a DATE, its functions do not. */
  readonly isOperator?: boolean;
}

/** A time with an interval added or subtracted, the largest units first. */
export function shifted(
  base: Value,
  operator: '+' | '-',
  { spans, at, isOperator = false }: Shift,
  context: Context,
): Value {
  const literal =
    base.type.kind === 'text' && base.literal !== undefined ? timestampLiteral(base.literal) : undefined;
  const time = literal ?? base;
  if (isKind(time, 'null')) return time;
  if (!isTime(time) && time.type.kind !== 'unknown')
    return unconverted(
      at,
      'type',
      'An interval can only be added to a time',
      'Cast the value to a date or a timestamp.',
    );
  const sorted = withMonths(spans).toSorted(
    (a, b) => ORDER.indexOf(a.unit.name) - ORDER.indexOf(b.unit.name),
  );
  checkRange(time, operator, sorted, at);
  const steps = sorted.map((span) => stepOf(span, context));
  // A fraction of a day is written in seconds.
  const isWhole =
    spans.every(({ unit }) => isOfDays(unit.name)) && !steps.some((each) => /second/i.test(String(each.sql)));
  const isCivil = time.type.kind === 'date' && isOperator && context.shared.traits.hasDatetime;
  const staysDay = isDay(time) && isWhole && !isCivil;
  const start = time.type.kind === 'unknown' ? operand(time) : staysDay ? day(time) : moment(time);
  const isChecked = context.isEvaluated === true && time.literal === undefined;
  const own = steps.reduce((moved: Sql, step) => {
    const base = { time: { ...time, sql: moved, type: { ...time.type, isWide: true } }, isDay: staysDay };
    return sql`${moved} ${operator} ${isChecked ? checked(step, operator, base) : step.sql}`;
  }, start);
  const nullable = time.type.isNullable || spans.some(({ value: amount }) => integerOf(amount) === undefined);
  return loose(resultKind(time, { isCivil, staysDay }), own, nullable, {
    ...(time.type.kind === 'unknown' ? {} : { isWide: true }),
    ...(staysDay && time.type.kind !== 'date' ? { isDate: true } : {}),
  });
}

/** An interval whose addition is an error if there is no such time: the engine would return the last one that there is. */
function checked({ sql: own, title, amount }: IntervalStep, operator: '+' | '-', base: Moved): Sql {
  if (amount === undefined) return own;
  const isKnown = typeof amount === 'bigint';
  const move = operator === '+' ? amount : isKnown ? -amount : sql`-(${amount})`;
  const condition = staysInRange(base, title.toUpperCase(), move);
  return sql`toInterval${title}(${onlyIf(isKnown ? String(amount) : amount, condition)})`;
}

/** An interval that is a value, and whose addition is such an error. */
export function checkedInterval({ sql: own, type }: Value, operator: '+' | '-', base: Moved): Sql {
  const { unit = 'DAY' } = type;
  const title = unit.charAt(0) + unit.slice(1).toLowerCase();
  return checked({ sql: own, title, amount: sql`toInt64(${own})` }, operator, base);
}

/** Years and months of literals as months: February 29, 14 months later, is the 29th again. */
function withMonths(spans: readonly Span[]): readonly Span[] {
  const [first, ...more] = spans.filter(({ unit }) => unit.name in MONTHS);
  if (first === undefined || more.length === 0) return spans;
  const counts = [first, ...more].map(({ value: amount, unit }) => {
    const integer = integerOf(amount);
    return integer === undefined ? undefined : integer * BigInt(MONTHS[unit.name] ?? 1);
  });
  const known = counts.filter((each) => each !== undefined);
  if (known.length < counts.length)
    return unconverted(first.unit.at, 'type', 'Years and months are added together only as literals');
  const text = known.reduce((sum, each) => sum + each, 0n).toString();
  const amount: Expression = { kind: 'string', at: first.value.at, value: text };
  return [
    { value: amount, unit: { ...first.unit, name: 'MONTH' } },
    ...spans.filter(({ unit }) => !(unit.name in MONTHS)),
  ];
}

function resultKind(
  { type }: Value,
  { isCivil, staysDay }: { isCivil: boolean; staysDay: boolean },
): Value['type']['kind'] {
  if (isCivil) return 'datetime';
  if (type.kind !== 'date') return type.kind;
  return staysDay ? 'date' : 'timestamp';
}

/** Of literals, it is known that the result does not exist; of others, the engine returns the last time that does. */
function checkRange(time: Value, operator: '+' | '-', spans: readonly Span[], at: number): void {
  const moves = spans.map(({ value: amount, unit }): Move | undefined => {
    const integer = integerOf(amount);
    return integer === undefined
      ? undefined
      : { unit: unit.name, amount: operator === '-' ? -integer : integer };
  });
  const known = moves.filter((each) => each !== undefined);
  if (time.literal === undefined || known.length < moves.length) return;
  if (isOutOfRange(time.literal, known)) unconverted(at, 'type', 'The result is not in the years 1 to 9999');
}

/** The difference of two times: days for dates, otherwise seconds. */
export function difference(left: Value, right: Value, context: Context): Value {
  const nullable = isNullable(left, right);
  const isDays = isKind(left, 'date') && isKind(right, 'date');
  const days = sql`dateDiff('day', ${day(right)}, ${day(left)})`;
  if (isDays && context.shared.traits.dateDifference === 'days') return int(days, nullable);
  if (isDays) return loose('seconds', sql`${days} * 86400`, nullable);
  return loose(
    'seconds',
    sql`dateDiff('microsecond', ${moment(right)}, ${moment(left)}) / 1000000`,
    nullable,
  );
}

/** An interval of ClickHouse as a string: `1-2 3 4:5:6.789`. */
export function intervalText({ sql: own, type }: Value): Sql {
  const { unit = '' } = type;
  const months = MONTHS[unit];
  const isDays = unit === 'DAY' || unit === 'WEEK';
  const factor = months ?? (isDays ? (unit === 'WEEK' ? 7 : 1) : (MICROSECONDS[unit] ?? 1));
  const count = sql`toInt64(${own}) * ${String(factor)}`;
  const sign = sql`if(${count} < 0, '-', '')`;
  if (months !== undefined)
    return sql`concat(${sign}, toString(intDiv(abs(${count}), 12)), '-', toString(abs(${count}) % 12), ' 0 0:0:0')`;
  if (isDays) return sql`concat('0-0 ', toString(${count}), ' 0:0:0')`;
  const fraction = sql`replaceRegexpOne(concat('.', leftPad(toString(abs(${count}) % 1000000), 6, '0')), '[.]000000$|000$', '')`;
  const seconds = sql`toString(intDiv(abs(${count}), 1000000) % 60)`;
  return sql`concat('0-0 0 ', ${sign}, toString(intDiv(abs(${count}), 3600000000)), ':', toString(intDiv(abs(${count}), 60000000) % 60), ':', ${seconds}, ${fraction})`;
}
