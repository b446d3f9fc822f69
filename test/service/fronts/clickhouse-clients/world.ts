// A service with the ClickHouse interface over endpoints of many types, and its keys, for the tests with real clients.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { hashKey } from '../../../../src/service/auth/keyring.ts';
import type { Token } from '../../../../src/service/config/generated/tokens.ts';
import { startService, type TestService, type TestServiceOptions } from '../../../support/service.ts';

/** The database that the clients use; its tables are `orders` and `customers`. */
export const DATABASE = 'shop.orders';
/** May send SQL to the shop's endpoints, for one tenant. */
export const ANALYST = 'a-key-of-an-analyst';
/** Calls saved queries only. */
export const SAVED_ONLY = 'a-key-for-saved-queries';

const TOKENS: readonly Token[] = [
  {
    name: 'analyst',
    sha256: hashKey(ANALYST),
    endpoints: ['shop.*'],
    allow: ['sql'],
    parameters: { tenant: 'mine' },
  },
  { name: 'saved-only', sha256: hashKey(SAVED_ONLY), endpoints: ['*'] },
];

export interface ClickHouseWorld extends TestService {
  /** The address of the interface on the listener of the API, without a trailing slash. */
  readonly url: string;
  /** Sends a statement as the analyst; fields are parameters of the URL. */
  readonly ask: (
    sql: string,
    fields?: Readonly<Record<string, string>>,
    init?: RequestInit,
  ) => Promise<Response>;
}

/** Starts the service over `endpoints/` with the rows of `tables.sql`. */
export async function startClickHouseWorld(options: TestServiceOptions = {}): Promise<ClickHouseWorld> {
  const sql = await readFile(join(import.meta.dirname, 'tables.sql'), 'utf8');
  const service = await startService({
    endpoints: join(import.meta.dirname, 'endpoints'),
    sql: [sql],
    ...options,
    tokens: [...TOKENS, ...(options.tokens ?? [])],
  });
  const url = `${service.service.address}/clickhouse`;
  return {
    ...service,
    url,
    ask: (body, fields = {}, init = {}) => {
      const headers = new Headers(init.headers);
      if (!headers.has('X-ClickHouse-Key') && !headers.has('Authorization'))
        headers.set('X-ClickHouse-Key', ANALYST);
      const query = new URLSearchParams({ database: DATABASE, ...fields }).toString();
      return fetch(`${url}/?${query}`, { method: 'POST', body, ...init, headers });
    },
  };
}
