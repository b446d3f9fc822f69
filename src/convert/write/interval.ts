// Intervals, and arithmetic with times.
import { joinSql, sql, type Sql } from '../../dialects/sql.ts';
import type { Expression, Unit } from '../../sql/syntax-tree.ts';
import { unconverted, type Context } from '../../dialects/context.ts';
import { timestampLiteral } from './time-literal.ts';
import { isKind, isNullable, isTime, loose, operand, value, type Value } from '../../dialects/value.ts';

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

function multiplied({
  operator,
  left,
  right,
}: Extract<Expression, { kind: 'binary' }>): readonly Span[] | undefined {
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

const SECONDS: Readonly<Record<string, number>> = {
  MILLISECOND: 0.001,
  MICROSECOND: 1e-6,
  SECOND: 1,
  MINUTE: 60,
  HOUR: 3600,
  DAY: 86_400,
  WEEK: 604_800,
};
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
const LARGE: Readonly<Record<string, number>> = { CENTURY: 100, DECADE: 10 };

/** An interval as a number of seconds. */
export function secondsOf(spans: readonly Span[], context: Context): Value {
  const parts = spans.map(({ value: amount, unit }) => {
    const factor = SECONDS[unit.name];
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

/** The unit's interval in ClickHouse. */
function intervalSql({ value: amount, unit }: Span, context: Context): Sql {
  const { name, factor } =
    LARGE[unit.name] === undefined
      ? { name: unit.name, factor: 1 }
      : { name: 'YEAR', factor: LARGE[unit.name] ?? 1 };
  if (!ORDER.includes(name)) unconverted(unit.at, 'type', `The unit ${unit.name} is not supported`);
  const title = name.charAt(0) + name.slice(1).toLowerCase();
  if (amount.kind === 'number' || (amount.kind === 'string' && /^[+-]?\d+$/.test(amount.value))) {
    const amountText = amount.kind === 'number' ? amount.text : amount.value;
    if (/^-?\d+$/.test(amountText)) return `INTERVAL ${Number(amountText) * factor} ${name}`;
    return fractionSql(Number(amountText), unit);
  }
  const written = context.write(amount, context);
  if (written.type.kind === 'text') return sql`toInterval${title}(toInt64(${written.sql}))`;
  if (written.type.kind === 'int' || written.type.kind === 'unknown')
    return sql`toInterval${title}(${factor === 1 ? written.sql : sql`${operand(written)} * ${String(factor)}`})`;
  const seconds = SECONDS[name];
  if (seconds === undefined)
    return unconverted(unit.at, 'type', `A fraction of a ${name.toLowerCase()} is not supported`);
  return sql`toIntervalMicrosecond(toInt64(round(${operand(written)} * ${String(seconds * 1e6)})))`;
}

/** `INTERVAL '1.5' HOUR`. */
function fractionSql(amount: number, unit: Unit): string {
  const seconds =
    (SECONDS[unit.name] ??
      unconverted(unit.at, 'type', `A fraction of a ${unit.name.toLowerCase()} is not supported`)) * amount;
  if (Number.isInteger(seconds)) return `INTERVAL ${seconds} SECOND`;
  return `INTERVAL ${Math.round(seconds * 1e6)} MICROSECOND`;
}

const ofDays: ReadonlySet<string> = new Set(['CENTURY', 'DECADE', 'YEAR', 'QUARTER', 'MONTH', 'WEEK', 'DAY']);

/** A time with an interval added or subtracted, the largest units first. */
export function shifted(
  base: Value,
  operator: '+' | '-',
  { spans, at }: { readonly spans: readonly Span[]; readonly at: number },
  context: Context,
): Value {
  const literal =
    base.type.kind === 'text' && base.literal !== undefined ? timestampLiteral(base.literal) : undefined;
  const time = literal ?? base;
  if (!isTime(time) && time.type.kind !== 'unknown')
    return unconverted(
      at,
      'type',
      'An interval can only be added to a time',
      'Cast the value to a date or a timestamp.',
    );
  const sorted = [...spans].toSorted((a, b) => ORDER.indexOf(a.unit.name) - ORDER.indexOf(b.unit.name));
  const parts = sorted.map((span) => sql` ${operator} ${intervalSql(span, context)}`);
  const isWhole = spans.every(({ unit }) => ofDays.has(unit.name));
  const isDate = (time.type.kind === 'date' || time.type.isDate === true) && isWhole;
  // PostgreSQL and others make a timestamp of a date and an interval; Trino, Snowflake and BigQuery keep the date.
  const staysDate = time.type.kind === 'date' && isWhole;
  return loose(
    staysDate ? 'date' : time.type.kind === 'unknown' ? 'unknown' : 'timestamp',
    sql`${operand(time)}${joinSql(parts, '')}`,
    time.type.isNullable || spans.some(({ value: amount }) => amount.kind !== 'number'),
    isDate && !staysDate ? { isDate: true } : {},
  );
}

/** The difference of two times: days for dates, otherwise seconds. */
export function difference(left: Value, right: Value, context: Context): Value {
  const nullable = isNullable(left, right);
  const isDays = isKind(left, 'date') && isKind(right, 'date');
  if (isDays && context.shared.dialect !== 'trino')
    return value('int', sql`dateDiff('day', ${right.sql}, ${left.sql})`, nullable, { scale: 0 });
  if (isDays) return loose('seconds', sql`dateDiff('day', ${right.sql}, ${left.sql}) * 86400`, nullable);
  return loose('seconds', sql`dateDiff('microsecond', ${right.sql}, ${left.sql}) / 1000000`, nullable);
}
