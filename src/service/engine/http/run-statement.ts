// Runs one statement on a server.
import type { ReadSummary } from '../../../sql/base/observation.ts';
import { abortError } from '../abort.ts';
import type { Result, RunOptions, Statement } from '../engine.ts';
import { openAttempts } from './attempts.ts';
import { toHttpError } from './http-failures.ts';
import { SETTING_DENIED } from './permissions.ts';
import { NO_SETTINGS, requestOf, type SentSettings } from './request.ts';
import type { Runner } from './runner.ts';

/** Added to the server's own time limit, so that the server's error comes first. */
const TIMER_SLACK_MS = 500;

/** Runs one statement. Its slot is held until the body has ended. */
export async function run(runner: Runner, statement: Statement, options: RunOptions): Promise<Result> {
  const { signal, format, comment, traceparent, lane, callers, isPatient, onStart, onRead } = options;
  const { isStreamed: isApart = false } = options;
  // A row of a format in lines is whole or has not arrived; an error within another format could be read as a part of it.
  const isCounted = onRead !== undefined || (isApart && !isInLines(format));
  const { origin, key } = statement;
  const isConsumers = origin === 'consumer';
  const { name, credentials } = runner.userOf(isConsumers);
  const asked = runner.now();
  const leave = await runner.queue.enter({ signal, key, lane, callers, origin, isPatient, isApart });
  const queueMs = runner.now() - asked;
  try {
    const permitted = await runner.permissions.of(name);
    const request = requestOf(statement, { format, comment, traceparent, permitted, isCounted });
    await onStart?.();
    const http_headers = { ...request.http_headers, ...credentials.http_headers };
    let read: ReadSummary | undefined;
    let rows: number | undefined;
    const chunks = await openAttempts(runner, {
      request: { ...request, ...credentials, http_headers },
      isConsumers,
      signals: signal === undefined ? [runner.closing] : [runner.closing, signal],
      timeoutMs: statement.limits.time * 1000 + TIMER_SLACK_MS,
      onSummary: (summary, resultRows) => {
        read = summary;
        if (summary !== undefined) onRead?.(summary);
        if (typeof format !== 'string' || (isApart && isCounted)) rows = resultRows;
      },
      ...(onRead === undefined ? {} : { onRead }),
      onEnd: leave,
    });
    return { chunks, queueMs, read, rows, streamedRows: () => rows };
  } catch (cause) {
    leave();
    const error = toHttpError(cause);
    if (error.engineCode !== undefined && SETTING_DENIED.has(error.engineCode))
      runner.permissions.forget(name);
    throw error;
  }
}

function isInLines(format: RunOptions['format']): boolean {
  return format === 'JSONEachRow' || format === 'JSONCompactEachRow';
}

/** Never retried, because it may already have taken effect. */
export async function command(runner: Runner, query: string): Promise<void> {
  const { queue, hosts, closing, newId } = runner;
  const leave = await queue.enter();
  try {
    const { client } = await hosts.next();
    // Otherwise an error after the first bytes would be in the body, which is not read.
    const settings: SentSettings = { ...NO_SETTINGS, wait_end_of_query: 1 };
    await client.command({
      query,
      clickhouse_settings: settings,
      query_id: newId(),
      abort_signal: closing,
      ...runner.userOf(false).credentials,
    });
  } catch (cause) {
    throw closing.aborted ? abortError(closing) : toHttpError(cause);
  } finally {
    leave();
  }
}
