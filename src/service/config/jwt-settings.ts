// Settings of the issuer of JSON Web Tokens.
import type { Finding } from '../../sql/base/finding.ts';
import type { SettingsFile } from './generated/settings.ts';
import { plainFinding } from './plain-finding.ts';

/** The accepted issuer of JSON Web Tokens, and how its tokens are checked. */
export interface JwtSettings {
  readonly issuer: string;
  readonly audience: string;
  readonly jwksUrl: string;
  readonly algorithms: readonly string[];
  /** The claim with the granted access. */
  readonly claim: string;
  readonly skewSeconds: number;
}

const JWT_KEYS = ['jwt_issuer', 'jwt_audience', 'jwt_jwks_url'] as const;

export type JwtOptionalKey = (typeof JWT_KEYS)[number];

/** A partial configuration would accept or reject tokens unexpectedly. */
export function findHalfJwt(values: SettingsFile): Finding[] {
  const missing = JWT_KEYS.filter((key) => values[key] === undefined);
  if (missing.length === 0 || missing.length === JWT_KEYS.length) return [];
  const message = `tokens of an issuer need ${JWT_KEYS.join(', ')}; missing: ${missing.join(', ')}`;
  return [plainFinding('settings', 'settings.jwt_incomplete', message)];
}

export function jwtSettings(all: SettingsFile): JwtSettings | undefined {
  const { jwt_issuer: issuer, jwt_audience: audience, jwt_jwks_url: jwksUrl } = all;
  if (issuer === undefined || audience === undefined || jwksUrl === undefined) return undefined;
  const { jwt_algorithms: algorithms = '', jwt_claim: claim = '', jwt_clock_skew: skewSeconds = 0 } = all;
  return { issuer, audience, jwksUrl, algorithms: algorithms.split(','), claim, skewSeconds };
}
