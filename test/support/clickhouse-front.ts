// ClickHouse's HTTP interface, as far as a client needs it, over the real engine in this process.
import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { ServerOptions } from 'node:https';
import { setTimeout } from 'node:timers/promises';
import { TLSSocket } from 'node:tls';
import { gzipSync } from 'node:zlib';
import * as chdb from 'chdb';
import { writeConfigFile } from '../../src/engine/embedded/config-file.ts';
import { createConnections } from '../../src/engine/embedded/connection.ts';
import type { Connection } from '../../src/engine/embedded/connection.ts';
import { createKiller } from '../../src/engine/embedded/killer.ts';
import { openControlConnection } from '../../src/engine/embedded/control-connection.ts';
import { errorCodeIn } from '../../src/engine/failures.ts';
import { createQueue } from '../../src/engine/queue.ts';
import { after } from '../../src/engine/timer.ts';
import { writePolicies, withoutCustomSettings } from './front-policies.ts';
import { tokenize } from '../../src/sql/lexer.ts';
import { quoteString } from '../../src/sql/literal.ts';

export interface FrontUser {
  readonly password: string;
  /** Its profile, as engine arguments, such as `--readonly=2`. */
  readonly profile: readonly string[];
}

export interface FrontOptions {
  /** The data directory; one per process. */
  readonly path: string;
  readonly users: Readonly<Record<string, FrontUser>>;
  /** A free port by default. */
  readonly port?: number;
  /** Row policies, which apply to all users. */
  readonly policies?: readonly FrontPolicy[];
}

export interface FrontPolicy {
  readonly database: string;
  readonly table: string;
  readonly condition: string;
}

type Settings = Readonly<Record<string, string>>;

/** How a body that fails after its first bytes ends. */
export type LateError =
  | 'tagged' // as servers since 25.11 do
  | 'plain' // only the message, as older servers do
  | 'cut'; // no message: the connection is closed

export interface ClickHouseFront extends FrontServer {
  lateError: LateError;
  /** Whether closing a connection cancels its query, as `cancel_http_readonly_queries_on_client_close` requests. */
  noticesClosing: boolean;
  /** Overrides for queries about users, which the embedded engine does not have. An Error's message is an error response. */
  tells: (query: string, user: string) => string | undefined;
  /** Settings of the last query, from its URL. */
  readonly lastSettings: () => Settings;
  /** Starts another server over the same data, like a replica. */
  listen(options?: ServerOptions): Promise<FrontServer>;
}

/** One address, and the faults it can simulate. */
export interface FrontServer {
  readonly url: string;
  /** Number of queries received. */
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

interface Query {
  readonly text: string;
  readonly id: string;
  readonly parameters: readonly (readonly [string, string])[];
  readonly settings: Settings;
  readonly database: string;
  readonly format: string;
}

/** The engine's output: all rows, or those before its error. */
interface Outcome {
  readonly bytes: Uint8Array;
  readonly error?: string;
}

const NOTHING = new Uint8Array();
const PIECE = 16 * 1024;
/** The server's `http_max_uri_size`. */
const MAX_URI = 1024 * 1024;
/** URL parameters that are not settings of the query. */
const TRANSPORT = new Set([
  'query',
  'query_id',
  'database',
  'default_format',
  'wait_end_of_query',
  'session_id',
]);

export async function openClickHouseFront(options: FrontOptions): Promise<ClickHouseFront> {
  const { path, users, port, policies } = options;
  const plainConfig = await writeConfigFile({ path, memory: 2 ** 30 });
  const configFile = policies === undefined ? plainConfig : await writePolicies(path, policies);
  const connections = createConnections({ path, configFile, chdb });
  const spare = await openControlConnection(connections);
  const killer = createKiller({ control: spare, after, observe: () => {} });
  // Each query holds a libuv thread; some must stay free for cancelling queries.
  const queue = createQueue({ places: 12, waiting: 1000, timeoutMs: 60_000, after });
  const running = new Map<string, () => void>();
  let lastSettings: Settings = {};

  /** Runs the query as its user; closing the response cancels it. */
  async function run(response: ServerResponse, query: Query, profile: readonly string[]): Promise<Outcome> {
    const refused = refusedSetting(query.settings, profile);
    if (refused !== undefined) return { bytes: NOTHING, error: readonlyError(refused) };
    const leave = await queue.enter();
    const args = [...profile, ...toArgs(query.settings)].toSorted(readonlyLast);
    const connection = await connections.open({ key: query.id, args, database: query.database });
    const outcome = callOnce(connection, query);
    const stop = (): void => killer.kill(connection.id, outcome.then(nothing, nothing));
    const asked = query.settings['cancel_http_readonly_queries_on_client_close'] === '1';
    const ends = asked && front.noticesClosing;
    if (ends && response.closed) stop();
    else if (ends) response.once('close', stop);
    running.set(query.id, stop);
    try {
      return await outcome;
    } finally {
      running.delete(query.id);
      response.off('close', stop);
      await connection.close();
      leave();
    }
  }

  /** Kills queries by the ids in a KILL statement; the underlying engine knows them by other ids. */
  function kill(text: string): Outcome {
    for (const [, id = ''] of text.matchAll(/'([^']*)'/g)) running.get(id)?.();
    return { bytes: NOTHING };
  }

  async function outcomeOf(response: ServerResponse, query: Query, user: KnownUser): Promise<Outcome> {
    const told = front.tells(query.text, user.name);
    if (told !== undefined && errorCodeIn(told) !== undefined) return { bytes: NOTHING, error: told };
    if (told !== undefined) return { bytes: Buffer.from(told) };
    return query.text.startsWith('KILL QUERY ') ? kill(query.text) : run(response, query, user.profile);
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://front');
    if (url.pathname === '/ping') return void response.end('Ok.\n');
    const user = authenticate(request, users);
    if (user === undefined) return sendError(response, UNKNOWN_USER);
    const query = withoutCustomSettings(readQuery(url.searchParams, await readBody(request)));
    lastSettings = query.settings;
    if (isSeveral(query.text)) return sendError(response, SEVERAL);
    const outcome = await outcomeOf(response, query, user);
    const isZipped = query.settings['enable_http_compression'] === '1';
    if (isZipped && outcome.error === undefined) return sendZipped(response, query, outcome);
    send(response, query, outcome);
  }

  function send(response: ServerResponse, query: Query, { bytes, error }: Outcome): void {
    if (error !== undefined && bytes.length === 0) return sendError(response, error);
    const tag = randomBytes(8).toString('hex');
    response.setHeader('X-ClickHouse-Query-Id', query.id);
    response.setHeader('X-ClickHouse-Summary', '{"read_rows":"1200","read_bytes":"9600"}');
    if (front.lateError === 'tagged') response.setHeader('X-ClickHouse-Exception-Tag', tag);
    for (let at = 0; at < bytes.length; at += PIECE) {
      response.write(bytes.subarray(at, at + PIECE));
    }
    if (error === undefined) return void response.end();
    if (front.lateError === 'cut') return void response.write('\n', () => response.destroy());
    response.end(
      front.lateError === 'plain' ? `${error} (version 24.8.1.1 (official build))\n` : tagged(error, tag),
    );
  }

  const first = await openServer(answer, { port });
  const closeServer = first.close;
  const others: FrontServer[] = [];
  const lateError: LateError = 'tagged';
  const front: ClickHouseFront = Object.assign(first, {
    lateError,
    noticesClosing: true,
    tells: (): string | undefined => undefined,
    lastSettings: () => lastSettings,
    listen: async (tls?: ServerOptions) => {
      const server = await openServer(answer, tls === undefined ? {} : { tls });
      others.push(server);
      return server;
    },
    close: async () => {
      await Promise.all([closeServer(), ...others.map((server) => server.close())]);
      await queue.settled();
      await spare.close();
    },
  });
  return front;
}

type Answer = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

async function openServer(
  answer: Answer,
  { port = 0, tls }: { readonly port?: number | undefined; readonly tls?: ServerOptions },
): Promise<FrontServer> {
  let queries = 0;
  let thawed = Promise.resolve();
  let thaw = nothing;
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    await thawed;
    if (server.delayMs > 0) await setTimeout(server.delayMs);
    if (request.method === 'POST') queries++;
    await answer(request, response).catch((cause: unknown) => sendError(response, String(cause)));
  };
  const listener = (request: IncomingMessage, response: ServerResponse): void =>
    void handle(request, response);
  const options = { maxHeaderSize: MAX_URI };
  const http =
    tls === undefined ? createServer(options, listener) : createTlsServer({ ...options, ...tls }, listener);
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

function sendZipped(response: ServerResponse, query: Query, { bytes }: Outcome): void {
  response.setHeader('X-ClickHouse-Query-Id', query.id);
  response.setHeader('Content-Encoding', 'gzip');
  response.end(gzipSync(bytes));
}

async function callOnce(connection: Connection, query: Query): Promise<Outcome> {
  const bind = query.parameters.map(([name, text]) => `SET ${name} = ${quoteString(text)}; `).join('');
  try {
    return { bytes: await connection.call(bind + query.text, query.format) };
  } catch (cause) {
    // Rows produced before the failure are returned by the next call: include them.
    const bytes = await connection.call('SELECT 1', 'Null');
    return { bytes, error: cause instanceof Error ? cause.message : String(cause) };
  }
}

/** The first setting that the user's profile does not let a request change. */
function refusedSetting(settings: Settings, profile: readonly string[]): string | undefined {
  if (profile.includes('--readonly=1')) return Object.keys(settings)[0];
  const mayNot = profile.includes('--readonly=2') && (settings['readonly'] ?? '2') !== '2';
  return mayNot ? 'readonly' : undefined;
}

function toArgs(settings: Settings): readonly string[] {
  const { log_comment: _, ...others } = settings; // log_comment identifies the connection, for cancelling its query
  return Object.entries(others).map(([name, value]) => `--${name}=${value}`);
}

/** `--readonly` must come last: settings after it would be rejected. */
function readonlyLast(a: string, b: string): number {
  return Number(isReadonly(a)) - Number(isReadonly(b));
}

function isReadonly(arg: string): boolean {
  return arg.startsWith('--readonly=');
}

function readonlyError(name: string): string {
  return `Code: 164. DB::Exception: Cannot modify '${name}' setting in readonly mode. (READONLY)`;
}

const UNKNOWN_USER = 'Code: 516. DB::Exception: Authentication failed. (AUTHENTICATION_FAILED)';
const SEVERAL = 'Code: 62. DB::Exception: Multi-statements are not allowed. (SYNTAX_ERROR)';

/** CR LF marker CR LF tag CR LF message, its length and the tag, marker CR LF. */
function tagged(error: string, tag: string): string {
  const message = `${error} (version 26.7.2.1)\n`;
  return `\r\n__exception__\r\n${tag}\r\n${message}${Buffer.byteLength(message)} ${tag}\r\n__exception__\r\n`;
}

function sendError(response: ServerResponse, error: string): void {
  const code = errorCodeIn(error);
  response.statusCode = code === 516 ? 403 : 500;
  if (code !== undefined) response.setHeader('X-ClickHouse-Exception-Code', code);
  response.end(`${error} (version 26.7.2.1)\n`);
}

interface KnownUser extends FrontUser {
  readonly name: string;
}

function authenticate(request: IncomingMessage, users: FrontOptions['users']): KnownUser | undefined {
  const headers = request.headers;
  if (headers['x-clickhouse-ssl-certificate-auth'] === 'on') {
    const name = String(headers['x-clickhouse-user']);
    const certified = isCertified(request, name) ? users[name] : undefined;
    return certified && { name, ...certified };
  }
  const encoded = /^Basic (.+)$/.exec(headers.authorization ?? '')?.[1] ?? '';
  const [, name = '', password = ''] =
    /^([^:]*):(.*)$/s.exec(Buffer.from(encoded, 'base64').toString()) ?? [];
  const user = users[name];
  return user?.password === password ? { name, ...user } : undefined;
}

/** The client certificate is valid, and its common name is the user's. */
function isCertified({ socket }: IncomingMessage, name: string): boolean {
  return socket instanceof TLSSocket && socket.authorized && socket.getPeerCertificate().subject.CN === name;
}

function readQuery(search: URLSearchParams, body: string): Query {
  const entries = [...search];
  return {
    text: body === '' ? (search.get('query') ?? '') : body,
    id: search.get('query_id') ?? randomBytes(8).toString('hex'),
    parameters: entries.filter(([name]) => name.startsWith('param_')),
    settings: Object.fromEntries(
      entries.filter(([name]) => !name.startsWith('param_') && !TRANSPORT.has(name)),
    ),
    database: search.get('database') ?? 'default',
    format: search.get('default_format') ?? 'TabSeparated',
  };
}

async function readBody(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(Buffer.from(part));
  return Buffer.concat(parts).toString();
}

function isSeveral(text: string): boolean {
  const meaning = tokenize(text).filter((token) => token.kind !== 'blank' && token.kind !== 'comment');
  return meaning.slice(0, -1).some((token) => token.kind === ';');
}

function nothing(): void {}
