// One address of the front, and the network faults it can simulate.
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { ServerOptions } from 'node:https';
import { setTimeout } from 'node:timers/promises';

export interface FrontServer {
  readonly url: string;
  /** Number of queries received, those that still wait for `delayMs` or to be thawed included. */
  readonly arrived: () => number;
  /** Number of queries begun. */
  readonly queries: () => number;
  /** Delay before each response, in milliseconds. */
  delayMs: number;
  /** Accepts connections and requests but answers none, not even `/ping`. */
  freeze(): void;
  /** Resumes answering, including requests received while frozen. */
  thaw(): void;
  /** Closes its port and every connection at once. */
  die(): Promise<void>;
  /** Listens again at the same address. */
  revive(): Promise<void>;
  close(): Promise<void>;
}

export interface ServerSettings {
  /** A free port by default. */
  readonly port?: number | undefined;
  readonly tls?: ServerOptions;
}

type Handler = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/** The server's `http_max_uri_size`, in bytes. */
const MAX_URI = 1024 * 1024;

/** Listens on 127.0.0.1. `handle` must not reject. */
export async function openServer(handle: Handler, { port = 0, tls }: ServerSettings): Promise<FrontServer> {
  let arrived = 0;
  let queries = 0;
  let thawed = Promise.resolve();
  let thaw = (): void => {};
  const listener = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (request.method === 'POST') arrived++;
    await thawed;
    if (server.delayMs > 0) await setTimeout(server.delayMs);
    if (request.method === 'POST') queries++;
    await handle(request, response);
  };
  const options = { maxHeaderSize: MAX_URI };
  const http =
    tls === undefined
      ? createServer(options, (request, response) => void listener(request, response))
      : createTlsServer({ ...options, ...tls }, (request, response) => void listener(request, response));
  const listen = (at: number): Promise<void> =>
    new Promise((ready) => void http.listen(at, '127.0.0.1', ready));
  const die = async (): Promise<void> => {
    http.closeAllConnections();
    await new Promise((done) => void http.close(done));
  };
  await listen(port);
  const address = http.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  const server: FrontServer = {
    url: `${tls === undefined ? 'http' : 'https'}://127.0.0.1:${address.port}`,
    arrived: () => arrived,
    queries: () => queries,
    delayMs: 0,
    freeze: () => {
      thawed = new Promise((resolve) => (thaw = resolve));
    },
    thaw: () => thaw(),
    die,
    revive: () => listen(address.port),
    close: die,
  };
  return server;
}
