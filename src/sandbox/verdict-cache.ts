// Caches verdicts on consumer queries by (endpoint revision, query), up to a number of characters; evicts least recently used.

/** One cache for all endpoints. Stores promises, so that concurrent checks of the same query are coalesced. */
export interface VerdictCache<T> {
  /** The cached value for `key`, else the result of `check`; rejections are cached only if `isFinal` returns true. */
  get(key: string, check: () => Promise<T>, isFinal: (error: unknown) => boolean): Promise<T>;
}

/** `maxCharacters` bounds the keys, which contain the queries; an entry takes about four times as much with its verdict. */
export function createVerdictCache<T>(maxCharacters: number): VerdictCache<T> {
  // A Map iterates in insertion order: an entry that is read moves to the end.
  const kept = new Map<string, Promise<T>>();
  let characters = 0;
  const forget = (key: string) => {
    if (kept.delete(key)) characters -= key.length;
  };
  return {
    get(key, check, isFinal) {
      const known = kept.get(key);
      const value = known ?? check();
      forget(key);
      kept.set(key, value);
      characters += key.length;
      if (known === undefined) {
        value.catch((error: unknown) => {
          if (!isFinal(error) && kept.get(key) === value) forget(key);
        });
      }
      for (const oldest of kept.keys()) {
        if (characters <= maxCharacters) break;
        forget(oldest);
      }
      return value;
    },
  };
}
