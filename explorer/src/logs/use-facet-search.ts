// Searches the values of a facet: at once among those that are loaded, and in all rows after a pause in typing.
import { useEffect, useState } from 'preact/hooks';
import { useExplorer } from '../state/context.ts';
import { CallFailure } from '../service/problem.ts';
import { preview } from '../service/json.ts';
import { facetCalls, searchFacet, type Facet } from './facets.ts';
import type { LogQuestion } from './questions.ts';

const PAUSE_MS = 250;

interface Found {
  readonly search: string;
  readonly question: LogQuestion;
  /** It is undefined if the search failed. */
  readonly facet: Facet | undefined;
}

export interface FacetSearch {
  readonly found: Facet;
  readonly isSearching: boolean;
  readonly hasFailed: boolean;
}

export function useFacetSearch(question: LogQuestion, facet: Facet, search: string): FacetSearch {
  const { client, key } = useExplorer();
  const [result, setResult] = useState<Found>();
  const { path } = facet.target;
  const isCurrent = result?.search === search && result.question === question;
  useEffect(() => {
    if (search === '' || isCurrent) return undefined;
    const controller = new AbortController();
    const { signal } = controller;
    const calls = facetCalls(client, key.value ?? '', signal);
    const timer = setTimeout(() => {
      searchFacet(question, { path, search }, calls).then(
        (found) => {
          if (!signal.aborted) setResult({ search, question, facet: found });
        },
        (error: unknown) => {
          if (signal.aborted) return;
          if (!(error instanceof CallFailure)) throw error;
          setResult({ search, question, facet: undefined });
        },
      );
    }, PAUSE_MS);
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [question, path, search]);
  if (isCurrent && result?.facet !== undefined)
    return { found: result.facet, isSearching: false, hasFailed: false };
  const wanted = search.toLowerCase();
  const values = facet.values.filter(({ value }) => preview(value, Infinity).toLowerCase().includes(wanted));
  return {
    found: { ...facet, values, hasMore: false },
    isSearching: search !== '' && !isCurrent,
    hasFailed: isCurrent,
  };
}
