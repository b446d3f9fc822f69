// The finding codes of live calls, with their meaning and fix.
import type { FindingKind } from './finding-kind.ts';

export const LIVE_KINDS: Readonly<Record<string, FindingKind>> = {
  'live.reserved_name': {
    title: 'A parameter has the name of a field of live calls',
    help: 'live and last_event_id are reserved on endpoints with live calls.',
  },
  'live.redacted_key': {
    title: 'A key of live calls is redacted',
    help: 'Redacted values do not distinguish rows. Use columns without personal data, such as a time and an id.',
  },
  'live.unknown_key': {
    title: 'A key of live calls is not a column of the result',
    help: 'Each column of live.key is a column that the query selects, by the name that it has in the result.',
  },
  'live.key_type': {
    title: 'A key of live calls has a type that cannot identify a row',
    help: 'Keys are compared as they are written in JSON: not floating-point numbers, and no arrays, maps or JSON.',
  },
  'live.unwatched': {
    title: 'A live endpoint reads data whose changes cannot be seen',
    help: 'Its query runs every live.every seconds while it has subscribers, and an event is sent if the result differs. docs/author/caching.md lists the kinds of tables whose changes can be seen.',
  },
  'live.clock_read': {
    title: 'The result of a live endpoint changes although no table does',
    help: 'The query, a view or a computed column reads the clock or is random, so it runs every live.every seconds while it has subscribers. Round the time, as in toStartOfInterval(now(), INTERVAL 1 MINUTE).',
  },
};
