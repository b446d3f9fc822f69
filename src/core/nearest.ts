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

/** The hint that suggests this candidate; undefined without one. */
export function didYouMean(candidate: string | undefined): string | undefined {
  return candidate === undefined ? undefined : `Did you mean ${candidate}?`;
}

/** The message, followed by the suggestion if there is a candidate. */
export function withSuggestion(message: string, candidate: string | undefined): string {
  return candidate === undefined ? message : `${message}. ${didYouMean(candidate)}`;
}
