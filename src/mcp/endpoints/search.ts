// Finds endpoints by words: an index over names, descriptions, parameters and columns of all tools of a catalog.

/** What is known about one tool. */
export interface Searchable {
  /** Of the tool and of the endpoint. */
  readonly names: readonly string[];
  readonly description: string;
  readonly parameters: readonly string[];
  readonly columns: readonly string[];
}

/**
 * Ranks the items of `among`: best first, equal ones in the order of all items; all of them for a query without words. Other items
 * have no influence on the order.
 */
export type Search<T> = (query: string, among: ReadonlySet<T>) => readonly T[];

const WEIGHTS = { names: 8, parameters: 3, description: 3, columns: 2 } as const;
const MAX_WORDS = 16;
/** Of one item. */
const MAX_INDEXED = 500;
/** Of a word that is only the beginning of the other. */
const PREFIX = 0.6;
const MIN_PREFIX = 3;

/** Builds the index once; a search is linear in the number of different words. */
export function createSearch<T>(items: readonly T[], describe: (item: T) => Searchable): Search<T> {
  const byWord = new Map<string, Map<number, number>>();
  for (const [index, item] of items.entries()) {
    for (const [word, weight] of weightsOf(describe(item))) {
      const entries = byWord.get(word) ?? new Map<number, number>();
      byWord.set(word, entries.set(index, weight));
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
  byWord: ReadonlyMap<string, ReadonlyMap<number, number>>,
  shown: ReadonlySet<number>,
): ReadonlyMap<number, number> {
  const best = new Map<number, number>();
  for (const [known, all] of byWord) {
    const likeness = likenessOf(word, known);
    if (likeness === 0) continue;
    const entries = [...all].filter(([index]) => shown.has(index));
    const rarity = Math.log(1 + shown.size / entries.length);
    for (const [index, weight] of entries) {
      const score = weight * likeness * rarity;
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
      if (weights.size >= MAX_INDEXED) return;
      if (!weights.has(word)) weights.set(word, weight);
    }
  };
  add(item.names, WEIGHTS.names);
  add([item.description], WEIGHTS.description);
  add(item.parameters, WEIGHTS.parameters);
  add(item.columns, WEIGHTS.columns);
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
