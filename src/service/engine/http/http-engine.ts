// ClickHouse servers over HTTP: a queue in front of the official client, with streamed results.
import { randomUUID } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import type { Observe, ReadSummary } from '../../../sql/base/observation.ts';
import { abortError } from '../abort.ts';
import { decodeColumns } from '../columns.ts';
import { EngineError } from '../engine.ts';
import type { Engine, Result, RunOptions, Statement } from '../engine.ts';
import type { Shares } from '../places.ts';
import { createQueue } from '../queue.ts';
import type { Queue } from '../queue.ts';
import { readAll } from '../rows.ts';
import { splitStatements } from '../statements.ts';
import type { After } from '../../../sql/base/clock.ts';
import { openAttempts } from './attempts.ts';
import type { Attempt, AttemptsDeps } from './attempts.ts';
import { credentialsOf, openClient } from './client.ts';
import type { Credentials, Tls } from './client.ts';
import { openExchange } from './exchange.ts';
import { createFailedReads } from './failed-reads.ts';
import { createHosts } from './hosts.ts';
import type { Host } from './hosts.ts';
import { toHttpError } from './http-failures.ts';
import { createOrphanedQueries } from './orphaned-queries.ts';
import { createPermissions, SETTING_DENIED } from './permissions.ts';
import type { Permissions } from './permissions.ts';
import { NO_SETTINGS, requestOf } from './request.ts';
import type { HttpUser, SentSettings } from './request.ts';

export interface HttpOptions extends HttpUser {
  /** Servers with the same tables; at least one. */
  readonly urls: readonly string[];
  /** The user for consumer queries; default: the same user, which then must not have `readonly = 2`. */
  readonly consumer?: HttpUser | undefined;
  readonly tls?: Tls | undefined;
  /** Request compressed responses; default: no. */
  readonly isCompressed?: boolean;
  /** A server that takes longer to answer a ping counts as down. */
  readonly pingTimeoutMs: number;
  /** Maximum number of concurrent statements. */
  readonly connections: number;
  /** Limits on the connections that consumer statements may use; see the queue. */
  readonly shares?: Shares | undefined;
  /** Maximum number of statements waiting for a connection. */
  readonly queue: number;
  /** Longest wait for a connection; default 10 s. */
  readonly queueTimeoutMs?: number;
  readonly observe: Observe;
  readonly after: After;
  /** Monotonic clock, in milliseconds. */
  readonly now: () => number;
  /** Generates query ids. */
  readonly newId?: () => string;
}

interface Runner extends AttemptsDeps {
  readonly queue: Queue;
  readonly now: () => number;
  /** Aborted to end all running statements. */
  readonly closing: AbortSignal;
  readonly permissions: Permissions;
  readonly userOf: (isConsumers: boolean) => { readonly name: string; readonly credentials: Credentials };
}

/** Added to the server's own time limit, so that the server's error comes first. */
const TIMER_SLACK_MS = 500;
const DEFAULT_QUEUE_TIMEOUT_MS = 10_000;
const PING_TIMEOUT_MS = 5000;
/** An unreachable server cannot be sent a KILL, so this need not be long. */
const KILL_TIMEOUT_MS = 2000;

/** Creates an engine; the servers need not be reachable yet. */
export function createHttpEngine(options: HttpOptions): Engine {
  const { after } = options;
  const queue = createQueue({
    places: options.connections,
    shares: options.shares,
    waiting: options.queue,
    timeoutMs: options.queueTimeoutMs ?? DEFAULT_QUEUE_TIMEOUT_MS,
    after,
  });
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

function createRunner(options: HttpOptions, queue: Queue, closing: AbortSignal): Runner {
  const { urls, user, password, tls, isCompressed = false, observe, connections, pingTimeoutMs } = options;
  const { after, now, newId = randomUUID } = options;
  const client = { user, password, tls, isCompressed, connections };
  const all = urls.map((url): Host => ({ name: new URL(url).host, client: openClient(url, client) }));
  const hosts = createHosts({ hosts: all, pingTimeoutMs, after, observe, now });
  const userOf: Runner['userOf'] = (isConsumers) => {
    const asked = (isConsumers ? options.consumer : undefined) ?? options;
    return { name: asked.user, credentials: credentialsOf(asked, client) };
  };
  const orphanedQueries = createOrphanedQueries({
    command: async (query, { host, isConsumers }) => {
      const { credentials } = userOf(isConsumers);
      const request = { query, query_id: newId(), clickhouse_settings: NO_SETTINGS, ...credentials };
      const answers = (): Promise<boolean> => hosts.answers(host);
      const options = { request, signals: [], timeoutMs: KILL_TIMEOUT_MS, answers, after, onEnd: nothing };
      return readText(await openExchange(host.client, options));
    },
    after,
    observe,
  });
  const failedReads = createFailedReads();
  const deps = { hosts, hostCount: all.length, orphanedQueries, failedReads, after, newId, observe };
  const permissions = createPermissions(async (query, name) => {
    const isConsumers = name !== user;
    const request = { query, clickhouse_settings: NO_SETTINGS, ...userOf(isConsumers).credentials };
    return (await readText(await openAttempts(deps, small(request, isConsumers, closing)))).split('\n');
  });
  return { ...deps, queue, now, closing, permissions, userOf };
}

/** An internal statement that bypasses the queue: a busy engine is still healthy. */
function small(request: Attempt['request'], isConsumers: boolean, closing: AbortSignal): Attempt {
  return { request, isConsumers, signals: [closing], timeoutMs: PING_TIMEOUT_MS, onEnd: nothing };
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

/** Runs one statement. Its slot is held until the body has ended. */
async function run(runner: Runner, statement: Statement, options: RunOptions): Promise<Result> {
  const { signal, format, comment, traceparent, lane, callers, isPatient, onStart, onRead } = options;
  const { origin, key } = statement;
  const isConsumers = origin === 'consumer';
  const { name, credentials } = runner.userOf(isConsumers);
  const asked = runner.now();
  const leave = await runner.queue.enter({ signal, key, lane, callers, origin, isPatient });
  const queueMs = runner.now() - asked;
  try {
    const permitted = await runner.permissions.of(name);
    const isCounted = onRead !== undefined;
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
        if (typeof format !== 'string') rows = resultRows;
      },
      ...(onRead === undefined ? {} : { onRead }),
      onEnd: leave,
    });
    return { chunks, queueMs, read, rows };
  } catch (cause) {
    leave();
    const error = toHttpError(cause);
    if (error.engineCode !== undefined && SETTING_DENIED.has(error.engineCode))
      runner.permissions.forget(name);
    throw error;
  }
}

/** Never retried, because it may already have taken effect. */
async function command(runner: Runner, query: string): Promise<void> {
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

async function readText(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  return Buffer.from(await readAll(chunks)).toString();
}

function nothing(): void {}
