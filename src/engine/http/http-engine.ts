// A ClickHouse server over HTTP: a queue in front of the official client; results stream.
import { randomUUID } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { ClickHouseLogLevel, createClient } from '@clickhouse/client';
import type { Observe } from '../../core/observation.ts';
import { abortError } from '../abort.ts';
import { decodeColumns } from '../columns.ts';
import { EngineError } from '../engine.ts';
import type { Engine, Result, RunOptions, Statement } from '../engine.ts';
import { createQueue } from '../queue.ts';
import type { Queue } from '../queue.ts';
import { after as realTimer } from '../timer.ts';
import type { After } from '../timer.ts';
import { openExchange } from './exchange.ts';
import { toHttpError } from './http-failures.ts';
import { splitStatements } from '../statements.ts';
import { requestOf } from './request.ts';
import type { HttpRequest, HttpUser } from './request.ts';

export interface HttpOptions extends HttpUser {
  readonly url: string;
  /** Who consumers' queries run as; the same user when left out, who then must not have `readonly = 2`. */
  readonly consumer?: HttpUser & {
    /** Its profile is read-only, so it can't be sent settings: the profile has to hold limits and output settings. */
    readonly readonly: boolean;
  };
  /** Statements that run at once. */
  readonly connections: number;
  /** Statements that may wait for one of them. */
  readonly queue: number;
  /** How long one may wait; 10 s when left out. */
  readonly queueTimeoutMs?: number;
  readonly observe: Observe;
  readonly after?: After;
  /** Milliseconds, monotonic. */
  readonly now?: () => number;
  /** Makes query ids. */
  readonly newId?: () => string;
}

type Client = ReturnType<typeof createClient>;

interface Runner {
  readonly client: Client;
  readonly queue: Queue;
  readonly after: After;
  readonly now: () => number;
  /** Ends everything that runs. */
  readonly closing: AbortSignal;
  readonly newId: () => string;
  readonly observe: Observe;
  readonly consumer: HttpOptions['consumer'];
}

/** Above the server's own time limit by this much, so that the server speaks first. */
const TIMER_SLACK_MS = 500;
const DEFAULT_QUEUE_TIMEOUT_MS = 10_000;
const PING_TIMEOUT_MS = 5000;
/** The client's own time-out: ours come first. */
const NEVER_MS = 2 ** 31 - 1;

/** An engine over a server that need not be there yet. */
export function createHttpEngine(options: HttpOptions): Engine {
  const { url, user, password, observe, consumer, after = realTimer, newId = randomUUID } = options;
  const { now = () => performance.now() } = options;
  const client = createClient({
    url,
    username: user,
    password,
    request_timeout: NEVER_MS,
    // Room for pings and for answers that are still being given up.
    max_open_connections: options.connections + 4,
    log: { level: ClickHouseLogLevel.OFF },
  });
  const queue = createQueue({
    places: options.connections,
    waiting: options.queue,
    timeoutMs: options.queueTimeoutMs ?? DEFAULT_QUEUE_TIMEOUT_MS,
    after,
  });
  const end = new AbortController();
  setMaxListeners(0, end.signal);

  async function close(graceMs: number): Promise<void> {
    queue.close();
    const cancel = after(graceMs, () => {
      queue.dismiss();
      end.abort(new EngineError('unavailable', 'the engine is closing'));
    });
    await queue.settled();
    cancel();
    await client.close();
  }

  let closed: Promise<void> | undefined;
  return {
    ...engineOver({ client, queue, after, now, newId, observe, consumer, closing: end.signal }),
    close: (graceMs) => (closed ??= close(graceMs)),
  };
}

function engineOver(runner: Runner): Omit<Engine, 'close'> {
  return {
    kind: 'http',
    run: (statement, options) => run(runner, statement, options),
    describe: async (statement) => {
      const described = { ...statement, sql: `DESCRIBE TABLE (\n${statement.sql}\n)` };
      const { chunks } = await run(runner, described, { format: 'JSONEachRow' });
      return decodeColumns(await readText(chunks));
    },
    load: runner.queue.size,
    // Not through the queue: a busy engine is a healthy one.
    ping: async () => {
      const request = { query: 'SELECT 1', query_id: runner.newId(), clickhouse_settings: {} };
      await readText(await open(runner, request, { timeoutMs: PING_TIMEOUT_MS }));
    },
    execute: async (sql) => {
      for (const query of splitStatements(sql)) await command(runner, query);
    },
  };
}

/** Runs one statement; its place in the queue is held until the body has ended. */
async function run(runner: Runner, statement: Statement, options: RunOptions): Promise<Result> {
  const { signal, format, comment, traceparent, lane, isPatient } = options;
  const { consumer } = runner;
  const request = requestOf(statement, { format, comment, traceparent, queryId: runner.newId(), consumer });
  const timeoutMs = statement.limits.time * 1000 + TIMER_SLACK_MS;
  const asked = runner.now();
  const leave = await runner.queue.enter({ signal, lane, isPatient });
  return {
    queueMs: runner.now() - asked,
    chunks: await open(runner, request, { timeoutMs, leave, ...(signal === undefined ? {} : { signal }) }),
  };
}

interface OpenOptions {
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
  /** Gives the place in the queue back. */
  readonly leave?: () => void;
}

function open(
  runner: Runner,
  request: HttpRequest,
  options: OpenOptions,
): Promise<AsyncIterable<Uint8Array>> {
  const { closing, after, observe } = runner;
  const { timeoutMs, signal, leave } = options;
  const onEnd = (error?: EngineError): void => {
    leave?.();
    // Without a code of the engine it was the line that failed, or we who cut it.
    if (error !== undefined && error.engineCode === undefined) {
      observe({ kind: 'engine.connection_dropped', reason: error.failure });
    }
  };
  const signals = signal === undefined ? [closing] : [closing, signal];
  return openExchange(runner.client, { request, signals, timeoutMs, after, onEnd });
}

async function command({ client, queue, closing, newId }: Runner, query: string): Promise<void> {
  const leave = await queue.enter();
  try {
    // Errors in the middle would be part of a body that nobody reads.
    const settings = { wait_end_of_query: 1 } as const;
    await client.command({ query, clickhouse_settings: settings, query_id: newId(), abort_signal: closing });
  } catch (cause) {
    throw closing.aborted ? abortError(closing) : toHttpError(cause);
  } finally {
    leave();
  }
}

async function readText(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  const parts: Uint8Array[] = [];
  for await (const chunk of chunks) parts.push(chunk);
  return Buffer.concat(parts).toString();
}
