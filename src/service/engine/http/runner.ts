// Statements on ClickHouse servers run with these: hosts, users, and what they leave behind.
import { randomUUID } from 'node:crypto';
import type { Observe } from '../../../sql/base/observation.ts';
import type { EngineCapacity, Queue } from '../queue.ts';
import { readAll } from '../rows.ts';
import { openAttempts, type Attempt, type AttemptsDeps } from './attempts.ts';
import { credentialsOf, openClient, type Credentials, type Tls } from './client.ts';
import { openExchange } from './exchange.ts';
import { createFailedReads } from './failed-reads.ts';
import { createHosts, type Host } from './hosts.ts';
import { createOrphanedQueries } from './orphaned-queries.ts';
import { createPermissions, type Permissions } from './permissions.ts';
import { NO_SETTINGS, type HttpUser } from './request.ts';

export interface HttpOptions extends HttpUser, EngineCapacity {
  /** Servers with the same tables; at least one. */
  readonly urls: readonly string[];
  /** The user for consumer queries; default: the same user, which then must not have `readonly = 2`. */
  readonly consumer?: HttpUser | undefined;
  readonly tls?: Tls | undefined;
  /** Request compressed responses; default: no. */
  readonly isCompressed?: boolean;
  /** A server that takes longer to answer a ping counts as down. */
  readonly pingTimeoutMs: number;
  readonly observe: Observe;
  /** Monotonic clock, in milliseconds. */
  readonly now: () => number;
  /** Generates query ids. */
  readonly newId?: () => string;
}

export interface Runner extends AttemptsDeps {
  readonly queue: Queue;
  readonly now: () => number;
  /** Aborted to end all running statements. */
  readonly closing: AbortSignal;
  readonly permissions: Permissions;
  readonly userOf: (isConsumers: boolean) => { readonly name: string; readonly credentials: Credentials };
}

const PING_TIMEOUT_MS = 5000;

/** An unreachable server cannot be sent a KILL, so this need not be long. */
const KILL_TIMEOUT_MS = 2000;

export function createRunner(options: HttpOptions, queue: Queue, closing: AbortSignal): Runner {
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
export function small(request: Attempt['request'], isConsumers: boolean, closing: AbortSignal): Attempt {
  return { request, isConsumers, signals: [closing], timeoutMs: PING_TIMEOUT_MS, onEnd: nothing };
}

export async function readText(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  return Buffer.from(await readAll(chunks)).toString();
}

function nothing(): void {}
