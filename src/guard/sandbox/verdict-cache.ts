// Caches verdicts on consumer queries by (endpoint revision, query), up to a number of characters; evicts least recently used.
import { createLru } from '../../sql/base/lru.ts';
import { Problem } from '../../sql/base/problem.ts';

/** One cache for all endpoints. Stores promises, so that concurrent checks of the same query are coalesced. */
export interface VerdictCache<T> {
  /**
   * The cached value for `key`, else the result of `check`; rejections are cached only if `isFinal` returns true. Any other Problem is
   * that of the caller whose check it was, such as its budget: those who waited for that check do their own.
   */
  get(key: string, check: () => Promise<T>, isFinal?: (error: unknown) => boolean): Promise<T>;
}

/** `maxCharacters` bounds the keys, which contain the queries; an entry takes about four times as much with its verdict. */
export function createVerdictCache<T>(maxCharacters: number): VerdictCache<T> {
  const verdicts = createLru<Promise<T>>({ size: maxCharacters, sizeOf: (_, key) => key.length });
  const cache: VerdictCache<T> = {
    async get(key, check, isFinal = () => false) {
      const known = verdicts.get(key);
      if (known !== undefined) {
        return known.catch((error: unknown) => {
          if (isFinal(error) || !(error instanceof Problem)) throw error;
          return cache.get(key, check, isFinal);
        });
      }
      const value = check();
      verdicts.set(key, value);
      value.catch((error: unknown) => {
        if (!isFinal(error) && verdicts.get(key) === value) verdicts.delete(key);
      });
      return value;
    },
  };
  return cache;
}
