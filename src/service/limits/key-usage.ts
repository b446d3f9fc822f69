// What each key has called, by day and endpoint: counted in memory, and added to the counts of all replicas every few seconds.
import type { After } from '../../sql/base/clock.ts';
import type { FinishedCall } from '../../sql/base/observation.ts';
import type { UsageStore } from './redis-usage.ts';
import { createUsageCounts, USAGE_DAYS, type DayUsage } from './usage-counts.ts';

/** The calls of a key. */
export interface ReadUsage {
  /** Milliseconds since 1970; calls before may be missing. Undefined: none of the days that were asked for is missing. */
  readonly since: number | undefined;
  /** A day and an endpoint may be in several of them. */
  readonly usages: readonly DayUsage[];
}

export interface KeyUsage {
  readonly add: (call: FinishedCall) => void;
  /** Resolves to the calls of the last days, today among them. Never rejects. */
  read(usageId: string, days: number): Promise<ReadUsage>;
  /** Adds what is not added yet. */
  close(): Promise<void>;
}

export interface KeyUsageOptions {
  /** Undefined: each process counts on its own. */
  readonly store: UsageStore | undefined;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly after: After;
  /** Counts that are held in this process; default: 100,000. */
  readonly most?: number | undefined;
}

const FLUSH_MS = 5000;
const DAY_MS = 86_400_000;

/** Counts since the last flush are lost if the process dies; without a store, all are. */
export function createKeyUsage({ store, now, after, most }: KeyUsageOptions): KeyUsage {
  const counts = createUsageCounts(most);
  let since = now();
  let removed = 0;
  let cancel: (() => void) | undefined;
  let flushing = Promise.resolve();

  const add = (usageId: string, usage: DayUsage): void => {
    counts.add(usageId, usage);
    if (counts.removed() === removed) return;
    removed = counts.removed();
    since = now();
  };
  const flushNow = async (to: UsageStore): Promise<void> => {
    const parts = [...counts.take()].flatMap(([usageId, usages]) =>
      partsOf(usages, to.most).map((part) => ({ usageId, part })),
    );
    for (const { usageId, part } of parts) {
      const isAdded = await to.add(usageId, part[0]?.day ?? 0, part);
      if (!isAdded) for (const usage of part) add(usageId, usage);
    }
  };
  const flush = (): Promise<void> => {
    cancel?.();
    cancel = undefined;
    if (store !== undefined) flushing = flushing.then(() => flushNow(store));
    return flushing;
  };
  return {
    add: ({ usageId, endpoint, status, rows = 0, bytes }) => {
      if (usageId === undefined) return;
      const day = Math.floor(now() / DAY_MS);
      add(usageId, { day, endpoint, calls: 1, errors: status >= 400 ? 1 : 0, rows, bytes });
      if (store !== undefined) cancel ??= after(FLUSH_MS, () => void flush());
    },
    read: async (usageId, days) => {
      const today = Math.floor(now() / DAY_MS);
      const first = today - Math.min(days, USAGE_DAYS) + 1;
      await flush();
      const own = counts.read(usageId, first); // what the store did not accept
      const all = Array.from({ length: today - first + 1 }, (_, index) => first + index);
      const shared = await store?.read(usageId, all);
      const isWhole = shared !== undefined && removed === 0;
      const isOlder = since <= first * DAY_MS && (store === undefined || shared !== undefined);
      return { since: isWhole || isOlder ? undefined : since, usages: [...(shared ?? []), ...own] };
    },
    close: flush,
  };
}

/** Parts of one day, with at most so many counts. */
function partsOf(usages: readonly DayUsage[], most: number): readonly (readonly DayUsage[])[] {
  const days = [...new Set(usages.map(({ day }) => day))];
  return days.flatMap((each) => {
    const all = usages.filter(({ day }) => day === each);
    return Array.from({ length: Math.ceil(all.length / most) }, (_, i) =>
      all.slice(i * most, (i + 1) * most),
    );
  });
}
