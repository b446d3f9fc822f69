// One replica as a child process: reads through Redis on IPC commands, and reports every run and response.
import { setTimeout } from 'node:timers/promises';
import { createReadThrough } from '../../../src/service/cache/read-through.ts';
import { createRedis } from '../../../src/service/cache/redis.ts';
import { openRedisLink } from '../../../src/service/cache/redis-link.ts';
import { createStore } from '../../../src/service/cache/store.ts';
import { askFor, ENTRY_KEY, TRUST, payload, realAfter, realClock, textOf } from './fixture.ts';

/** Asks `callers` times at once for a key whose run takes `runMs`. */
export interface Order {
  readonly key: string;
  readonly callers: number;
  readonly runMs: number;
}

export type Report =
  | { readonly kind: 'ready' }
  | { readonly kind: 'running'; readonly pid: number }
  | { readonly kind: 'answered'; readonly texts: readonly string[]; readonly outcomes: readonly string[] };

const [url = '', namespace = ''] = process.argv.slice(2);
const report = (message: Report): void => void process.send?.(message);
const observe = (): void => {};
const parts = { clock: realClock, after: realAfter, random: Math.random, observe };
// Patient: on a machine under load a reply may take long, and giving up would be right, but run twice.
const link = await openRedisLink({ ...parts, url, namespace, timeoutMs: 30_000, retryMs: 100 });
const remote = createRedis({ ...parts, ...TRUST, entryKey: ENTRY_KEY, link, leaseMs: 10_000 });
const store = createStore({
  ...parts,
  remote,
  memoryBytes: 2 ** 24,
  entryBytes: 2 ** 20,
  compressOver: 2 ** 14,
});
const reads = createReadThrough({ ...parts, store, excusesStale: () => false });

process.on('message', (order: Order) => void obey(order));
process.on('disconnect', () => process.exit(0));
report({ kind: 'ready' });

async function obey({ key, callers, runMs }: Order): Promise<void> {
  const run = async () => {
    report({ kind: 'running', pid: process.pid });
    await setTimeout(runMs);
    return payload(`${key} by ${process.pid}`, 50_000);
  };
  const answers = await Promise.all(Array.from({ length: callers }, () => reads.read(askFor(key, { run }))));
  report({
    kind: 'answered',
    texts: answers.map((read) => (read.kind === 'answer' ? (textOf(read.entry) ?? '') : '')),
    outcomes: answers.map((read) => (read.kind === 'answer' ? read.outcome.kind : read.kind)),
  });
}
