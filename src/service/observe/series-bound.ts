// Bounds the values of labels: each distinct combination of them is a time series, which costs memory in Prometheus and time at
// each scrape.

/** In place of values beyond a bound. */
const OTHER = 'other';

/** Endpoints with counters of their own. */
export const MAX_ENDPOINTS = 1000;
/** Endpoints with a histogram of their own, which has as many series as buckets. */
export const MAX_HISTOGRAMS = 100;
/** Values of one label of an endpoint. */
const MAX_VALUES = 100;
/** Values of all labels of all endpoints together. */
const MAX_ALL_VALUES = 2000;

/** Returns the first `most` distinct values as they are, and `other` for further ones. */
export function createBound(most: number): (value: string) => string {
  const known = new Set<string>();
  return (value) => {
    if (known.has(value)) return value;
    if (known.size >= most) return OTHER;
    known.add(value);
    return value;
  };
}

/** The same for values that callers or queries choose: bounded for each label, and in all. */
export function createValueBound(): (label: string, value: string) => string {
  const known = new Map<string, Set<string>>();
  let all = 0;
  return (label, value) => {
    const values = known.get(label) ?? new Set();
    if (values.has(value)) return value;
    if (values.size >= MAX_VALUES || all >= MAX_ALL_VALUES) return OTHER;
    known.set(label, values.add(value));
    all++;
    return value;
  };
}

/** Adds up the numbers of all but the first values. */
export function boundedEntries(entries: readonly (readonly [string, number])[]): ReadonlyMap<string, number> {
  const bounded = new Map(entries.slice(0, MAX_ENDPOINTS));
  for (const [, number] of entries.slice(MAX_ENDPOINTS))
    bounded.set(OTHER, (bounded.get(OTHER) ?? 0) + number);
  return bounded;
}
