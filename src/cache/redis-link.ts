// The one way to Redis: a connection that is replaced when it falls silent, a time-out for callers, a breaker around every call.
import type { Observe } from '../core/observation.ts';
import { createBreaker } from './breaker.ts';
import { sleep, type After, type Clock } from './clock.ts';
import { openRedisConnection, type RedisConnection } from './redis-connection.ts';

export interface RedisLinkOptions {
  /** `redis[s]://[user:password@]host[:port][/database]`. */
  readonly url: string;
  /** In front of every key. */
  readonly namespace: string;
  /** The longest that a caller waits for a reply. */
  readonly timeoutMs: number;
  /** Between attempts to reach it again. */
  readonly retryMs: number;
  readonly clock: Clock;
  readonly after: After;
  readonly random: () => number;
  readonly observe: Observe;
}

/** Shared by everything of a process that speaks to Redis. */
export interface RedisLink {
  readonly namespace: string;
  /**
   * What the commands give, or `otherwise` when Redis is away or takes longer than `timeoutMs` times `patience`. Never
   * rejects: a `call` that throws counts as one that was not answered.
   */
  run<T>(call: (connection: RedisConnection) => Promise<T>, otherwise: T, patience?: number): Promise<T>;
  readonly isAway: () => boolean;
  close(): Promise<void>;
}

/** Nobody waits for a write, so it may take longer; but it should not hide that nobody is there. */
export const WRITE_PATIENCE = 5;
/** Silent for so many probes: the connection may be dead without either side knowing. */
const PROBES_PER_CONNECTION = 5;

/** Connects, and resolves even when nobody is there: it goes on trying. Rejects with TypeError when the URL is none. */
export async function openRedisLink(options: RedisLinkOptions): Promise<RedisLink> {
  const { url, namespace, timeoutMs, observe } = options;
  let connection = openRedisConnection(url, options.random);
  const breaker = createBreaker({
    ...options,
    probe: () => connection.client.ping(),
    on: {
      opened: (cause) => {
        // The client's own errors only say that it is offline; why, its connection knows.
        const why = cause instanceof Error ? cause.message : String(cause);
        observe({ kind: 'cache.remote_lost', cause: new Error(why, { cause: connection.lastError() }) });
      },
      closed: (ms) => observe({ kind: 'cache.remote_restored', ms }),
      probeFailed: (times) => {
        if (times % PROBES_PER_CONNECTION !== 0 || !connection.client.isReady) return;
        connection.destroy();
        connection = openRedisConnection(url, options.random);
      },
    },
  });
  const ping = (patience: number): Promise<unknown> =>
    breaker.attempt(() => connection.client.ping(), undefined, timeoutMs * patience);
  await Promise.race([connection.connected, sleep(timeoutMs * WRITE_PATIENCE, options.after)]);
  await ping(1);
  let closed: Promise<void> | undefined;
  const close = async (): Promise<void> => {
    await ping(WRITE_PATIENCE); // replies come in order: when this one is there, so are those of all writes before it
    breaker.stop();
    connection.destroy();
  };
  return {
    namespace,
    run: (call, otherwise, patience = 1) =>
      breaker.attempt(() => call(connection), otherwise, timeoutMs * patience),
    isAway: breaker.isOpen,
    close: () => (closed ??= close()),
  };
}

/** Whether an error came from Redis itself: its replies begin with a code in capitals; the client's own do not. */
export function isReply(error: unknown, code = '[A-Z]+'): boolean {
  return error instanceof Error && new RegExp(`^${code} `).test(error.message);
}

/** Redis being there and refusing (full, read-only) is reported, and no reason to do without its reads. */
export async function unlessRefused<T>(observe: Observe, call: () => Promise<T>, otherwise: T): Promise<T> {
  try {
    return await call();
  } catch (cause) {
    if (!isReply(cause)) throw cause;
    observe({ kind: 'cache.write_refused', cause });
    return otherwise;
  }
}
