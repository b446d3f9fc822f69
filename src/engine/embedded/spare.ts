// A connection outside the pool: there to end queries and to answer pings while all others are taken.
import { toEngineError } from '../failures.ts';
import type { Connections } from './connection.ts';
import { AUTHOR_PROFILE, EMPTY_DATABASE } from './profile.ts';

export interface Spare {
  /** Runs a short statement of ours, in turn; its answer is dropped. Rejects with EngineError. */
  ask(sql: string): Promise<void>;
  /** Nobody may ask any more. */
  close(): Promise<void>;
}

/** Opens it, and makes the database that all other connections stand in. Rejects with EngineError. */
export async function openSpare(connections: Connections): Promise<Spare> {
  const connection = await connections.open(AUTHOR_PROFILE);
  let last: Promise<unknown> = Promise.resolve();
  const ask = async (sql: string): Promise<void> => {
    const answer = last.then(() => connection.call(sql, 'Null'));
    last = answer.catch(() => {});
    await answer;
  };
  try {
    await ask(`CREATE DATABASE IF NOT EXISTS ${EMPTY_DATABASE}`);
  } catch (cause) {
    await connection.close();
    throw toEngineError(cause);
  }
  return { ask, close: () => last.then(() => connection.close()) };
}
