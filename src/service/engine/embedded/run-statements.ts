// The statements of the engine's interface, each run as work of the queue.
import { EngineError, type Engine } from '../engine.ts';
import { decodeColumns } from '../columns.ts';
import type { CallResult } from './connection.ts';
import { AUTHOR_PROFILE, SAVED_PROFILE } from './profile.ts';
import { splitProgress } from './progress.ts';
import { withProgress, workOf } from './work.ts';
import { perform } from './perform.ts';
import type { Runner } from './runner.ts';

export function engineOver(runner: Runner, connections: number): Omit<Engine, 'close'> {
  const { queue, supervisor, overdue } = runner;
  const checkSingle = createSingleStatementCheck(async (sql, parameters) => {
    const work = {
      profile: SAVED_PROFILE,
      sql,
      parameters,
      format: 'JSONCompactEachRow',
      isRepeatable: true,
    };
    return textOf(await perform(runner, work));
  });
  return {
    kind: 'embedded',
    run: async (statement, options) => {
      await checkSingle(statement.sql);
      const { format, onRead } = options;
      const isCounted = onRead !== undefined && format === 'JSONEachRow';
      const work = workOf(statement, format, options);
      if (options.isStreamed === true) return runner.streams.open(work, (each) => perform(runner, each));
      if (!isCounted) {
        const { bytes, rows, queueMs } = await perform(runner, work);
        return { chunks: only(bytes), queueMs, rows };
      }
      const { split, rows, queueMs } = await perform(runner, withProgress(work), ({ bytes }) => {
        const counted = splitProgress(bytes);
        if (counted.read !== undefined) onRead(counted.read);
        return { split: counted };
      });
      return { chunks: only(split.lines), queueMs, rows, read: split.read };
    },
    describe: async (statement, hooks) => {
      await checkSingle(statement.sql);
      const described = { ...statement, sql: `DESCRIBE TABLE (\n${statement.sql}\n)` };
      return decodeColumns(textOf(await perform(runner, workOf(described, 'JSONEachRow', hooks))));
    },
    restrict: runner.access.restrict,
    load: queue.size,
    isUp: () => supervisor.isOpen() && overdue.size < connections,
    memory: supervisor.memory,
    processor: async () => (await supervisor.current()).process.processor(),
    // Bypasses the queue: a busy engine is healthy as long as its statements can be cancelled.
    ping: async () => {
      if (!supervisor.isOpen()) throw new EngineError('unavailable', 'the engine process is being replaced');
      if (overdue.size >= connections)
        throw new EngineError('unavailable', 'every connection is held by a statement past its time limit');
      await (await supervisor.current()).control.ask('SELECT 1');
    },
    execute: async (sql) => {
      const work = { profile: AUTHOR_PROFILE, sql, parameters: {}, format: 'Null', isRepeatable: false };
      await perform(runner, work);
    },
  };
}

async function* only(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  if (bytes.length > 0) yield bytes;
}

function textOf({ bytes }: CallResult): string {
  return new TextDecoder().decode(bytes);
}

type AskEngine = (sql: string, parameters: Readonly<Record<string, string>>) => Promise<string>;

/** Queries for which a positive result is cached; few contain a semicolon at all. */
const MAX_REMEMBERED = 200;

/**
 * Returns a check that rejects with EngineError 'rejected' unless `sql` is part of one statement. Without a semicolon
 * it always is. Otherwise the engine's own lexer decides whether the semicolons are inside strings or comments: the
 * query is passed as a parameter, wrapped in parentheses, where a real semicolon is a syntax error.
 */
function createSingleStatementCheck(ask: AskEngine): (sql: string) => Promise<void> {
  const fine = new Set<string>();
  return async (sql) => {
    if (!sql.includes(';') || fine.has(sql)) return;
    const answer = await ask('SELECT isNull(formatQuerySingleLineOrNull({text:String}))', {
      text: `SELECT * FROM (\n${sql}\n)`,
    });
    if (answer.trim() !== '[0]') throw new EngineError('rejected', 'not a single SELECT', { engineCode: 62 });
    if (fine.size >= MAX_REMEMBERED) fine.clear();
    fine.add(sql);
  };
}
