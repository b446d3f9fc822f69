// Where responses are cached: in memory, and optionally in a shared cache used by all replicas.
import type { Observe } from '../../sql/base/observation.ts';
import type { Clock } from '../../sql/base/clock.ts';
import { ageOf, before, momentOf, type Moment } from './clock.ts';
import { youngerOf, type Entry } from './entry.ts';
import { decodeEntry, encodeEntry, maxFrameBytes, type CodecLimits, type FrameTrust } from './entry-codec.ts';
import { createMemory, type MemorySize } from './memory.ts';
import type { Lease, LeaseDenial, Remote, RemoteValue } from './remote.ts';

/**
 * Never throws or rejects because of the shared cache: its failures and corrupt values count as misses and are
 * reported.
 */
export interface Store {
  /** The entry in this process's memory. */
  peek(key: string): Entry | undefined;
  /** The youngest entry, here or in the shared cache. One found in the shared cache is also stored in memory. */
  fetch(key: string): Promise<Entry | undefined>;
  /** Undefined if the entry cannot be stored. Otherwise it is in memory at once; resolves when replicas can see it. */
  put(key: string, entry: Entry): Promise<void> | undefined;
  /**
   * Drops all keys with this prefix, here and in the shared cache; false if some may be left there. Copies in other
   * replicas' memory stay until they expire.
   */
  forget(prefix: string): Promise<boolean>;
  /** It is true if there is a shared cache. */
  readonly isShared: boolean;
  /** The exclusive right to run `key`, across all replicas. */
  lease(key: string): Promise<Lease | LeaseDenial>;
  /** Memory of this process only. */
  readonly size: () => MemorySize;
  close(): Promise<void>;
}

export interface StoreOptions {
  readonly memoryBytes: number;
  /** Larger bodies are not stored. In bytes. */
  readonly entryBytes: number;
  /** Larger bodies are compressed for the shared cache. In bytes. */
  readonly compressOver: number;
  readonly remote: Remote | undefined;
  readonly clock: Clock;
  readonly observe: Observe;
}

/** Tolerated clock difference between replicas. Entries from further in the future are rejected. */
const CLOCK_SKEW_MS = 1000;

export function createStore(options: StoreOptions): Store {
  const { remote, clock, entryBytes, observe } = options;
  const memory = createMemory(options.memoryBytes, clock);
  const limits: CodecLimits = { compressOver: options.compressOver, maxBody: entryBytes };
  const maxBytes = maxFrameBytes(limits);

  async function readRemote(from: Remote, key: string): Promise<Entry | undefined> {
    const asked = momentOf(clock); // taken before the read, so that the round trip never makes an entry look younger
    const value = await from.read(key, maxBytes);
    if (value === undefined) return undefined;
    const entry = await entryIn(value, { key, options: { ...limits, ...from.trust }, asked });
    if (typeof entry !== 'string') return ageOf(entry.born, clock) < entry.keepMs ? entry : undefined;
    observe({ kind: 'cache.corrupt_entry', key, reason: entry });
    await from.drop(key); // before the next read, so that it is reported once
    return undefined;
  }

  async function writeRemote(to: Remote, key: string, entry: Entry): Promise<void> {
    const bytes = await encodeEntry(key, entry, { ...limits, ...to.trust });
    const keepMs = entry.keepMs - ageOf(entry.born, clock);
    if (keepMs >= 1) await to.write(key, bytes, keepMs);
  }

  return {
    peek: memory.get,
    fetch: async (key) => {
      if (remote === undefined) return memory.get(key);
      const found = await readRemote(remote, key);
      const entry = youngerOf(memory.get(key), found); // memory is read last: it may have changed in the meantime
      if (entry !== undefined && entry === found) memory.set(key, entry);
      return entry;
    },
    put: (key, entry) => {
      if (entry.body.length > entryBytes) {
        observe({ kind: 'cache.entry_too_large', key, bytes: entry.body.length });
        return undefined;
      }
      const isHeld = memory.set(key, entry);
      if (remote !== undefined) return writeRemote(remote, key, entry);
      return isHeld ? Promise.resolve() : undefined;
    },
    forget: async (prefix) => {
      memory.forget(prefix);
      return (await remote?.forget(prefix)) ?? true;
    },
    lease: async (key) => remote?.lease(key) ?? 'unavailable',
    isShared: remote !== undefined,
    size: memory.size,
    close: async () => remote?.close(),
  };
}

interface EntryReading {
  readonly key: string;
  readonly options: FrameTrust & CodecLimits;
  readonly asked: Moment;
}

/** Decodes a value from the shared cache; returns a reason if it is invalid. */
async function entryIn(
  { bytes, remainingMs }: RemoteValue,
  { key, options, asked }: EntryReading,
): Promise<Entry | string> {
  const frame = await decodeEntry(key, bytes, options);
  if (frame.kind === 'corrupt') return frame.reason;
  const { payload, etag, bornEpoch, keepMs, fingerprint } = frame;
  // Two estimates of the age: the remaining TTL in the shared cache, and our clock against the writer's. The larger one
  // is used.
  const [ageThere, ageHere] = [keepMs - remainingMs, asked.epoch - bornEpoch];
  if (!(Math.min(ageThere, ageHere) > -CLOCK_SKEW_MS))
    return 'clock skew: it was stored in the future, so the clocks of replicas differ by more than 1 s';
  return { ...payload, etag, keepMs, fingerprint, born: before(asked, Math.max(0, ageThere, ageHere)) };
}
