// A request to one of the servers, and to another one when that fails: only statements that read come here.
import type { Observe, ReadSummary } from '../../core/observation.ts';
import { EngineError } from '../engine.ts';
import type { After } from '../timer.ts';
import type { BodyEnd } from './body.ts';
import type { Credentials } from './client.ts';
import { openExchange } from './exchange.ts';
import { isLost, isUnreached, toHttpError } from './http-failures.ts';
import type { Host, Hosts } from './hosts.ts';
import type { Leftovers } from './leftovers.ts';
import type { HttpRequest } from './request.ts';

export interface AttemptsDeps {
  readonly hosts: Hosts;
  readonly hostCount: number;
  readonly leftovers: Leftovers;
  readonly after: After;
  readonly newId: () => string;
  readonly observe: Observe;
}

/** One statement that reads. */
export interface Attempt {
  readonly request: Omit<HttpRequest, 'query_id'> & Credentials;
  readonly isConsumers: boolean;
  /** Any of them ends it. */
  readonly signals: readonly AbortSignal[];
  readonly timeoutMs: number;
  /** Called when an answer begins. */
  readonly onSummary?: (read: ReadSummary | undefined) => void;
  /** Called once, however it ends. */
  readonly onEnd: () => void;
}

/** A statement that ends a server must not end all of them: sent again once at most. */
const MOST_SENT = 2;

interface Failure {
  readonly host: Host;
  readonly error: EngineError;
}

/** Resolves when the first bytes of an answer are there. Rejects with EngineError; so do later reads. */
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
  return hosts.next(last?.host).catch((nobody: unknown) => {
    throw last?.error ?? nobody; // it says more
  });
}

/** Whether the last failure is a host's, and another attempt does no harm. */
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
  const { signals, timeoutMs, isConsumers } = attempt;
  // A server refuses an id that still runs there.
  const queryId = deps.newId();
  const note = (end: BodyEnd): void => noteEnd(deps, end, { host, isConsumers, queryId });
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
  }
}

function noteEnd(
  { observe, leftovers }: AttemptsDeps,
  end: BodyEnd,
  leftover: Parameters<Leftovers['add']>[0],
): void {
  // With a code of the engine it has ended there as well.
  if (end === 'whole' || (end instanceof EngineError && end.engineCode !== undefined)) return;
  if (end instanceof EngineError) observe({ kind: 'engine.connection_dropped', reason: end.failure });
  if (end === 'left' || !isUnreached(end)) leftovers.add(leftover);
}
