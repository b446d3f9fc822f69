// Open connections, kept by profile: taken by one statement, then given back or dropped.
import type { Observe } from '../../core/observation.ts';
import type { Connection, Connections } from './connection.ts';
import type { Profile } from './profile.ts';

export interface Pool {
  /** A connection of this profile that nobody else has; rejects with EngineError 'unavailable'. */
  take(profile: Profile): Promise<Connection>;
  /** Only after a call that ended well, and that nobody walked away from. */
  giveBack(connection: Connection): void;
  /** After anything else. Resolves when the connection is gone. */
  drop(connection: Connection, reason: string): Promise<void>;
  /** Closes the idle ones; all have been given back or dropped. */
  close(): Promise<void>;
}

export interface PoolOptions {
  readonly connections: Connections;
  /** Connections kept open at most, taken ones included. */
  readonly limit: number;
  readonly observe: Observe;
}

export function createPool({ connections, limit, observe }: PoolOptions): Pool {
  /** Longest unused first. */
  const idle: Connection[] = [];
  let open = 0;

  async function close(connection: Connection): Promise<void> {
    open--;
    await connection.close();
  }

  /** Takes a place for a new connection at once, then has one of another profile make room: profiles come and go. */
  async function makeRoom(): Promise<void> {
    open++;
    const oldest = open > limit ? idle.shift() : undefined;
    if (oldest !== undefined) await close(oldest);
  }

  return {
    take: async (profile) => {
      const index = idle.findLastIndex((connection) => connection.profile.key === profile.key);
      const [found] = index === -1 ? [] : idle.splice(index, 1);
      if (found !== undefined) return found;
      await makeRoom();
      try {
        return await connections.open(profile);
      } catch (cause) {
        open--;
        throw cause;
      }
    },
    giveBack: (connection) => {
      idle.push(connection);
    },
    drop: async (connection, reason) => {
      observe({ kind: 'engine.connection_dropped', reason });
      await close(connection);
    },
    close: async () => {
      await Promise.all(idle.splice(0).map(close));
    },
  };
}
