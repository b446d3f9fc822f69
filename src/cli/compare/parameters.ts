// Changes of the parameters: calls that worked are rejected now, or mean something else.
import type { DeclaredParameter } from '../../service/params/declared.ts';
import { DEFAULT_MAX_LENGTH } from '../../service/params/text.ts';
import { isFailure, parseParameterType, scalarOf } from '../../service/params/type.ts';
import { PARAMETER_CHANGES, type ParameterCode } from './parameter-changes.ts';
import type { Contract, ContractChange } from './contract.ts';
import { weakening } from './parameter-weakening.ts';
import type { Restriction, RestrictionOf } from './restricting-parameters.ts';
import { compareParameterTypes } from './widening.ts';

export function* compareParameters(
  base: Contract,
  head: Contract,
  restrictionOf: RestrictionOf,
): Generator<ContractChange<ParameterCode>> {
  const [before, after] = [base, head].map(({ analysis }) => analysis.file.parameters ?? {});
  const wasIgnored = base.analysis.file.unknown_parameters === 'ignore';
  for (const [name, now] of Object.entries(after ?? {})) {
    const old = before?.[name];
    if (old !== undefined)
      yield* compareOne(name, { base, head, old, now, restriction: restrictionOf(name) });
    else yield added(name, now, wasIgnored);
  }
  for (const name of Object.keys(before ?? {})) {
    if (after?.[name] !== undefined) continue;
    yield {
      code: 'parameter.removed',
      message: `${name} is no longer a parameter`,
      path: ['parameters', name],
    };
  }
  const [old, now] = [base, head].map(({ analysis }) => analysis.file.unknown_parameters ?? 'reject');
  if (old === now) return;
  const isRejected = now === 'reject';
  const open = Object.entries(after ?? {}).find(
    ([name, { required }]) => required !== true && restrictionOf(name) !== undefined,
  );
  if (!isRejected && open !== undefined) {
    yield {
      code: 'tenant.misspelling_ignored',
      message: `unknown parameters are ignored, and ${open[0]}, which restricts rows, is optional: calls that misspell it are not restricted`,
      path: ['unknown_parameters'],
    };
  }
  yield {
    code: isRejected ? 'unknown_parameters.rejected' : 'unknown_parameters.ignored',
    message: `unknown parameters are ${isRejected ? 'rejected' : 'ignored'}`,
    path: ['unknown_parameters'],
  };
}

function added(
  name: string,
  { required }: DeclaredParameter,
  wasIgnored: boolean,
): ContractChange<ParameterCode> {
  const path = ['parameters', name];
  if (required === true)
    return { code: 'parameter.added_required', message: `${name} is a new required parameter`, path };
  if (!wasIgnored)
    return { code: 'parameter.added_optional', message: `${name} is a new optional parameter`, path };
  return {
    code: 'parameter.previously_ignored',
    message: `${name} is now a parameter; it was ignored when sent`,
    path,
  };
}

interface ParameterPair {
  readonly base: Contract;
  readonly head: Contract;
  readonly old: DeclaredParameter;
  readonly now: DeclaredParameter;
  /** Undefined: the parameter does not restrict whose rows are read. */
  readonly restriction: Restriction | undefined;
}

/** A change of one property of a parameter. */
interface Step {
  readonly key: keyof DeclaredParameter;
  readonly code: ParameterCode;
  readonly says: string;
}

function* compareOne(name: string, pair: ParameterPair): Generator<ContractChange<ParameterCode>> {
  for (const step of stepsOf(name, pair)) {
    for (const { key, code, says } of weakened(step, pair))
      yield { code, message: `${name} ${says}`, path: ['parameters', name, key] };
  }
}

/** The step as it is, or as a security change if it makes a restriction weaker. */
function weakened(step: Step, { old, now, restriction }: ParameterPair): readonly Step[] {
  if (restriction === undefined) return [step];
  const weaker = weakening(step.code, { old, now, restriction });
  if (weaker === undefined) return [step];
  const secure = { key: step.key, code: weaker.code, says: `${step.says}: ${weaker.says}` };
  return isBreaking(step.code) ? [secure, step] : [secure];
}

function isBreaking(code: ParameterCode): boolean {
  return PARAMETER_CHANGES[code].class === 'breaking';
}

function* stepsOf(name: string, pair: ParameterPair): Generator<Step> {
  const { old, now } = pair;
  const step = isOtherList(old, now) ? listStep(now) : compareParameterTypes(old.type, now.type);
  if (step !== 'same') {
    const code =
      `parameter.type_${step === 'wider' ? 'widened' : step === 'narrower' ? 'narrowed' : 'changed'}` as const;
    yield { key: 'type', code, says: `is ${now.type}, was ${old.type}` };
  }
  yield* presence(name, pair);
  yield* compareTexts(old, now);
  yield* compareRounding(old, now);
  if (step !== 'same' && step !== 'wider') return; // limits of different types cannot be compared
  yield* compareBounds(old, now);
  yield* compareEnums(old, now);
}

/** Returns whether calls may send several choices in one of them only. One choice is accepted by both. */
function isOtherList(old: DeclaredParameter, now: DeclaredParameter): boolean {
  const areChoices = old.choices !== undefined && now.choices !== undefined;
  return areChoices && (old.multiple === true) !== (now.multiple === true);
}

function listStep(now: DeclaredParameter): 'wider' | 'narrower' {
  return now.multiple === true ? 'wider' : 'narrower';
}

/** Changes for calls that omit the parameter. */
function* presence(name: string, { base, head, old, now }: ParameterPair): Generator<Step> {
  const [wasRequired, isRequired] = [old.required === true, now.required === true];
  if (isRequired && !wasRequired)
    yield { key: 'required', code: 'parameter.now_required', says: 'is required' };
  if (wasRequired && !isRequired)
    yield { key: 'required', code: 'parameter.now_optional', says: 'is optional' };
  if (wasRequired || isRequired) return;
  const absent = (contract: Contract): string | null | undefined => {
    const { absent: text, moments } = contract.analysis.parameters.get(name) ?? {};
    return moments?.fallback === undefined ? text : JSON.stringify(moments.fallback);
  };
  if (absent(base) === absent(head) || JSON.stringify(old.default) === JSON.stringify(now.default)) return;
  const [from, to] = [old.default, now.default].map((value) => JSON.stringify(value ?? null));
  yield { key: 'default', code: 'parameter.default_changed', says: `defaults to ${to}, was ${from}` };
}

/** Changes of the values that relative times have. */
function* compareRounding(old: DeclaredParameter, now: DeclaredParameter): Generator<Step> {
  if (old.round !== now.round) {
    const [from, to] = [old.round, now.round].map((every) => every ?? 'nothing');
    yield {
      key: 'round',
      code: 'parameter.rounding_changed',
      says: `rounds relative times to ${to}, was ${from}`,
    };
  }
  const [before, after] = [old.bound ?? 'start', now.bound ?? 'start'];
  if (before !== after)
    yield {
      key: 'bound',
      code: 'parameter.rounding_changed',
      says: `is the ${after} of a range for relative times, was the ${before}`,
    };
}

function* compareTexts(old: DeclaredParameter, now: DeclaredParameter): Generator<Step> {
  if (old.pattern !== now.pattern) {
    yield now.pattern === undefined
      ? { key: 'pattern', code: 'parameter.pattern_removed', says: 'no longer must match a pattern' }
      : { key: 'pattern', code: 'parameter.pattern_changed', says: `must match ${now.pattern}` };
  }
  if (old.format === now.format) return;
  yield now.format === undefined
    ? { key: 'format', code: 'parameter.format_removed', says: `no longer must be a ${old.format ?? ''}` }
    : { key: 'format', code: 'parameter.format_added', says: `must be a ${now.format}` };
}

type Bound = number | bigint | undefined;

/** Parses the old limits with the new type, which accepts every value of the old type. */
function* compareBounds(old: DeclaredParameter, now: DeclaredParameter): Generator<Step> {
  const type = parseParameterType(now.type);
  const scalar = isFailure(type) ? undefined : scalarOf(type);
  const rank = (value: number | string | undefined): Bound => {
    if (value === undefined) return undefined;
    const reading = scalar?.read(value);
    return reading?.kind === 'value' ? reading.rank : undefined;
  };
  for (const key of ['min', 'max'] as const) {
    const verdict = narrows(key, rank(old[key]), rank(now[key]));
    if (verdict === undefined) continue;
    const code = `parameter.range_${verdict}` as const;
    yield { key, code, says: `has the ${key} ${now[key] ?? 'none'}, had ${old[key] ?? 'none'}` };
  }
  if (old.choices !== undefined && now.choices !== undefined) return; // as many as there are names
  for (const key of ['min', 'max'] as const) {
    const length = ({ [`${key}_length` as const]: given }: DeclaredParameter): number =>
      given ?? (key === 'min' ? 0 : DEFAULT_MAX_LENGTH);
    const verdict = narrows(key, length(old), length(now));
    if (verdict === undefined) continue;
    const code = `parameter.length_${verdict}` as const;
    yield { key: `${key}_length`, code, says: `has the ${key}_length ${length(now)}, had ${length(old)}` };
  }
}

function narrows(key: 'min' | 'max', old: Bound, now: Bound): 'narrowed' | 'widened' | undefined {
  if (old === now) return undefined;
  if (now === undefined) return 'widened';
  if (old === undefined) return 'narrowed';
  return (key === 'min' ? now > old : now < old) ? 'narrowed' : 'widened';
}

function* compareEnums(old: DeclaredParameter, now: DeclaredParameter): Generator<Step> {
  const [before, after] = [old.enum, now.enum].map((values) => values && new Set(values.map(String)));
  if (before === undefined && after === undefined) return;
  const gone = [...(before ?? [])].filter((value) => after?.has(value) === false);
  const more = [...(after ?? [])].filter((value) => before?.has(value) === false);
  if (before === undefined) {
    yield {
      key: 'enum',
      code: 'parameter.enum_narrowed',
      says: `accepts only ${[...(after ?? [])].join(', ')}`,
    };
  }
  if (gone.length > 0)
    yield { key: 'enum', code: 'parameter.enum_narrowed', says: `no longer accepts ${gone.join(', ')}` };
  if (after === undefined)
    yield { key: 'enum', code: 'parameter.enum_widened', says: 'accepts any value of its type' };
  if (more.length > 0)
    yield { key: 'enum', code: 'parameter.enum_widened', says: `also accepts ${more.join(', ')}` };
}
