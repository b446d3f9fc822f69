// Keys of requests: who sends one, and whether the rate limits allow it.
import type { KeyUse } from '../../auth/key-use.ts';
import type { Accepted, Keyring, Rejected as RejectedKey } from '../../auth/keyring.ts';
import type { Principal } from '../../auth/principal.ts';
import type { Clock } from '../../../sql/base/clock.ts';
import { Problem, type ProblemOptions } from '../../../sql/base/problem.ts';
import { retryAfter, type Limit, type LimitState, type RateLimits } from '../../limits/rate-limits.ts';
import type { Endpoint } from '../../endpoints/endpoint.ts';
import type { CallRecord } from '../call.ts';

/** What a request counts as: checks have counters of their own. */
export type RequestKind = 'call' | 'check';

export interface KeyDeps {
  readonly keyring: () => Keyring;
  readonly keyUse: Pick<KeyUse, 'note'>;
  readonly rateLimits: RateLimits;
  readonly clock: Clock;
}

/** Authenticates and notes the use of the key. Throws Problem `auth.*`. */
export async function identify(
  { keyUse, clock }: Pick<KeyDeps, 'keyUse' | 'clock'>,
  keys: Keyring,
  { key, record }: Sent,
): Promise<Accepted> {
  const accepted = await authenticate(keys, key, clock.epoch());
  record.principal = accepted.principal.name;
  record.usageId = accepted.principal.usageId;
  keyUse.note(accepted.principal.id);
  return accepted;
}

/** This is read of a request before its key is known. */
interface Sent {
  readonly key: string | undefined;
  readonly record: CallRecord;
}

/** Authenticates only, for requests that are admitted after they are read. Throws Problem `auth.*`. */
export async function identifyKey(
  { keyring, clock }: Pick<KeyDeps, 'keyring' | 'clock'>,
  key: string | undefined,
  record: CallRecord,
): Promise<Principal> {
  const { principal } = await authenticate(keyring(), key, clock.epoch());
  record.principal = principal.name;
  record.usageId = principal.usageId;
  return principal;
}

/** `admitKey` for the keys of a service. */
export type AdmitKey = (
  key: string | undefined,
  record: CallRecord,
  kind?: RequestKind,
) => Promise<Principal>;

/** Admits requests that concern no single endpoint, such as the listing: they count against the key's rate limit only. Throws Problem. */
export async function admitKey(
  deps: KeyDeps,
  key: string | undefined,
  record: CallRecord,
  kind: RequestKind = 'call',
): Promise<Principal> {
  const { principal } = await identify(deps, deps.keyring(), { key, record });
  await countRequest(deps.rateLimits, limitsOf(principal, undefined)[kind], record);
  return principal;
}

/** Characters. No key or JSON Web Token is longer; longer values are rejected without hashing. */
export const MAX_KEY_LENGTH = 8192;

/** The principal of a key and when the key expires. Throws `auth.missing`, `auth.invalid` or `auth.unavailable`. */
async function authenticate(keyring: Keyring, key: string | undefined, now: number): Promise<Accepted> {
  if (key === undefined || key === '') throw new Problem('auth.missing');
  if (key.length > MAX_KEY_LENGTH) throw new Problem('auth.invalid');
  const result = await keyring.authenticate(key, now);
  switch (result.kind) {
    case 'accepted':
      return result;
    case 'rejected':
      throw new Problem('auth.invalid', detailOf(result));
  }
}

/** The reason for rejecting a token is disclosed only if its signature is valid. */
function detailOf({ reason, detail }: RejectedKey): ProblemOptions {
  if (reason === 'expired') return { detail: 'The key has expired' };
  return detail === undefined ? {} : { detail };
}

/**
 * Counts a request and returns whether any rate limit applies. Throws `rate.exceeded` or `rate.unavailable`.
 */
export async function countRequest(
  rateLimits: RateLimits,
  limits: readonly Limit[],
  record: CallRecord,
): Promise<boolean> {
  if (limits.length === 0) return false;
  const counted = await rateLimits.take(limits);
  if (counted === 'unavailable') throw new Problem('rate.unavailable', { retryAfter: 1 });
  record.limits = counted.states;
  if (counted.isAllowed) return true;
  const used = counted.states.find(({ remaining }) => remaining === 0);
  const detail = used && `The limit of ${used.rate.limit} calls per ${used.rate.window} s is used up`;
  throw new Problem('rate.exceeded', { retryAfter: retryAfter(counted), ...(detail && { detail }) });
}

/** Counts a repeated call like the first one. Undefined: a limit is used up, or calls cannot be counted. */
export async function countAgain(
  rateLimits: RateLimits,
  limits: readonly Limit[],
): Promise<readonly LimitState[] | undefined> {
  const counted = await rateLimits.take(limits);
  return counted !== 'unavailable' && counted.isAllowed ? counted.states : undefined;
}

/** Checks per call that the rate allows: an editor checks a query at each pause in typing, a page its list each minute. */
const CHECKS_PER_CALL = 10;

/** The limits of a request. A request without an endpoint counts against its key only. */
export function limitsOf(
  principal: Principal,
  endpoint: Endpoint | undefined,
): Readonly<Record<RequestKind, readonly Limit[]>> {
  const call = callLimits(principal, endpoint);
  const check = call.map(({ policy, counter, rate }) => ({
    policy,
    counter: `check|${counter}`,
    rate: { ...rate, limit: rate.limit * CHECKS_PER_CALL },
  }));
  return { call, check };
}

/**
 * Each window has counters of its own: tokens of one subject can have different rates, and calls with one of them must not end
 * the window of another.
 */
function callLimits(principal: Principal, endpoint: Endpoint | undefined): readonly Limit[] {
  const limits: Limit[] = [];
  if (principal.rate !== undefined) {
    const counter = `key|${principal.id}|${principal.rate.window}`;
    limits.push({ policy: 'key', counter, rate: principal.rate });
  }
  if (endpoint?.rate !== undefined) {
    const counter = `endpoint|${endpoint.name}|${principal.id}|${endpoint.rate.window}`;
    limits.push({ policy: 'endpoint', counter, rate: endpoint.rate });
  }
  return limits;
}
