// Generated from schemas/tokens.schema.json by `npm run generate`; change the schema instead.

/**
 * Names of the endpoints that the key may call; * matches any sequence of characters.
 */
export type Endpoints = string[];
/**
 * Languages in which the key may send consumer queries. Default: none.
 */
export type Allow = ('sql' | 'lql')[];
/**
 * true: explain shows this key the statements as they are sent to the engine, with the saved queries, tables and conditions of endpoint files. For authors and operators; consumers see their own queries only.
 */
export type Statements = boolean;
/**
 * redact: every response to this key is redacted.
 */
export type Redaction = 'redact';
/**
 * Shape of rows in JSON and NDJSON for this key, instead of the endpoint's. A request can choose another one.
 */
export type ResultShape = 'standard' | 'bigquery';
/**
 * Rate limit: a number of calls per s, min or h.
 */
export type Rate = string;

/**
 * The API keys. The file contains only hashes of keys, never the keys.
 */
export interface TokensFile {
  /**
   * The keys, each with a unique name.
   */
  tokens: Token[];
}
/**
 * One key and its permissions.
 */
export interface Token {
  /**
   * Owner of the key: shown in logs and listings; unique in the file.
   */
  name: string;
  /**
   * SHA-256 hash of the key, as 64 hexadecimal digits.
   */
  sha256: string;
  /**
   * Previous keys that remain valid for a limited time after rotation.
   */
  previous?: PreviousKey[];
  endpoints: Endpoints;
  allow?: Allow;
  parameters?: Locked;
  /**
   * The reason why the key may read the rows of every tenant: it then needs no locked parameter where endpoints declare tenancy. Has no effect on calls.
   */
  all_tenants?: string;
  statements?: Statements;
  pii?: Redaction;
  result_shape?: ResultShape;
  rate?: Rate;
  budget?: Budget;
  /**
   * Expiry time: from then on the key is rejected.
   */
  expires?: string;
}
/**
 * A replaced key.
 */
export interface PreviousKey {
  /**
   * SHA-256 hash of the key, as 64 hexadecimal digits.
   */
  sha256: string;
  /**
   * Expiry time: from then on the key is rejected.
   */
  expires: string;
}
/**
 * Locked parameters: the caller may omit or repeat them, but not change them.
 */
export interface Locked {
  [k: string]: string | number | boolean;
}
/**
 * Allowances of what queries cost, of all runs of the key: how much they read, and how long the engine works. Counted after each run; when one is used up, calls that need a run get 429.
 */
export interface Budget {
  /**
   * Bytes read from tables per min, hour or day, in KiB, MiB, GiB or TiB.
   */
  read?: string;
  /**
   * Time of the engine per min, hour or day, in s, min or h.
   */
  time?: string;
}
