// The official client for one host: its sockets, its TLS, and how it says who asks.
import { Agent } from 'node:https';
import { ClickHouseLogLevel, createClient } from '@clickhouse/client';
import type { HttpUser } from './request.ts';

export type Client = ReturnType<typeof createClient>;

/** PEM texts; without a CA, those that Node trusts. */
export interface Tls {
  readonly ca?: Buffer;
  /** The client's own certificate and key. */
  readonly certificate?: { readonly cert: Buffer; readonly key: Buffer };
}

export interface ClientOptions extends HttpUser {
  readonly tls: Tls | undefined;
  /** Answers are compressed (gzip) on the way. */
  readonly isCompressed: boolean;
  /** Statements that run at once. */
  readonly connections: number;
}

/** The client's own time-out: ours come first. */
const NEVER_MS = 2 ** 31 - 1;
/** Room for looks at the host, for ending statements, and for answers that are still being given up. */
const SPARE_SOCKETS = 8;
/** Servers close idle connections after 3 s (before 23.11) or 10 s; it is we who close them first. */
const IDLE_SOCKET_MS = 2500;

/** The client of the host at `url`, which need not be there. */
export function openClient(url: string, options: ClientOptions): Client {
  const { user, password, tls, isCompressed, connections } = options;
  const sockets = connections + SPARE_SOCKETS;
  return createClient({
    url,
    username: user,
    password,
    request_timeout: NEVER_MS,
    max_open_connections: sockets,
    keep_alive: { enabled: true, idle_socket_ttl: IDLE_SOCKET_MS, eagerly_destroy_stale_sockets: true },
    compression: { response: isCompressed },
    set_basic_auth_header: !isByCertificate(options),
    log: { level: ClickHouseLogLevel.OFF },
    ...(tls === undefined ? {} : { http_agent: agentOf(tls, sockets) }),
  });
}

/** The client's own TLS options take a certificate only in place of a password; some proxies want both. */
function agentOf({ ca, certificate }: Tls, maxSockets: number): Agent {
  return new Agent({ keepAlive: true, maxSockets, ...(ca === undefined ? {} : { ca }), ...certificate });
}

/** A certificate without a password is who we are; with one it only opens the door. */
function isByCertificate({ password, tls }: Pick<ClientOptions, 'password' | 'tls'>): boolean {
  return tls?.certificate !== undefined && password === '';
}

/** How one request says who asks. */
export interface Credentials {
  readonly auth?: { readonly username: string; readonly password: string };
  readonly http_headers?: Readonly<Record<string, string>>;
}

/** https://clickhouse.com/docs/interfaces/http, …/guides/sre/user-management/ssl-user-auth */
export function credentialsOf(
  { user, password }: HttpUser,
  client: Pick<ClientOptions, 'password' | 'tls'>,
): Credentials {
  if (!isByCertificate(client)) return { auth: { username: user, password } };
  const proof: Record<string, string> =
    password === '' ? { 'X-ClickHouse-SSL-Certificate-Auth': 'on' } : { 'X-ClickHouse-Key': password };
  return { http_headers: { 'X-ClickHouse-User': user, ...proof } };
}
