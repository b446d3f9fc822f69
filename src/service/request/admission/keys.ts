// Keys of requests: who sends one, and whether the rate limits allow it.
import type { KeyUse } from '../../auth/key-use.ts';
import type { Accepted, Keyring, Rejected as RejectedKey } from '../../auth/keyring.ts';
import type { Principal } from '../../auth/principal.ts';
import type { Clock } from '../../../sql/base/clock.ts';
import { Problem, type ProblemOptions } from '../../../sql/base/problem.ts';
import type { RateLimits } from '../../limits/rate-limits.ts';
import type { CallRecord } from '../call.ts';
import { countRequest, limitsOf, type RequestKind } from './request-limits.ts';

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
  keyUse.note(accepted.principal.id);
  return accepted;
}

/** What is read of a request before its key is known. */
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
