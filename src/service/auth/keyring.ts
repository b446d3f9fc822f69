// API keys and their principals. Only hashes are stored, never the keys.
import { hash, timingSafeEqual } from 'node:crypto';
import type { Token } from '../config/generated/tokens.ts';
import { createPrincipal, keyId, type Principal } from './principal.ts';

export interface Accepted {
  readonly kind: 'accepted';
  readonly principal: Principal;
  /** When the result must be checked again; milliseconds since 1970. */
  readonly expires: number;
}

export interface Rejected {
  readonly kind: 'rejected';
  /** `unfit`: a token with a valid signature whose claims are not acceptable. */
  readonly reason: 'unknown' | 'expired' | 'unfit';
  /** What the issuer has to fix; only for tokens with a valid signature. */
  readonly detail?: string;
}

export type Authentication = Accepted | Rejected;

export interface Keyring {
  /**
   * Authenticates a key at `now`, in milliseconds since 1970. Asynchronous only if a signature must be verified;
   * rejects with Problem `auth.unavailable` if that is impossible.
   */
  authenticate(key: string, now: number): Authentication | Promise<Authentication>;
}

interface KeyEntry {
  readonly digest: Buffer;
  readonly expires: number;
  readonly principal: Principal;
}

/** The stored hash of a key: SHA-256, as 64 hexadecimal digits. */
export function hashKey(key: string): string {
  return hash('sha256', key, 'hex');
}

/** The keys of a tokens file, by hash. */
export interface FileKeyring {
  authenticate(key: string, now: number): Authentication;
  /** Accepts the name of a key in place of it: for what the operator has run as this key. */
  readonly byName: Keyring;
}

/** Compiles the entries of a validated tokens file. */
export function createKeyring(tokens: readonly Token[]): FileKeyring {
  const entries = new Map<string, KeyEntry>(tokens.flatMap(toEntries));
  const named = new Map(tokens.map((token) => [token.name, entries.get(token.sha256)]));
  return {
    byName: { authenticate: (name, now) => acceptedAt(named.get(name), now) },
    authenticate(key, now) {
      const presented = hashKey(key);
      // Looking up by digest leaks at most a SHA-256 prefix through timing, from which no key can be derived; the
      // decision itself compares in constant time.
      const entry = entries.get(presented);
      if (entry === undefined || !timingSafeEqual(entry.digest, Buffer.from(presented, 'hex'))) {
        return UNKNOWN;
      }
      return acceptedAt(entry, now);
    },
  };
}

const UNKNOWN: Rejected = { kind: 'rejected', reason: 'unknown' };

function acceptedAt(entry: KeyEntry | undefined, now: number): Authentication {
  if (entry === undefined) return UNKNOWN;
  if (now >= entry.expires) return { kind: 'rejected', reason: 'expired' };
  return { kind: 'accepted', principal: entry.principal, expires: entry.expires };
}

/** The current key of an entry and its previous keys that are still valid: all have the same principal. */
function toEntries(token: Token): [hash: string, entry: KeyEntry][] {
  const principal = createPrincipal(keyId(token.name), token.name, token);
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
