// A native chDB connection: SQL in, bytes out, one call at a time. A call cannot be interrupted from here.
import type { Session } from 'chdb';
import { toEngineError } from '../failures.ts';
import { openError } from './open-error.ts';
import type { Profile } from './profile.ts';

/** The result of a call. */
export interface CallResult {
  readonly bytes: Uint8Array;
  /** Rows of the result, without totals and extremes. */
  readonly rows: number;
}

export interface Connection {
  /** Unique in this process. Set as the connection's `log_comment`, so that KILL QUERY can find its query. */
  readonly id: string;
  readonly profile: Profile;
  /** Names of all parameters ever set here; they stay set until the connection closes. */
  readonly bound: Set<string>;
  /** Runs SQL on a separate thread; rejects with EngineError. Calls must not overlap. */
  call(sql: string, format: string): Promise<CallResult>;
  /** Resolves when the connection is released; never rejects. No call may be running. */
  close(): Promise<void>;
}

export interface ConnectionsOptions {
  readonly path: string;
  readonly configFile: string;
  readonly chdb: { readonly Session: typeof Session };
}

export interface Connections {
  /** Opens a connection; rejects with EngineError 'unavailable'. */
  open(profile: Profile): Promise<Connection>;
}

/**
 * chDB destroys a closed connection only once every call that was running in the process at that moment has ended.
 * Behind one long query, closed connections accumulate at 0.12 MB each; above this number, closing waits.
 */
const MAX_LINGERING = 400;

export function createConnections({ path, configFile, chdb }: ConnectionsOptions): Connections {
  const running = new Set<Promise<unknown>>();
  const lingering = new Set<Promise<unknown>>();
  let opened = 0;

  async function call(session: Session, sql: string, format: string): Promise<CallResult> {
    try {
      const result = await track(running, session.queryAsync(sql, { format }));
      return { bytes: result.bytes(), rows: result.rowsRead }; // of the result: what the library has read from the engine
    } catch (cause) {
      throw toEngineError(cause);
    }
  }

  async function close(session: Session): Promise<void> {
    // After a failure chDB keeps the rows produced so far and returns them with the next call. Run one here to free
    // them.
    await call(session, 'SELECT 1', 'Null').catch(ignore);
    if (running.size > 0) void track(lingering, Promise.all(running));
    session.close();
    while (lingering.size > MAX_LINGERING) await Promise.race(lingering);
  }

  return {
    open: async (profile) => {
      const id = `millrace-${++opened}`;
      const session = openSession(chdb, path, [
        `--config-file=${configFile}`,
        `--log_comment=${id}`,
        ...profile.args,
      ]);
      try {
        await call(session, `${roleOf(profile)}USE ${profile.database}`, 'Null');
      } catch (cause) {
        await close(session);
        throw cause;
      }
      return {
        id,
        profile,
        bound: new Set(),
        call: (sql, format) => call(session, sql, format),
        close: () => close(session),
      };
    },
  };
}

/** A connection has every role until it takes one. */
function roleOf({ role }: Profile): string {
  return role === 'author' ? '' : `SET ROLE ${role}; `;
}

function openSession(chdb: ConnectionsOptions['chdb'], path: string, args: readonly string[]): Session {
  try {
    return new chdb.Session(path, { connectionArgs: args });
  } catch (cause) {
    throw openError(path, cause);
  }
}

/** Keeps `promise` in `set` until it settles. */
function track<T>(set: Set<Promise<unknown>>, promise: Promise<T>): Promise<T> {
  const ended = promise.then(ignore, ignore);
  set.add(ended);
  void ended.then(() => set.delete(ended));
  return promise;
}

function ignore(): void {}
