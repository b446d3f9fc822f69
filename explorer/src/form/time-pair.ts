// The two time parameters that are the bounds of one range, by their types and names.
import { rangeOf, type TimeRange } from '../time-range/range.ts';
import { isAbsolute, timeTypeOf } from './time.ts';
import type { Endpoint, Parameter } from '../service/listing.ts';

export interface TimePair {
  readonly from: Parameter;
  readonly to: Parameter;
}

const NAMES: readonly (readonly [from: string, to: string])[] = [
  ['from', 'to'],
  ['start', 'end'],
  ['since', 'until'],
  ['after', 'before'],
  ['begin', 'end'],
];

/** Undefined unless there is exactly one pair: with several, one control would not say which. */
export function timePairOf({ parameters }: Pick<Endpoint, 'parameters'>): TimePair | undefined {
  const times = parameters.filter(isOpenTime);
  const pairs = times.flatMap((from) =>
    partnersOf(from.name).flatMap((name): readonly TimePair[] => {
      const to = times.find((each) => each.name === name);
      return to === undefined ? [] : [{ from, to }];
    }),
  );
  return pairs.length === 1 ? pairs[0] : undefined;
}

/** The range of the two values; undefined if both are empty or they are no range. */
export function pairRange(
  { from, to }: TimePair,
  values: Readonly<Record<string, string>>,
): TimeRange | undefined {
  const [start = '', end = ''] = [values[from.name], values[to.name]];
  const isRead = [from, to].every(
    ({ name, type }) => timeTypeOf(type)?.zone === undefined || isAbsolute(values[name] ?? ''),
  );
  return isRead ? rangeOf(start, end) : undefined;
}

/** Returns whether the control can show the values without loss: a range, or nothing. */
export function isPairShown(pair: TimePair, values: Readonly<Record<string, string>>): boolean {
  const isEmpty = [pair.from, pair.to].every(({ name }) => (values[name] ?? '') === '');
  return isEmpty || pairRange(pair, values) !== undefined;
}

/** Dates have no time of day. */
function isOpenTime({ type, locked, enum: choices, multiple }: Parameter): boolean {
  return timeTypeOf(type)?.isDay === false && locked !== true && choices === undefined && multiple !== true;
}

/** `iso_timestamp_start` → `iso_timestamp_end`. */
function partnersOf(name: string): readonly string[] {
  const words = name.split('_');
  return NAMES.flatMap(([from, to]) =>
    words.includes(from) ? [words.map((word) => (word === from ? to : word)).join('_')] : [],
  );
}
