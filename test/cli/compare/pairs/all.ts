// All pairs of queries, and the queries in them.
import { FILTERS } from './filters.ts';
import { EQUAL, FEWER, OWN } from './harmless.ts';
import { JOINS } from './joins.ts';
import type { Pair } from './pair.ts';
import { FOREIGN, HIDDEN } from './values.ts';

export const PAIRS: readonly Pair[] = [
  ...JOINS,
  ...FILTERS,
  ...FOREIGN,
  ...HIDDEN,
  ...EQUAL,
  ...FEWER,
  ...OWN,
];

export const QUERIES: readonly string[] = [...new Set(PAIRS.flatMap(({ before, after }) => [before, after]))];

/** Queries that hide values by masks, hashes and conditions. */
export const MASKED: readonly string[] = [...new Set(HIDDEN.map(({ before }) => before))];
