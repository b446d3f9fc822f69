// A call's raw parameters become typed values, or one Problem that lists everything that is wrong with them.
import { nearest } from '../core/nearest.ts';
import { Problem } from '../core/problem.ts';
import type { ProblemDetail } from '../core/problem.ts';
import type { CompiledParameter } from './parameter.ts';
import type { RawScalar, RawValue, Reading } from './reading.ts';

/** A call's parameters as typed values. Not guaranteed: that the query uses them all. */
export interface Bindings {
  /** By parameter name, ClickHouse's text form (unescaped); null is NULL. One entry for each declared parameter. */
  readonly values: Readonly<Record<string, string | null>>;
  /** The same for equal values, whatever their spelling and order: for cache keys. */
  readonly canonical: string;
}

/** Every value that a call gives for a name: a list of one, unless it is given more than once. */
export type RawParameters = ReadonlyMap<string, readonly RawValue[]>;

export interface Binder {
  /**
   * Reads a call's parameters; `locked` are the values that the caller's key fixes: they may be left out or repeated,
   * nothing else. Reserved names (sql, lql, format) have been taken out before.
   * @throws Problem request.parameters_invalid, with all failures; auth.forbidden when a locked parameter was given
   *   another value, or is not one that this endpoint can be confined by.
   */
  bind(raw: RawParameters, locked?: ReadonlyMap<string, RawScalar>): Bindings;
  /** Whether calls can be confined by these locks: `bind` throws auth.forbidden for any call when not. */
  takesLocks(locked: ReadonlyMap<string, RawScalar>): boolean;
}

export interface BinderOptions {
  /** What to do with undeclared parameters; ignore: as if they had not been sent, however often. */
  readonly unknown: 'reject' | 'ignore';
}

/** More failures than this help nobody. */
const MAX_ERRORS = 50;

/** Compiles the binder of an endpoint's parameters. */
export function createBinder(parameters: readonly CompiledParameter[], options: BinderOptions): Binder {
  const byName = new Map(parameters.map((parameter) => [parameter.name, parameter]));
  const bind: Binder['bind'] = (raw, locked = NO_LOCKS) => {
    const locks = readLocks(byName, locked);
    refuseUnlocking(byName, locks, raw);
    const errors = options.unknown === 'reject' ? unknownNames(byName, raw) : [];
    const values: [name: string, text: string | null][] = [];
    for (const parameter of parameters) {
      const lock = locks.get(parameter.name);
      const bound = lock === undefined ? bindOne(parameter, raw.get(parameter.name) ?? []) : { text: lock };
      if ('message' in bound) errors.push({ parameter: parameter.name, message: bound.message });
      else values.push([parameter.name, bound.text]);
    }
    if (errors.length > 0) throw invalid(errors);
    return { values: Object.fromEntries(values), canonical: canonical(values) };
  };
  return { bind, takesLocks: (locked) => [...locked].every((lock) => lockText(byName, lock) !== undefined) };
}

const NO_LOCKS: ReadonlyMap<string, RawScalar> = new Map();

function canonical(values: readonly (readonly [name: string, text: string | null])[]): string {
  return JSON.stringify(values.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

function invalid(errors: readonly ProblemDetail[]): Problem {
  const [first] = errors;
  const detail =
    errors.length === 1 ? `${first?.parameter} ${first?.message}` : `${errors.length} parameters are wrong`;
  return new Problem('request.parameters_invalid', { detail, errors: errors.slice(0, MAX_ERRORS) });
}

type Bound = { readonly text: string | null } | { readonly message: string };

function bindOne(parameter: CompiledParameter, given: readonly RawValue[]): Bound {
  if (given.length > 1) return { message: 'is given more than once' };
  const reading = readPresent(parameter, given[0]);
  if (reading?.kind === 'failure') return { message: reading.message };
  if (reading !== undefined) return { text: reading.text };
  return parameter.required ? { message: 'is required' } : { text: parameter.absent };
}

/** Undefined for what counts as absent: nothing, null, or an empty text. */
function readPresent(parameter: CompiledParameter, raw: RawValue | undefined): Reading | undefined {
  return raw === undefined || raw === null || raw === '' ? undefined : parameter.read(raw);
}

function unknownNames(byName: ReadonlyMap<string, unknown>, raw: RawParameters): ProblemDetail[] {
  const errors: ProblemDetail[] = [];
  for (const name of raw.keys()) {
    if (byName.has(name)) continue;
    const guess = nearest(name, byName.keys());
    const message =
      guess === undefined
        ? 'is not a parameter of this endpoint'
        : `is not a parameter: did you mean ${guess}?`;
    errors.push({ parameter: name.slice(0, 64), message });
    if (errors.length === MAX_ERRORS) break;
  }
  return errors;
}

/** Canonical texts of the locked values. An endpoint that cannot be confined by a lock is not for this key. */
function readLocks(
  byName: ReadonlyMap<string, CompiledParameter>,
  locked: ReadonlyMap<string, RawScalar>,
): ReadonlyMap<string, string> {
  const locks = new Map<string, string>();
  const errors: ProblemDetail[] = [];
  for (const [name, value] of locked) {
    const text = lockText(byName, [name, value]);
    if (text !== undefined) locks.set(name, text);
    else
      errors.push({
        parameter: name,
        message: 'is fixed by your key to a value that this endpoint does not take',
      });
  }
  if (errors.length > 0) throw forbidden(errors);
  return locks;
}

/** Undefined where the endpoint has no such parameter, or it does not take the value. */
function lockText(
  byName: ReadonlyMap<string, CompiledParameter>,
  [name, value]: readonly [string, RawScalar],
): string | undefined {
  const parameter = byName.get(name);
  const reading = parameter && readPresent(parameter, value);
  return reading?.kind === 'value' ? reading.text : undefined;
}

function refuseUnlocking(
  byName: ReadonlyMap<string, CompiledParameter>,
  locks: ReadonlyMap<string, string>,
  raw: RawParameters,
): void {
  const errors: ProblemDetail[] = [];
  for (const [name, text] of locks) {
    const parameter = byName.get(name);
    const repeats = (raw.get(name) ?? []).every((value) => {
      const reading = parameter && readPresent(parameter, value);
      return reading === undefined || (reading.kind === 'value' && reading.text === text);
    });
    if (!repeats) errors.push({ parameter: name, message: 'is fixed by your key and cannot be changed' });
  }
  if (errors.length > 0) throw forbidden(errors);
}

function forbidden(errors: readonly ProblemDetail[]): Problem {
  const [first] = errors;
  return new Problem('auth.forbidden', { detail: `${first?.parameter} ${first?.message}`, errors });
}
