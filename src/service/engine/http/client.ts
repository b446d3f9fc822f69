// The official client for one host: sockets, TLS and authentication.
import { Agent } from 'node:https';
import { ClickHouseLogLevel, createClient } from '@clickhouse/client';
import type { HttpUser } from './request.ts';

export type Client = ReturnType<typeof createClient>;

/** PEM files; without a CA, Node's defaults are trusted. */
export interface Tls {
  readonly ca?: Buffer;
  /** The client certificate and its key. */
  readonly certificate?: { readonly cert: Buffer; readonly key: Buffer };
}

export interface ClientOptions extends HttpUser {
  readonly tls: Tls | undefined;
  /** Request gzip-compressed responses. */
  readonly isCompressed: boolean;
  /** Maximum number of concurrent statements. */
  readonly connections: number;
}

/** Disables the client's own timeout; ours are shorter. */
const NEVER_MS = 2 ** 31 - 1;
/** Extra sockets for pings, KILL statements and responses still being closed. */
const SPARE_SOCKETS = 8;
/** Servers close idle connections after 3 s (before 23.11) or 10 s; ours must be closed first. */
const IDLE_SOCKET_MS = 2500;

/** A client for the host at `url`; does not connect yet. */
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

/** The client's own TLS options accept a certificate only instead of a password; some proxies require both. */
function agentOf({ ca, certificate }: Tls, maxSockets: number): Agent {
  return new Agent({ keepAlive: true, maxSockets, ...(ca === undefined ? {} : { ca }), ...certificate });
}

/** Without a password the certificate authenticates the user; with one it is only for TLS. */
function isByCertificate({ password, tls }: Pick<ClientOptions, 'password' | 'tls'>): boolean {
  return tls?.certificate !== undefined && password === '';
}

/** The authentication fields of one request. */
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
