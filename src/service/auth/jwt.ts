// JSON Web Tokens of one issuer as keys: checks signature, times and claims, and compiles the granted access (RFC 7519,
// RFC 8725).
import { hash } from 'node:crypto';
import { errors, jwtVerify, type JWTPayload } from 'jose';
import { createValueCheck } from '../config/schema.ts';
import type { JwtSettings } from '../config/jwt-settings.ts';
import type { Observe } from '../../sql/base/observation.ts';
import { createLru } from '../../sql/base/lru.ts';
import { Problem } from '../../sql/base/problem.ts';
import { createIssuerKeys, KeysUnavailable } from './issuer-keys.ts';
import type { Accepted, Authentication, Rejected } from './keyring.ts';
import { createPrincipal, type Grant } from './principal.ts';

export interface JwtOptions extends JwtSettings {
  readonly observe: Observe;
  /** Milliseconds. */
  readonly monotonic: () => number;
}

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
/** Maximum length of `sub` (OpenID Connect Core 1.0, section 2). */
const MAX_SUBJECT = 255;
const MAX_LENGTH = 8192;
/**
 * How long a verified token is not verified again: a key that the issuer has revoked is accepted for this long after the key set has been
 * fetched without it.
 */
const REMEMBER_MS = 300_000;
const MAX_REMEMBERED = 10_000;
const FORM = /^[\w-]+\.[\w-]+\.[\w-]+$/;

/** Fetches no keys until the first token arrives. */
export function createJwtKeyring(options: JwtOptions): JwtKeyring {
  const { observe, skewSeconds } = options;
  const keysAt = createIssuerKeys(options.jwksUrl, options.monotonic);
  const readGrant = createGrantReader(options.claim);
  const remembered = createLru<Accepted>({ entries: MAX_REMEMBERED });

  const check = async (token: string, now: number): Promise<Authentication> => {
    const verified = await jwtVerify(token, keysAt(now), {
      issuer: options.issuer,
      audience: options.audience,
      algorithms: [...options.algorithms],
      clockTolerance: skewSeconds,
      currentDate: new Date(now),
      requiredClaims: ['exp', 'sub'],
    }).catch((cause: unknown) => cause as Error); // jose rejects only with errors
    if (verified instanceof Error) {
      const rejected = rejectionOf(verified);
      if (rejected !== undefined) return rejected;
      const isUnavailable = verified instanceof KeysUnavailable;
      if (!isUnavailable || verified.isNew) observe({ kind: 'tokens.jwks_failed', cause: verified });
      if (isUnavailable) throw unavailable(verified);
      return { kind: 'rejected', reason: 'unknown' }; // one of the issuer's keys is unusable; others may still work
    }
    const { payload } = verified;
    const fault = timeFault(payload, now / 1000, skewSeconds) ?? subjectFault(payload.sub);
    if (fault !== undefined) return unfit(fault);
    const grant = readGrant(payload);
    if ('kind' in grant) return grant;
    const subject = payload.sub ?? '';
    const expires = Math.min(((payload.exp ?? 0) + skewSeconds) * 1000, now + REMEMBER_MS);
    const principal = createPrincipal(`jwt:${options.issuer}:${subject}`, nameOf(subject), grant);
    return { kind: 'accepted', principal, expires };
  };

  return {
    isToken: (key) => FORM.test(key),
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

/**
 * What is wrong with the times of a token (seconds since 1970). `iat` can only shorten the lifetime, because it may be
 * set by the party that requests the token.
 */
function timeFault({ iat, exp }: JWTPayload, now: number, skew: number): string | undefined {
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

/** Subjects of different types, such as 7 and "7", would be one principal, and an empty subject identifies none. */
function subjectFault(sub: unknown): string | undefined {
  if (typeof sub === 'string' && sub.trim() !== '' && sub.length <= MAX_SUBJECT) return undefined;
  return `The claim sub has to be a string of 1 to ${MAX_SUBJECT} characters, not only of spaces`;
}

/**
 * Reads the granted access. An unknown field rejects the token, so that a restriction the issuer intended is never
 * silently ignored.
 */
function createGrantReader(claim: string): (payload: JWTPayload) => Grant | Rejected {
  const check = createValueCheck('Claims');
  return (payload) => {
    const value = payload[claim];
    if (value === undefined) return unfit(`The claim ${claim} is missing`);
    const [finding] = check(value);
    if (finding === undefined) return value as Grant; // validated against the schema that the type is generated from
    return unfit(`The claim ${[claim, ...finding.path].join('.')}: ${finding.message}`);
  };
}

/** Undefined if the fault is in the issuer's keys, not in the token. */
function rejectionOf(error: Error): Rejected | undefined {
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

function unfit(detail: string): Rejected {
  return { kind: 'rejected', reason: 'unfit', detail };
}

function unavailable(cause: unknown): Problem {
  return new Problem('auth.unavailable', { retryAfter: 2, cause });
}

/** A subject is untrusted input, so unusual characters are replaced before it appears in logs and messages. */
function nameOf(subject: string): string {
  return subject.replace(/[^\w.@:|/+-]/g, '_').slice(0, 64);
}
