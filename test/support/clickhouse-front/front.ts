// ClickHouse's HTTP interface over the real engine in this process, as strict as a server where clients can notice.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ServerOptions } from 'node:https';
import * as chdb from 'chdb';
import { writeConfigFile } from '../../../src/service/engine/embedded/config-file.ts';
import { createConnections } from '../../../src/service/engine/embedded/connection.ts';
import { openControlConnection } from '../../../src/service/engine/embedded/control-connection.ts';
import { createKiller } from '../../../src/service/engine/embedded/killer.ts';
import { createQueue } from '../../../src/service/engine/queue.ts';
import { after } from '../../../src/sql/base/clock.ts';
import { errorCodeIn } from '../../../src/service/engine/failures.ts';
import { errorText, ServerError } from './errors.ts';
import { withoutCustomSettings, writePolicies } from './policies.ts';
import type { FrontPolicy } from './policies.ts';
import { authenticate, readQuery } from './request.ts';
import type { FrontUser, KnownUser, Query, QuerySettings } from './request.ts';
import { sendError, sendOutcome } from './response.ts';
import type { LateError, Outcome } from './response.ts';
import { openServer } from './server.ts';
import type { FrontServer } from './server.ts';
import { createSessions } from './sessions.ts';

export type { FrontServer } from './server.ts';
export type { FrontUser } from './request.ts';
export type { LateError } from './response.ts';

export interface FrontOptions {
  /** The data directory; one per process. */
  readonly path: string;
  readonly users: Readonly<Record<string, FrontUser>>;
  /** A free port by default. */
  readonly port?: number;
  /** Row policies, which apply to all users. */
  readonly policies?: readonly FrontPolicy[];
}

export interface ClickHouseFront extends FrontServer {
  lateError: LateError;
  /** Whether closing a connection cancels its query, as `cancel_http_readonly_queries_on_client_close` requests. */
  noticesClosing: boolean;
  /** Overrides for queries about users, which the embedded engine does not have. An error message is an error response. */
  override: (query: string, user: string) => string | undefined;
  /** Settings of the last query, from its URL. */
  readonly lastSettings: () => QuerySettings;
  /** Starts another server over the same data, like a replica. */
  listen(options?: ServerOptions): Promise<FrontServer>;
}

const NO_ROWS = new Uint8Array();

export async function openClickHouseFront(options: FrontOptions): Promise<ClickHouseFront> {
  const { path, users, port, policies } = options;
  const plainConfig = await writeConfigFile({ path, memory: 2 ** 31 });
  const configFile = policies === undefined ? plainConfig : await writePolicies(path, policies);
  const control = await openControlConnection(createConnections({ path, configFile, chdb }));
  const killer = createKiller({ control, after, observe: () => {} });
  const sessions = createSessions({ path, configFile });
  // Each query holds a libuv thread; some must stay free for cancelling queries.
  const queue = createQueue({ places: 12, waiting: 1000, timeoutMs: 60_000, after });
  const running = new Map<string, () => void>();
  let lastSettings: QuerySettings = {};

  /** Runs the query as its user; closing the response cancels it. */
  async function run(response: ServerResponse, query: Query, user: KnownUser): Promise<Outcome> {
    if (running.has(query.id)) {
      const text = `Query with id = ${query.id} is already running`;
      throw new ServerError(216, 'QUERY_WITH_SAME_ID_IS_ALREADY_RUNNING', text);
    }
    running.set(query.id, () => {});
    const leave = await queue.enter();
    try {
      const session = sessions.open(user, query);
      const outcome = session.run(query);
      const stop = (): void => killer.kill(session.id, outcome.then(nothing, nothing));
      running.set(query.id, stop);
      // A server notices at its next write, or at once with `cancel_http_readonly_queries_on_client_close`.
      if (front.noticesClosing) {
        if (response.closed) stop();
        else response.once('close', stop);
      }
      try {
        return await outcome;
      } finally {
        response.off('close', stop);
        await session.release();
      }
    } finally {
      running.delete(query.id);
      leave();
    }
  }

  /** Kills queries by the ids in a KILL statement; the underlying engine knows them by other ids. */
  function kill(text: string): Outcome {
    for (const [, id = ''] of text.matchAll(/'([^']*)'/g)) running.get(id)?.();
    return { bytes: NO_ROWS };
  }

  async function outcomeOf(response: ServerResponse, query: Query, user: KnownUser): Promise<Outcome> {
    const { text } = query.statement;
    const overridden = front.override(text, user.name);
    if (overridden !== undefined && errorCodeIn(overridden) !== undefined) {
      return { bytes: NO_ROWS, error: overridden };
    }
    if (overridden !== undefined) return { bytes: Buffer.from(overridden) };
    return text.startsWith('KILL QUERY ') ? kill(text) : run(response, query, user);
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://front');
    response.setHeader('X-ClickHouse-Server-Display-Name', 'front');
    if (url.pathname === '/ping') return void response.end('Ok.\n');
    if (url.pathname !== '/') {
      response.statusCode = 404;
      return void response.end(`There is no handle ${url.pathname}\n`);
    }
    const user = authenticate(request, url.searchParams, users);
    const received = await readQuery(request, url.searchParams);
    lastSettings = received.settings;
    const query = withoutCustomSettings(received);
    response.setHeader('X-ClickHouse-Timezone', 'UTC');
    sendOutcome(response, query, await outcomeOf(response, query, user), front.lateError);
  }

  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const settings = {
      enable_http_compression: /[?&]enable_http_compression=1\b/.test(request.url ?? '') ? '1' : '0',
    };
    await answer(request, response).catch((cause: unknown) =>
      sendError(response, errorText(cause), { settings }),
    );
  };

  const first = await openServer(handle, { port });
  const closeServer = first.close;
  const others: FrontServer[] = [];
  const lateError: LateError = 'tagged';
  const front: ClickHouseFront = Object.assign(first, {
    lateError,
    noticesClosing: true,
    override: (): string | undefined => undefined,
    lastSettings: () => lastSettings,
    listen: async (tls?: ServerOptions) => {
      const server = await openServer(handle, tls === undefined ? {} : { tls });
      others.push(server);
      return server;
    },
    close: async () => {
      await Promise.all([closeServer(), ...others.map((server) => server.close())]);
      await queue.settled();
      await sessions.close();
      await control.close();
    },
  });
  return front;
}

function nothing(): void {}
