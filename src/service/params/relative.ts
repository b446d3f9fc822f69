// Times relative to a call or to another parameter, in Grafana's grammar, `now-1d/d` and `@from + 1h`: values and defaults that depend on the call.
import { addUnits, startOfUnit, type CalendarUnit } from './calendar-units.ts';
import { NANOS_PER_MS, toMs, type OffsetAt, instantOf } from './zone.ts';
import type { PathFinding } from '../../sql/base/finding.ts';
import type { Parameter } from '../config/generated/endpoint.ts';
import { misplaced, type CompiledConstraints } from './constraints.ts';
import { failure, type RawValue, type Reading, type ReadValue } from './reading.ts';
import type { TimeScale } from './time.ts';
import type { ParameterType } from './type.ts';

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
type Bound = 'start' | 'end' | 'last';

/** How the values of a parameter are rounded. */
interface Rounding {
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
function parseEvery(text: string): bigint {
  return BigInt(Number.parseInt(text, 10)) * (DURATIONS[text.slice(-1)] ?? SECOND);
}

/** A parsed value, and the time that other parameters are computed from. */
export interface Timed {
  readonly reading: Reading;
  /** Undefined if the reading is a failure. */
  readonly moment: Moment | undefined;
}

/** Reads what depends on the call, for one parameter with a type of dates or times. */
export interface MomentReader {
  readonly scale: TimeScale;
  /** The default, if it is relative. */
  readonly fallback: RelativeTime | undefined;
  /** The value of a string such as `now-24h` in a call made at `now`; undefined if the value sent is none. */
  readonly read: (raw: RawValue | undefined, now: number) => Timed | undefined;
  /** The time of a value that does not depend on the call. */
  readonly momentOf: (value: ReadValue) => Moment;
  /** The value of an expression: `base` is the parameter that it names, or undefined for the time of the call. */
  readonly resolve: (relative: RelativeTime, base: Base | undefined, now: number) => Timed;
}

/** The value of another parameter, and its type. */
interface Base {
  readonly moment: Moment;
  readonly scale: TimeScale;
}

const NOT_RELATIVE =
  'must be a time such as now, now-24h or now-1d/d: numbers of s, m, h, d, w, M, Q or y, added, subtracted or rounded to';

/** Undefined for other types, whose declaration must not say how times are rounded. */
export function compileMoments(
  spec: Parameter,
  type: ParameterType,
  { accept }: CompiledConstraints,
  findings: PathFinding[],
): MomentReader | undefined {
  const scale = type.kind === 'scalar' ? type.scalar.time : undefined;
  if (scale === undefined) {
    for (const key of ['round', 'bound'] as const)
      if (spec[key] !== undefined) findings.push(misplaced(key, type, 'a date or time'));
    return undefined;
  }
  const every = spec.round === undefined ? undefined : parseEvery(spec.round);
  const rounding = {
    bound: spec.bound ?? 'start',
    every,
    tick: scale.tick,
    offsetAt: scale.offsetAt,
  } as const;
  const resolve: MomentReader['resolve'] = (relative, base, now) => {
    const start = base === undefined ? momentOfCall(now) : adapt(base, rounding, scale);
    const moment = resolveFrom(start, relative.steps, rounding);
    if (moment === undefined) return { reading: failure('is not a time that dates can express'), moment };
    const reading = accept(scale.readTicks(floorDivide(moment.nanos, scale.tick)));
    return { reading, moment: reading.kind === 'value' ? moment : undefined };
  };
  return {
    scale,
    resolve,
    fallback: fallbackOf(spec, findings),
    momentOf: ({ rank = 0n }) => ({ nanos: BigInt(rank) * scale.tick, lasts: undefined }),
    read: (raw, now) => {
      if (!isRelative(raw)) return undefined;
      const relative = parseRelative(raw);
      return relative === undefined
        ? { reading: failure(NOT_RELATIVE), moment: undefined }
        : resolve(relative, undefined, now);
    },
  };
}

/** Returns whether a default of a date or time is computed for each call. */
export function isExpression(value: unknown): value is string {
  return isRelative(value) || (typeof value === 'string' && /^\s*@/.test(value));
}

function fallbackOf({ default: value }: Parameter, findings: PathFinding[]): RelativeTime | undefined {
  if (!isExpression(value)) return undefined;
  const relative = parseRelative(value);
  if (relative === undefined) {
    findings.push({
      path: ['default'],
      code: 'parameter.default_invalid',
      message: 'the default is no valid expression for a time',
      hint: 'Write, for example, now-24h, now/d or @from + 1h; the units are s, m, h, d, w, M, Q and y',
    });
  }
  return relative;
}

/** A date is midnight in the zone of the time that is computed from it, and a time is the date in its own zone. */
function adapt({ moment, scale }: Base, { offsetAt }: Rounding, { isDate }: TimeScale): Moment {
  const ms = toMs(moment.nanos);
  if (scale.isDate && !isDate && offsetAt !== undefined)
    return { ...moment, nanos: BigInt(instantOf(ms, offsetAt)) * NANOS_PER_MS };
  if (isDate && scale.offsetAt !== undefined)
    return { ...moment, nanos: moment.nanos + BigInt(scale.offsetAt(ms)) * NANOS_PER_MS };
  return moment;
}

function floorDivide(nanos: bigint, size: bigint): bigint {
  const rest = ((nanos % size) + size) % size;
  return (nanos - rest) / size;
}
