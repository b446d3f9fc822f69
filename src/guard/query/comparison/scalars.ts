// Constants as values that can be compared, and times as an expression plus a number of seconds.
import type { Texts } from './canonical.ts';
import { plainForm } from './plain-form.ts';
import { typeOf } from '../confinement/types.ts';
import { isDate, isDateTime, plainTypeOf } from '../../../sql/types/traits.ts';
import type { ClickHouseType } from '../../../sql/types/type.ts';
import type { Expression } from '../tree/nodes.ts';

/** Numbers, times in seconds since 1970, and strings as the engine prints them. */
export type Scalar = number | bigint | string;

/** The order of two values; undefined if it is not known, as that of strings with escapes is not. */
export function orderOf(a: Scalar, b: Scalar): 'less' | 'equal' | 'greater' | undefined {
  if (typeof a === 'string' && typeof b === 'string') {
    if (a === b) return 'equal';
    return PLAIN.test(a) && PLAIN.test(b) ? (a < b ? 'less' : 'greater') : undefined;
  }
  if (typeof a === 'string' || typeof b === 'string') return undefined;
  if (a < b) return 'less';
  return a > b ? 'greater' : 'equal';
}

/** Strings whose order is that of their bytes. */
const PLAIN = /^[ -[\]-~]*$/;

/** The number that a constant is, by its text in the tree; conditions are 0 and 1. */
export function numberIn(text: string): number | bigint | undefined {
  const truth = /^(?:Bool_)?(true|false)$|^Bool_([01])$/.exec(text);
  if (truth !== null) return truth[1] === 'true' || truth[2] === '1' ? 1n : 0n;
  const whole = /^U?Int(?:64|128|256)_(-?\d+)$/.exec(text)?.[1];
  if (whole !== undefined) return BigInt(whole);
  const digits = /^(?:Float64|Decimal\d+)_'?(-?\d+(?:\.\d+)?)'?$/.exec(text)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

/** The characters of a string constant, with the engine's escapes. */
export function stringIn(text: string): string | undefined {
  return /^'([^]*)'$/.exec(text)?.[1];
}

const SECONDS: Readonly<Record<string, number>> = {
  Second: 1, Minute: 60, Hour: 3_600, Day: 86_400, Week: 604_800, Month: 2_629_746, Quarter: 7_889_238, Year: 31_556_952,
}; // prettier-ignore

/** A time: an expression, or none for a constant, and the seconds after it. */
export interface Moment {
  /** '' for a constant time. */
  readonly base: string;
  readonly seconds: number;
}

/** A constant time, or an expression plus an interval. */
export function momentOf(expression: Expression, texts: Texts): Moment {
  const plain = expression.kind === 'function' ? plainForm(expression) : expression;
  const constant = constantTime(plain);
  if (constant !== undefined) return { base: '', seconds: constant };
  const whole = { base: texts.expression(plain), seconds: 0 };
  if (plain.kind !== 'function' || (plain.name !== 'plus' && plain.name !== 'minus')) return whole;
  const [from, interval] = plain.arguments;
  const length = from && interval && lengthOf(interval, from);
  if (from === undefined || length === undefined) return whole;
  const inner = momentOf(from, texts);
  const moved = length * (plain.name === 'plus' ? 1 : -1);
  return { base: inner.base, seconds: inner.seconds + moved };
}

/** The seconds of an interval; a number is one of days beside a date, and of seconds beside a time. */
function lengthOf(interval: Expression, from: Expression): number | undefined {
  const plain = interval.kind === 'function' ? plainForm(interval) : interval;
  const isCall = plain.kind === 'function';
  const amount = isCall ? plain.arguments[0] : plain;
  const count = amount?.kind === 'constant' ? numberIn(amount.text) : undefined;
  const name = isCall ? /^toInterval(\w+)$/.exec(plain.name)?.[1] : unitBeside(plainTypeOf(typeOf(from)));
  const unit = SECONDS[name ?? ''];
  return unit === undefined || count === undefined ? undefined : Number(count) * unit;
}

function unitBeside(type: ClickHouseType): string | undefined {
  if (isDate(type)) return 'Day';
  return isDateTime(type) ? 'Second' : undefined;
}

/** `'2024-01-01'` and `toDateTime('2024-01-01 10:00:00')`, in seconds. */
function constantTime(expression: Expression): number | undefined {
  if (expression.kind === 'function') {
    const [only, ...zone] = expression.arguments;
    const isTime = /^(?:toDate(?:Time)?(?:32|64)?|parseDateTime\w*|_?CAST)$/.test(expression.name);
    return isTime && only !== undefined && zone.every(({ kind }) => kind === 'constant')
      ? constantTime(only)
      : undefined;
  }
  return expression.kind === 'constant' ? secondsIn(expression.text) : undefined;
}

/** The time that a string constant is. */
export function secondsIn(constant: string): number | undefined {
  const text = /^'(\d{4}-\d\d-\d\d)(?:[ T](\d\d:\d\d:\d\d(?:\.\d+)?))?'$/.exec(constant);
  if (text === null) return undefined;
  const seconds = Date.parse(`${text[1] ?? ''}T${text[2] ?? '00:00:00'}Z`) / 1000;
  return Number.isNaN(seconds) ? undefined : seconds;
}
