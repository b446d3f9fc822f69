// Holds the last finished calls of this process, so that one can be explained: no parameters, no queries, no rows.
import type { Finished, Observe } from '../../sql/base/observation.ts';

/** A finished call of an endpoint. */
export interface RecentCall
  extends
    Pick<
      Finished,
      'requestId' | 'usageId' | 'principal' | 'revision' | 'version' | 'status' | 'code' | 'cache' | 'rows'
    >,
    Pick<Finished, 'bytes' | 'ms' | 'timing' | 'read' | 'isReadShown'> {
  readonly endpoint: string;
  /** Milliseconds since 1970. */
  readonly ended: number;
}

export interface RecentCalls {
  readonly observe: Observe;
  /** Returns the newest call with this id among those of a key; a key of undefined means all. */
  readonly find: (requestId: string, usageId: string | undefined) => RecentCall | undefined;
  /** Returns the slowest call of an endpoint. */
  readonly slowest: (endpoint: string) => RecentCall | undefined;
  /** Returns the calls that ran at some time of this one. */
  readonly beside: (call: RecentCall) => readonly RecentCall[];
}

export interface RecentCallsOptions {
  /** Returns whether a finished request is a call. */
  readonly isCounted: (request: Finished) => boolean;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Calls that are held; default: 2,000. */
  readonly most?: number | undefined;
}

/** Longer ids are not held: the caller may choose them. */
const MAX_ID = 200;

export function createRecentCalls({ isCounted, now, most = 2000 }: RecentCallsOptions): RecentCalls {
  const calls: RecentCall[] = [];
  let next = 0;
  /** The newest first. */
  const newest = (): readonly RecentCall[] => [
    ...calls.slice(0, next).toReversed(),
    ...calls.slice(next).toReversed(),
  ];
  return {
    observe: (observation) => {
      if (observation.kind !== 'request.finished' || !isCounted(observation)) return;
      const { requestId, usageId, principal, endpoint, revision, version, status, code } = observation;
      if (endpoint === undefined || requestId.length > MAX_ID) return;
      const { cache, rows, bytes, ms, timing, read, isReadShown } = observation;
      const known = { requestId, usageId, principal, endpoint, revision, version, status, code };
      calls[next] = { ...known, cache, rows, bytes, ms, timing, read, isReadShown, ended: now() };
      next = (next + 1) % most;
    },
    find: (requestId, usageId) =>
      newest().find(
        (call) => call.requestId === requestId && (usageId === undefined || call.usageId === usageId),
      ),
    slowest: (endpoint) => {
      const own = newest().filter((call) => call.endpoint === endpoint);
      return own.toSorted((a, b) => b.ms - a.ms)[0];
    },
    beside: (call) => {
      const started = call.ended - call.ms;
      return newest().filter(
        (other) => other !== call && other.ended > started && other.ended - other.ms < call.ended,
      );
    },
  };
}
