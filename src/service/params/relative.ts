// Times relative to a call or to another parameter, in Grafana's grammar: `now-1d/d`, `@from + 1h`.
// https://grafana.com/docs/grafana/latest/dashboards/use-dashboards/#time-units-and-relative-ranges
import { addUnits, startOfUnit, type CalendarUnit } from './calendar-units.ts';
import { NANOS_PER_MS, toMs, type OffsetAt } from './zone.ts';

/** A parsed expression. */
export interface RelativeTime {
  /** Undefined: the time of the call; otherwise the name of a parameter. */
  readonly parameter: string | undefined;
  readonly steps: readonly Step[];
}

type Step =
  | { readonly kind: 'add'; readonly count: number; readonly unit: CalendarUnit }
  | { readonly kind: 'round'; readonly unit: CalendarUnit };

/** Which bound of a range a parameter is, as listed in the schema of endpoint files. */
export type Bound = 'start' | 'end' | 'last';

/** How the values of a parameter are rounded. */
export interface Rounding {
  readonly bound: Bound;
  /** Nanoseconds to whose multiples values that depend on the time of the call are rounded; undefined: they are not. */
  readonly every: bigint | undefined;
  /** Nanoseconds of the type's last digit. */
  readonly tick: bigint;
  /** Undefined: UTC. */
  readonly offsetAt: OffsetAt | undefined;
}

/** A point in time. */
export interface Moment {
  /** Nanoseconds since 1970. */
  readonly nanos: bigint;
  /** Nanoseconds of the clock until it is another one; undefined: it does not depend on the clock. */
  readonly lasts: bigint | undefined;
}

const MAX_LENGTH = 100;
const MAX_STEPS = 10;
const BASE = /^(?:now(?![A-Za-z0-9_])|@(?<parameter>[A-Za-z_][A-Za-z0-9_]{0,63}))/;
/** In a URL, `+` decodes to a space. */
const STEP = /(?:\s*(?<operator>[-+/])\s*|\s+(?=\d))(?<count>\d{1,6})?(?<unit>[smhdwMQy])(?![A-Za-z0-9_])/y;

/** Returns whether a string can only be meant as a time relative to the call. */
export function isRelative(raw: unknown): raw is string {
  return typeof raw === 'string' && /^\s*now(?![A-Za-z0-9_])/.test(raw);
}

/** Undefined if the string is no expression. */
export function parseRelative(raw: string): RelativeTime | undefined {
  const text = raw.trim();
  const base = text.length > MAX_LENGTH ? null : BASE.exec(text);
  if (base === null) return undefined;
  const steps: Step[] = [];
  for (let at = base[0].length; at < text.length; at = STEP.lastIndex) {
    STEP.lastIndex = at;
    const { operator = '+', count, unit } = STEP.exec(text)?.groups ?? {};
    if (unit === undefined || steps.length === MAX_STEPS || (operator === '/' && count !== undefined))
      return undefined;
    steps.push(stepOf(operator, Number(count ?? 1), unit as CalendarUnit)); // the expression matches no other letters
  }
  return { parameter: base.groups?.['parameter'], steps };
}

function stepOf(operator: string, count: number, unit: CalendarUnit): Step {
  if (operator === '/') return { kind: 'round', unit };
  return { kind: 'add', count: operator === '-' ? -count : count, unit };
}

/** Within a quarter of an hour, no zone's clocks change and no day begins. */
const QUARTER = 900_000n * NANOS_PER_MS;

/** The time that the steps lead to from `base`. Undefined if it is beyond what dates can express. */
export function resolveFrom(base: Moment, steps: readonly Step[], rounding: Rounding): Moment | undefined {
  const { every, tick } = rounding;
  const isMoving = base.lasts !== undefined;
  const all: readonly Rounder[] = [
    ...steps.map((step) => rounderOf(step, rounding)),
    ...(isMoving && every !== undefined && every > tick ? [roundTo(every, rounding)] : []),
    ...(isMoving ? [roundTo(tick, rounding)] : []),
  ];
  let { nanos, lasts } = base;
  for (const round of all) {
    const next = round(nanos);
    if (next === undefined) return undefined;
    // A value that lasts is rounded to one that lasts at least as long.
    if (lasts === 0n && next.lasts !== undefined) ({ lasts } = next);
    ({ nanos } = next);
  }
  return { nanos, lasts };
}

/** The time of a call, which is another one immediately. */
export function momentOfCall(now: number): Moment {
  return { nanos: BigInt(now) * NANOS_PER_MS, lasts: 0n };
}

/** Until when calls made at `now` or later have this value; milliseconds since 1970, exclusive. */
export function untilOf({ lasts }: Moment, now: number): number {
  if (lasts === undefined) return Infinity;
  const quarter = QUARTER - ((BigInt(now) * NANOS_PER_MS) % QUARTER);
  return now + Math.max(1, toMs((lasts < quarter ? lasts : quarter) + NANOS_PER_MS - 1n));
}

/** The result of a step, and for how long the same argument, moving with the clock, leads to it; undefined: it moves as well. */
type Rounder = (nanos: bigint) => Moment | undefined;

function rounderOf(step: Step, { bound, tick, offsetAt }: Rounding): Rounder {
  return (nanos) => {
    if (step.kind === 'add') {
      const sum = addUnits(nanos, step.count, step.unit, offsetAt);
      return sum === undefined ? undefined : { nanos: sum, lasts: undefined };
    }
    const start = startOfUnit(nanos, step.unit, offsetAt);
    const end = start === undefined ? undefined : addUnits(start, 1, step.unit, offsetAt);
    if (start === undefined || end === undefined) return undefined;
    const last = end - tick < start ? start : end - tick;
    return { nanos: { start, end, last }[bound], lasts: end - nanos };
  };
}

/** Rounds to multiples, counted from midnight of 1970-01-01 in the zone. Rounding up leaves multiples as they are. */
function roundTo(size: bigint, { bound, tick, offsetAt }: Rounding): Rounder {
  return (nanos) => {
    const ahead = BigInt(offsetAt?.(toMs(nanos)) ?? 0) * NANOS_PER_MS;
    const past = (((nanos + ahead) % size) + size) % size;
    const start = nanos - past;
    if (bound === 'end' && past === 0n) return { nanos, lasts: 1n };
    return { nanos: { start, end: start + size, last: start + size - tick }[bound], lasts: size - past };
  };
}

const SECOND = 1000n * NANOS_PER_MS;
const DURATIONS: Readonly<Record<string, bigint>> = {
  s: SECOND,
  m: 60n * SECOND,
  h: 3600n * SECOND,
  d: 86_400n * SECOND,
};

/** Nanoseconds of the duration of a rounding, `60s`; its format has already been checked by the schema. */
export function parseEvery(text: string): bigint {
  return BigInt(Number.parseInt(text, 10)) * (DURATIONS[text.slice(-1)] ?? SECOND);
}
