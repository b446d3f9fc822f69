// "Did you mean": the nearest of the names that would have been right.
import { closestMatch } from 'leven';

/** The candidate nearest to `word`, when near enough to be what was meant. Compares without case. */
export function nearest(word: string, candidates: Iterable<string>): string | undefined {
  if (word.length > 100) return undefined;
  const byFolded = new Map<string, string>();
  for (const candidate of candidates) byFolded.set(candidate.toLowerCase(), candidate);
  const maxDistance = Math.floor(word.length * 0.4);
  const match = closestMatch(word.toLowerCase(), [...byFolded.keys()], { maxDistance });
  return match === undefined ? undefined : byFolded.get(match);
}
