// Kills abandoned statements on the server, in case it has not noticed that the client disconnected.
import type { Observe, ReadSummary } from '../../../sql/base/observation.ts';
import { quoteString } from '../../../sql/clickhouse/literal.ts';
import type { After } from '../../../sql/base/clock.ts';
import { toHttpError } from './http-failures.ts';
import type { Host } from './hosts.ts';

/** A statement that may still be running. Every user may kill its own queries. */
export interface OrphanedQuery {
  readonly host: Host;
  readonly isConsumers: boolean;
  readonly queryId: string;
  /** Called with what it has read so far, if it still runs. */
  readonly onRead?: ((read: ReadSummary) => void) | undefined;
}

export interface OrphanedQueries {
  readonly add: (leftover: OrphanedQuery) => void;
  /** Resolves when all added statements have been handled. */
  settled(): Promise<void>;
}

export interface OrphanedQueriesOptions {
  /** Runs a command as the user that started the statement. */
  readonly command: (sql: string, leftover: OrphanedQuery) => Promise<string>;
  readonly after: After;
  readonly observe: Observe;
}

/** By then, a server with `cancel_http_readonly_queries_on_client_close` has noticed the closed connection. */
const GRACE_MS = 500;

/** https://clickhouse.com/docs/sql-reference/statements/kill */
export function createOrphanedQueries({ command, after, observe }: OrphanedQueriesOptions): OrphanedQueries {
  const waiting = new Map<Host, OrphanedQuery[]>();
  const running = new Set<Promise<void>>();

  async function end(queries: readonly OrphanedQuery[]): Promise<void> {
    const [first] = queries;
    if (first === undefined) return;
    const ids = queries.map(({ queryId }) => quoteString(queryId)).join(', ');
    await command(`KILL QUERY WHERE query_id IN (${ids}) ASYNC`, first).catch((cause: unknown) => {
      observe({ kind: 'engine.kill_failed', cause: toHttpError(cause) });
    });
  }

  async function endAll(host: Host): Promise<void> {
    const all = waiting.get(host) ?? [];
    waiting.delete(host);
    await Promise.all([
      end(all.filter((each) => each.isConsumers)),
      end(all.filter((each) => !each.isConsumers)),
    ]);
  }

  function flush(host: Host): void {
    track(endAll(host));
  }

  /** Asked at once: a server that notices the closed connection forgets the statement. */
  async function readOf(leftover: OrphanedQuery): Promise<void> {
    const sql = `SELECT read_rows, read_bytes FROM system.processes WHERE query_id = ${quoteString(leftover.queryId)} FORMAT TSV`;
    const text = await command(sql, leftover).catch(() => ''); // the user may not read this table
    const [, rows, bytes] = /^(\d{1,20})\t(\d{1,20})\n/.exec(text) ?? [];
    if (rows !== undefined) leftover.onRead?.({ rows: Number(rows), bytes: Number(bytes) });
  }

  function track(work: Promise<void>): void {
    const tracked = work.finally(() => running.delete(tracked));
    running.add(tracked);
  }

  return {
    add: (leftover) => {
      const { host } = leftover;
      if (leftover.onRead !== undefined) track(readOf(leftover));
      const together = waiting.get(host);
      if (together !== undefined) return void together.push(leftover);
      waiting.set(host, [leftover]);
      after(GRACE_MS, () => flush(host));
    },
    settled: async () => {
      for (const host of waiting.keys()) flush(host);
      await Promise.all(running);
    },
  };
}
