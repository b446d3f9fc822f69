// How much memory the process may use, and the sizes that depend on it.
import { totalmem } from 'node:os';

/** The memory of the machine, or of the container (cgroup) if that has less, in bytes. */
export function availableMemory(): number {
  // 0 if it is not known, and a huge number if there is no limit.
  const limit = process.constrainedMemory();
  return limit > 0 ? Math.min(totalmem(), limit) : totalmem();
}

const MIB = 2 ** 20;

/** Sizes that are not set. Together with the service itself, they fit into what is available. */
export function defaultSizes(available: number): {
  readonly memory: number;
  readonly cacheMemory: number;
  readonly sendMemory: number;
} {
  const share = (parts: number): number => Math.floor(available / parts);
  return {
    memory: share(2),
    cacheMemory: Math.min(256 * MIB, share(8)),
    sendMemory: Math.min(512 * MIB, share(8)),
  };
}
