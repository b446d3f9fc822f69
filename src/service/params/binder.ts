// Binds the raw parameters of a call to typed values, or throws one Problem that lists all errors.
import { nearest, withSuggestion } from '../../sql/base/nearest.ts';
import { Problem } from '../../sql/base/problem.ts';
import type { ProblemDetail } from '../../sql/base/problem.ts';
import type { CompiledParameter } from './parameter.ts';
import {
  type MomentReader,
  type Timed,
  isRelative,
  parseRelative,
  untilOf,
  type Moment,
  type RelativeTime,
} from './relative.ts';
import { isRawScalar, type RawScalar, type RawValue } from './reading.ts';

/** The parameters of a call as typed values. Not guaranteed: that the query uses them all. */
export interface Bindings {
  /** By parameter name, in ClickHouse's text format (unescaped); null is NULL. One entry per declared parameter. */
  readonly values: Readonly<Record<string, string | null>>;
  /** Identical for equal values, regardless of spelling and order; used in cache keys. */
  readonly canonical: string;
  /** The time of the call, which relative times refer to; milliseconds since 1970. */
  readonly now: number;
  /** From this time on, the same call may have other values; milliseconds since 1970, Infinity without relative times. */
  readonly until: number;
  /** Like `canonical`, with what relative times were computed from: identical for the same call at any time. */
  readonly source: string;
}

/** All values given for a name; more than one if the parameter was repeated. */
export type RawParameters = ReadonlyMap<string, readonly RawValue[]>;

/** The compiled binder of one endpoint. */
export interface Binder {
  /**
   * Binds the parameters of a call made at `now`, in milliseconds since 1970. `locked` are the values fixed by the caller's
   * key: a call may omit them or repeat the same value. Reserved names (sql, lql, format) have already been removed.
   * @throws Problem request.parameters_invalid with all errors; auth.forbidden if a locked parameter was given another
   * value, or cannot restrict this endpoint.
   */
  bind(raw: RawParameters, now: number, locked?: ReadonlyMap<string, RawScalar>): Bindings;
  /** The values that these locks give their parameters at `now`, in ClickHouse's text format. Throws Problem auth.forbidden. */
  lockedValues(locked: ReadonlyMap<string, RawScalar>, now: number): Bindings['values'];
  /** Returns whether these locks can restrict this endpoint; if not, `bind` always throws auth.forbidden. */
  takesLocks(locked: ReadonlyMap<string, RawScalar>): boolean;
}

/** The policy of the endpoint file. */
export interface BinderOptions {
  /** How to treat undeclared parameters. ignore: as if they had not been sent, even repeatedly. */
  readonly unknown: 'reject' | 'ignore';
}

/** Maximum number of errors reported. */
const MAX_ERRORS = 50;

/** Compiles the binder of an endpoint's parameters. */
export function createBinder(parameters: readonly CompiledParameter[], options: BinderOptions): Binder {
  const byName = new Map(parameters.map((parameter) => [parameter.name, parameter]));
  const ordered = inOrder(byName);
  const bind: Binder['bind'] = (raw, now, locked = NO_LOCKS) => {
    const locks = readLocks(byName, { locked, now });
    rejectUnlocking(byName, locks, { raw, now });
    const errors = options.unknown === 'reject' ? unknownNames(byName, raw) : [];
    const bound = new Map<string, BoundValue>();
    for (const parameter of ordered) {
      const { name } = parameter;
      const value = locks.get(name) ?? bindOne(parameter, { raw, now, bound, byName });
      if (value !== undefined && 'message' in value) errors.push({ parameter: name, message: value.message });
      else if (value !== undefined) bound.set(name, value);
    }
    if (errors.length > 0) throw invalid(errors.toSorted(byPosition(parameters)));
    const values = parameters.map(({ name }) => [name, bound.get(name)?.text ?? null] as const);
    const until = Math.min(
      ...[...bound.values()].map(({ moment }) => (moment ? untilOf(moment, now) : Infinity)),
    );
    const source = canonical(parameters.map(({ name }) => [name, sourceOf(bound.get(name))]));
    return { values: Object.fromEntries(values), canonical: canonical(values), now, until, source };
  };
  const takesLocks: Binder['takesLocks'] = (locked) =>
    [...locked].every(([name, value]) => {
      const parameter = byName.get(name);
      return (
        parameter !== undefined && (canMove(parameter, value) || lockOf(parameter, value, 0) !== undefined)
      );
    });
  const lockedValues: Binder['lockedValues'] = (locked, now) =>
    Object.fromEntries([...readLocks(byName, { locked, now })].map(([name, { text }]) => [name, text]));
  return { bind, lockedValues, takesLocks };
}

/** Each parameter after the one that its default is computed from. Those of a cycle, which is a finding, in any order. */
function inOrder(byName: ReadonlyMap<string, CompiledParameter>): readonly CompiledParameter[] {
  const ordered = new Set<CompiledParameter>();
  const add = (parameter: CompiledParameter, chain: readonly CompiledParameter[]): void => {
    const base = byName.get(parameter.moments?.fallback?.parameter ?? '');
    if (base !== undefined && !ordered.has(base) && !chain.includes(base)) add(base, [...chain, base]);
    ordered.add(parameter);
  };
  for (const parameter of byName.values()) add(parameter, [parameter]);
  return [...ordered];
}

function byPosition(
  parameters: readonly CompiledParameter[],
): (one: ProblemDetail, other: ProblemDetail) => number {
  const positions = new Map(parameters.map(({ name }, index) => [name, index]));
  const positionOf = ({ parameter = '' }: ProblemDetail): number => positions.get(parameter) ?? -1;
  return (one, other) => positionOf(one) - positionOf(other);
}

const NO_LOCKS: ReadonlyMap<string, RawScalar> = new Map();

function canonical(values: readonly (readonly [name: string, text: string | null])[]): string {
  return JSON.stringify(values.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

function invalid(errors: readonly ProblemDetail[]): Problem {
  const [first] = errors;
  const detail =
    errors.length === 1 ? `${first?.parameter} ${first?.message}` : `${errors.length} parameters are invalid`;
  return new Problem('request.parameters_invalid', { detail, errors: errors.slice(0, MAX_ERRORS) });
}

/** A bound value; `moment` is undefined for null and for types other than dates and times. */
interface BoundValue {
  readonly text: string | null;
  readonly moment?: Moment | undefined;
  /** What was sent, or locked; undefined for defaults. */
  readonly raw?: RawValue | undefined;
}

function sourceOf(value: BoundValue | undefined): string | null {
  if (value?.moment?.lasts === undefined) return value?.text ?? null;
  return `=${typeof value.raw === 'string' ? value.raw.replaceAll(/\s+/g, ' ') : 'default'}`;
}

interface BindScope {
  readonly raw: RawParameters;
  readonly now: number;
  readonly byName: ReadonlyMap<string, CompiledParameter>;
  /** The values of the parameters before. */
  readonly bound: ReadonlyMap<string, BoundValue>;
}

/** Undefined if its default is computed from a parameter that is invalid. */
function bindOne(
  parameter: CompiledParameter,
  scope: BindScope,
): BoundValue | { readonly message: string } | undefined {
  const given = valueIn(scope.raw, parameter);
  if (given === undefined) return { message: 'was sent more than once' };
  if (given.value === null && parameter.type.isNullable) return { text: null };
  const timed = readPresent(parameter, given.value, scope.now);
  if (timed !== undefined) return { ...valueOf(timed), raw: given.value };
  if (parameter.required) return { message: 'is required' };
  const { moments, literalDefault } = parameter;
  if (moments?.fallback !== undefined) return computed(moments, moments.fallback, scope);
  return literalDefault === undefined
    ? { text: null }
    : valueOf({ reading: literalDefault, moment: moments?.momentOf(literalDefault) });
}

function valueOf({ reading, moment }: Timed): BoundValue | { readonly message: string } {
  return reading.kind === 'failure' ? { message: reading.message } : { text: reading.text, moment };
}

/** The value of a relative default. */
function computed(
  moments: MomentReader,
  fallback: RelativeTime,
  { now, bound, byName }: BindScope,
): BoundValue | { readonly message: string } | undefined {
  if (fallback.parameter === undefined) return valueOf(moments.resolve(fallback, undefined, now));
  const base = bound.get(fallback.parameter);
  if (base === undefined) return undefined;
  const { moment } = base;
  const scale = byName.get(fallback.parameter)?.moments?.scale;
  if (moment === undefined || scale === undefined) return { text: null };
  return valueOf(moments.resolve(fallback, { moment, scale }, now));
}

/**
 * The one value given for a parameter. For an array, single values of a repeated name (`ids=3&ids=5`), and all those of
 * `ids[]`, are its elements. Undefined if it was sent more than once otherwise.
 */
function valueIn(raw: RawParameters, { name, type }: CompiledParameter): Given | undefined {
  const given = raw.get(name) ?? [];
  if (type.kind !== 'array') return given.length > 1 ? undefined : { value: given[0] };
  const marked = raw.get(`${name}[]`) ?? [];
  if (marked.length === 0 && given.length <= 1) return { value: given[0] };
  const all = [...given, ...marked];
  const isOneList = (given.length === 0 || marked.length === 0) && all.every(isRawScalar);
  return isOneList ? { value: all } : undefined;
}

/** The value is undefined if none was sent. */
interface Given {
  readonly value: RawValue | undefined;
}

/** Undefined if the value counts as absent: missing, null, or an empty string. */
function readPresent(
  parameter: CompiledParameter,
  raw: RawValue | undefined,
  now: number,
): Timed | undefined {
  if (raw === undefined || raw === null || raw === '') return undefined;
  const { moments, read } = parameter;
  const relative = moments?.read(raw, now);
  if (relative !== undefined) return relative;
  const reading = read(raw);
  return { reading, moment: reading.kind === 'value' ? moments?.momentOf(reading) : undefined };
}

function unknownNames(byName: ReadonlyMap<string, CompiledParameter>, raw: RawParameters): ProblemDetail[] {
  const errors: ProblemDetail[] = [];
  for (const name of raw.keys()) {
    if (byName.has(name)) continue;
    const base = name.endsWith('[]') ? byName.get(name.slice(0, -2)) : undefined;
    if (base?.type.kind === 'array') continue;
    const message =
      base === undefined
        ? withSuggestion('is not a parameter of this endpoint', nearest(name, byName.keys()))
        : `is not a parameter of this endpoint: ${base.name} is not an Array`;
    errors.push({ parameter: name.slice(0, 64), message });
    if (errors.length === MAX_ERRORS) break;
  }
  return errors;
}

/** The values of the locked parameters. A key must not use an endpoint that its locks cannot restrict. */
function readLocks(
  byName: ReadonlyMap<string, CompiledParameter>,
  { locked, now }: { readonly locked: ReadonlyMap<string, RawScalar>; readonly now: number },
): ReadonlyMap<string, BoundValue> {
  const locks = new Map<string, BoundValue>();
  const errors: ProblemDetail[] = [];
  for (const [name, raw] of locked) {
    const parameter = byName.get(name);
    const value = parameter && lockOf(parameter, raw, now);
    if (value !== undefined) locks.set(name, value);
    else
      errors.push({
        parameter: name,
        message: 'is locked by your key to a value that this endpoint does not accept',
      });
  }
  if (errors.length > 0) throw forbidden(errors);
  return locks;
}

/** Undefined if the parameter does not accept the value. */
function lockOf(parameter: CompiledParameter, raw: RawScalar, now: number): BoundValue | undefined {
  const timed = readPresent(parameter, raw, now);
  const value = timed && valueOf(timed);
  return value === undefined || 'message' in value ? undefined : { ...value, raw };
}

/** Returns whether a value depends on the call, which decides whether the endpoint accepts it. */
function canMove({ moments }: CompiledParameter, value: RawScalar): boolean {
  return moments !== undefined && isRelative(value) && parseRelative(value) !== undefined;
}

function rejectUnlocking(
  byName: ReadonlyMap<string, CompiledParameter>,
  locks: ReadonlyMap<string, BoundValue>,
  { raw, now }: Pick<BindScope, 'raw' | 'now'>,
): void {
  const errors: ProblemDetail[] = [];
  for (const [name, { text }] of locks) {
    const parameter = byName.get(name);
    const isSame = parameter === undefined || repeatsLock(raw, parameter, { text, now });
    if (!isSame) errors.push({ parameter: name, message: 'is locked by your key and cannot be changed' });
  }
  if (errors.length > 0) throw forbidden(errors);
}

/** Returns whether all values given for the parameter, one by one or together, are the locked one. */
function repeatsLock(
  raw: RawParameters,
  parameter: CompiledParameter,
  { text, now }: { readonly text: string | null; readonly now: number },
): boolean {
  const isLocked = (value: RawValue | undefined): boolean => {
    const reading = readPresent(parameter, value, now)?.reading;
    return reading === undefined || (reading.kind === 'value' && reading.text === text);
  };
  const given = valueIn(raw, parameter);
  if (given !== undefined) return isLocked(given.value);
  return parameter.type.kind !== 'array' && (raw.get(parameter.name) ?? []).every(isLocked);
}

function forbidden(errors: readonly ProblemDetail[]): Problem {
  const [first] = errors;
  return new Problem('auth.forbidden', { detail: `${first?.parameter} ${first?.message}`, errors });
}
