// A remote store on virtual time: behaves like a healthy Redis, or as unavailable on demand.
import { sleep } from '../../../src/service/cache/clock.ts';
import type { Remote } from '../../../src/service/cache/remote.ts';
import { TRUST } from './fixture.ts';
import type { VirtualTime } from '../../support/virtual-time.ts';

export interface VirtualRemote extends Remote {
  isAway: boolean;
  /** Loses everything, leases too. */
  flush(): void;
}

const LEASE_MS = 3000;
/** Large values take longer than anything else. */
export const WRITE_FACTOR = 8;

/** Every call takes `latencyMs`. Its own clock does not jump with the wall clock of the replicas. */
export function createVirtualRemote({ clock, after }: VirtualTime, latencyMs = 0): VirtualRemote {
  const values = new Map<string, { readonly bytes: Buffer; readonly end: number }>();
  const leases = new Map<string, { readonly token: symbol; end: number }>();

  const travel = (): Promise<void> => sleep(latencyMs, after);

  function hold(key: string): { release: () => Promise<void> } {
    const token = Symbol(key);
    leases.set(key, { token, end: clock.monotonic() + LEASE_MS });
    const own = (): { end: number } | undefined => {
      const held = leases.get(key);
      return held?.token === token && held.end > clock.monotonic() ? held : undefined;
    };
    let released = false;
    const renew = (): void => {
      const held = own();
      if (released || held === undefined) return;
      if (!remote.isAway) held.end = clock.monotonic() + LEASE_MS;
      after(LEASE_MS / 3, renew);
    };
    renew();
    return {
      release: async () => {
        released = true;
        await travel();
        if (!remote.isAway && own() !== undefined) leases.delete(key);
      },
    };
  }

  const remote: VirtualRemote = {
    isAway: false,
    trust: TRUST,
    flush: () => {
      values.clear();
      leases.clear();
    },
    read: async (key) => {
      await travel();
      const value = values.get(key);
      if (remote.isAway || value === undefined || value.end <= clock.monotonic()) return undefined;
      return { bytes: value.bytes, remainingMs: Math.floor(value.end - clock.monotonic()) };
    },
    write: async (key, bytes, keepMs) => {
      await sleep(latencyMs * WRITE_FACTOR, after);
      if (!remote.isAway) values.set(key, { bytes, end: clock.monotonic() + Math.floor(keepMs) });
    },
    drop: async (key) => {
      if (!remote.isAway) values.delete(key);
    },
    forget: async (prefix) => {
      if (remote.isAway) return false;
      for (const key of values.keys()) if (key.startsWith(prefix)) values.delete(key);
      return true;
    },
    lease: async (key) => {
      await travel();
      if (remote.isAway) return 'unavailable';
      const held = leases.get(key);
      return held !== undefined && held.end > clock.monotonic() ? 'taken' : hold(key);
    },
    close: async () => {},
  };
  return remote;
}
