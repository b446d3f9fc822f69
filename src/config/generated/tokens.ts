// Generated from schemas/tokens.schema.json by `npm run generate`; change the schema instead.

/**
 * Names of the endpoints it may call; * stands for any run of characters.
 */
export type Endpoints = string[];
/**
 * Languages in which it may send queries of its own; none when left out.
 */
export type Allow = ('sql' | 'lql')[];
/**
 * redact: every answer to this key is redacted.
 */
export type Redaction = 'redact';
/**
 * The most calls: a number per s, min or h.
 */
export type Rate = string;

/**
 * The keys that callers may use. The file holds hashes, never the keys.
 */
export interface TokensFile {
  /**
   * The keys, each under a name of its own.
   */
  tokens: Token[];
}
/**
 * One key and what it may do.
 */
export interface Token {
  /**
   * Whose key it is: shown in logs and lists, unique in the file.
   */
  name: string;
  /**
   * SHA-256 over the key, as 64 hexadecimal digits.
   */
  sha256: string;
  /**
   * Keys that this one replaces and that are still taken for a while: what rotation leaves behind.
   */
  previous?: PreviousKey[];
  endpoints: Endpoints;
  allow?: Allow;
  parameters?: Locked;
  pii?: Redaction;
  rate?: Rate;
  /**
   * From this time on the key is refused.
   */
  expires?: string;
}
/**
 * A key that was replaced.
 */
export interface PreviousKey {
  /**
   * SHA-256 over the key, as 64 hexadecimal digits.
   */
  sha256: string;
  /**
   * From this time on the key is refused.
   */
  expires: string;
}
/**
 * Locked parameters: the caller may leave them out or repeat them, never change them.
 */
export interface Locked {
  [k: string]: string | number | boolean;
}
