// A folder of endpoints: one with a cached response of 30 KB, and a slow one limited to one query at a time.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Context } from '../context.ts';

export const HIT = '/api/endpoints/query/hit';
export const SLOW = '/api/endpoints/query/slow';

export async function cachedResponse(context: Context): Promise<string> {
  const folder = await context.folder('cached-response');
  await writeFile(
    join(folder, 'hit.yaml'),
    "id: 00000000-0000-4000-8000-000000000001\nname: hit\nquery: SELECT toString(generateUUIDv4()) AS id, now() AS timestamp, repeat('y', 200) AS event_message FROM numbers(100)\ncache: { ttl: 3600 }\n",
  );
  await writeFile(
    join(folder, 'slow.yaml'),
    'id: 00000000-0000-4000-8000-000000000002\nname: slow\nquery: SELECT sleep(0.05) AS slept\nlimits: { concurrency: 1, queue: 3 }\n',
  );
  return folder;
}
