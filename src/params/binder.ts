// Binds the raw parameters of a call to typed values, or throws one Problem that lists all errors.
import { nearest, withSuggestion } from '../core/nearest.ts';
import { Problem } from '../core/problem.ts';
import type { ProblemDetail } from '../core/problem.ts';
import type { CompiledParameter } from './parameter.ts';
import { isRawScalar, type RawScalar, type RawValue, type Reading } from './reading.ts';

/** The parameters of a call as typed values. Not guaranteed: that the query uses them all. */
export interface Bindings {
  /** By parameter name, in ClickHouse's text format (unescaped); null is NULL. One entry per declared parameter. */
  readonly values: Readonly<Record<string, string | null>>;
  /** Identical for equal values, regardless of spelling and order; used in cache keys. */
  readonly canonical: string;
  /** The time of the call, which relative times refer to; milliseconds since 1970. */
  readonly now: number;
  /** From this time on, the same call has other values; milliseconds since 1970, Infinity without relative times. */
  readonly until: number;
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
  /** Whether these locks can restrict this endpoint; if not, `bind` always throws auth.forbidden. */
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
  const bind: Binder['bind'] = (raw, now, locked = NO_LOCKS) => {
    const locks = readLocks(byName, locked);
    rejectUnlocking(byName, locks, raw);
    const errors = options.unknown === 'reject' ? unknownNames(byName, raw) : [];
    const values: [name: string, text: string | null][] = [];
    for (const parameter of parameters) {
      const lock = locks.get(parameter.name);
      const bound = lock === undefined ? bindOne(parameter, raw) : { text: lock };
      if ('message' in bound) errors.push({ parameter: parameter.name, message: bound.message });
      else values.push([parameter.name, bound.text]);
    }
    if (errors.length > 0) throw invalid(errors);
    return { values: Object.fromEntries(values), canonical: canonical(values), now, until: Infinity };
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
    errors.length === 1 ? `${first?.parameter} ${first?.message}` : `${errors.length} parameters are invalid`;
  return new Problem('request.parameters_invalid', { detail, errors: errors.slice(0, MAX_ERRORS) });
}

type Bound = { readonly text: string | null } | { readonly message: string };

function bindOne(parameter: CompiledParameter, raw: RawParameters): Bound {
  const given = valueIn(raw, parameter);
  if (given === undefined) return { message: 'was sent more than once' };
  if (given.value === null && parameter.type.isNullable) return { text: null };
  const reading = readPresent(parameter, given.value);
  if (reading?.kind === 'failure') return { message: reading.message };
  if (reading !== undefined) return { text: reading.text };
  return parameter.required ? { message: 'is required' } : { text: parameter.absent };
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
function readPresent(parameter: CompiledParameter, raw: RawValue | undefined): Reading | undefined {
  return raw === undefined || raw === null || raw === '' ? undefined : parameter.read(raw);
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

/** Canonical values of the locked parameters. A key must not use an endpoint that its locks cannot restrict. */
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
        message: 'is locked by your key to a value that this endpoint does not accept',
      });
  }
  if (errors.length > 0) throw forbidden(errors);
  return locks;
}

/** Undefined if the endpoint has no such parameter or does not accept the value. */
function lockText(
  byName: ReadonlyMap<string, CompiledParameter>,
  [name, value]: readonly [string, RawScalar],
): string | undefined {
  const parameter = byName.get(name);
  const reading = parameter && readPresent(parameter, value);
  return reading?.kind === 'value' ? reading.text : undefined;
}

function rejectUnlocking(
  byName: ReadonlyMap<string, CompiledParameter>,
  locks: ReadonlyMap<string, string>,
  raw: RawParameters,
): void {
  const errors: ProblemDetail[] = [];
  for (const [name, text] of locks) {
    const parameter = byName.get(name);
    const isSame = parameter === undefined || repeatsLock(raw, parameter, text);
    if (!isSame) errors.push({ parameter: name, message: 'is locked by your key and cannot be changed' });
  }
  if (errors.length > 0) throw forbidden(errors);
}

/** Whether all values given for the parameter, one by one or together, are the locked one. */
function repeatsLock(raw: RawParameters, parameter: CompiledParameter, text: string): boolean {
  const isLocked = (value: RawValue | undefined): boolean => {
    const reading = readPresent(parameter, value);
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
