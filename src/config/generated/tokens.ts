// Generated from schemas/tokens.schema.json by `npm run generate`; change the schema instead.

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
   * Names of the endpoints it may call; * stands for any run of characters.
   */
  endpoints: string[];
  /**
   * Languages in which it may send queries of its own; none when left out.
   */
  allow?: ('sql' | 'lql')[];
  /**
   * Locked parameters: the caller may leave them out or repeat them, never change them.
   */
  parameters?: {
    [k: string]: string | number | boolean;
  };
  /**
   * redact: every answer to this key is redacted.
   */
  pii?: 'redact';
  /**
   * The most calls: a number per s, min or h.
   */
  rate?: string;
  /**
   * From this time on the key is refused.
   */
  expires?: string;
}
