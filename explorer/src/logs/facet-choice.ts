// The fields that have a facet: those of the view, and those that the user adds, from a row for instance.
import { createContext } from 'preact';
import type { Logs } from './use-logs.ts';

export interface FacetFields {
  /** Of all facets, in their order. */
  readonly paths: readonly string[];
  /** Whether the user has added it, and may remove it. */
  readonly isAdded: (path: string) => boolean;
  readonly add: (path: string) => void;
  readonly remove: (path: string) => void;
}

/** Undefined where no facets are shown: for keys that may not send SQL. */
export const FacetContext = createContext<FacetFields | undefined>(undefined);

export function facetFieldsOf({ view, added, change }: Pick<Logs, 'view' | 'added' | 'change'>): FacetFields {
  return {
    paths: view.facets,
    isAdded: (path) => added.includes(path),
    add: (path) => change({ facets: [...added, path] }),
    remove: (path) => change({ facets: added.filter((each) => each !== path) }),
  };
}
