// The variants of an endpoint: made when they are needed, and kept while there are few.
import { createLru } from '../../sql/base/lru.ts';
import { Problem } from '../../sql/base/problem.ts';
import type { Endpoint } from './endpoint.ts';
import { MAX_SELECTIONS, selectionOf, type Dimension } from './selections.ts';
import { bindVariant, variantName, type QuerySource, type VariantQuery } from './variant-query.ts';
import type { Selection } from '../../sql/clickhouse/expand.ts';
import type { Outline } from '../../sql/clickhouse/outline.ts';

/** A variant of a query that was parsed. */
export type ParsedVariant = Pick<VariantQuery, 'variant' | 'selection' | 'bound'> & {
  readonly outline: Outline;
};

type VariantKeys = 'variantOf' | 'variantAt' | 'variants' | 'hasEveryVariant';

/** Makes the endpoint with a variant of its query. */
export type MakeVariant = (query: ParsedVariant, variants: Pick<Endpoint, VariantKeys>) => Endpoint;

/** What decides the variants of a query, and those that are analysed. */
interface Variants {
  readonly source: QuerySource;
  readonly dimensions: readonly Dimension[];
  readonly selections: readonly Selection[];
  readonly hasEveryVariant: boolean;
}

/** The endpoint with the first variant of its query. */
export function createEndpoint(
  first: ParsedVariant,
  { source, dimensions, selections, hasEveryVariant }: Variants,
  make: MakeVariant,
): Endpoint {
  if (dimensions.length === 0) {
    const only: Endpoint = make(first, {
      variantOf: () => only,
      variantAt: () => only,
      variants: () => [only],
      hasEveryVariant: true,
    });
    return only;
  }
  const { template, parameters } = source;
  const known = createLru<Endpoint>({ entries: MAX_SELECTIONS });
  const endpoints: Pick<Endpoint, VariantKeys> = {
    variantOf: ({ values }) => find(selectionOf(dimensions, parameters, values)),
    variantAt: (selection) => find(selection),
    variants: () => selections.map(find),
    hasEveryVariant,
  };
  const base = make(first, endpoints);
  const find = (selection: Selection): Endpoint => {
    const name = variantName(template, selection);
    if (name === base.variant) return base;
    const found = known.get(name);
    if (found !== undefined) return found;
    const query = bindVariant(source, selection);
    const { outline } = query;
    if (outline === undefined)
      throw new Problem('endpoint.failed', {
        detail: 'The query of this endpoint is invalid with these parameters',
      });
    const endpoint = make({ ...query, outline }, endpoints);
    known.set(name, endpoint);
    return endpoint;
  };
  return base;
}
