// The records of this process while it has the right to change them: each change is stored before anything follows from it.
import type { Clock } from '../../sql/base/clock.ts';
import { newRecord, type WatchRecord } from './record.ts';
import type { Leadership, WatchStore } from './store.ts';

export interface Records {
  /** Takes or renews the right to change records; after another process has had it, they are read again. Returns whether this process has it. */
  lead(): Promise<boolean>;
  /** Whether this process has the right now. */
  readonly isLeading: () => boolean;
  readonly all: () => readonly WatchRecord[];
  readonly get: (id: string) => WatchRecord | undefined;
  /**
   * Changes a record, one change of it at a time; `change` returns undefined if there is nothing to store. Resolves to whether the
   * change is in force: if it is not certain that it was stored, all records are read again before the next one.
   */
  update(id: string, change: (record: WatchRecord) => WatchRecord | undefined): Promise<boolean>;
  /** Keeps a record in memory that needs not be stored. */
  note(record: WatchRecord): void;
  remove(id: string): Promise<boolean>;
  release(): Promise<void>;
}

export function createRecords(store: WatchStore, clock: Clock): Records {
  let leadership: Leadership | undefined;
  let records = new Map<string, WatchRecord>();
  const inTurn = createTurnsById();

  const isLeading = (): boolean => leadership !== undefined && clock.monotonic() < leadership.until;
  const lose = (): false => {
    leadership = undefined;
    return false;
  };
  return {
    lead: async () => {
      const taken = await store.lead();
      if (taken === undefined) return lose();
      if (leadership?.fence !== taken.fence) {
        const stored = await store.read();
        if (stored === undefined) return lose();
        records = new Map(stored.map((each) => [each.id, each]));
      }
      leadership = taken;
      return true;
    },
    isLeading,
    all: () => [...records.values()],
    get: (id) => records.get(id),
    update: (id, change) =>
      inTurn(id, async () => {
        if (leadership === undefined || !isLeading()) return false;
        const { fence } = leadership;
        const next = change(records.get(id) ?? newRecord(id, clock.epoch()));
        if (next === undefined) return true;
        if (!(await store.write(next, fence))) return lose();
        if (leadership?.fence !== fence) return false;
        records.set(id, next);
        return true;
      }),
    note: (record) => {
      if (isLeading()) records.set(record.id, record);
    },
    remove: (id) =>
      inTurn(id, async () => {
        if (leadership === undefined || !isLeading()) return false;
        if (!(await store.remove(id, leadership.fence))) return lose();
        records.delete(id);
        return true;
      }),
    release: async () => {
      if (leadership === undefined) return;
      leadership = undefined;
      await store.release();
    },
  };
}

/** Runs what concerns one id one after the other. */
function createTurnsById(): <T>(id: string, work: () => Promise<T>) => Promise<T> {
  const queues = new Map<string, Promise<unknown>>();
  return (id, work) => {
    const before = queues.get(id) ?? Promise.resolve();
    const own = before.then(work, work);
    const settled = own.then(ignore, ignore).then(() => {
      if (queues.get(id) === settled) queues.delete(id);
    });
    queues.set(id, settled);
    return own;
  };
}

function ignore(): void {}
