// The codes of changes of response size, caching, limits, reservations, labels and tools for agents.
import { EXPORT_CHANGES } from './export-changes.ts';
import {
  behaviour,
  breaking,
  compatible,
  cost,
  exposure,
  security,
  type ChangeKinds,
} from './change-kinds.ts';

export const POLICY_CHANGES = {
  ...EXPORT_CHANGES,
  'int64.changed': breaking(
    'The encoding of 64-bit integers changed',
    'Numbers become strings, or strings numbers, in every JSON response.',
  ),
  'result_shape.changed': breaking(
    'The shape of rows changed',
    'Timestamps become numbers and nested objects arrays, or the reverse, in every JSON response whose key and request choose no shape.',
  ),
  'max_rows.lowered': breaking('Fewer rows per response', 'Responses that were complete may be truncated.'),
  'max_rows.raised': cost('More rows per response', 'Responses that were truncated get larger.'),
  'page.added': breaking(
    'Rows are divided into pages',
    'Callers who read all rows at once get the first page, and have to ask for the others.',
  ),
  'page.removed': breaking(
    'Rows are no longer divided into pages',
    'Calls with page_size or cursor get 400.',
  ),
  'page.keys_changed': behaviour(
    'Pages have other keys, or another order',
    'Rows come in another order. Cursors of the version before are invalid, as after any change of the query.',
  ),
  'page.size_changed': behaviour(
    'Pages have another size by default',
    'Callers who send no page_size get more or fewer rows at once.',
  ),
  'page.max_lowered': breaking(
    'The maximum size of a page was lowered',
    'Calls with a larger page_size get 400.',
  ),
  'page.max_raised': cost('The maximum size of a page was raised', 'Callers may ask for more rows at once.'),
  'live.added': cost('Live calls are possible', 'Open streams cause checks and queries.'),
  'live.removed': breaking(
    'Live calls are no longer possible',
    'Open streams end, and live calls get 400 or 406.',
  ),
  'live.key_changed': behaviour(
    'Live calls have another key of rows',
    'Subscribers get whole results, or only new rows, where they got the other; or other columns tell rows apart.',
  ),
  'live.every_lowered': cost('Live calls look for changes more often', 'There are more checks and queries.'),
  'live.every_raised': behaviour('Live calls look for changes less often', 'Events come later.'),
  'fresh.added': behaviour(
    'Responses say how old their data is',
    'Stale ones have the header Millrace-Data-Stale.',
  ),
  'fresh.removed': breaking(
    'Responses no longer say how old their data is',
    'The headers Millrace-Data-Age and Millrace-Data-Stale are gone, and stale data is no error.',
  ),
  'fresh.column_changed': behaviour(
    'The age of the data is that of another column',
    'It may be another one.',
  ),
  'fresh.within_lowered': behaviour(
    'Data is stale earlier',
    'More responses are marked as stale, or are errors.',
  ),
  'fresh.within_raised': behaviour(
    'Data is stale later',
    'Older responses are not marked as stale, or are no errors.',
  ),
  'fresh.error_added': breaking('Stale data is an error', 'Calls get 503 data.stale where they got rows.'),
  'fresh.error_removed': behaviour(
    'Stale data is no longer an error',
    'Calls get old rows with Millrace-Data-Stale where they got 503.',
  ),
  'watch.added': cost(
    'A watch was added',
    'Its condition is looked at again and again, by queries of their own.',
  ),
  'watch.removed': behaviour(
    'A watch was removed',
    'Its condition is not looked at any more, and no message is sent.',
  ),
  'watch.key_changed': security(
    'A watch runs as another key',
    'It reads what that key may read, and its messages show it to the people of the channels.',
  ),
  'watch.channel_added': exposure(
    'A watch sends its messages to another channel',
    'They have values of rows, which leave the service for a place that did not get them before.',
  ),
  'watch.channel_removed': behaviour(
    'A watch no longer sends its messages to a channel',
    'Who reads that channel does not learn of the condition.',
  ),
  'watch.every_lowered': cost('A watch looks more often', 'There are more checks and queries.'),
  'watch.changed': behaviour(
    'A watch has another condition, text or times',
    'Messages come at other times, or have other texts.',
  ),
  'cache.enabled': behaviour('Responses are cached', 'They may be as old as ttl.'),
  'cache.disabled': cost('Responses are no longer cached', 'Every call runs on the engine.'),
  'cache.ttl_raised': behaviour('Responses are cached for longer', 'They may be older.'),
  'cache.until_added': behaviour(
    'Responses are valid until the data changes',
    'After a change they are newer; without one they are as old as ttl.',
  ),
  'cache.until_removed': behaviour(
    'Responses are valid for ttl, whether the data changes or not',
    'After a change of the data they may be older.',
  ),
  'cache.check_raised': behaviour('The data is checked for changes less often', 'Responses may be older.'),
  'cache.check_lowered': cost(
    'The data is checked for changes more often',
    'There are more checks and queries.',
  ),
  'cache.ttl_lowered': cost(
    'Responses are cached for a shorter time',
    'They are fresher, and the engine runs more queries.',
  ),
  'cache.min_refresh_raised': behaviour('min_refresh was raised', 'Calls with no-cache get older responses.'),
  'cache.min_refresh_lowered': cost('min_refresh was lowered', 'Calls with no-cache cause more queries.'),
  'cache.stale_changed': behaviour(
    'Stale responses are served for a longer or shorter time',
    'Callers get stale responses, or errors instead.',
  ),
  'cache.public_added': security(
    'Shared caches may store responses',
    'They may serve them to anyone, without a key, and for as long as they are fresh also after a change of keys or of redaction.',
  ),
  'cache.public_removed': cost(
    'Shared caches may no longer store responses',
    'Calls that they answered reach the service.',
  ),
  'warming.raised': cost(
    'Cache warming was turned on, or does more',
    'The engine runs more queries, whether there are calls or not.',
  ),
  'warming.lowered': behaviour('Cache warming was turned off, or does less', 'First calls are slower.'),
  'warming.workload_changed': behaviour(
    'Cache warming runs in another workload',
    'It takes its share of the machine from there.',
  ),
  'limits.lowered': breaking(
    'A lower limit on time, memory, rows read or rate',
    'Calls that worked may be stopped or rejected.',
  ),
  'limits.raised': cost('A higher limit', 'One call may cost more than before, but is still limited.'),
  'limits.removed': security(
    'A limit was removed',
    'Only the limits of the whole service stop one caller from using all of the engine.',
  ),
  'limits.concurrency_raised': cost(
    'More concurrent or queued queries',
    'Calls may use more of the engine at the same time.',
  ),
  'limits.concurrency_lowered': behaviour(
    'Fewer concurrent or queued queries',
    'Calls wait longer, and may get 503 at a lower load.',
  ),
  'reservation.enabled': behaviour(
    'Callers may request workloads',
    'Their calls are scheduled ahead of others.',
  ),
  'reservation.disabled': behaviour(
    'Callers may no longer request workloads',
    'The header is ignored; calls still run, without a reservation.',
  ),
  'reservation.workload_added': behaviour(
    'One more workload that callers may request',
    'Calls that request it take a share of the machine.',
  ),
  'reservation.workload_removed': breaking('A workload was removed', 'Calls that request it get 400.'),
  'labels.changed': behaviour(
    'Labels changed',
    "Responses are the same; metrics and the engine's query log count calls under other labels.",
  ),
  'rollups.off': cost(
    'Rollups are no longer read',
    'Calls read all rows of their tables; responses are the same.',
  ),
  'rollups.on': compatible(
    'Rollups are read where the result is the same',
    'Calls read fewer rows; responses are the same.',
  ),
  'view.changed': compatible(
    'The log view of the explorer changed',
    'Calls and responses are the same; the explorer shows other tables or columns as logs.',
  ),
  'mcp.removed': breaking('The endpoint is no longer a tool for agents', 'Agents cannot call it.'),
  'mcp.added': compatible(
    'The endpoint is a tool for agents',
    'Agents with keys that may call the endpoint find it. They could call it by HTTP already.',
  ),
  'mcp.renamed': breaking(
    'The tool of the endpoint has another name',
    'Agents with saved prompts or permissions for the old name cannot call it.',
  ),
  'mcp.max_rows_lowered': breaking(
    'Agents get fewer rows',
    'Answers that were complete may be cut; the answer says so.',
  ),
  'mcp.max_rows_raised': behaviour('Agents get more rows', 'Answers that were cut get longer.'),
} as const satisfies ChangeKinds;

export type PolicyCode = keyof typeof POLICY_CHANGES;
