// The key that authenticates entries in the shared cache: derived from the service's secrets, identical in every
// replica.
import { createSecretKey, scrypt, type KeyObject } from 'node:crypto';

export interface EntryKey {
  readonly secret: KeyObject;
  /**
   * Part of every name in the shared cache, so that processes with different keys never share entries. Reveals nothing
   * about `secret`.
   */
  readonly id: string;
}

const KEY_BYTES = 32;
const ID_BYTES = 6;
/**
 * The id and the entries allow an offline guessing attack on the secrets; scrypt makes each guess cost 16 MiB and tens
 * of milliseconds.
 */
const COST = { N: 16_384, r: 8, p: 1 };

/**
 * Derives the key with scrypt (RFC 7914). `namespace` is the salt: entries of another service do not authenticate here.
 */
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
