// The public keys of an issuer (JWKS, RFC 7517): fetched when one is missing, and used on while they cannot be fetched.
import {
  createLocalJWKSet,
  createRemoteJWKSet,
  errors,
  type CryptoKey,
  type FlattenedJWSInput,
  type JWSHeaderParameters,
} from 'jose';

/** The issuer's keys cannot be fetched, and are needed: no token is at fault. */
export class KeysUnavailable extends Error {
  /** Whether a fetch has just failed; false where none was tried because one failed a moment ago. */
  readonly isNew: boolean;

  constructor(cause: unknown, isNew: boolean) {
    super('the keys of the issuer cannot be fetched', { cause });
    this.name = 'KeysUnavailable';
    this.isNew = isNew;
  }
}

/** As `jwtVerify` takes it. Rejects with KeysUnavailable, or with what is wrong with the token or with the key it names. */
type GetKey = (header: JWSHeaderParameters, token: FlattenedJWSInput) => Promise<CryptoKey>;

/** Bounds of the key set: a fetch, the pause between two for unknown keys, and its life (milliseconds). */
const JWKS = { timeoutDuration: 2000, cooldownDuration: 10_000, cacheMaxAge: 600_000 };
/** After a fetch that failed, nobody fetches for so long. */
const REST_MS = 1000;

/**
 * The keys at `now`, in milliseconds since 1970. Whoever sends a token can name any key, so one that is unknown has others
 * wait for nothing: tokens of known keys are verified with what was fetched before.
 */
export function createIssuerKeys(url: string): (now: number) => GetKey {
  const remote = createRemoteJWKSet(new URL(url), JWKS);
  let local: ReturnType<typeof createLocalJWKSet> | undefined;
  let failed: { readonly at: number; readonly cause: unknown } | undefined;

  const fetchKeys = async (now: number): Promise<ReturnType<typeof createLocalJWKSet>> => {
    // Whichever way the clock was set meanwhile.
    if (failed !== undefined && Math.abs(now - failed.at) < REST_MS)
      throw new KeysUnavailable(failed.cause, false);
    try {
      await remote.reload();
      failed = undefined;
      return (local = createLocalJWKSet(remote.jwks() ?? { keys: [] }));
    } catch (cause) {
      failed = { at: now, cause };
      throw new KeysUnavailable(cause, true);
    }
  };

  return (now) => async (header, token) => {
    const held = remote.fresh ? local : undefined;
    const keys = held ?? (await fetchKeys(now));
    try {
      return await keys(header, token);
    } catch (cause) {
      if (!(cause instanceof errors.JWKSNoMatchingKey) || remote.coolingDown) throw cause;
    }
    return (await fetchKeys(now))(header, token);
  };
}
