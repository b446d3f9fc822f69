// Finds endpoints by words: an index over names, descriptions, parameters and columns of all tools of a catalog.
import { setImmediate } from 'node:timers/promises';

/** What is known about one tool. */
export interface Searchable {
  /** Of the tool and of the endpoint. */
  readonly names: readonly string[];
  /** Of the endpoint and of its parameters. */
  readonly description: string;
  /** Names. */
  readonly parameters: readonly string[];
  /** Names. */
  readonly columns: readonly string[];
}

/**
 * Ranks the items of `among`: best first, equal ones in the order of all items; all of them for a query without words. Other items
 * have no influence on the order.
 */
export type Search<T> = (query: string, among: ReadonlySet<T>) => readonly T[];

const WEIGHTS = { names: 8, parameters: 3, description: 3, columns: 2 } as const;
const MAX_WORDS = 16;
/** Words of one item. */
const MAX_INDEXED = 300;
const MAX_COLUMNS = 50;
/** Of a word that is only the beginning of the other. */
const PREFIX = 0.6;
const MIN_PREFIX = 3;
/** Items that are indexed per event loop turn. */
const SLICE = 50;

/** The items that have a word, each as `item index * 16 + weight`. */
type Postings = readonly number[];

/** Builds the index once; a search is linear in the number of different words. */
export async function createSearch<T>(
  items: readonly T[],
  describe: (item: T) => Searchable,
): Promise<Search<T>> {
  const byWord = new Map<string, number[]>();
  for (const [index, item] of items.entries()) {
    if (index % SLICE === 0) await setImmediate();
    for (const [word, weight] of weightsOf(describe(item))) {
      const postings = byWord.get(word);
      if (postings === undefined) byWord.set(word, [index * 16 + weight]);
      else postings.push(index * 16 + weight);
    }
  }
  return (query, among) => {
    const words = [...new Set(wordsOf(query))].slice(0, MAX_WORDS);
    if (words.length === 0) return items.filter((item) => among.has(item));
    const shown = new Set(items.flatMap((item, index) => (among.has(item) ? index : [])));
    const scores = new Map<number, number>();
    for (const word of words)
      for (const [index, score] of scoresOf(word, byWord, shown))
        scores.set(index, (scores.get(index) ?? 0) + score);
    return [...scores]
      .toSorted(([a, first], [b, second]) => second - first || a - b)
      .flatMap(([index]) => items.slice(index, index + 1));
  };
}

/** The best match of one word with each item that is shown; words that are rare among these count more. */
function scoresOf(
  word: string,
  byWord: ReadonlyMap<string, Postings>,
  shown: ReadonlySet<number>,
): ReadonlyMap<number, number> {
  const best = new Map<number, number>();
  for (const [known, all] of byWord) {
    const likeness = likenessOf(word, known);
    if (likeness === 0) continue;
    const postings = all.filter((posting) => shown.has(Math.floor(posting / 16)));
    const rarity = Math.log(1 + shown.size / postings.length);
    for (const posting of postings) {
      const index = Math.floor(posting / 16);
      const score = (posting % 16) * likeness * rarity;
      if (score > (best.get(index) ?? 0)) best.set(index, score);
    }
  }
  return best;
}

function likenessOf(word: string, known: string): number {
  if (word === known) return 1;
  const isPrefix =
    (known.startsWith(word) && word.length >= MIN_PREFIX) ||
    (word.startsWith(known) && known.length >= MIN_PREFIX);
  return isPrefix ? PREFIX : 0;
}

/** The words of an item with the weight of the best part that has them. */
function weightsOf(item: Searchable): ReadonlyMap<string, number> {
  const weights = new Map<string, number>();
  const add = (texts: readonly string[], weight: number): void => {
    for (const word of texts.flatMap(wordsOf)) {
      const before = weights.get(word) ?? 0;
      if (before === 0 && weights.size >= MAX_INDEXED) return;
      weights.set(word, Math.max(before, weight));
    }
  };
  add(item.names, WEIGHTS.names);
  add(item.parameters, WEIGHTS.parameters);
  add(item.columns.slice(0, MAX_COLUMNS), WEIGHTS.columns);
  add([item.description], WEIGHTS.description);
  return weights;
}

/** In lower case; names are split at underscores and capital letters, and are words as a whole too. */
function wordsOf(text: string): readonly string[] {
  return (text.match(/[\p{L}\p{N}_]+/gu) ?? []).flatMap((token) => {
    const parts = token
      .replace(/(?<=\p{Ll})(?=\p{Lu})/gu, '_')
      .toLowerCase()
      .split('_')
      .filter((part) => part !== '');
    return parts.length > 1 ? [token.toLowerCase(), ...parts] : parts;
  });
}
