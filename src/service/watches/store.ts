// Where the states of watches are kept, and which process may change them.
import type { WatchRecord } from './record.ts';

/** The right to look and to send, of one process at a time. */
export interface Leadership {
  /** Higher than that of every process before. */
  readonly fence: number;
  /** The right ends then, unless it is renewed; monotonic milliseconds of this process. */
  readonly until: number;
}

export interface WatchStore {
  /** Takes or renews the right; undefined if another process has it, or the store is unavailable. */
  lead(): Promise<Leadership | undefined>;
  /** Gives the right up. */
  release(): Promise<void>;
  /** Undefined if the store is unavailable. */
  read(): Promise<readonly WatchRecord[] | undefined>;
  /** Writes a record whole; false if it is not certain that it was written, or the right was lost. */
  write(record: WatchRecord, fence: number): Promise<boolean>;
  remove(id: string, fence: number): Promise<boolean>;
}

/** A process that stops is followed by another one after this time. */
export const LEASE_MS = 15_000;
export const RENEW_MS = LEASE_MS / 3;
