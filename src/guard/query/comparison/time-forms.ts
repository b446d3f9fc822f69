// Calls that round a time as a plainer call does: conversions to its day, and intervals of one unit.
import { typeOf } from '../confinement/types.ts';
import { isDate, isDateTime, isNullable, plainTypeOf } from '../../../sql/types/traits.ts';
import { parseType } from '../../../sql/types/type.ts';
import type { Expression, FunctionExpression } from '../tree/nodes.ts';

/** Each unit has a function that rounds to it, and the kind of type of its result. */
const ROUNDED: ReadonlyMap<string, readonly [name: string, type: string]> = new Map(Object.entries({
  minute: ['toStartOfMinute', 'DateTime'], hour: ['toStartOfHour', 'DateTime'], day: ['toStartOfDay', 'DateTime'],
  week: ['toMonday', 'Date'], month: ['toStartOfMonth', 'Date'], quarter: ['toStartOfQuarter', 'Date'], year: ['toStartOfYear', 'Date'],
})); // prettier-ignore

/** Functions for which the day of a time is as good as the time. */
const OF_DAYS: ReadonlySet<string> = new Set([
  'toMonday',
  'toStartOfMonth',
  'toStartOfQuarter',
  'toStartOfYear',
]);

/** The plainer call; the call itself if there is none. */
export function timeForm(call: FunctionExpression): FunctionExpression {
  const [first, second] = call.arguments;
  if (first === undefined) return call;
  switch (call.name) {
    case 'CAST':
    case '_CAST':
    case 'accurateCast':
      return isDayOf(first, call.type) ? { ...call, name: 'toDate', arguments: [first] } : call;
    case 'toDate':
      return isNow(first) && second === undefined ? { ...call, name: 'today', arguments: [] } : call;
    case 'dateTrunc':
      return second === undefined ? call : rounded(call, unitIn(first), second);
    case 'toStartOfInterval':
      return second === undefined ? call : rounded(call, unitOf(second), first);
    default:
      if (call.name.startsWith('toInterval')) return plainInterval(call, first);
      return OF_DAYS.has(call.name) && isNow(first) && second === undefined ? ofToday(call, first) : call;
  }
}

/** `INTERVAL '2' DAY` as `INTERVAL 2 DAY`. */
function plainInterval(call: FunctionExpression, count: Expression): FunctionExpression {
  const digits = count.kind === 'constant' ? /^'(\d{1,9})'$/.exec(count.text)?.[1] : undefined;
  if (digits === undefined) return call;
  return { ...call, arguments: [{ kind: 'constant', text: `UInt64_${Number(digits)}`, type: 'UInt8' }] };
}

/** `day >= today() - 7` as `day > today() - 8`, of dates. */
export function wholeDays(call: FunctionExpression): FunctionExpression {
  const [left, right] = call.arguments;
  if (left === undefined || right === undefined || call.name !== 'lessOrEquals') return call;
  const [lower, upper] = [shiftedDay(left, 1, right), shiftedDay(right, -1, left)];
  if (lower !== undefined) return { ...call, name: 'less', arguments: [lower, right] };
  return upper === undefined ? call : { ...call, name: 'less', arguments: [left, upper] };
}

/** `today() - n`, moved by so many days, beside a column of dates. */
function shiftedDay(moment: Expression, by: number, beside: Expression): Expression | undefined {
  if (moment.kind !== 'function' || moment.type !== 'Date') return undefined;
  if (moment.name !== 'minus' && moment.name !== 'subtractDays') return undefined;
  const [given, days] = moment.arguments;
  // A CAST of now() is toDate(now()), which is today().
  const from = given?.kind === 'function' ? timeForm(timeForm(given)) : given;
  if (from?.kind !== 'function' || from.name !== 'today') return undefined;
  if (beside.kind !== 'column' || plainTypeOf(beside.type).name !== 'Date') return undefined;
  const interval = days?.kind === 'function' ? timeForm(days) : undefined;
  const amount = interval?.name === 'toIntervalDay' ? interval.arguments[0] : days;
  const count = amount?.kind === 'constant' ? /^U?Int64_(\d{1,5})$/.exec(amount.text)?.[1] : undefined;
  if (count === undefined || Number(count) + by < 0) return undefined;
  const moved = { kind: 'constant', text: `UInt64_${Number(count) + by}`, type: 'UInt8' } as const;
  return { ...moment, name: 'minus', arguments: [from, moved] };
}

function isDayOf(value: Expression, type: string): boolean {
  const from = parseType(typeOf(value));
  return type === 'Date' && isDateTime(plainTypeOf(typeOf(value))) && !isNullable(from);
}

function isNow(value: Expression): boolean {
  return value.kind === 'function' && value.name === 'now' && value.arguments.length === 0;
}

function ofToday(call: FunctionExpression, now: Expression): FunctionExpression {
  if (now.kind !== 'function') return call;
  return { ...call, arguments: [{ ...now, name: 'today', type: 'Date', arguments: [] }] };
}

/** With a third argument, a time zone or an origin, the call stays. */
function rounded(call: FunctionExpression, unit: string | undefined, time: Expression): FunctionExpression {
  const [name, type] = ROUNDED.get(unit ?? '') ?? [];
  const from = plainTypeOf(typeOf(time));
  const isTime = isDateTime(from) || (type === 'Date' && isDate(from));
  const isLike = type === 'Date' ? isDate(plainTypeOf(call.type)) : isDateTime(plainTypeOf(call.type));
  const isKnown = isTime && isLike && !isNullable(parseType(typeOf(time))) && call.arguments.length === 2;
  return name === undefined || !isKnown ? call : { ...call, name, arguments: [time] };
}

function unitIn(constant: Expression): string | undefined {
  return constant.kind === 'constant' ? /^'(\w+)'$/.exec(constant.text)?.[1]?.toLowerCase() : undefined;
}

/** The unit of an interval of one of them. */
function unitOf(interval: Expression): string | undefined {
  if (interval.kind !== 'function') return undefined;
  const [count] = interval.arguments;
  const isOne = count?.kind === 'constant' && /^U?Int64_1$/.test(count.text);
  return isOne ? /^toInterval(\w+)$/.exec(interval.name)?.[1]?.toLowerCase() : undefined;
}
