// A listener of the ClickHouse interface that answers with what it has read, for tests of the protocol.
import { once } from 'node:events';
import { connect } from 'node:net';
import type { Observation } from '../../src/sql/base/observation.ts';
import { Problem } from '../../src/sql/base/problem.ts';
import { after } from '../../src/sql/base/clock.ts';
import { createCompression } from '../../src/service/http/compression.ts';
import type { ClickHouseOptions } from '../../src/service/fronts/clickhouse/routes.ts';
import { createClickHouseServer } from '../../src/service/fronts/clickhouse/server.ts';
import { createSlowClients } from '../../src/service/http/slow-clients.ts';
import type { ClickHouseCall } from '../../src/service/fronts/clickhouse/call.ts';

/** The key that is accepted. */
export const ECHO_KEY = 'the-key';
/** A database that answers with so many bytes of text: `bytes-1000`. */
const BYTES = /^bytes-(\d+)$/;

export interface Echo {
  readonly url: string;
  readonly observed: Observation[];
  /** Requests with the key in a header field. */
  readonly ask: (path: string, init?: RequestInit) => Promise<Response>;
  /** Sends bytes, and resolves to all that comes back until the connection is closed. */
  readonly exchange: (bytes: string | Buffer) => Promise<Buffer>;
  /** Waits for running requests. */
  readonly close: () => Promise<void>;
  /** Does not. */
  readonly stop: () => Promise<void>;
}

/** Like the request path, it authenticates before it reads the rest. */
async function answer(call: ClickHouseCall): ReturnType<ClickHouseOptions['answerClickHouse']> {
  if (call.key === undefined) throw new Problem('auth.missing');
  if (call.key !== ECHO_KEY) throw new Problem('auth.invalid');
  call.record.limits = [{ policy: 'key', rate: { limit: 5, window: 60 }, remaining: 4, reset: 60 }];
  const content = await call.read();
  const { database = '', text, queryId } = content;
  if (database === 'fails')
    throw new Problem('query.failed', { detail: text, errors: [{ message: 'wrong', line: 2, column: 3 }] });
  if (database === 'limited') throw new Problem('rate.exceeded', { retryAfter: 2.5 });
  const length = BYTES.exec(database)?.[1];
  const shown = {
    ...content,
    parameters: Object.fromEntries(content.parameters),
    settings: Object.fromEntries(content.settings),
    key: call.key,
    requestId: call.requestId,
  };
  const body = length === undefined ? JSON.stringify(shown) : 'some text '.repeat(Number(length) / 10);
  return {
    body: Buffer.from(body),
    contentType: 'application/json; charset=UTF-8',
    format: 'JSON',
    queryId: queryId ?? call.requestId,
    summary: { resultRows: 3, elapsedNs: 1_000_000.4 },
    truncated: false,
    answer: undefined,
  };
}

/** `options` replace what it does by default. */
export async function openEcho(options: Partial<ClickHouseOptions> = {}): Promise<Echo> {
  const observed: Observation[] = [];
  const observe = (each: Observation): void => void observed.push(each);
  let count = 0;
  const server = createClickHouseServer({
    answerClickHouse: answer,
    isReady: async () => true,
    version: '1.2.3.4',
    compression: await createCompression(2 ** 20),
    slowClients: createSlowClients({ seconds: 60, bytes: 2 ** 30, after, observe }),
    observe,
    beginTrace: () => undefined,
    clientAddress: () => undefined,
    headerPrefix: 'SVC',
    corsOrigins: undefined,
    disclosesCauses: false,
    requestTimeout: 60,
    now: () => performance.now(),
    after,
    newId: () => `id-${++count}`,
    ...options,
  });
  const url = await server.listen({ host: '127.0.0.1', port: 0 });
  return {
    url,
    observed,
    ask: (path, init = {}) => {
      const headers = new Headers(init.headers);
      headers.set('X-ClickHouse-Key', ECHO_KEY);
      return fetch(`${url}${path}`, { ...init, headers });
    },
    exchange: async (bytes) => {
      const { hostname, port } = new URL(url);
      const socket = connect(Number(port), hostname);
      const parts: Buffer[] = [];
      socket.on('data', (part) => parts.push(part));
      socket.on('error', () => undefined); // closed by the server while we were writing
      socket.write(bytes);
      await once(socket, 'close');
      return Buffer.concat(parts);
    },
    close: () => server.close(),
    stop: async () => {
      const closed = server.close();
      server.server.closeAllConnections();
      await closed;
    },
  };
}
