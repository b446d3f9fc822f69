// Open connections, pooled by profile. Each is used by one statement, then returned or dropped.
import type { Observe } from '../../../sql/base/observation.ts';
import type { Connection, Connections } from './connection.ts';
import type { Profile } from './profile.ts';
import type { Work } from './work.ts';

export interface Pool {
  /** An unused connection with this profile; rejects with EngineError 'unavailable'. */
  take(profile: Profile): Promise<Connection>;
  /** Allowed only after a call that succeeded and was not abandoned. */
  giveBack(connection: Connection): void;
  /** Required after any other call. Resolves when the connection is closed. */
  drop(connection: Connection, reason: string): Promise<void>;
  /** Closes idle connections. All connections must have been returned or dropped. */
  close(): Promise<void>;
}

export interface PoolOptions {
  readonly connections: Connections;
  /** Maximum number of open connections, including those in use. */
  readonly limit: number;
  readonly observe: Observe;
}

export function createPool({ connections, limit, observe }: PoolOptions): Pool {
  /** Least recently used first. */
  const idle: Connection[] = [];
  let open = 0;

  async function close(connection: Connection): Promise<void> {
    open--;
    await connection.close();
  }

  /**
   * Reserves a slot immediately, then closes the longest idle connection if the pool is over its limit. Without this,
   * profiles no longer in use would fill the pool.
   */
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

/**
 * Takes a connection on which the statement can read no parameters but its own: they persist on a connection, where a later statement could
 * read the values of an earlier caller.
 */
export async function takeFor(
  pool: Pool,
  work: Pick<Work, 'profile' | 'sql' | 'parameters'>,
): Promise<Connection> {
  const names = Object.keys(work.parameters);
  const connection = await pool.take(work.profile);
  if (readsStale(connection, work.sql, names)) {
    await pool.drop(connection, 'stale parameters');
    return takeFor(pool, work);
  }
  for (const name of names) connection.bound.add(name);
  return connection;
}

/** Returns whether the statement may reference a parameter that is set on the connection but not passed with the statement. */
function readsStale({ bound }: Connection, sql: string, names: readonly string[]): boolean {
  if (bound.size <= names.length && names.every((name) => bound.has(name))) return false;
  return [...bound].some((name) => !names.includes(name) && mentions(sql, name));
}

/**
 * Placeholders look like `{name:Type}`, possibly with white space and comments. The match is deliberately loose: any brace plus the name
 * counts.
 */
function mentions(sql: string, name: string): boolean {
  return sql.includes('{') && sql.includes(name);
}
