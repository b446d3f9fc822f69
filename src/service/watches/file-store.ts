// The states of watches in the data folder, one file each, for services without Redis. Worker processes share the folder: a file says
// which of them has the right to change it.
import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { After, Clock } from '../../sql/base/clock.ts';
import type { Observe } from '../../sql/base/observation.ts';
import { changeAlone, replaceFile } from '../config/replace-file.ts';
import type { WatchRecord } from './record.ts';
import { LEASE_MS, type WatchStore } from './store.ts';

export interface FileStoreOptions {
  readonly folder: string;
  /** Identifies this process. */
  readonly holder: string;
  readonly clock: Clock;
  readonly after: After;
  readonly observe: Observe;
}

interface LeaseFile {
  readonly holder: string;
  readonly fence: number;
  /** Milliseconds since 1970. */
  readonly until: number;
}

const RECORD = /^[0-9a-f]{32}\.json$/;

export function createFileStore({ folder, holder, clock, after, observe }: FileStoreOptions): WatchStore {
  const lease = join(folder, 'lease');
  const time = { epoch: clock.epoch, after };
  const fileOf = (id: string): string =>
    join(folder, `${createHash('sha256').update(id).digest('hex').slice(0, 32)}.json`);
  const alone = async <T>(work: () => Promise<T>, otherwise: T): Promise<T> => {
    try {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      return await changeAlone(lease, time, work);
    } catch (cause) {
      observe({ kind: 'watch.not_stored', cause });
      return otherwise;
    }
  };
  const isOurs = async (fence: number): Promise<boolean> => {
    const held = await readLease(lease);
    return held?.holder === holder && held.fence === fence;
  };
  const putLease = (next: LeaseFile): Promise<void> => replaceFile(lease, JSON.stringify(next), 0o600);
  return {
    lead: () =>
      alone(async () => {
        const until = clock.monotonic() + LEASE_MS;
        const now = clock.epoch();
        const held = await readLease(lease);
        const isHeld = held !== undefined && held.until > now && held.until <= now + 2 * LEASE_MS;
        if (isHeld && held.holder !== holder) return undefined;
        const fence = held?.holder === holder && isHeld ? held.fence : (held?.fence ?? 0) + 1;
        await putLease({ holder, fence, until: now + LEASE_MS });
        return { fence, until };
      }, undefined),
    release: () =>
      alone(async () => {
        const held = await readLease(lease);
        if (held?.holder === holder) await putLease({ ...held, until: 0 });
      }, undefined),
    read: async () => {
      const names = await readdir(folder).catch(() => []);
      const records = await Promise.all(
        names.filter((name) => RECORD.test(name)).map((name) => readRecord(join(folder, name), observe)),
      );
      return records.flatMap((each) => each ?? []);
    },
    write: (record, fence) =>
      alone(async () => {
        if (!(await isOurs(fence))) return false;
        await replaceFile(fileOf(record.id), JSON.stringify(record), 0o600);
        return true;
      }, false),
    remove: (id, fence) =>
      alone(async () => {
        if (!(await isOurs(fence))) return false;
        await rm(fileOf(id), { force: true });
        return true;
      }, false),
  };
}

async function readLease(path: string): Promise<LeaseFile | undefined> {
  const text = await readFile(path, 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text) as LeaseFile; // written by this file, in a folder that only the service can write
  } catch {
    return undefined;
  }
}

/** A file that cannot be read is reported, and counts as none. */
async function readRecord(path: string, observe: Observe): Promise<WatchRecord | undefined> {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as WatchRecord; // as above
  } catch (cause) {
    observe({ kind: 'watch.not_stored', cause });
    return undefined;
  }
}
