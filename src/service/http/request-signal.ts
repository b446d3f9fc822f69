// The signal of a request: aborted when its client disconnects, or when it times out.
import type { FastifyReply } from 'fastify';
import { after, type After } from '../../sql/base/clock.ts';
import { Problem } from '../../sql/base/problem.ts';

export interface SignalOptions {
  /** Seconds per request, from its first byte to its answer. */
  readonly requestTimeout: number;
  readonly after: After;
}

/** The time that the engine has for a report about a call, with the wait for a connection: it is shorter than that of calls. */
export const REPORT_SIGNAL: SignalOptions = { requestTimeout: 10, after };

/** Aborts when the client disconnects, or with a Problem when the request times out. */
export function requestSignal(reply: FastifyReply, { requestTimeout, after }: SignalOptions): AbortSignal {
  const controller = new AbortController();
  if (reply.raw.destroyed) {
    controller.abort(new Problem('request.client_closed'));
    return controller.signal;
  }
  const cancel = after(requestTimeout * 1000, () => {
    controller.abort(new Problem('engine.timeout', { detail: `No answer within ${requestTimeout} seconds` }));
  });
  reply.raw.once('close', () => {
    cancel();
    if (!reply.raw.writableFinished) controller.abort(new Problem('request.client_closed'));
  });
  return controller.signal;
}
