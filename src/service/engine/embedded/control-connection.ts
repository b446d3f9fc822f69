// A control connection outside the pool, for cancelling queries and answering pings while the pool is exhausted.
import { toEngineError } from '../failures.ts';
import type { Connections } from './connection.ts';
import { AUTHOR_PROFILE, EMPTY_DATABASE } from './profile.ts';

export interface ControlConnection {
  /** Runs a short internal statement, one at a time; resolves to its result in a format. Rejects with EngineError. */
  ask(sql: string, format?: 'Null' | 'TSV' | 'JSONEachRow'): Promise<string>;
  /** `ask` must not be called afterwards. */
  close(): Promise<void>;
}

/** Opens the connection and creates the empty default database of all other connections. Rejects with EngineError. */
export async function openControlConnection(connections: Connections): Promise<ControlConnection> {
  const connection = await connections.open(AUTHOR_PROFILE);
  let last: Promise<unknown> = Promise.resolve();
  const ask: ControlConnection['ask'] = async (sql, format = 'Null') => {
    const answer = last.then(() => connection.call(sql, format));
    last = answer.catch(() => {});
    return Buffer.from((await answer).bytes).toString();
  };
  try {
    await ask(`CREATE DATABASE IF NOT EXISTS ${EMPTY_DATABASE}`);
  } catch (cause) {
    await connection.close();
    throw toEngineError(cause);
  }
  return { ask, close: () => last.then(() => connection.close()) };
}
