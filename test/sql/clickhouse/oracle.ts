// The real engine for tests: one session in a temporary folder, with query results as text.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Session } from 'chdb';

export interface Oracle {
  /** The answer's text; rejects with the engine's message. */
  ask(sql: string, format?: string): Promise<string>;
  close(): void;
}

/** `settings`: arguments of its connections, such as `--max_threads=1`. */
export function openOracle(settings: readonly string[] = []): Oracle {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-oracle-'));
  const path = join(folder, 'data');
  // With the last session the engine ends, and starting it again takes 20 times as long as a session.
  const keeper = new Session(path);
  const open = (): Session => new Session(path, { connectionArgs: [...settings] });
  let session = open();
  return {
    async ask(sql, format = 'TSVRaw') {
      try {
        const result = await session.queryAsync(sql, { format });
        return result.text();
      } catch (error) {
        // A failed query may leak its rows into the next one of its connection.
        session.close();
        session = open();
        throw error;
      }
    },
    close() {
      session.close();
      keeper.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
