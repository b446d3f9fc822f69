// The fields that have a facet: those of the view, and those that the user adds, from a row for instance.
import { createContext } from 'preact';
import type { Logs } from './use-logs.ts';

export interface FacetFields {
  /** The paths of all facets are in the order of the facets. */
  readonly paths: readonly string[];
  /** Only facets that the user has added can be removed. */
  readonly isAdded: (path: string) => boolean;
  readonly add: (path: string) => void;
  readonly remove: (path: string) => void;
}

/** It is undefined for keys that may not send SQL: they see no facets. */
export const FacetContext = createContext<FacetFields | undefined>(undefined);

export function facetFieldsOf({ view, added, change }: Pick<Logs, 'view' | 'added' | 'change'>): FacetFields {
  return {
    paths: view.facets,
    isAdded: (path) => added.includes(path),
    add: (path) => change({ facets: [...added, path] }),
    remove: (path) => change({ facets: added.filter((each) => each !== path) }),
  };
}
