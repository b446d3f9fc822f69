// The variants of two revisions of a query that the same calls choose.
import {
  isSameValue,
  selectionsOf,
  toSelection,
  unionOf,
  valueIn,
  valuesOfDimension,
  type Dimension,
  type DimensionValue,
} from '../../service/endpoints/selections.ts';
import { bindVariant, variantName } from '../../service/endpoints/variant-query.ts';
import { isGiven } from '../../service/params/parameter.ts';
import type { Selection } from '../../sql/clickhouse/expand.ts';
import type { Contract } from './contract.ts';
import { readQuery } from './query.ts';

/** What calls got before, and what they get now. */
export interface VariantPair {
  readonly old: Contract;
  readonly now: Contract;
  /** No call could choose it before: the earlier variant is the nearest one. */
  readonly isNew: boolean;
  /** It is true if all of these calls have a value for a parameter, as far as that is the same for all of them. */
  readonly given: ReadonlyMap<string, boolean>;
}

const known = new WeakMap<Contract, Map<string, Contract | undefined>>();

/** The contract once for each variant of its query that is analysed. */
export function variantContracts(contract: Contract): readonly Contract[] {
  const { analysis } = contract;
  if (analysis.variants.length === 1) return [contract];
  return analysis.variants.flatMap(({ selection }) => variantAt(contract, selection) ?? []);
}

/** The variants of both revisions that are compared, each once. */
export function comparedVariants(
  old: Contract,
  now: Contract,
): readonly [old: readonly Contract[], now: readonly Contract[]] {
  const pairs = pairVariants(old, now);
  return [[...new Set(pairs.map((each) => each.old))], [...new Set(pairs.map((each) => each.now))]];
}

/**
 * The variants that the same calls choose: for all combinations of the choices and optional parts of both revisions if they are few,
 * otherwise for one sample of them. Those that calls can choose now only come last.
 */
export function pairVariants(old: Contract, now: Contract): readonly VariantPair[] {
  const [before, after] = [old.analysis, now.analysis];
  const dimensions = unionOf(before.dimensions, after.dimensions);
  const pieces = [...before.source.template.pieces, ...after.source.template.pieces];
  const selections = selectionsOf({ pieces }, dimensions).selections.filter((each) =>
    dimensions.every(({ name }) => isPossible(now, name, valueIn(each, name))),
  );
  const wasPossible = (selection: Selection): boolean =>
    dimensions.every((dimension) => couldBe(old, now, dimension, selection));
  const pairs = new Map<string, VariantPair>();
  const reached = new Set<Contract>();
  for (const isNew of [false, true]) {
    for (const selection of selections) {
      if (wasPossible(selection) === isNew) continue;
      const former = variantAt(old, isNew ? nearest(old, selection, dimensions) : selection);
      const current = variantAt(now, selection);
      if (former === undefined || current === undefined || (isNew && reached.has(current))) continue;
      reached.add(current);
      const key = `${former.analysis.variant}\n${current.analysis.variant}`;
      const given = isNew ? new Map<string, boolean>() : decisionsIn(selection, dimensions);
      const same = pairs.get(key);
      pairs.set(key, {
        old: former,
        now: current,
        isNew,
        given: same === undefined ? given : common(same.given, given),
      });
    }
  }
  return [...pairs.values()];
}

function decisionsIn(selection: Selection, dimensions: readonly Dimension[]): ReadonlyMap<string, boolean> {
  return new Map(dimensions.map(({ name }) => [name, selection.given.has(name)]));
}

function common(a: VariantPair['given'], b: VariantPair['given']): VariantPair['given'] {
  return new Map([...a].filter(([name, isGivenValue]) => b.get(name) === isGivenValue));
}

/** Returns whether a call can have a value for a parameter, or none; a parameter that is not declared is rejected or ignored. */
function isPossible({ analysis }: Contract, name: string, value: DimensionValue): boolean {
  const dimension = analysis.dimensions.find((each) => each.name === name);
  if (dimension !== undefined) {
    const accepted = valuesOfDimension(dimension);
    if (value.names.length > 0 && value.names.every((each) => accepted.has(each))) return true;
    return dimension.values.some((each) => each.isGiven === value.isGiven && each.names.length === 0);
  }
  const parameter = analysis.parameters.get(name);
  if (parameter === undefined || value.isGiven) return true;
  const isAlwaysGiven = parameter.required || isGiven(parameter, parameter.absent);
  return !isAlwaysGiven || parameter.type.kind !== 'scalar' || parameter.type.scalar.name === 'Bool';
}

/** Returns whether calls of the earlier revision could: they did not send parameters that did not exist. */
function couldBe(old: Contract, now: Contract, { name }: Dimension, selection: Selection): boolean {
  const value = valueIn(selection, name);
  if (old.analysis.parameters.has(name)) return isPossible(old, name, value);
  const [standard] = now.analysis.dimensions.find((each) => each.name === name)?.values ?? [];
  return standard === undefined || isSameValue(standard, value);
}

/** With the value of a call without the parameter in place of each value that the earlier revision rejects. */
function nearest(old: Contract, selection: Selection, dimensions: readonly Dimension[]): Selection {
  return toSelection(
    dimensions.map(({ name }) => {
      const value = valueIn(selection, name);
      const [standard] = old.analysis.dimensions.find((each) => each.name === name)?.values ?? [];
      return [name, isPossible(old, name, value) || standard === undefined ? value : standard] as const;
    }),
  );
}

/** Undefined if the query of the variant cannot be parsed. */
function variantAt(contract: Contract, selection: Selection): Contract | undefined {
  const { analysis, endpoint } = contract;
  if (analysis.dimensions.length === 0) return contract;
  const name = variantName(analysis.source.template, selection);
  const made = known.get(contract) ?? new Map<string, Contract | undefined>();
  known.set(contract, made);
  if (made.has(name)) return made.get(name);
  const sampled = analysis.variants.find(({ variant }) => variant === name);
  const variant = sampled ?? { ...analysis, ...bindVariant(analysis.source, selection), findings: [] };
  const found = variant.outline && {
    ...contract,
    analysis: variant,
    endpoint: endpoint.variantAt(variant.selection),
    query: readQuery(variant),
  };
  made.set(name, found);
  return found;
}
