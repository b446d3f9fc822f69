// JSON Web Tokens of one issuer as keys: checks signature, times and claims, and compiles the granted access (RFC 7519,
// RFC 8725).
import { jwtVerify, type JWTPayload } from 'jose';
import { createValueCheck } from '../config/schema.ts';
import type { JwtSettings } from '../config/jwt-settings.ts';
import type { Observe } from '../../sql/base/observation.ts';
import { Problem } from '../../sql/base/problem.ts';
import { createIssuerKeys, KeysUnavailable } from './issuer-keys.ts';
import type { Authentication, Rejected } from './keyring.ts';
import { createPrincipal, type Grant } from './principal.ts';
import {
  FORM,
  REMEMBER_MS,
  nameOf,
  rejectionOf,
  rememberTokens,
  timeFault,
  unfit,
  type JwtKeyring,
} from './token-checks.ts';

export interface JwtOptions extends JwtSettings {
  readonly observe: Observe;
  /** Milliseconds. */
  readonly monotonic: () => number;
}

/** Maximum length of `sub` (OpenID Connect Core 1.0, section 2). */
const MAX_SUBJECT = 255;

/** Fetches no keys until the first token arrives. */
export function createJwtKeyring(options: JwtOptions): JwtKeyring {
  const { observe, skewSeconds } = options;
  const keysAt = createIssuerKeys(options.jwksUrl, options.monotonic);
  const readGrant = createGrantReader(options.claim);

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

  return rememberTokens((key) => FORM.test(key), check);
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

function unavailable(cause: unknown): Problem {
  return new Problem('auth.unavailable', { retryAfter: 2, cause });
}
