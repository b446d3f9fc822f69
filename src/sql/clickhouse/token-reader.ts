// Reads tokens in sequence: the one implementation for consumer SQL, types and BigQuery SQL.

/** Tokens by index; undefined, or an empty text, beyond the end. */
export interface TokenSource<Kind extends string> {
  kind(index: number): Kind | undefined;
  /** Source text. */
  text(index: number): string;
  /** A bare word in upper case; undefined for anything else. */
  word(index: number): string | undefined;
}

/** `ahead` counts tokens from the next one, which is 0. */
export interface TokenReader<Kind extends string> {
  /** Index of the next token. */
  at(): number;
  kind(ahead?: number): Kind | undefined;
  text(ahead?: number): string;
  word(ahead?: number): string | undefined;
  skip(count?: number): void;
  /** Skips the keywords if all of them come next, in this order. */
  take(...words: readonly string[]): boolean;
  /** Skips the next token if it is of this kind. */
  takeKind(kind: Kind): boolean;
}

/** A reader at the first token of `source`. */
export function createTokenReader<Kind extends string>(source: TokenSource<Kind>): TokenReader<Kind> {
  let index = 0;
  return {
    at: () => index,
    kind: (ahead = 0) => source.kind(index + ahead),
    text: (ahead = 0) => source.text(index + ahead),
    word: (ahead = 0) => source.word(index + ahead),
    skip(count = 1) {
      index += count;
    },
    take(...words) {
      if (!words.every((expected, ahead) => source.word(index + ahead) === expected)) return false;
      index += words.length;
      return true;
    },
    takeKind(kind) {
      if (source.kind(index) !== kind) return false;
      index++;
      return true;
    },
  };
}
