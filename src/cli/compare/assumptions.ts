// Two versions of a query are compared for the same calls; this says what holds for the parameters of these calls.
import type { CompiledParameter } from '../../service/params/parameter.ts';
import { assumeNull, assumeOrder, NO_FACTS, type Facts } from '../../guard/query/comparison/term-facts.ts';
import { secondsIn, type Scalar } from '../../guard/query/comparison/scalars.ts';
import type { VariantPair } from './variants.ts';
import { integerOf, isDate, isDateTime, isNumeric } from '../../sql/types/traits.ts';
import { parseType } from '../../sql/types/type.ts';

export interface Assumptions {
  /** Of all calls. */
  readonly assumed: Facts;
  /** Of the calls that were possible before: without parameters that did not exist. */
  readonly assumedBefore: Facts;
  /** The parameters that all calls have a value for. */
  readonly given: ReadonlySet<string>;
  /** It is true if no call could get it before: which rows an order of its own shows first is then no change. */
  readonly isNew: boolean;
}

export function assumptionsOf({ old, now, isNew, given }: VariantPair): Assumptions {
  let assumed = NO_FACTS;
  for (const [name, isGiven] of given) {
    const parameter = now.analysis.parameters.get(name) ?? old.analysis.parameters.get(name);
    if (parameter !== undefined) assumed = assumeGiven(assumed, parameter, isGiven);
  }
  let assumedBefore = assumed;
  for (const [name, parameter] of now.analysis.parameters)
    if (!old.analysis.parameters.has(name)) assumedBefore = assumeAbsent(assumedBefore, parameter);
  const names = [...given].flatMap(([name, isGiven]) => (isGiven ? name : []));
  return { assumed, assumedBefore, given: new Set(names), isNew };
}

/** Of lists and maps, which are given if they are not empty, nothing is known. */
function assumeGiven(facts: Facts, { name, type }: CompiledParameter, isGiven: boolean): Facts {
  if (type.kind !== 'scalar') return facts;
  if (type.scalar.name !== 'Bool') return assumeNull(facts, `@${name}`, !isGiven);
  return isGiven
    ? assumeOrder(assumeNull(facts, `@${name}`, false), `@${name}`, { order: 'equal', value: 1n })
    : facts;
}

function assumeAbsent(facts: Facts, { name, type, required, absent, moments }: CompiledParameter): Facts {
  if (required || type.kind !== 'scalar' || moments?.fallback !== undefined) return facts;
  if (absent === null) return assumeNull(facts, `@${name}`, true);
  const value = scalarOf(type.scalar.name, absent);
  const known = assumeNull(facts, `@${name}`, false);
  return value === undefined ? known : assumeOrder(known, `@${name}`, { order: 'equal', value });
}

/** A canonical value as constants of queries are compared. */
function scalarOf(printed: string, text: string): Scalar | undefined {
  const type = parseType(printed);
  if (type.name === 'Bool') return text === 'true' ? 1n : 0n;
  if (integerOf(type) !== undefined) return /^-?\d+$/.test(text) ? BigInt(text) : undefined;
  if (isNumeric(type)) return Number.isNaN(Number(text)) ? undefined : Number(text);
  if (isDate(type) || isDateTime(type)) return secondsIn(`'${text}'`);
  return /['\\]/.test(text) ? undefined : text;
}
