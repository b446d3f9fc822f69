// Keys and whose they are. Only hashes are held; a key itself passes through and is forgotten.
import { hash, timingSafeEqual } from 'node:crypto';
import type { Token } from '../config/generated/tokens.ts';
import { createPrincipal, type Principal } from './principal.ts';

export interface Accepted {
  readonly kind: 'accepted';
  readonly principal: Principal;
  /** From then on it has to be looked at anew; milliseconds since 1970. */
  readonly expires: number;
}

export interface Refused {
  readonly kind: 'refused';
  /** `unfit`: a token that was signed for us, and cannot be taken as it is. */
  readonly reason: 'unknown' | 'expired' | 'unfit';
  /** What its issuer has to mend; only for tokens whose signature is right. */
  readonly detail?: string;
}

export type Authentication = Accepted | Refused;

export interface Keyring {
  /**
   * Looks a presented key up; `now` is in milliseconds since 1970. A promise only where a signature has to be checked;
   * it rejects with Problem `auth.unavailable` when that cannot be done.
   */
  authenticate(key: string, now: number): Authentication | Promise<Authentication>;
}

interface Entry {
  readonly digest: Buffer;
  readonly expires: number;
  readonly principal: Principal;
}

/** The hash under which a key is kept: SHA-256, as 64 hexadecimal digits. */
export function hashKey(key: string): string {
  return hash('sha256', key, 'hex');
}

/** Keys of a tokens file, by their hashes. */
export interface FileKeyring {
  authenticate(key: string, now: number): Authentication;
}

/** Compiles the entries of a tokens file that passed its schema. */
export function createKeyring(tokens: readonly Token[]): FileKeyring {
  const entries = new Map<string, Entry>(tokens.flatMap(toEntries));
  return {
    authenticate(key, now) {
      const presented = hashKey(key);
      // What a look-up by digest gives away is the timing of a SHA-256 prefix, from which no key can be built;
      // the decision itself compares in constant time.
      const entry = entries.get(presented);
      if (entry === undefined || !timingSafeEqual(entry.digest, Buffer.from(presented, 'hex'))) {
        return { kind: 'refused', reason: 'unknown' };
      }
      if (now >= entry.expires) return { kind: 'refused', reason: 'expired' };
      return { kind: 'accepted', principal: entry.principal, expires: entry.expires };
    },
  };
}

/** The newest key of an entry, and those before it that are still taken: all are the same principal. */
function toEntries(token: Token): [hash: string, entry: Entry][] {
  const principal = createPrincipal(`key:${token.name}`, token.name, token);
  const end = token.expires === undefined ? Infinity : Date.parse(token.expires);
  const keys = [
    { sha256: token.sha256, expires: end },
    ...(token.previous ?? []).map((each) => ({
      sha256: each.sha256,
      expires: Math.min(end, Date.parse(each.expires)),
    })),
  ];
  return keys.map(({ sha256, expires }) => [
    sha256,
    { digest: Buffer.from(sha256, 'hex'), expires, principal },
  ]);
}
