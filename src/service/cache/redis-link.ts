// The only access path to Redis: a connection that is replaced if it stops responding, a timeout for callers, and a
// circuit breaker around every call.
import { KnownError, type Observe } from '../../sql/base/observation.ts';
import { createBreaker } from './breaker.ts';
import type { After, Clock } from '../../sql/base/clock.ts';
import { sleep } from './clock.ts';
import type { RedisConnection } from './redis-connection.ts';

export interface RedisLinkOptions {
  /** `redis[s]://[user:password@]host[:port][/database]`. */
  readonly url: string;
  /** Prefix of every key. */
  readonly namespace: string;
  /** Longest wait for a reply, in milliseconds. */
  readonly timeoutMs: number;
  /** Milliseconds between attempts to reach Redis again. */
  readonly retryMs: number;
  readonly clock: Clock;
  readonly after: After;
  readonly random: () => number;
  readonly observe: Observe;
}

/** Shared by everything in a process that uses Redis. */
export interface RedisLink {
  readonly namespace: string;
  /**
   * The result of `call`, or `otherwise` if Redis is unavailable or takes longer than `timeoutMs` times `patience`.
   * Never rejects: an exception from `call` counts as no reply.
   */
  run<T>(call: (connection: RedisConnection) => Promise<T>, otherwise: T, patience?: number): Promise<T>;
  /**
   * Notes that Redis has rejected a write. If it is read-only, as the former master after a failover, calls move to a new
   * connection: the address may lead to another server now.
   */
  noteRejected(cause: unknown): void;
  readonly isUnavailable: () => boolean;
  close(): Promise<void>;
}

/** No caller waits for a write, so it may take longer, but not so long that it delays detecting an outage. */
export const WRITE_PATIENCE = 5;
/** While Redis is read-only, a new connection is opened at most this often. The former one is closed after this time, too. */
const RENEWAL_MS = 5000;
/** After this many unanswered probes the connection is replaced: it may be half-open without either side noticing. */
const PROBES_PER_CONNECTION = 5;

/**
 * Opens the link. Resolves even if Redis is unavailable, and keeps trying. Rejects with TypeError if the URL is
 * invalid.
 */
export async function openRedisLink(options: RedisLinkOptions): Promise<RedisLink> {
  const { url, namespace, timeoutMs, observe } = options;
  const { openRedisConnection } = await import('./redis-connection.ts'); // 435 files, that most services never need
  const connections = createConnections(() => openRedisConnection(url, options.random), options.after);
  const { current } = connections;
  const breaker = createBreaker({
    ...options,
    probe: () => pingSingle(current()),
    on: {
      opened: (cause) => {
        // The client's own error only says that it is offline; the connection's last error says why.
        const why = redisFailure(cause);
        const last = current().lastError();
        const isNew = last !== undefined && last !== cause;
        const lost = isNew
          ? new KnownError(why instanceof KnownError ? why.message : 'a call failed', {
              cause: redisFailure(last),
            })
          : why;
        observe({ kind: 'cache.remote_lost', cause: lost });
      },
      closed: (ms) => observe({ kind: 'cache.remote_restored', ms }),
      probeFailed: (times) => {
        // One that is being established is not replaced: it could not be closed, and has a timeout of its own.
        if (times % PROBES_PER_CONNECTION !== 0 || !current().isConnected()) return;
        connections.replace();
      },
    },
  });
  const ping = (patience: number): Promise<unknown> =>
    breaker.attempt(() => current().client.ping(), undefined, timeoutMs * patience);
  await Promise.race([current().connected, sleep(timeoutMs * WRITE_PATIENCE, options.after)]);
  await breaker.attempt(() => pingSingle(current()), undefined);
  let closed: Promise<void> | undefined;
  const close = async (): Promise<void> => {
    await ping(WRITE_PATIENCE); // replies arrive in order, so once this one does, all earlier writes have completed
    breaker.stop();
    connections.close();
  };
  return {
    namespace,
    run: (call, otherwise, patience = 1) =>
      breaker.attempt(() => call(current()), otherwise, timeoutMs * patience),
    noteRejected: (cause) => {
      if (isReply(cause, 'READONLY')) connections.renew();
    },
    isUnavailable: breaker.isOpen,
    close: () => (closed ??= close()),
  };
}

/**
 * Rejects also for a server that is part of a cluster, which has only some of the keys, and for a Sentinel, which has none. The mode is in
 * the reply to HELLO; servers that do not have or permit the command are no such servers, or cannot be recognized.
 */
async function pingSingle({ client }: RedisConnection): Promise<void> {
  const [, mode] = await Promise.all([client.ping(), modeOf(client)]);
  if (mode === 'cluster' || mode === 'sentinel')
    throw new KnownError(`the server is in the mode ${mode}: Redis Cluster and Sentinel are not supported`);
}

async function modeOf(client: RedisConnection['client']): Promise<string | undefined> {
  try {
    const mode: unknown = (await client.hello()).mode; // a Buffer, as all strings of this client
    return String(mode);
  } catch (cause) {
    if (isReply(cause)) return undefined;
    throw cause;
  }
}

/** The connection in use, and the one that follows it. */
function createConnections(openConnection: () => RedisConnection, after: After) {
  const all = new Set<RedisConnection>();
  let isRenewing = false;
  const open = (): RedisConnection => {
    const opened = openConnection();
    all.add(opened);
    return opened;
  };
  const close = (connection: RedisConnection): void => {
    connection.destroy();
    all.delete(connection);
  };
  let current = open();
  return {
    current: () => current,
    /** At once: the current one does not answer. */
    replace: (): void => {
      close(current);
      current = open();
    },
    /** Once the new one is connected; calls on the current one end. */
    renew: (): void => {
      if (isRenewing) return;
      isRenewing = true;
      const next = open();
      void next.connected.then(() => {
        const former = current;
        current = next;
        after(RENEWAL_MS, () => {
          close(former);
          isRenewing = false;
        });
      });
    },
    close: (): void => {
      for (const each of all) close(each);
    },
  };
}

/**
 * Returns whether an error came from Redis itself: its error replies begin with an uppercase code, unlike the client's own
 * errors.
 */
export function isReply(error: unknown, code = '[A-Z]+'): boolean {
  return error instanceof Error && new RegExp(`^${code} `).test(error.message);
}

/** The client's own errors, whose messages are constants. */
const OF_CLIENT = /^(?:Client|Connection|Socket|Disconnects|Reconnect)\w*Error$/;

/** An error of the client or a reply of Redis, for the log: its messages have names of commands and of settings only. */
export function redisFailure(cause: unknown): unknown {
  if (!(cause instanceof Error)) return cause;
  const isKnown = isReply(cause) || OF_CLIENT.test(cause.constructor.name);
  return isKnown ? new KnownError(cause.message.replaceAll(/['"`].*/gs, '…').slice(0, 200)) : cause;
}

/**
 * Runs `call`; an error reply from Redis (out of memory, read-only) is reported and gives `otherwise`. It does not open
 * the breaker, since reads still work.
 */
export async function unlessRejected<T>(
  { link, observe }: { readonly link: Pick<RedisLink, 'noteRejected'>; readonly observe: Observe },
  call: () => Promise<T>,
  otherwise: T,
): Promise<T> {
  try {
    return await call();
  } catch (cause) {
    if (!isReply(cause)) throw cause;
    link.noteRejected(cause);
    observe({ kind: 'cache.write_rejected', cause: redisFailure(cause) });
    return otherwise;
  }
}
