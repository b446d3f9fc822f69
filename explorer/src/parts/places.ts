// The places of a text that patterns find, to mark them.

/** The places of a text that any of the patterns finds: they do not overlap, and are in order. */
export function placesOf(text: string, patterns: readonly RegExp[]): readonly (readonly [number, number])[] {
  const found = patterns.flatMap((pattern) =>
    Array.from(text.matchAll(pattern), ({ index, 0: match }) => [index, index + match.length] as const),
  );
  const places: [number, number][] = [];
  for (const [start, end] of found.toSorted(([a], [b]) => a - b)) {
    const last = places.at(-1);
    if (end === start) continue;
    if (last !== undefined && start <= last[1]) last[1] = Math.max(last[1], end);
    else places.push([start, end]);
  }
  return places;
}
