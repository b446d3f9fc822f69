// What other connections run, seen from the control connection: cancels it (a native call cannot be interrupted, but KILL QUERY works),
// and watches what it reads.
import type { Observe, ReadSummary } from '../../../sql/base/observation.ts';
import type { After } from '../../../sql/base/clock.ts';
import type { ControlConnection } from './control-connection.ts';

export interface Killer {
  /**
   * Kills the query of connection `id`, repeatedly until `ended` resolves, and reports before what it has read so far. Never throws.
   */
  kill(id: string, ended: Promise<void>, onRead?: (read: ReadSummary) => void): void;
  /**
   * Watches, at growing intervals, what the query of connection `id` reads, until `stop`, which returns what was seen last: less than it has read in all, by
   * what it read after that. Undefined if it was never seen. Never throws.
   */
  watchRead(id: string, firstLookMs: number): { readonly stop: () => ReadSummary | undefined };
}

export interface KillerOptions {
  readonly control: ControlConnection;
  readonly after: After;
  readonly observe: Observe;
}

const FIRST_PAUSE_MS = 20;
const LONGEST_PAUSE_MS = 1000;
const LONGEST_LOOK_MS = 400;

export function createKiller({ control, after, observe }: KillerOptions): Killer {
  async function send(id: string): Promise<void> {
    try {
      // ASYNC: the SYNC form hangs in chDB. `id` is generated here and needs no quoting.
      await control.ask(`KILL QUERY WHERE Settings['log_comment'] = '${id}' ASYNC`);
    } catch (cause) {
      observe({ kind: 'engine.kill_failed', cause });
    }
  }

  async function readOf(id: string): Promise<ReadSummary | undefined> {
    const sql = `SELECT read_rows, read_bytes FROM system.processes WHERE Settings['log_comment'] = '${id}'`;
    const text = await control.ask(sql, 'TSV').catch(() => '');
    const [, rows, bytes] = /^(\d{1,20})\t(\d{1,20})\n/.exec(text) ?? [];
    return rows === undefined ? undefined : { rows: Number(rows), bytes: Number(bytes) };
  }

  async function reportRead(id: string, onRead: (read: ReadSummary) => void): Promise<void> {
    const read = await readOf(id);
    if (read !== undefined) onRead(read);
  }

  return {
    kill: (id, ended, onRead) => {
      const loop = { over: false, cancel: nothing };
      void ended.then(() => {
        loop.over = true;
        loop.cancel();
      });
      // A query that is still being parsed is not in the process list yet, so the first KILL may find nothing.
      const again = async (pauseMs: number): Promise<void> => {
        await send(id);
        if (loop.over) return;
        loop.cancel = after(pauseMs, () => void again(Math.min(pauseMs * 2, LONGEST_PAUSE_MS)));
      };
      const first = onRead === undefined ? Promise.resolve() : reportRead(id, onRead);
      void first.then(() => again(FIRST_PAUSE_MS));
    },
    watchRead: (id, firstLookMs) => {
      let last: ReadSummary | undefined;
      let isOver = false;
      let cancel = nothing;
      const lookIn = (pauseMs: number): void => {
        cancel = after(pauseMs, () => void look(pauseMs));
      };
      const look = async (pauseMs: number): Promise<void> => {
        const read = await readOf(id);
        if (isOver) return; // it may be that of the next query
        last = read ?? last;
        lookIn(Math.min(pauseMs * 2, LONGEST_LOOK_MS));
      };
      lookIn(firstLookMs);
      return {
        stop: () => {
          isOver = true;
          cancel();
          return last;
        },
      };
    },
  };
}

function nothing(): void {}
