// Finding codes about the cache, with their meanings and fixes.
import type { FindingKind } from './finding-kind.ts';

export const CACHE_KINDS: Readonly<Record<string, FindingKind>> = {
  'cache.refresh_over_ttl': { title: 'min_refresh is longer than ttl', help: 'Set it to at most cache.ttl.' },
  'cache.check_without_until': {
    title: 'cache.check without until: data',
    help: 'Add until: data, or remove check.',
  },
  'cache.check_over_ttl': { title: 'check is longer than ttl', help: 'Set it to at most cache.ttl.' },
  'cache.public_tenants': {
    title: 'Responses of tenants may not be stored by shared caches',
    help: 'Remove cache.public. If the data is open, the endpoint has no tenants: write tenancy: { none: the reason }.',
  },
  'cache.unwatched': {
    title: 'With until: data, the query reads data whose changes cannot be seen',
    help: 'Its responses are valid for cache.check only. docs/author/caching.md lists the kinds of tables whose changes can be seen.',
  },
  'cache.clock_read': {
    title: 'With until: data, the result changes although no table does',
    help: 'The query, a view or a computed column reads the clock or is random. Round the time, so that responses are valid until it changes; otherwise they are valid for ttl.',
  },
};
