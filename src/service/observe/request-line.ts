// Formats the log line of a request as pino would. It is on the path of every request, so the parts shared by many
// requests are serialized only once.
import type { Finished } from '../../sql/base/observation.ts';
import { REQUEST_FIELDS, type RequestField } from './request-fields.ts';

/** Serialized heads kept; the cache is cleared once it is full. */
const MAX_KINDS = 1000;

const FIELDS: readonly (readonly [key: string, field: RequestField])[] = Object.entries(REQUEST_FIELDS);
const SHARED = FIELDS.filter(([, { isShared }]) => isShared === true);
const OWN = FIELDS.filter(([, { isShared }]) => isShared !== true).map(
  ([key, { value }]) => [`,"${key}":`, value] as const,
);

/** Returns a function that formats one line of JSON. `level` is pino's number, `time` is RFC 3339. */
export function createRequestLine(): (level: number, time: string, request: Finished) => string {
  const heads = new Map<string, string>();
  const headOf = (request: Finished): string => {
    let key = '';
    for (const [, { value }] of SHARED) key += `${String(value(request))} `;
    let head = heads.get(key);
    if (head === undefined) {
      if (heads.size >= MAX_KINDS) heads.clear();
      const fields = SHARED.map(([name, { value }]) => [name, value(request)] as const);
      head = JSON.stringify({ event: request.kind, ...Object.fromEntries(fields) }).slice(1, -1);
      heads.set(key, head);
    }
    return head;
  };
  return (level, time, request) =>
    `{"level":${level},"time":"${time}",${headOf(request)}${ownFields(request)}}\n`;
}

function ownFields(request: Finished): string {
  let text = '';
  for (const [begin, valueOf] of OWN) {
    const value = valueOf(request);
    if (typeof value === 'number') text += begin + value;
    else if (value !== undefined) text += begin + JSON.stringify(value);
  }
  return text;
}
