// `GET /api/why`: why a call of the own key took its time.
import type { FastifyInstance, HTTPMethods } from 'fastify';
import { rateLimitFields } from '../../limits/rate-limits.ts';
import type { CallReport } from '../../request/why/report.ts';
import type { WhyRequest } from '../../request/why/why.ts';
import { keyOf, queryStringOf } from '../../http/call-fields.ts';
import { invalidParameter, pairsOf } from '../../http/fields.ts';
import { REPORT_SIGNAL, requestSignal } from '../../http/request-signal.ts';
import { BY_KEY } from '../../http/tagged-text.ts';

export interface WhyOptions {
  /** Counts as a check against the rate limit. `requestId` is read after the key is accepted. Throws Problem. */
  readonly why: (request: WhyRequest) => Promise<CallReport>;
}

type RejectOthers = (app: FastifyInstance, url: string, taken: readonly HTTPMethods[]) => void;

const WHY_URL = '/api/why';

export function addWhyRoute(app: FastifyInstance, { why }: WhyOptions, rejectOthers: RejectOthers): void {
  app.get(WHY_URL, async (request, reply) => {
    const { record } = reply;
    const report = await why({
      key: keyOf(request),
      record,
      requestId: () => requestIn(queryStringOf(request)),
      signal: requestSignal(reply, REPORT_SIGNAL),
    });
    return reply
      .headers({ ...rateLimitFields(record.limits), ...BY_KEY, 'Cache-Control': 'no-store' })
      .header('Content-Type', 'application/json; charset=utf-8')
      .send(JSON.stringify({ result: report }));
  });
  rejectOthers(app, WHY_URL, ['GET']);
}

/** Throws Problem. */
function requestIn(queryString: string): string {
  let id: string | undefined;
  for (const [name, value] of pairsOf(queryString)) {
    if (name !== 'request')
      throw invalidParameter(name, 'is unknown: GET /api/why has the parameter request');
    if (id !== undefined) throw invalidParameter(name, 'is there more than once');
    id = value;
  }
  if (id === undefined || id === '') throw invalidParameter('request', 'is the X-Request-Id of a call');
  return id;
}
