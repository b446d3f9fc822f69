// What a store outside of this process can do. Nothing here rejects: what cannot be done is as if nothing were there.

import type { FrameTrust } from './frame.ts';

export interface Remote {
  /** What tells values of ours from those that somebody else wrote. */
  readonly trust: FrameTrust;
  /** At most `maxBytes` and one more of the value, so that a longer one is known as such. */
  read(key: string, maxBytes: number): Promise<RemoteValue | undefined>;
  /** Replaces whatever is there, for `keepMs` (at least 1); resolves when it is there or cannot be. */
  write(key: string, bytes: Buffer, keepMs: number): Promise<void>;
  /** Deletes what is there under this key. */
  drop(key: string): Promise<void>;
  /** Deletes every key that begins so. */
  forget(prefix: string): Promise<void>;
  /** Takes the right to run `key` alone among all replicas. */
  lease(key: string): Promise<Lease | LeaseRefusal>;
  close(): Promise<void>;
}

export interface RemoteValue {
  readonly bytes: Buffer;
  /** Milliseconds it has left there, by the clock over there. */
  readonly remainingMs: number;
}

/** Held until released, or until this process dies; renews itself. */
export interface Lease {
  release(): Promise<void>;
}

export type LeaseRefusal =
  | 'taken' // by another replica, which is alive or died less than a lease ago
  | 'unavailable'; // there is nobody to ask
