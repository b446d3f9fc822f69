// "Did you mean": the closest valid name to one that was misspelled.
import { closestMatch } from 'leven';

/**
 * The candidate closest to `word` (case-insensitive): one that it misspells, otherwise the only one with the same letters, that
 * begins with it, that it begins with, or that it abbreviates (`amt` for `amount`). Undefined if there is none.
 */
export function nearest(word: string, candidates: Iterable<string>): string | undefined {
  return misspelled(word, candidates, abbreviated);
}

/** The candidate closest to `word` (case-insensitive), within 40% of its length in edits, first with two letters exchanged; `otherwise` chooses among folded ones. */
export function misspelled(
  word: string,
  candidates: Iterable<string>,
  otherwise: typeof abbreviated = () => undefined,
): string | undefined {
  if (word.length > 100) return undefined;
  const byFolded = new Map<string, string>();
  for (const candidate of candidates) byFolded.set(candidate.toLowerCase(), candidate);
  const folded = word.toLowerCase();
  const maxDistance = Math.floor(word.length * 0.4);
  const names = [...byFolded.keys()];
  const match =
    names.find((each) => isExchanged(folded, each)) ??
    closestMatch(folded, names, { maxDistance }) ??
    otherwise(folded, names);
  return match === undefined ? undefined : byFolded.get(match);
}

/** Returns whether two neighbouring letters are exchanged: `UInt46` is UInt64 rather than UInt16. */
function isExchanged(word: string, other: string): boolean {
  if (word.length !== other.length || word === other) return false;
  const at = word.split('').findIndex((letter, index) => letter !== other[index]);
  const [first = '', second = ''] = word.slice(at, at + 2);
  return other === word.slice(0, at) + second + first + word.slice(at + 2);
}

/** Shorter words abbreviate too much. */
const MIN_ABBREVIATION = 3;

function abbreviated(word: string, candidates: Iterable<string>): string | undefined {
  if (word.length < MIN_ABBREVIATION) return undefined;
  const all = [...candidates].filter((each) => each.length >= MIN_ABBREVIATION);
  const letters = sortedLetters(word);
  const kinds: readonly ((each: string) => boolean)[] = [
    (each) => sortedLetters(each) === letters, // FORM is two edits from FROM
    (each) => each.startsWith(word) || word.startsWith(each),
    (each) => each.length <= 2 * word.length && each.startsWith(word.charAt(0)) && isSubsequence(word, each),
  ];
  const found = kinds.map((isLike) => all.filter(isLike)).find(({ length }) => length > 0) ?? [];
  return found.length === 1 ? found[0] : undefined;
}

function sortedLetters(word: string): string {
  return word.split('').toSorted().join('');
}

/** Returns whether the letters of a word are in another one, in their order. */
function isSubsequence(word: string, other: string): boolean {
  let at = 0;
  for (const letter of other) if (letter === word[at]) at++;
  return at === word.length;
}

/** The hint that suggests this candidate; undefined without one. */
export function didYouMean(candidate: string | undefined): string | undefined {
  return candidate === undefined ? undefined : `Did you mean ${candidate}?`;
}

/** The message, followed by the suggestion if there is a candidate. */
export function withSuggestion(message: string, candidate: string | undefined): string {
  return candidate === undefined ? message : `${message}. ${didYouMean(candidate)}`;
}
