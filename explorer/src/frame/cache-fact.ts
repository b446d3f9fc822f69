// How long responses of an endpoint are cached, for display.
import type { Endpoint } from '../service/listing.ts';

export function cacheFact(cache: Endpoint['cache']): string {
  if (cache === null) return 'not cached';
  if (cache.check === undefined) return `cached for ${duration(cache.ttl)}`;
  return `cached until the data changes (checked every ${duration(cache.check)}), at most ${duration(cache.ttl)}`;
}

export function duration(seconds: number): string {
  return seconds % 60 === 0 && seconds >= 60 ? `${seconds / 60} min` : `${seconds} s`;
}
