// API keys: those in the tokens file, tokens of an issuer, and how often each is used.
import { join } from 'node:path';
import { createJwtKeyring } from '../auth/jwt.ts';
import { createTinybirdKeyring } from '../auth/tinybird-jwt.ts';
import { eitherOf } from '../auth/token-checks.ts';
import { createKeyUse, type KeyUse, type Uses, type UseStore } from '../auth/key-use.ts';
import { openLiveKeyring, type LiveKeyring } from '../auth/live-keyring.ts';
import { createUseFile, createUseRedis } from '../auth/use-stores.ts';
import type { RedisLink } from '../cache/redis-link.ts';
import type { Token } from '../config/generated/tokens.ts';
import type { Settings } from '../config/settings.ts';
import type { Observe } from '../../sql/base/observation.ts';
import { after, clock } from './clock.ts';
import type { KeyCheck } from './key-check.ts';
import { openRedis } from './redis.ts';

export interface KeyringOptions {
  readonly settings: Settings;
  /** Keys in addition to those of the tokens file. */
  readonly extraTokens: readonly Token[];
  readonly observe: Observe;
  readonly check: KeyCheck['check'];
}

/** Rejects with TokensRejected. */
export function openKeyring({ settings, extraTokens, observe, check }: KeyringOptions): Promise<LiveKeyring> {
  const { tokens: path, jwt } = settings;
  const issuer = jwt && createJwtKeyring({ ...jwt, observe, monotonic: clock.monotonic });
  const signed = settings.tinybird.tokens && createTinybirdKeyring(settings.tinybird.tokens);
  return openLiveKeyring({
    path,
    extra: extraTokens,
    jwt: eitherOf(signed, issuer),
    observe,
    after,
    check,
  });
}

/** Counts uses of keys in Redis, shared by all replicas, or else in the data directory. */
export function openKeyUse(settings: Settings, link: RedisLink | undefined, observe: Observe): KeyUse {
  return createKeyUse({ store: useStoreOf(settings, link), now: clock.epoch, after, observe });
}

/** Recorded uses over all runs and replicas. */
export async function readUses(settings: Settings): Promise<Uses> {
  const link = await openRedis(settings, () => undefined);
  try {
    return await useStoreOf(settings, link).read();
  } finally {
    await link?.close();
  }
}

function useStoreOf(settings: Settings, link: RedisLink | undefined): UseStore {
  return link === undefined
    ? createUseFile(join(settings.data, 'token-use.json'), { epoch: clock.epoch, after })
    : createUseRedis(link);
}
