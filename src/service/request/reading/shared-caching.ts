// Which answers shared caches may store: those of open data that are the same for every key.
import type { Principal } from '../../auth/principal.ts';
import type { Endpoint } from '../../endpoints/endpoint.ts';
import type { SharedCaching } from '../call.ts';
import type { ConsumerQuery } from '../consumer/consumer-query.ts';

/** Undefined: only the client may store the answer. Caches that ignore `Vary` would serve it to other keys. */
export function sharedCaching(
  { cache, tenant, redaction }: Pick<Endpoint, 'cache' | 'tenant' | 'redaction'>,
  {
    principal: { locked, redact, resultShape },
    consumerQuery,
  }: {
    readonly principal: Pick<Principal, 'locked' | 'redact' | 'resultShape'>;
    readonly consumerQuery: ConsumerQuery | undefined;
  },
): SharedCaching | undefined {
  if (cache === undefined || !cache.isPublic || tenant !== undefined) return undefined;
  const isOfKey = locked.size > 0 || resultShape !== undefined || (redact && !redaction.always);
  return isOfKey || consumerQuery !== undefined ? undefined : cache;
}
