// Removes locations from a syntax tree, to compare structure only.

/** Drops `span` and `valueSpan` at every depth. */
export function withoutSpans(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutSpans);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([key]) => key !== 'span' && key !== 'valueSpan');
  return Object.fromEntries(entries.map(([key, inner]) => [key, withoutSpans(inner)]));
}
