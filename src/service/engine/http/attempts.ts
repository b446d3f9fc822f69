// Sends a statement to one of the servers and retries on another if that server fails. Only for statements that read.
import type { Observe, ReadSummary } from '../../../sql/base/observation.ts';
import { EngineError } from '../engine.ts';
import type { After } from '../../../sql/base/clock.ts';
import type { BodyEnd } from './body.ts';
import type { Credentials } from './client.ts';
import { openExchange, type OnSummary } from './exchange.ts';
import { isLost, isUnreached, toHttpError } from './http-failures.ts';
import type { Host, Hosts } from './hosts.ts';
import type { OrphanedQueries } from './orphaned-queries.ts';
import type { FailedReads } from './failed-reads.ts';
import type { HttpRequest } from './request.ts';

export interface AttemptsDeps {
  readonly hosts: Hosts;
  readonly hostCount: number;
  readonly orphanedQueries: OrphanedQueries;
  readonly failedReads: FailedReads;
  readonly after: After;
  readonly newId: () => string;
  readonly observe: Observe;
}

/** One read-only statement. */
export interface Attempt {
  readonly request: Omit<HttpRequest, 'query_id'> & Credentials;
  readonly isConsumers: boolean;
  /** Any of them ends it. */
  readonly signals: readonly AbortSignal[];
  readonly timeoutMs: number;
  /** Called when a response begins. */
  readonly onSummary?: OnSummary;
  /** Called with what a statement that failed or was cancelled has read, if the server reports it. */
  readonly onRead?: (read: ReadSummary) => void;
  /** Called once, regardless of the outcome. */
  readonly onEnd: () => void;
}

/** A statement that crashes a server must not crash all of them, so it is retried at most once. */
const MOST_SENT = 2;

interface Failure {
  readonly host: Host;
  readonly error: EngineError;
}

/** Resolves when the first bytes have arrived. Rejects with EngineError; later reads also throw it. */
export async function openAttempts(deps: AttemptsDeps, attempt: Attempt): Promise<AsyncIterable<Uint8Array>> {
  const failures: Failure[] = [];
  try {
    for (;;) {
      const host = await nextHost(deps.hosts, failures.at(-1));
      const body = await openAt(deps, host, attempt).catch((cause: unknown) => {
        failures.push({ host, error: toHttpError(cause) });
      });
      if (body !== undefined) return body;
      throwUnlessSafe(deps, attempt, failures);
    }
  } catch (error) {
    attempt.onEnd();
    throw error;
  }
}

async function nextHost(hosts: Hosts, last: Failure | undefined): Promise<Host> {
  return hosts.next(last?.host).catch((noneAvailable: unknown) => {
    throw last?.error ?? noneAvailable; // the earlier error is more specific
  });
}

/** Throws unless the last failure was the host's and a retry is safe. */
function throwUnlessSafe(
  { hosts, hostCount }: AttemptsDeps,
  { signals }: Attempt,
  failures: readonly Failure[],
): void {
  const last = failures.at(-1);
  if (last === undefined) return;
  if (!isLost(last.error) || signals.some(({ aborted }) => aborted)) throw last.error;
  hosts.suspect(last.host, last.error);
  const sent = failures.filter(({ error }) => !isUnreached(error));
  if (sent.length >= MOST_SENT || failures.length > hostCount) throw last.error;
}

async function openAt(deps: AttemptsDeps, host: Host, attempt: Attempt): Promise<AsyncIterable<Uint8Array>> {
  const { signals, timeoutMs, isConsumers, onRead } = attempt;
  // A new id per attempt: a server rejects an id that is still running there.
  const queryId = deps.newId();
  const note = (end: BodyEnd): void => noteEnd(deps, end, { host, isConsumers, queryId, onRead });
  const unwatch = onRead === undefined ? undefined : deps.failedReads.watch(queryId, onRead);
  try {
    return await openExchange(host.client, {
      request: { ...attempt.request, query_id: queryId },
      signals,
      timeoutMs,
      answers: () => deps.hosts.answers(host),
      after: deps.after,
      ...(attempt.onSummary === undefined ? {} : { onSummary: attempt.onSummary }),
      onEnd: (end) => {
        note(end);
        attempt.onEnd();
      },
    });
  } catch (cause) {
    const error = toHttpError(cause);
    note(error);
    throw error;
  } finally {
    unwatch?.();
  }
}

function noteEnd(
  { observe, orphanedQueries }: AttemptsDeps,
  end: BodyEnd,
  leftover: Parameters<OrphanedQueries['add']>[0],
): void {
  // With an error code from the engine, the query has ended on the server as well.
  if (end === 'whole' || (end instanceof EngineError && end.engineCode !== undefined)) return;
  if (end instanceof EngineError) observe({ kind: 'engine.connection_dropped', reason: end.failure });
  if (end === 'left' || !isUnreached(end)) orphanedQueries.add(leftover);
}
