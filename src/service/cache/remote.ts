// The interface of a shared cache. Its methods never reject: a failure looks like a missing value.

import type { FrameTrust } from './entry-codec.ts';

export interface Remote {
  /** Distinguishes frames written by this service from any other values. */
  readonly trust: FrameTrust;
  /** Reads at most `maxBytes` + 1 bytes of the value, so that a longer one can be detected. */
  read(key: string, maxBytes: number): Promise<RemoteValue | undefined>;
  /** Sets the value for `keepMs` (at least 1). Resolves once it is written or has failed. */
  write(key: string, bytes: Buffer, keepMs: number): Promise<void>;
  /** Deletes the value of this key. */
  drop(key: string): Promise<void>;
  /** Deletes all keys with this prefix; false if some may be left. */
  forget(prefix: string): Promise<boolean>;
  /** Acquires the exclusive right to run `key`, across all replicas. */
  lease(key: string): Promise<Lease | LeaseDenial>;
  close(): Promise<void>;
}

export interface RemoteValue {
  readonly bytes: Buffer;
  /** Remaining milliseconds, by the clock of the shared cache. */
  readonly remainingMs: number;
}

/** Held and renewed automatically until released or until this process ends. */
export interface Lease {
  release(): Promise<void>;
}

export type LeaseDenial =
  | 'taken' // by another replica that is alive, or that ended less than one lease ago
  | 'unavailable'; // the shared cache cannot be reached
