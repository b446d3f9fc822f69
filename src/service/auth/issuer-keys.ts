// The public keys of an issuer (JWKS, RFC 7517): fetched when a key is missing, and still used while fetching fails.
import { KnownError } from '../../sql/base/observation.ts';
import {
  createLocalJWKSet,
  createRemoteJWKSet,
  customFetch,
  errors,
  type CryptoKey,
  type FlattenedJWSInput,
  type JWSHeaderParameters,
} from 'jose';

/** The issuer's keys are needed but cannot be fetched; the token is not at fault. */
export class KeysUnavailable extends KnownError {
  /** It is true if a fetch has just failed; false if none was tried because of a recent failure. */
  readonly isNew: boolean;

  constructor(cause: unknown, isNew: boolean) {
    super('the keys of the issuer could not be fetched', { cause });
    this.name = 'KeysUnavailable';
    this.isNew = isNew;
  }
}

/**
 * The key function of `jwtVerify`. Rejects with KeysUnavailable, or with an error about the token or the key it names.
 */
type GetKey = (header: JWSHeaderParameters, token: FlattenedJWSInput) => Promise<CryptoKey>;

/**
 * Limits of the key set in milliseconds: timeout of a fetch, pause between fetches for unknown keys, and maximum age.
 */
const JWKS = {
  timeoutDuration: 2000,
  cooldownDuration: 10_000,
  cacheMaxAge: 600_000,
  [customFetch]: fetchBounded,
};
/** The largest key set, in bytes. */
const MAX_BYTES = 2 ** 20;
/** No fetch is tried for this long after one has failed. */
const REST_MS = 1000;

/**
 * The key function at `now`, in milliseconds since 1970; `monotonic` is in milliseconds. Anyone can send a token that names an unknown
 * key, so such tokens must not delay others: tokens of known keys are verified with the keys fetched earlier.
 */
export function createIssuerKeys(url: string, monotonic: () => number): (now: number) => GetKey {
  const remote = createRemoteJWKSet(new URL(url), JWKS);
  let local: ReturnType<typeof createLocalJWKSet> | undefined;
  let failed: { readonly at: number; readonly cause: unknown } | undefined;

  const fetchKeys = async (now: number): Promise<ReturnType<typeof createLocalJWKSet>> => {
    // Absolute, in case the clock was changed in the meantime.
    if (failed !== undefined && Math.abs(now - failed.at) < REST_MS)
      throw new KeysUnavailable(failed.cause, false);
    const started = monotonic();
    try {
      await remote.reload();
      failed = undefined;
      return (local = createLocalJWKSet(remote.jwks() ?? { keys: [] }));
    } catch (cause) {
      // The messages of this library are constants.
      const known = cause instanceof errors.JOSEError ? new KnownError(cause.message) : cause;
      failed = { at: now + monotonic() - started, cause: known }; // a fetch can take longer than the pause
      throw new KeysUnavailable(known, true);
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

/** Fetches at most as many bytes as a key set can have; throws if there are more. */
async function fetchBounded(url: string, options: RequestInit): Promise<Response> {
  const response = await fetch(url, options);
  if (response.status !== 200 || response.body === null) return response;
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of response.body) {
    length += chunk.length;
    if (length > MAX_BYTES)
      throw new KnownError(`the key set of the issuer has more than ${MAX_BYTES} bytes`);
    chunks.push(chunk);
  }
  return new Response(Buffer.concat(chunks));
}
