// `POST /load` of the admin listener: rows for a table of the embedded engine, from `millrace load`. The data folder has its key.
import { hash, timingSafeEqual } from 'node:crypto';
import { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import type { After } from '../../../sql/base/clock.ts';
import { Problem } from '../../../sql/base/problem.ts';
import type { LoadEvent } from '../../loading/load-event.ts';
import type { LoadFormat, LoadRequest } from '../../loading/load.ts';

export interface LoadRouteOptions {
  /** Only readers of the data folder have it. */
  readonly key: string;
  readonly load: (request: LoadRequest) => AsyncGenerator<LoadEvent>;
  readonly after: After;
}

/** A client that sends nothing for this long is not waited for any longer. */
const IDLE_MS = 600_000;
const MAX_NAME = 1000;
const FORMATS: ReadonlySet<string | null> = new Set<LoadFormat>(['ndjson', 'csv', 'parquet']);

/** The body is the file, without a content coding. The response has an event a line, while the body is read. */
export function addLoadRoute(app: FastifyInstance, { key, load, after }: LoadRouteOptions): void {
  const digest = Buffer.from(hash('sha256', key), 'hex');
  app.post('/load', (request, reply) => {
    const { authorization = '' } = request.headers;
    const [, presented] = /^Bearer (\S{1,200})$/.exec(authorization) ?? [];
    if (presented === undefined) throw new Problem('auth.missing', { hint: KEY_HINT });
    if (!timingSafeEqual(digest, Buffer.from(hash('sha256', presented), 'hex')))
      throw new Problem('auth.invalid', { hint: KEY_HINT });
    const asked = requestOf(new URL(request.url, 'http://admin').searchParams);
    const { raw } = request;
    const events = Readable.from(linesOf(load({ ...asked, bytes: untilIdle(raw, after) })));
    return reply.header('Content-Type', 'application/x-ndjson').header('Connection', 'close').send(events);
  });
}

const KEY_HINT = 'Send the key of the file admin.json in the data folder, as Authorization: Bearer <key>.';

function requestOf(query: URLSearchParams): Omit<LoadRequest, 'bytes'> {
  const table = query.get('table') ?? '';
  const name = query.get('name') ?? '';
  const format = query.get('format');
  if (table === '' || table.length > MAX_NAME || name.length > MAX_NAME || !FORMATS.has(format))
    throw new Problem('request.parameters_invalid', {
      detail: 'POST /load has the parameters table, name and format (ndjson, csv or parquet)',
    });
  const flag = (parameter: string): boolean => query.get(parameter) === 'true';
  return {
    table,
    name,
    format: format as LoadFormat, // checked above
    keepsGoodRows: flag('rejects'),
    again: flag('again'),
  };
}

async function* untilIdle(body: Readable, after: After): AsyncGenerator<Uint8Array> {
  const wait = (): (() => void) => after(IDLE_MS, () => body.destroy(new Error('no bytes were sent')));
  let cancel = wait();
  try {
    for await (const chunk of body) {
      cancel();
      yield chunk as Uint8Array; // a stream of bytes
      cancel = wait();
    }
  } finally {
    cancel();
  }
}

async function* linesOf(events: AsyncGenerator<LoadEvent>): AsyncGenerator<string> {
  for await (const event of events) yield `${JSON.stringify(event)}\n`;
}
