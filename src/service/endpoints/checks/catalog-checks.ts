// The checks of the files of a folder together that decide what is served.
import type { Finding } from '../../../sql/base/finding.ts';
import { CATALOG_CODES, type Candidate, type Catalog } from '../catalog.ts';
import type { EndpointHead } from '../endpoint.ts';
import { TOOL_NAME_CODES, toolNameFindings } from '../tool-names.ts';
import { SERVED_VERSION_CODES, versionFindings } from '../versions.ts';
import type { CheckEntry } from './check.ts';

/** The files of a folder, and the catalog that is made of them. */
export interface CatalogInput {
  readonly catalog: Catalog<EndpointHead>;
  readonly candidates: readonly Candidate<EndpointHead>[];
}

interface CatalogCheck extends CheckEntry<'catalog', Finding, CatalogInput> {
  readonly check?: (input: CatalogInput) => Iterable<Finding>;
}

export const CATALOG_CHECKS: readonly CatalogCheck[] = [
  { needs: 'catalog', codes: CATALOG_CODES },
  { needs: 'catalog', codes: TOOL_NAME_CODES, check: ({ candidates }) => toolNameFindings(candidates) },
  {
    needs: 'catalog',
    codes: SERVED_VERSION_CODES,
    check: ({ catalog, candidates }) => versionFindings(catalog, candidates),
  },
];

/** Finds what checks report besides the conflicts that assembling the catalog reports. */
export function catalogFindings(input: CatalogInput): readonly Finding[] {
  return CATALOG_CHECKS.flatMap(({ check }) => [...(check?.(input) ?? [])]);
}
