// "Did you mean": the closest valid name to one that was misspelled.
import { closestMatch } from 'leven';

/** The candidate closest to `word` (case-insensitive), or undefined if none is within 40% of its length in edits. */
export function nearest(word: string, candidates: Iterable<string>): string | undefined {
  if (word.length > 100) return undefined;
  const byFolded = new Map<string, string>();
  for (const candidate of candidates) byFolded.set(candidate.toLowerCase(), candidate);
  const maxDistance = Math.floor(word.length * 0.4);
  const match = closestMatch(word.toLowerCase(), [...byFolded.keys()], { maxDistance });
  return match === undefined ? undefined : byFolded.get(match);
}
