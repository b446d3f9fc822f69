// Selects the engine for tests of the whole service: the embedded one, the front over it, or a real server.
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { Settings } from '../../src/service/config/settings.ts';
import { openClickHouseFront } from './clickhouse-front/front.ts';

export interface TestServer {
  readonly settings: Pick<Settings, 'clickhouse' | 'acceptSingleLayer'>;
  close(): Promise<void>;
}

/**
 * Undefined for the embedded engine. With MILLRACE_TEST_ENGINE=http a front over an engine in `folder`; with
 * MILLRACE_TEST_CLICKHOUSE_URL (…_USER, …_PASSWORD) a separate database on that server, dropped at the end.
 */
export async function openTestServer(folder: string): Promise<TestServer | undefined> {
  const { MILLRACE_TEST_ENGINE: engine, MILLRACE_TEST_CLICKHOUSE_URL: url } = process.env;
  if (engine !== 'http') return undefined;
  return url === undefined || url === '' ? openFront(folder) : openDatabase(url);
}

async function openFront(folder: string): Promise<TestServer> {
  const user = 'millrace';
  const password = 'secret';
  const users = { [user]: { password, profile: [] } };
  const front = await openClickHouseFront({ path: join(folder, 'front'), users });
  return { settings: settingsOf(front.url, user, password), close: front.close };
}

async function openDatabase(url: string): Promise<TestServer> {
  const {
    MILLRACE_TEST_CLICKHOUSE_USER: user = 'default',
    MILLRACE_TEST_CLICKHOUSE_PASSWORD: password = '',
  } = process.env;
  const database = `millrace_test_${randomBytes(6).toString('hex')}`;
  const command = async (body: string): Promise<void> => {
    const headers = { Authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}` };
    const response = await fetch(url, { method: 'POST', body, headers });
    if (!response.ok) throw new Error(await response.text());
  };
  await command(`CREATE DATABASE ${database}`);
  const close = (): Promise<void> => command(`DROP DATABASE ${database}`);
  return { settings: settingsOf(new URL(`/${database}`, url).href, user, password), close };
}

/** Its users have all privileges, so the only isolation of consumer queries is ours. */
function settingsOf(url: string, user: string, password: string): TestServer['settings'] {
  const names = { consumer: undefined, ca: undefined, certificate: undefined };
  return {
    clickhouse: {
      urls: [url],
      user,
      password,
      ...names,
      isCompressed: false,
      pingTimeoutMs: 60_000,
      rowPolicies: false,
    },
    acceptSingleLayer: true,
  };
}
