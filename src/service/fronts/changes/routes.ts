// Changes of endpoint files as server-sent events, in development
// (https://html.spec.whatwg.org/multipage/server-sent-events.html).
import { PassThrough } from 'node:stream';
import type { FastifyInstance, HTTPMethods } from 'fastify';
import type { After } from '../../../sql/base/clock.ts';
import type { Finding } from '../../../sql/base/finding.ts';
import { Problem } from '../../../sql/base/problem.ts';
import { keyOf } from '../../http/call-fields.ts';
import type { AdmitKey } from '../../request/admission/keys.ts';

/** The endpoint files that are being served. */
export interface Changes {
  /** The current findings. */
  readonly diagnostics: () => readonly Finding[];
  /** Calls back after each change, until the returned function is called. */
  readonly subscribe: (changed: () => void) => () => void;
}

interface EventsOptions {
  readonly changes: Changes;
  readonly admitKey: AdmitKey;
  readonly after: After;
}

type RejectOthers = (app: FastifyInstance, url: string, taken: readonly HTTPMethods[]) => void;

const EVENTS_URL = '/api/endpoints/events';
const MAX_STREAMS = 100;
const MAX_FINDINGS = 100;
/** A comment line at this interval detects clients that have disconnected. */
const KEEP_ALIVE_MS = 15_000;

/** Sends an event `catalog` with the findings at once and after each change. At most 100 streams are open. */
export function addEventsRoute(
  app: FastifyInstance,
  { changes, admitKey, after }: EventsOptions,
  rejectOthers: RejectOthers,
): void {
  const streams = new Set<PassThrough>();
  const message = (): string => {
    const findings = changes.diagnostics();
    const data = { findings: findings.slice(0, MAX_FINDINGS), count: findings.length };
    return `event: catalog\ndata: ${JSON.stringify(data)}\n\n`;
  };
  const send = (text: string): void => {
    for (const stream of streams) stream.write(text);
  };
  const stop = changes.subscribe(() => send(message()));
  let cancel: (() => void) | undefined;
  const keepAlive = (): void => {
    cancel = after(KEEP_ALIVE_MS, () => {
      send(':\n\n');
      keepAlive();
    });
  };
  keepAlive();
  app.addHook('preClose', async () => {
    stop();
    cancel?.();
    for (const stream of streams) stream.end();
  });
  app.get(EVENTS_URL, { exposeHeadRoute: false }, async (request, reply) => {
    await admitKey(keyOf(request), reply.record, 'check');
    if (streams.size >= MAX_STREAMS)
      throw new Problem('engine.busy', { detail: 'Too many event streams are open', retryAfter: 60 });
    const stream = new PassThrough();
    streams.add(stream);
    stream.once('close', () => streams.delete(stream));
    stream.write(message());
    return reply
      .headers({
        'Content-Type': 'text/event-stream',
        'Cache-Control': 'no-store',
        'X-Accel-Buffering': 'no',
      })
      .send(stream);
  });
  rejectOthers(app, EVENTS_URL, ['GET']);
}
