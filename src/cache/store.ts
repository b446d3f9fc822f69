// Where answers are kept: in memory, and, when there is one, in a store outside that replicas share.
import type { Observe } from '../core/observation.ts';
import { ageOf, before, momentOf, type Clock, type Moment } from './clock.ts';
import { youngerOf, type Entry } from './entry.ts';
import { decodeFrame, encodeFrame, maxFrameBytes, type FrameLimits, type FrameTrust } from './frame.ts';
import { createMemory, type MemorySize } from './memory.ts';
import type { Lease, LeaseRefusal, Remote, RemoteValue } from './remote.ts';

/** Nothing here throws or rejects for what a store outside does or holds: that is a miss, and observed. */
export interface Store {
  /** What this process has. */
  peek(key: string): Entry | undefined;
  /** The youngest that anybody has. What is found outside is kept in memory too. */
  fetch(key: string): Promise<Entry | undefined>;
  /** Undefined when it cannot be kept; else kept in memory at once, and resolves when replicas can see it. */
  put(key: string, entry: Entry): Promise<void> | undefined;
  /** Drops every key that begins so, here and outside. What other replicas have in memory stays until its end. */
  forget(prefix: string): Promise<void>;
  /** Whether there is a store outside. */
  readonly isShared: boolean;
  /** The right to run `key` alone among all replicas. */
  lease(key: string): Promise<Lease | LeaseRefusal>;
  /** Of the memory of this process. */
  readonly size: () => MemorySize;
  close(): Promise<void>;
}

export interface StoreOptions {
  readonly memoryBytes: number;
  /** Bodies of more bytes are not kept. */
  readonly entryBytes: number;
  /** Bodies of more bytes are compressed for the store outside. */
  readonly compressOver: number;
  readonly remote: Remote | undefined;
  readonly clock: Clock;
  readonly observe: Observe;
}

/** Clocks of replicas differ by less than this; what seems to come from further ahead is not believed. */
const CLOCK_SKEW_MS = 1000;

export function createStore(options: StoreOptions): Store {
  const { remote, clock, entryBytes, observe } = options;
  const memory = createMemory(options.memoryBytes, clock);
  const limits: FrameLimits = { compressOver: options.compressOver, maxBody: entryBytes };
  const maxBytes = maxFrameBytes(limits);

  async function readRemote(from: Remote, key: string): Promise<Entry | undefined> {
    const asked = momentOf(clock); // what it tells is no older than this, so nothing looks younger by the way back
    const value = await from.read(key, maxBytes);
    if (value === undefined) return undefined;
    const entry = await entryIn(value, { key, options: { ...limits, ...from.trust }, asked });
    if (typeof entry !== 'string') return ageOf(entry.born, clock) < entry.keepMs ? entry : undefined;
    observe({ kind: 'cache.rubbish_found', key, reason: entry });
    await from.drop(key); // before anybody looks again, so that it is reported once
    return undefined;
  }

  async function writeRemote(to: Remote, key: string, entry: Entry): Promise<void> {
    const bytes = await encodeFrame(key, entry, { ...limits, ...to.trust });
    const keepMs = entry.keepMs - ageOf(entry.born, clock);
    if (keepMs >= 1) await to.write(key, bytes, keepMs);
  }

  return {
    peek: memory.get,
    fetch: async (key) => {
      if (remote === undefined) return memory.get(key);
      const found = await readRemote(remote, key);
      const entry = youngerOf(memory.get(key), found); // memory last: it may have changed meanwhile
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
      await remote?.forget(prefix);
    },
    lease: async (key) => remote?.lease(key) ?? 'unavailable',
    isShared: remote !== undefined,
    size: memory.size,
    close: async () => remote?.close(),
  };
}

interface Reading {
  readonly key: string;
  readonly options: FrameTrust & FrameLimits;
  readonly asked: Moment;
}

/** The entry in a value from outside, or why there is none. */
async function entryIn(
  { bytes, remainingMs }: RemoteValue,
  { key, options, asked }: Reading,
): Promise<Entry | string> {
  const frame = await decodeFrame(key, bytes, options);
  if (frame.kind === 'rubbish') return frame.reason;
  const { payload, etag, bornEpoch, keepMs } = frame;
  // Two clocks tell its age: the one over there, counting down, and ours against its writer's. The larger is believed.
  const [ageThere, ageHere] = [keepMs - remainingMs, asked.epoch - bornEpoch];
  if (!(Math.min(ageThere, ageHere) > -CLOCK_SKEW_MS)) return 'it comes from the future';
  return { ...payload, etag, keepMs, born: before(asked, Math.max(0, ageThere, ageHere)) };
}
