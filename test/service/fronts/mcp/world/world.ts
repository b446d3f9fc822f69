// A service over parcels of two clients, its keys, and connections of the official SDK, for the tests of MCP.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport, type CallToolResult } from '@modelcontextprotocol/client';
import { hashKey } from '../../../../../src/service/auth/keyring.ts';
import type { Token } from '../../../../../src/service/config/generated/tokens.ts';
import { startService, type TestService, type TestServiceOptions } from '../../../../support/service.ts';

/** Keys of two clients; each is locked to its rows, and may send consumer queries. */
export const ACME = 'a-key-of-acme';
export const GLOBEX = 'a-key-of-globex';
/** Like acme's; all that it gets is redacted. */
export const REDACTED = 'a-key-of-acme-that-is-redacted';
/** Of acme: endpoints without consumer queries. */
export const SAVED_ONLY = 'a-key-of-acme-for-saved-queries';
/** Sees the endpoint that no other key of these sees. */
export const OWNER = 'a-key-of-the-owner';

const SHARED = ['fleet.*', 'parcels.*', 'feedback.*', 'hidden.*'];
const TOKENS: readonly Token[] = [
  { name: 'acme', sha256: hashKey(ACME), endpoints: SHARED, allow: ['sql', 'lql'], parameters: { client: 'acme' } },
  { name: 'globex', sha256: hashKey(GLOBEX), endpoints: SHARED, allow: ['sql', 'lql'], parameters: { client: 'globex' } },
  { name: 'redacted', sha256: hashKey(REDACTED), endpoints: SHARED, allow: ['sql', 'lql'], parameters: { client: 'acme' }, pii: 'redact' },
  { name: 'saved-only', sha256: hashKey(SAVED_ONLY), endpoints: SHARED, parameters: { client: 'acme' } },
  { name: 'owner', sha256: hashKey(OWNER), endpoints: ['private.*'], allow: ['sql', 'lql'] },
]; // prettier-ignore

/** Revisions of the protocol; before the last, a connection begins with `initialize`. */
export const REVISIONS = ['2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28'] as const;
export type Revision = (typeof REVISIONS)[number];
export const LATEST: Revision = '2026-07-28';

export interface Connected extends TestService {
  readonly url: URL;
  /** A client of the official SDK, connected; closed with the service. */
  readonly connect: (key: string, revision?: Revision) => Promise<Client>;
}

/** The service with these clients, their endpoints and tables. */
export async function startMcpWorld(options: TestServiceOptions = {}): Promise<Connected> {
  const service = await startService({
    endpoints: join(import.meta.dirname, 'endpoints'),
    sql: [await readFile(join(import.meta.dirname, 'tables.sql'), 'utf8')],
    ...options,
    tokens: [...TOKENS, ...(options.tokens ?? [])],
  });
  return connected(service);
}

/** Any service, with connections of agents. */
export function connected(service: TestService): Connected {
  const url = new URL(`${service.service.address}/mcp`);
  const clients: Client[] = [];
  return {
    ...service,
    url,
    connect: async (key, revision = LATEST) => {
      const client = clientOf(revision);
      clients.push(client);
      const requestInit = { headers: { 'X-API-KEY': key } };
      await client.connect(new StreamableHTTPClientTransport(url, { requestInit }));
      return client;
    },
    stop: async () => {
      await Promise.all(clients.map((client) => client.close()));
      await service.stop();
    },
  };
}

/** A client that speaks one revision. */
export function clientOf(revision: Revision): Client {
  return new Client(
    { name: 'tests', version: '1.0.0' },
    revision === LATEST
      ? { versionNegotiation: { mode: { pin: LATEST } } }
      : { supportedProtocolVersions: [revision] },
  );
}

/** The text of a tool's result. */
function textOf({ content }: CallToolResult): string {
  return content.map((block) => (block.type === 'text' ? block.text : `(${block.type})`)).join('\n');
}

/** What a tool answered. */
export interface Asked {
  readonly isError: boolean;
  readonly text: string;
  readonly structured: Readonly<Record<string, unknown>>;
}

export async function ask(client: Client, name: string, args: Readonly<Record<string, unknown>> = {}): Promise<Asked> {
  const result = await client.callTool({ name, arguments: args });
  const structured = (result.structuredContent ?? {}) as Readonly<Record<string, unknown>>; // an object by the protocol
  return { isError: result.isError === true, text: textOf(result), structured };
} // prettier-ignore

/** The rows of a tool's structured content. */
export function rowsOf({ structured }: Asked): readonly Readonly<Record<string, unknown>>[] {
  return (structured['rows'] ?? []) as readonly Readonly<Record<string, unknown>>[]; // as its output schema says
}
