// Formats the log line of a request as pino would. It is on the path of every request, so the keys are written out here
// and the parts shared by many requests are serialized only once.
import type { Finished, StageTimes } from '../core/observation.ts';
import { describeCause } from './describe.ts';

/** Serialized heads kept; the cache is cleared once it is full. */
const MAX_KINDS = 1000;

/** Returns a function that formats one line of JSON. `level` is pino's number, `time` is RFC 3339. */
export function createRequestLine(): (level: number, time: string, request: Finished) => string {
  const heads = new Map<string, string>();
  const headOf = ({ method, route, endpoint, revision, principal }: Finished): string => {
    const key = `${method} ${route} ${revision} ${endpoint} ${principal}`;
    let head = heads.get(key);
    if (head === undefined) {
      if (heads.size >= MAX_KINDS) heads.clear();
      const fields = { event: 'request.finished', method, route, endpoint, revision, principal };
      head = JSON.stringify(fields).slice(1, -1);
      heads.set(key, head);
    }
    return head;
  };
  return (level, time, request) =>
    `{"level":${level},"time":"${time}",${headOf(request)}${ownFields(request)}}\n`;
}

function ownFields(request: Finished): string {
  const { status, bytes, ms, timing, trace, cause } = request;
  return (
    `,"status":${status},"bytes":${bytes},"ms":${rounded(ms)}` +
    field('requestId', request.requestId) +
    field('client', request.client) +
    field('cache', request.cache) +
    field('rows', request.rows) +
    field('code', request.code) +
    field('labels', request.labels) +
    field('timing', timing === undefined ? undefined : roundedAll(timing)) +
    field('read', request.read) +
    field('trace', trace?.traceId) +
    field('cause', cause === undefined ? undefined : describeCause(cause))
  );
}

function field(key: string, value: unknown): string {
  return value === undefined ? '' : `,"${key}":${JSON.stringify(value)}`;
}

function roundedAll(timing: StageTimes): Record<string, number> {
  return Object.fromEntries(Object.entries(timing).map(([stage, ms]) => [stage, rounded(ms)]));
}

/** Milliseconds, rounded to hundredths. */
export function rounded(ms: number): number {
  return Math.round(ms * 100) / 100;
}
