// Holds the last finished calls of this process, so that one can be explained: no parameters, no queries, no rows.
import type { FinishedCall } from '../../sql/base/observation.ts';

/** A finished call of an endpoint. */
export interface RecentCall
  extends
    Pick<
      FinishedCall,
      'requestId' | 'usageId' | 'principal' | 'endpoint' | 'revision' | 'version' | 'status' | 'code'
    >,
    Pick<FinishedCall, 'cache' | 'rows' | 'bytes' | 'ms' | 'timing' | 'read' | 'isReadShown'> {
  /** Milliseconds since 1970. */
  readonly ended: number;
}

export interface RecentCalls {
  readonly add: (call: FinishedCall) => void;
  /** Returns the newest call with this id among those of a key; a key of undefined means all. */
  readonly find: (requestId: string, usageId: string | undefined) => RecentCall | undefined;
  /** Returns the slowest call of an endpoint. */
  readonly slowest: (endpoint: string) => RecentCall | undefined;
  /** Returns the calls that ran at some time of this one. */
  readonly beside: (call: RecentCall) => readonly RecentCall[];
}

export interface RecentCallsOptions {
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Calls that are held; default: 2,000. */
  readonly most?: number | undefined;
}

/** Longer ids are not held: the caller may choose them. */
const MAX_ID = 200;

export function createRecentCalls({ now, most = 2000 }: RecentCallsOptions): RecentCalls {
  const calls: RecentCall[] = [];
  let next = 0;
  /** The newest first. */
  const newest = (): readonly RecentCall[] => [
    ...calls.slice(0, next).toReversed(),
    ...calls.slice(next).toReversed(),
  ];
  return {
    add: (call) => {
      const { requestId, usageId, principal, endpoint, revision, version, status, code } = call;
      if (requestId.length > MAX_ID) return;
      const { cache, rows, bytes, ms, timing, read, isReadShown } = call;
      const known = { requestId, usageId, principal, endpoint, revision, version, status, code };
      const ended = now();
      calls[next] = { cache, rows, bytes, ms, timing, read, isReadShown, ended, ...known };
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
