// The variants of two revisions of a query that the same calls choose.
import type { Contract } from './contract.ts';
import { readQuery } from './query.ts';
import { valuesOfDimension, type Dimension } from '../catalog/selections.ts';
import { bindVariant, variantName } from '../catalog/variant-query.ts';
import type { Selection } from '../sql/expand.ts';

/** What calls got before, and what they get now. */
export interface VariantPair {
  readonly old: Contract;
  readonly now: Contract;
  /** No call could choose it before: the earlier variant is the nearest one. */
  readonly isNew: boolean;
}

const known = new WeakMap<Contract, readonly Contract[]>();

/** The contract once for each variant of its query that is analysed. */
export function variantContracts(contract: Contract): readonly Contract[] {
  const { analysis, endpoint } = contract;
  if (analysis.variants.length === 1) return [contract];
  const found = known.get(contract);
  if (found !== undefined) return found;
  const endpoints = endpoint.variants();
  const made = analysis.variants.map((variant, index) => ({
    ...contract,
    analysis: variant,
    endpoint: endpoints[index] ?? endpoint,
    query: readQuery(variant),
  }));
  known.set(contract, made);
  return made;
}

/** Each variant of the earlier revision with what the same calls get now; then the variants that are new. */
export function pairVariants(old: Contract, now: Contract): readonly VariantPair[] {
  const pairs: VariantPair[] = [];
  const reached = new Set<string>();
  for (const before of variantContracts(old)) {
    for (const selection of projections(before, now)) {
      const after = variantAt(now, selection);
      reached.add(after.analysis.variant);
      pairs.push({ old: before, now: after, isNew: false });
    }
  }
  for (const after of variantContracts(now)) {
    if (reached.has(after.analysis.variant)) continue;
    const [selection] = projections(after, old);
    const before = selection === undefined ? old : variantAt(old, selection);
    pairs.push({ old: before, now: after, isNew: true });
  }
  return pairs;
}

/** What calls that choose a variant of one revision choose in the other; none if they are rejected there. */
function projections({ analysis: from }: Contract, { analysis: to }: Contract): readonly Selection[] {
  const choices = new Map<string, readonly string[]>();
  const given = new Set<string>();
  const open: string[] = []; // sent or not: this decided nothing
  for (const dimension of to.dimensions) {
    const { name } = dimension;
    const [standard] = dimension.values;
    const isDecided = from.dimensions.some((each) => each.name === name);
    const names = isDecided ? from.selection.choices.get(name) : standard?.names;
    const isGiven = isDecided ? from.selection.given.has(name) : standard?.isGiven === true;
    if (!isDecided && from.parameters.has(name) && isOptional(dimension)) open.push(name);
    if (isGiven || open.includes(name)) given.add(name);
    if (names === undefined || names.length === 0) continue;
    const accepted = valuesOfDimension(dimension);
    if (names.some((each) => !accepted.has(each))) return [];
    choices.set(name, names);
  }
  const without = open.map((name) => ({
    choices,
    given: new Set([...given].filter((each) => each !== name)),
  }));
  return [{ choices, given }, ...without];
}

function isOptional({ values }: Dimension): boolean {
  return values.some(({ isGiven }) => !isGiven);
}

/** One that was not analysed has no columns and no model. */
function variantAt(contract: Contract, selection: Selection): Contract {
  const { analysis } = contract;
  const name = variantName(analysis.source.template, selection);
  const found = variantContracts(contract).find((each) => each.analysis.variant === name);
  if (found !== undefined) return found;
  const variant = { ...analysis, ...bindVariant(analysis.source, selection), findings: [] };
  if (variant.outline === undefined) return contract;
  const { bound, outline } = variant;
  const endpoint = { ...contract.endpoint, query: bound.sql, outline, variant: name };
  return { ...contract, analysis: variant, endpoint, query: readQuery(variant) };
}
