// JSON Web Tokens in the form of Tinybird as keys: signed by applications with a secret that the operator has configured (HS256), with the
// pipes that they may call and the values that their parameters are fixed to.
import { hash } from 'node:crypto';
import { decodeProtectedHeader, jwtVerify, type JWTPayload } from 'jose';
import type { TinybirdTokenSettings } from '../config/tinybird-settings.ts';
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

const ALGORITHM = 'HS256';

/** Tokens of other algorithms are those of the issuer, if there is one. */
export function createTinybirdKeyring(settings: TinybirdTokenSettings): JwtKeyring {
  const { workspace, skewSeconds } = settings;
  const secret = new TextEncoder().encode(settings.signingKey);
  return rememberTokens(isSigned, async (token, now): Promise<Authentication> => {
    const verified = await jwtVerify(token, secret, {
      algorithms: [ALGORITHM],
      clockTolerance: skewSeconds,
      currentDate: new Date(now),
      requiredClaims: ['exp', 'name', 'workspace_id', 'scopes'],
    }).catch((cause: unknown) => cause as Error); // jose rejects only with errors
    if (verified instanceof Error) return rejectionOf(verified) ?? { kind: 'rejected', reason: 'unknown' };
    const { payload } = verified;
    const { name, workspace_id: audience } = payload;
    const fault = timeFault(payload, now / 1000, skewSeconds);
    if (fault !== undefined) return unfit(fault);
    if (audience !== workspace) return unfit('The claim workspace_id is not what it has to be');
    if (typeof name !== 'string' || name.trim() === '' || name.length > MAX_NAME)
      return unfit(`The claim name has to be a string of 1 to ${MAX_NAME} characters`);
    const grant = grantOf(payload);
    if ('kind' in grant) return grant;
    const expires = Math.min(((payload.exp ?? 0) + skewSeconds) * 1000, now + REMEMBER_MS);
    return {
      kind: 'accepted',
      principal: createPrincipal(idOf(workspace, name, grant), nameOf(name), grant),
      expires,
    };
  });
}

const MAX_NAME = 255;
const MAX_SCOPES = 100;

function isSigned(key: string): boolean {
  if (!FORM.test(key)) return false;
  try {
    return decodeProtectedHeader(key).alg === ALGORITHM;
  } catch {
    return false;
  }
}

/** Names need not be unique: tokens that are fixed to different values are different callers. */
function idOf(workspace: string, name: string, { parameters = {} }: Grant): string {
  const fixed = Object.entries(parameters).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return `tinybird:${workspace}:${name}:${hash('sha256', JSON.stringify(fixed)).slice(0, 16)}`;
}

type FixedValues = Readonly<Record<string, string | number | boolean>>;

interface TokenScope {
  readonly resource: string;
  readonly fixed: FixedValues;
}

/** Whatever is not understood rejects the token, so that a restriction is never ignored. */
function grantOf({ scopes, limits }: JWTPayload): Grant | Rejected {
  if (!Array.isArray(scopes) || scopes.length === 0 || scopes.length > MAX_SCOPES)
    return unfit(`The claim scopes has to be a list of 1 to ${MAX_SCOPES} scopes`);
  const read: TokenScope[] = [];
  for (const scope of scopes as readonly unknown[]) {
    const found = scopeOf(scope);
    if ('kind' in found) return found;
    read.push(found);
  }
  const [first] = read;
  if (read.some(({ fixed }) => !isSame(fixed, first?.fixed ?? {})))
    return unfit('Scopes have different fixed_params: sign a token for each');
  const rate = rateOf(limits);
  if (typeof rate === 'object') return rate;
  const parameters = { ...first?.fixed };
  return {
    endpoints: read.map(({ resource }) => resource),
    ...(Object.keys(parameters).length === 0 ? {} : { parameters }),
    ...(rate === undefined ? {} : { rate }),
  };
}

/** It names one pipe: no character of it has a meaning in the lists of names that keys have. */
const RESOURCE = /^[\w.@-]{1,200}$/;

function scopeOf(scope: unknown): TokenScope | Rejected {
  if (!isRecord(scope)) return unfit('A scope has to be an object');
  const { type, resource, fixed_params: fixed = {}, ...others } = scope;
  if (type !== 'PIPES:READ') return unfit('Scopes other than PIPES:READ are not supported');
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) return unfit(`The field ${nameOf(unknown)} of a scope is not supported`);
  if (typeof resource !== 'string' || !RESOURCE.test(resource))
    return unfit('The resource of a scope has to be the name of a pipe');
  if (!isRecord(fixed) || !Object.values(fixed).every(isScalar))
    return unfit('fixed_params has to be an object of strings, numbers and booleans');
  return { resource, fixed: fixed as FixedValues }; // checked above
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isScalar(value: unknown): boolean {
  return typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value);
}

function isSame(one: FixedValues, other: FixedValues): boolean {
  const names = Object.keys(one);
  return names.length === Object.keys(other).length && names.every((name) => one[name] === other[name]);
}

/** Requests per second. */
function rateOf(limits: unknown): string | undefined | Rejected {
  if (limits === undefined) return undefined;
  const fault = unfit('The claim limits has to be { "rps": N }, with N from 1 to 1000000');
  if (!isRecord(limits)) return fault;
  const { rps, ...others } = limits;
  const isRate = Number.isInteger(rps) && Number(rps) >= 1 && Number(rps) <= 1_000_000;
  return isRate && Object.keys(others).length === 0 ? `${String(rps)}/s` : fault;
}
