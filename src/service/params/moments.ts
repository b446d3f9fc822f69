// Values of dates and times that depend on the call: relative times that it sends, and relative defaults.
import type { PathFinding } from '../../sql/base/finding.ts';
import type { Parameter } from '../config/generated/endpoint.ts';
import { misplaced, type CompiledConstraints } from './constraints.ts';
import { failure, type RawValue, type Reading, type ReadValue } from './reading.ts';
import {
  isRelative,
  momentOfCall,
  parseEvery,
  parseRelative,
  resolveFrom,
  type Moment,
  type RelativeTime,
  type Rounding,
} from './relative.ts';
import type { TimeScale } from './time.ts';
import type { ParameterType } from './type.ts';
import { instantOf, NANOS_PER_MS, toMs } from './zone.ts';

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
export interface Base {
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
