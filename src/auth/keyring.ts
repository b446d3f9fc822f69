// Keys and what they may do. Only hashes are held; a key itself passes through and is forgotten.
import { hash, timingSafeEqual } from 'node:crypto';
import type { Token } from '../config/generated/tokens.ts';

/** Who is calling, and the walls around them. */
export interface Principal {
  readonly name: string;
  readonly covers: (endpointName: string) => boolean;
  /** Languages in which it may send queries of its own. */
  readonly languages: ReadonlySet<'sql' | 'lql'>;
  /** Parameters that are set for the caller. */
  readonly locked: ReadonlyMap<string, string | number | boolean>;
  readonly redact: boolean;
}

export interface Accepted {
  readonly kind: 'accepted';
  readonly principal: Principal;
  /** From then on it has to be looked at anew; milliseconds since 1970. */
  readonly expires: number;
}

export type Authentication = Accepted | { readonly kind: 'refused'; readonly reason: 'unknown' | 'expired' };

export interface Keyring {
  /** Looks a presented key up; `now` is in milliseconds since 1970. */
  authenticate(key: string, now: number): Authentication;
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

/** Compiles the entries of a tokens file that passed its schema. */
export function createKeyring(tokens: readonly Token[]): Keyring {
  const entries = new Map<string, Entry>(tokens.map((token) => [token.sha256, toEntry(token)]));
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

function toEntry(token: Token): Entry {
  return {
    digest: Buffer.from(token.sha256, 'hex'),
    expires: token.expires === undefined ? Infinity : Date.parse(token.expires),
    principal: Object.freeze({
      name: token.name,
      covers: compileGlobs(token.endpoints),
      languages: new Set(token.allow),
      locked: new Map(Object.entries(token.parameters ?? {})),
      redact: token.pii === 'redact',
    }),
  };
}

/** True for names that one of the globs matches; `*` stands for any run of characters. */
export function compileGlobs(globs: readonly string[]): (name: string) => boolean {
  const exact = new Set(globs.filter((glob) => !glob.includes('*')));
  const patterns = globs
    .filter((glob) => glob.includes('*'))
    .map((glob) => glob.replace(/\*+/g, '*').split('*'));
  return (name) => exact.has(name) || patterns.some((parts) => matchesParts(name, parts));
}

/** Greedy left to right, which is exact for globs whose only wildcard is `*`, and linear. */
function matchesParts(name: string, parts: readonly string[]): boolean {
  const [first = '', ...rest] = parts;
  const last = rest.pop() ?? '';
  if (!name.startsWith(first) || name.length < first.length + last.length || !name.endsWith(last))
    return false;
  const end = name.length - last.length;
  let at = first.length;
  for (const part of rest) {
    const found = name.indexOf(part, at);
    if (found === -1 || found + part.length > end) return false;
    at = found + part.length;
  }
  return true;
}
