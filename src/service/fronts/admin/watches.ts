// `GET /watches` and `GET /watches/messages` of the admin listener: the watches of all keys, and the messages that are not sent.
import type { FastifyInstance } from 'fastify';
import { describeMessage, describeWatch } from '../../watches/describe.ts';
import type { Watcher } from '../../watches/watcher.ts';
import { watchId } from '../../watches/advance.ts';

/** Watches as they are now, of those that `shows` accepts. */
async function listWatches(
  watcher: Pick<Watcher, 'targets' | 'records'>,
  shows: (target: ReturnType<Watcher['targets']>[number]) => boolean,
): Promise<readonly object[]> {
  const records = new Map((await watcher.records()).map((record) => [record.id, record]));
  return watcher
    .targets()
    .filter(shows)
    .map((target) => describeWatch(target, records.get(watchId(target.endpoint.name, target.watch))));
}

export function addWatchRoutes(
  app: FastifyInstance,
  watcher: Pick<Watcher, 'targets' | 'records' | 'isLeading'>,
): void {
  app.get('/watches', async (_request, reply) => {
    const watches = await listWatches(watcher, () => true);
    return reply.header('Cache-Control', 'no-store').send({ leading: watcher.isLeading(), watches });
  });
  app.get('/watches/messages', async (_request, reply) => {
    const records = await watcher.records();
    const waiting = records.flatMap(({ outbox }) => outbox.map(describeMessage));
    const dead = records.flatMap((record) =>
      record.dead.map((each) => ({ ...describeMessage(each), reason: each.reason })),
    );
    return reply.header('Cache-Control', 'no-store').send({ waiting, dead });
  });
}
