// Verdicts on consumers' texts, kept by (endpoint revision, text) up to a number of characters; the least used go first.

/** One for all endpoints. What is kept settles once: texts that are being checked are shared as well. */
export interface VerdictCache<T> {
  /** The value kept for `key`, else the one that `check` gives; rejections stay only where `isFinal` says so. */
  get(key: string, check: () => Promise<T>, isFinal: (error: unknown) => boolean): Promise<T>;
}

/** `maxCharacters` bounds the keys, which hold the texts; with its verdict each takes about four times as much. */
export function createVerdictCache<T>(maxCharacters: number): VerdictCache<T> {
  // A Map keeps the order of insertion: what is read moves to its end.
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
