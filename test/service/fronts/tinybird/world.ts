// A service with Tinybird's API over pipes of a site's views, at its path and on a port of its own.
import { createHmac } from 'node:crypto';
import { join } from 'node:path';
import { hashKey } from '../../../../src/service/auth/keyring.ts';
import { allowedOrigins } from '../../../../src/service/config/origins.ts';
import { startService, type TestService, type TestServiceOptions } from '../../../support/service.ts';

/** Calls the pipes of one site, and may send queries. */
export const TOKEN = 'p.eyJ1IjogIm1pbmUifQ.a-static-token-of-the-vendor';
/** Calls pipes, and sends no queries. */
export const PLAIN = 'a-token-without-queries';
/** Has a rate. */
export const LIMITED = 'a-token-with-a-rate';
export const PAGE = 'https://app.example.com';
const SIGNING_KEY = 'p.a-signing-key-of-the-workspace-0123456789';
const WORKSPACE = '7d8f0000-0000-4000-8000-000000000001';

const ROWS = [
  ['2024-01-02 10:00:00', 'mine', '/a', 'ada@example.com'],
  ['2024-01-02 11:00:00', 'mine', '/a', 'bob@example.com'],
  ['2024-01-03 10:00:00', 'mine', '/b', 'ada@example.com'],
  ['2024-01-03 10:00:00', 'other', '/secret', 'eve@example.com'],
];

export interface TinybirdWorld extends TestService {
  /** The address of the port of its own. */
  readonly own: string;
  /** Requests a path of the API, on its own port, with the token of one site. */
  readonly ask: (path: string, init?: RequestInit) => Promise<Response>;
}

export async function startTinybirdWorld(options: TestServiceOptions = {}): Promise<TinybirdWorld> {
  const values = ROWS.map((row) => `(${row.map((each) => `'${each}'`).join(', ')})`).join(', ');
  const token = (name: string, key: string) => ({ name, sha256: hashKey(key), endpoints: ['*'] });
  const service = await startService({
    endpoints: join(import.meta.dirname, 'endpoints'),
    sql: [
      'CREATE DATABASE web',
      'CREATE TABLE web.views (at DateTime, site String, page String, visitor String) ENGINE = MergeTree ORDER BY (site, at)',
      `INSERT INTO web.views VALUES ${values}`,
    ],
    ...options,
    tokens: [
      { ...token('mine', TOKEN), allow: ['sql'], parameters: { site: 'mine' } },
      { ...token('plain', PLAIN), parameters: { site: 'mine' } },
      { ...token('limited', LIMITED), parameters: { site: 'mine' }, rate: '2/h' },
      ...(options.tokens ?? []),
    ],
    settings: {
      tinybird: {
        isServed: true,
        port: 0,
        tokens: { signingKey: SIGNING_KEY, workspace: WORKSPACE, skewSeconds: 30 },
      },
      corsOrigins: allowedOrigins(PAGE),
      ...options.settings,
    },
  });
  const own = service.service.tinybird ?? '';
  return {
    ...service,
    own,
    ask: (path, init = {}) => {
      const headers = new Headers(init.headers);
      if (!headers.has('Authorization') && !path.includes('token='))
        headers.set('Authorization', `Bearer ${TOKEN}`);
      return fetch(`${own}${path}`, { ...init, headers });
    },
  };
}

/** A token as applications sign it for Tinybird. */
export function signed(claims: Readonly<Record<string, unknown>>, key = SIGNING_KEY, alg = 'HS256'): string {
  const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const text = `${part({ alg, typ: 'JWT' })}.${part({
    workspace_id: WORKSPACE,
    name: 'frontend',
    exp: Math.floor(Date.now() / 1000) + 3600,
    ...claims,
  })}`;
  return `${text}.${createHmac('sha256', key).update(text).digest('base64url')}`;
}

/** The body of a response, as this API has it. */
export interface Envelope {
  readonly meta: readonly { readonly name: string; readonly type: string }[];
  readonly data: readonly Readonly<Record<string, unknown>>[];
  readonly rows: number;
  readonly rows_before_limit_at_least?: number;
  readonly statistics: Readonly<Record<string, number>>;
  readonly error?: string;
  readonly code?: string;
}
