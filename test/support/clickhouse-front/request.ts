// What a request to the front asks for: user, statement, parameters, settings, session; from URL, headers and body.
import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { TLSSocket } from 'node:tls';
import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate } from 'node:zlib';
import { ServerError } from './errors.ts';
import { readStatement } from './statement.ts';
import type { Statement } from './statement.ts';

export interface FrontUser {
  readonly password: string;
  /** Its profile, as engine arguments, such as `--readonly=2`. */
  readonly profile: readonly string[];
}

export interface KnownUser extends FrontUser {
  readonly name: string;
}

export type QuerySettings = Readonly<Record<string, string>>;

export interface Query {
  readonly statement: Statement;
  readonly id: string;
  /** `param_` and the name, and the value as escaped text. */
  readonly parameters: readonly (readonly [string, string])[];
  readonly settings: QuerySettings;
  readonly database: string;
  /** The output format if the statement has none. */
  readonly format: string;
  readonly session?: string;
  /** Nothing is sent before the query has ended. */
  readonly isWhole: boolean;
}

/** URL parameters that are not settings. Source: ClickHouse, src/Server/HTTPHandler.cpp. */
const RESERVED = new Set(
  `query query_id database default_format user password quota_key stacktrace session_id session_timeout session_check
  compress decompress role close_session buffer_size wait_end_of_query client_protocol_version`.split(/\s+/),
);

/** @throws ServerError with AUTHENTICATION_FAILED. */
export function authenticate(
  request: IncomingMessage,
  search: URLSearchParams,
  users: Readonly<Record<string, FrontUser>>,
): KnownUser {
  const { name, password, isCertified } = credentials(request, search);
  const user = users[name];
  if (user !== undefined && (isCertified ?? user.password === password)) return { name, ...user };
  const reason = 'password is incorrect, or there is no user with such name';
  throw new ServerError(516, 'AUTHENTICATION_FAILED', `${name}: Authentication failed: ${reason}`);
}

interface Credentials {
  readonly name: string;
  readonly password: string;
  /** Only for a certificate, which counts in place of the password. */
  readonly isCertified?: boolean;
}

function credentials({ headers, socket }: IncomingMessage, search: URLSearchParams): Credentials {
  const named = (headers['x-clickhouse-user'] ?? search.get('user') ?? 'default').toString();
  if (headers['x-clickhouse-ssl-certificate-auth'] === 'on') {
    const common = socket instanceof TLSSocket && socket.authorized && socket.getPeerCertificate().subject.CN;
    return { name: named, password: '', isCertified: common === named };
  }
  const encoded = /^Basic (.+)$/.exec(headers.authorization ?? '')?.[1];
  if (encoded !== undefined) {
    const [, name = '', password = ''] =
      /^([^:]*):(.*)$/s.exec(Buffer.from(encoded, 'base64').toString()) ?? [];
    return { name, password };
  }
  const password = (headers['x-clickhouse-key'] ?? search.get('password') ?? '').toString();
  return { name: named, password };
}

/** @throws ServerError for what a server rejects before it runs the statement. */
export async function readQuery(request: IncomingMessage, search: URLSearchParams): Promise<Query> {
  const body = await decompress(await readBody(request), request.headers['content-encoding']);
  const form = await readForm(request.headers['content-type'], body);
  const entries = [...search, ...(form ?? [])];
  const find = (name: string): string | undefined => entries.find(([key]) => key === name)?.[1];
  const role = find('role');
  if (role !== undefined) {
    throw new ServerError(511, 'UNKNOWN_ROLE', `There is no role \`${role}\` in user directories`);
  }
  const isSetting = (name: string): boolean => !name.startsWith('param_') && !RESERVED.has(name);
  const isReadonly = request.method === 'GET' || request.method === 'HEAD';
  const session = find('session_id');
  return {
    statement: readStatement(find('query') ?? '', form === undefined ? body : new Uint8Array()),
    id: find('query_id') ?? randomUUID(),
    isWhole: find('wait_end_of_query') === '1',
    parameters: entries.filter(([name]) => name.startsWith('param_')),
    settings: {
      ...(isReadonly ? { readonly: '2' } : {}),
      ...Object.fromEntries([...search].filter(([name]) => isSetting(name))),
    },
    database: (request.headers['x-clickhouse-database'] ?? find('database') ?? 'default').toString(),
    format: (request.headers['x-clickhouse-format'] ?? find('default_format') ?? 'TabSeparated').toString(),
    ...(session === undefined ? {} : { session }),
  };
}

async function readBody(request: IncomingMessage): Promise<Uint8Array> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(Buffer.from(part));
  return Buffer.concat(parts);
}

const DECODERS: Readonly<Record<string, (bytes: Uint8Array) => Promise<Uint8Array>>> = {
  gzip: promisify(gunzip),
  deflate: promisify(inflate),
  br: promisify(brotliDecompress),
};

async function decompress(bytes: Uint8Array, encoding: string | undefined): Promise<Uint8Array> {
  if (encoding === undefined || encoding === 'identity' || bytes.length === 0) return bytes;
  const decode = DECODERS[encoding];
  if (decode === undefined) {
    throw new ServerError(48, 'NOT_IMPLEMENTED', `Unknown compression method: ${encoding}`);
  }
  return decode(bytes);
}

/** The fields of a multipart body, which may hold the query and its parameters; undefined for other bodies. */
async function readForm(
  type: string | undefined,
  body: Uint8Array,
): Promise<readonly (readonly [string, string])[] | undefined> {
  if (type === undefined || !type.startsWith('multipart/form-data')) return undefined;
  const form = await new Response(Buffer.from(body), { headers: { 'Content-Type': type } }).formData();
  return [...form].flatMap(([name, value]) => (typeof value === 'string' ? [[name, value] as const] : []));
}
