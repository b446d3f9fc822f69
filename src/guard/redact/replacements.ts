// Replacements for redacted values.
import { createHmac } from 'node:crypto';
import { REDACTED, type DetectorName } from './detector.ts';
import { stringOf } from './json-bytes.ts';
import { QUOTE } from './text.ts';

/** Bytes to write in place of values. */
export interface Replacements {
  /** For a match inside a string. */
  of(name: DetectorName): Uint8Array;
  /** For a whole value, given as JSON: a JSON string. Throws SyntaxError for a string that is invalid JSON. */
  ofColumn(value: Uint8Array, action: 'mask' | 'hash'): Uint8Array;
}

/** Hexadecimal digits of a hash: 128 bits, so that equal hashes mean equal values. */
const HASH_DIGITS = 32;

/** `kind`: include the kind, as in REDACTED:email; a masked column becomes REDACTED:column. */
export function createReplacements(kind: boolean, hashKey: string | undefined): Replacements {
  const text = (name: DetectorName | 'column') => (kind ? `${REDACTED}:${name}` : REDACTED);
  const byName = new Map<DetectorName, Uint8Array>();
  const masked = Buffer.from(`"${text('column')}"`);
  return {
    of(name) {
      const known = byName.get(name) ?? Buffer.from(text(name));
      byName.set(name, known);
      return known;
    },
    ofColumn(value, action) {
      if (action === 'mask' || hashKey === undefined) return masked;
      return Buffer.from(`"${keyedHash(hashKey, value)}"`);
    },
  };
}

/** HMAC-SHA-256 (RFC 2104) of the decoded string, or of the JSON of any other value. */
function keyedHash(key: string, value: Uint8Array): string {
  const isString = value[0] === QUOTE;
  const content = isString ? stringOf(value, 1, value.length - 1) : value;
  return createHmac('sha256', key).update(content).digest('hex').slice(0, HASH_DIGITS);
}
