// The key under which entries in a store outside are authenticated: derived from the service's secrets, the same in every replica.
import { createSecretKey, scrypt, type KeyObject } from 'node:crypto';

export interface EntryKey {
  readonly secret: KeyObject;
  /** Part of every name outside, so that processes with different keys do not meet. Tells nothing of `secret`. */
  readonly id: string;
}

const KEY_BYTES = 32;
const ID_BYTES = 6;
/** The id and the entries let a reader of the store try guesses at the secrets: each one costs 16 MiB and tens of milliseconds. */
const COST = { N: 16_384, r: 8, p: 1 };

/** Derives the key with scrypt (RFC 7914). `namespace`: entries of another service are not valid here. */
export function deriveEntryKey(secrets: readonly string[], namespace: string): Promise<EntryKey> {
  const [password, salt] = [JSON.stringify(secrets), `millrace cache entries:${namespace}`];
  return new Promise((resolve, reject) => {
    scrypt(password, salt, KEY_BYTES + ID_BYTES, COST, (error, bytes) => {
      if (error !== null) return reject(error);
      const [secret, id] = [bytes.subarray(0, KEY_BYTES), bytes.subarray(KEY_BYTES)];
      resolve({ secret: createSecretKey(secret), id: id.toString('hex') });
    });
  });
}
