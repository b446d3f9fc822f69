// Counts of calls by key, day and endpoint: bounded in number.

/** Calls of a key. */
export interface UsageCount {
  readonly calls: number;
  /** Calls that were rejected or failed. */
  readonly errors: number;
  /** Rows in the responses. */
  readonly rows: number;
  /** Bytes of the response bodies as sent. */
  readonly bytes: number;
}

/** Calls of a day, which is a number of whole days since 1970 in UTC. */
export interface DayUsage extends UsageCount {
  readonly day: number;
  /** Its name. */
  readonly endpoint: string;
}

export interface UsageCounts {
  add(usageId: string, usage: DayUsage): void;
  /** Returns the counts of a key since a day. */
  read(usageId: string, since: number): readonly DayUsage[];
  /** Removes and returns all counts, by key. */
  take(): ReadonlyMap<string, readonly DayUsage[]>;
  /** Returns how many keys were removed because there were too many counts. */
  readonly removed: () => number;
}

/** Days that are counted, with today. */
export const USAGE_DAYS = 31;

/** Each call is added in place. */
type RunningUsage = { -readonly [Key in keyof DayUsage]: DayUsage[Key] };

function addTo(sum: RunningUsage, { calls, errors, rows, bytes }: UsageCount): void {
  sum.calls += calls;
  sum.errors += errors;
  sum.rows += rows;
  sum.bytes += bytes;
}

/** Holds at most so many counts: if there are more, those of the keys that have not called for the longest time are removed. */
export function createUsageCounts(most = 100_000): UsageCounts {
  let byKey = new Map<string, Map<string, RunningUsage>>(); // in the order of their last calls
  let size = 0;
  let removed = 0;
  const remove = (usageId: string): void => {
    size -= byKey.get(usageId)?.size ?? 0;
    byKey.delete(usageId);
  };
  const shrink = (usageId: string, today: number): void => {
    const own = byKey.get(usageId);
    for (const [name, { day }] of own ?? [])
      if (day <= today - USAGE_DAYS && own?.delete(name) === true) size--;
    for (const [oldest] of byKey) {
      if (size <= most || oldest === usageId) return;
      remove(oldest);
      removed++;
    }
  };
  return {
    add: (usageId, usage) => {
      const own = byKey.get(usageId) ?? new Map<string, RunningUsage>();
      byKey.delete(usageId);
      byKey.set(usageId, own);
      const name = `${usage.day} ${usage.endpoint}`;
      const known = own.get(name);
      if (known !== undefined) {
        addTo(known, usage);
        return;
      }
      own.set(name, { ...usage });
      size++;
      shrink(usageId, usage.day);
    },
    read: (usageId, since) =>
      Array.from(byKey.get(usageId)?.values() ?? [], (usage) => ({ ...usage })).filter(
        ({ day }) => day >= since,
      ),
    take: () => {
      const all = new Map([...byKey].map(([usageId, own]) => [usageId, [...own.values()]]));
      byKey = new Map();
      size = 0;
      return all;
    },
    removed: () => removed,
  };
}

export const NO_USAGE: UsageCount = { calls: 0, errors: 0, rows: 0, bytes: 0 };

export function sumOf(a: UsageCount, b: UsageCount): UsageCount {
  return {
    calls: a.calls + b.calls,
    errors: a.errors + b.errors,
    rows: a.rows + b.rows,
    bytes: a.bytes + b.bytes,
  };
}
