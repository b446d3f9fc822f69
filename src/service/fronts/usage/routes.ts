// `GET /api/usage`: what the key of the request has called, by day and endpoint, and what is left of its budgets.
import type { FastifyInstance, HTTPMethods } from 'fastify';
import { USAGE_DAYS } from '../../limits/usage-counts.ts';
import { rateLimitFields } from '../../limits/rate-limits.ts';
import type { CallRecord } from '../../request/call.ts';
import type { UsageReport } from '../../request/usage.ts';
import { keyOf, queryStringOf } from '../../http/call-fields.ts';
import { invalidParameter, pairsOf } from '../../http/fields.ts';
import { BY_KEY } from '../../http/tagged-text.ts';

interface UsageOptions {
  /** Counts as a check against the rate limit. `days` is read after the key is accepted. Throws Problem. */
  readonly usage: (key: string | undefined, record: CallRecord, days: () => number) => Promise<UsageReport>;
}

type RejectOthers = (app: FastifyInstance, url: string, taken: readonly HTTPMethods[]) => void;

const USAGE_URL = '/api/usage';
const DEFAULT_DAYS = 7;

export function addUsageRoute(
  app: FastifyInstance,
  { usage }: UsageOptions,
  rejectOthers: RejectOthers,
): void {
  app.get(USAGE_URL, async (request, reply) => {
    const { record } = reply;
    const report = await usage(keyOf(request), record, () => daysIn(queryStringOf(request)));
    return reply
      .headers({ ...rateLimitFields(record.limits), ...BY_KEY, 'Cache-Control': 'no-store' })
      .header('Content-Type', 'application/json; charset=utf-8')
      .send(JSON.stringify(report));
  });
  rejectOthers(app, USAGE_URL, ['GET']);
}

/** Throws Problem. */
function daysIn(queryString: string): number {
  let days: number | undefined;
  for (const [name, value] of pairsOf(queryString)) {
    if (name !== 'days') throw invalidParameter(name, 'is unknown: GET /api/usage has the parameter days');
    if (days !== undefined) throw invalidParameter(name, 'is there more than once');
    days = /^[1-9]\d?$/.test(value) ? Number(value) : USAGE_DAYS + 1;
    if (days > USAGE_DAYS) throw invalidParameter(name, `must be a whole number from 1 to ${USAGE_DAYS}`);
  }
  return days ?? DEFAULT_DAYS;
}
