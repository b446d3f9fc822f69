// Compares an endpoint in two revisions: its file, and the variants of its query.
import type { Definitions } from '../../service/endpoints/definitions.ts';
import type { Endpoint } from '../../service/endpoints/endpoint.ts';
import { mergeFindings } from '../../service/endpoints/variant-findings.ts';
import { assumptionsOf } from './assumptions.ts';
import { CHANGES, type ChangeCode } from './changes.ts';
import type { Contract, ContractChange, Contracts, EndpointColumns } from './contract.ts';
import type { ListedExposure } from './exposure.ts';
import { changesBy, PAIR_CHECKS } from './pair-checks.ts';
import type { EndpointModels, ModelPair } from './query-changes.ts';
import { VARIANT_CHECKS } from './variant-checks.ts';
import type { VariantPair } from './variants.ts';

export type ColumnsByEndpoint = ReadonlyMap<Endpoint, EndpointColumns>;

export type ModelsByEndpoint = ReadonlyMap<Endpoint, EndpointModels>;

export interface Side extends Contracts {
  /** Columns the engine could describe; undefined if the engine was not used. */
  readonly columns?: ColumnsByEndpoint | undefined;
  /** Of the endpoints whose file or tables differ; undefined if the engine was not used. */
  readonly models?: ModelsByEndpoint | undefined;
  /** Of the tables, if they differ between the revisions. */
  readonly definitions?: Definitions | undefined;
  /** Of new endpoints; undefined if the engine was not used. */
  readonly exposures?: ReadonlyMap<Endpoint, ListedExposure> | undefined;
}

interface ComparedPair {
  readonly old: Contract;
  readonly now: Contract;
  readonly pairs: readonly VariantPair[];
}

/** The changes of an endpoint that both revisions have. */
export type ChangesOfPair = (
  pair: ComparedPair,
  base: Side,
  head: Side,
) => readonly ContractChange<ChangeCode>[];

export const changesOfPair: ChangesOfPair = ({ old, now, pairs }, base, head) => {
  const ofVariants = pairs.map((pair) => ({
    analysis: pair.now.analysis,
    findings: changesOf(pair, pairs, { base, head }),
  }));
  const ofFile = changesBy(PAIR_CHECKS, { old, now, models: modelsOf({ old, now }, base, head) });
  return [...mergeFindings(ofVariants), ...ofFile];
};

/** Of a new variant, none if some earlier variant has all that it has. */
function changesOf(
  pair: VariantPair,
  pairs: readonly VariantPair[],
  { base, head }: { readonly base: Side; readonly head: Side },
): readonly ContractChange<ChangeCode>[] {
  const found = compareVariants(pair, base, head);
  if (!pair.isNew || !found.some(({ code }) => code === 'query.rows_added')) return found;
  const others = new Set(pairs.map(({ old }) => old));
  const isKnown = [...others].some((old) => compareVariants({ ...pair, old }, base, head).length === 0);
  return isKnown ? [] : found;
}

/** Changes for the calls that choose a variant; of a new one, only those that concern security. */
function compareVariants(pair: VariantPair, base: Side, head: Side): readonly ContractChange<ChangeCode>[] {
  const { old, now, isNew } = pair;
  const calls = assumptionsOf(pair);
  if (isNew && (base.models === undefined || head.models === undefined)) return [];
  const isAsked = base.columns !== undefined && head.columns !== undefined;
  const columns = isAsked
    ? { before: base.columns.get(old.endpoint), after: head.columns.get(now.endpoint) }
    : { before: undefined, after: undefined };
  const models = modelsOf(pair, base, head);
  const found = changesBy(VARIANT_CHECKS, { old, now, models, columns, calls });
  return isNew ? found.filter(({ code }) => CHANGES[code].class === 'security') : found;
}

function modelsOf({ old, now }: Pick<VariantPair, 'old' | 'now'>, base: Side, head: Side): ModelPair {
  const definitions = base.definitions && head.definitions && ([base.definitions, head.definitions] as const);
  return {
    definitions,
    before: base.models?.get(old.endpoint),
    after: head.models?.get(now.endpoint),
  };
}
