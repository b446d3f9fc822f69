// Checks that all JSON Web Tokens share as keys: the form, the times, the reason of a rejection, and for how long one is remembered.
import { hash } from 'node:crypto';
import { errors, type JWTPayload } from 'jose';
import { createLru } from '../../sql/base/lru.ts';
import type { Accepted, Authentication, Rejected } from './keyring.ts';

export interface JwtKeyring {
  /** Returns whether a key has the form of a JWT. */
  isToken(key: string): boolean;
  /** Synchronous for a recently verified token. Rejects with Problem `auth.unavailable`. */
  authenticate(key: string, now: number): Authentication | Promise<Authentication>;
}

/**
 * Maximum lifetime from now and, if present, from `iat`. It bounds the use of a leaked token, since there is no
 * revocation list.
 */
const MAX_LIFE_SECONDS = 24 * 3600;
const MAX_LENGTH = 8192;
/**
 * How long a verified token is not verified again: a key that the issuer has revoked is accepted for this long after the key set has been
 * fetched without it.
 */
export const REMEMBER_MS = 300_000;
const MAX_REMEMBERED = 10_000;
export const FORM = /^[\w-]+\.[\w-]+\.[\w-]+$/;

/** Verifies each accepted token once while it is remembered. */
export function rememberTokens(
  isToken: JwtKeyring['isToken'],
  check: (token: string, now: number) => Promise<Authentication>,
): JwtKeyring {
  const remembered = createLru<Accepted>({ entries: MAX_REMEMBERED });
  return {
    isToken,
    authenticate: (key, now) => {
      if (key.length > MAX_LENGTH) return { kind: 'rejected', reason: 'unknown' };
      const digest = hash('sha256', key, 'base64url');
      const known = remembered.get(digest);
      if (known !== undefined && now < known.expires) return known;
      return check(key, now).then((result) => {
        if (result.kind === 'accepted') remembered.set(digest, result);
        else remembered.delete(digest);
        return result;
      });
    },
  };
}

/** Accepts the tokens of both; the first is asked about those that have its form. */
export function eitherOf(
  first: JwtKeyring | undefined,
  second: JwtKeyring | undefined,
): JwtKeyring | undefined {
  if (first === undefined || second === undefined) return first ?? second;
  return {
    isToken: (key) => first.isToken(key) || second.isToken(key),
    authenticate: (key, now) => (first.isToken(key) ? first : second).authenticate(key, now),
  };
}

/**
 * Returns the fault in the times of a token (seconds since 1970). `iat` can only shorten the lifetime, because it may be
 * set by the party that requests the token.
 */
export function timeFault({ iat, exp }: JWTPayload, now: number, skew: number): string | undefined {
  const hours = MAX_LIFE_SECONDS / 3600;
  if (exp === undefined || exp - now > MAX_LIFE_SECONDS + skew)
    return `The claim exp is more than ${hours} hours from now; issue tokens for ${hours} hours at most`;
  if (iat === undefined) return undefined;
  if (iat - now > skew) return inFuture('iat');
  if (!(exp - iat <= MAX_LIFE_SECONDS + skew)) return `The claim exp is more than ${hours} hours after iat`;
  return undefined;
}

/** Clocks that differ are the most frequent reason. */
function inFuture(claim: string): string {
  return `The claim ${claim} is in the future, by more than the permitted clock skew (jwt_clock_skew) of the issuer`;
}

/** Undefined if the fault is in the issuer's keys, not in the token. */
export function rejectionOf(error: Error): Rejected | undefined {
  if (error instanceof errors.JWTExpired) return { kind: 'rejected', reason: 'expired' };
  if (error instanceof errors.JWTClaimValidationFailed) {
    if (error.claim === 'nbf' && error.reason === 'check_failed') return unfit(inFuture('nbf'));
    return unfit(
      `The claim ${error.claim} is ${error.reason === 'missing' ? 'missing' : 'not what it has to be'}`,
    );
  }
  const isFault =
    error instanceof errors.JWSInvalid ||
    error instanceof errors.JWTInvalid ||
    error instanceof errors.JWSSignatureVerificationFailed ||
    error instanceof errors.JOSEAlgNotAllowed ||
    error instanceof errors.JOSENotSupported ||
    error instanceof errors.JWKSNoMatchingKey ||
    error instanceof errors.JWKSMultipleMatchingKeys;
  return isFault ? { kind: 'rejected', reason: 'unknown' } : undefined;
}

export function unfit(detail: string): Rejected {
  return { kind: 'rejected', reason: 'unfit', detail };
}

/** A subject is untrusted input, so unusual characters are replaced before it appears in logs and messages. */
export function nameOf(subject: string): string {
  return subject.replace(/[^\w.@:|/+-]/g, '_').slice(0, 64);
}
