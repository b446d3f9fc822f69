// ClickHouse servers over HTTP: a queue in front of the official client, with streamed results.
import { setMaxListeners } from 'node:events';
import { decodeColumns } from '../columns.ts';
import { EngineError, type Engine } from '../engine.ts';
import { createEngineQueue } from '../queue.ts';
import { splitStatements } from '../statements.ts';
import { openAttempts } from './attempts.ts';
import { NO_SETTINGS } from './request.ts';
import { type HttpOptions, type Runner, createRunner, small, readText } from './runner.ts';
import { run, command } from './run-statement.ts';

/** Creates an engine; the servers need not be reachable yet. */
export function createHttpEngine(options: HttpOptions): Engine {
  const { after } = options;
  const queue = createEngineQueue(options);
  const end = new AbortController();
  setMaxListeners(0, end.signal);
  const runner = createRunner(options, queue, end.signal);

  async function close(graceMs: number): Promise<void> {
    queue.close();
    const cancel = after(graceMs, () => {
      queue.dismiss();
      end.abort(new EngineError('unavailable', 'the engine is closing'));
    });
    await queue.settled();
    cancel();
    await runner.orphanedQueries.settled();
    runner.failedReads.close();
    await runner.hosts.close();
  }

  let closed: Promise<void> | undefined;
  return { ...engineOver(runner), close: (graceMs) => (closed ??= close(graceMs)) };
}

function engineOver(runner: Runner): Omit<Engine, 'close'> {
  return {
    kind: 'http',
    run: (statement, options) => run(runner, statement, options),
    describe: async (statement, hooks) => {
      const described = { ...statement, sql: `DESCRIBE TABLE (\n${statement.sql}\n)` };
      const { chunks } = await run(runner, described, { ...hooks, format: 'JSONEachRow' });
      return decodeColumns(await readText(chunks));
    },
    load: runner.queue.size,
    isUp: () => runner.hosts.states().some(({ isUp }) => isUp),
    hosts: () => {
      runner.hosts.check();
      return runner.hosts.states();
    },
    ping: async () => {
      const { credentials } = runner.userOf(false);
      const request = { query: 'SELECT 1', clickhouse_settings: NO_SETTINGS, ...credentials };
      await readText(await openAttempts(runner, small(request, false, runner.closing)));
    },
    execute: async (sql) => {
      for (const query of splitStatements(sql)) await command(runner, query);
    },
  };
}
