// A complete service in this process, for tests: real engine, real files, a free port.
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openEngine } from '../../src/service/app/engine.ts';
import { openService, type Service } from '../../src/service/app/service.ts';
import { hashKey } from '../../src/service/auth/keyring.ts';
import type { Token } from '../../src/service/config/generated/tokens.ts';
import type { Settings } from '../../src/service/config/settings.ts';
import { loadSettings } from '../../src/service/config/load-settings.ts';
import { createRelay } from '../../src/service/observe/log.ts';
import type { Observation } from '../../src/sql/base/observation.ts';
import type { Engine } from '../../src/service/engine/engine.ts';
import { openTestServer } from './test-server.ts';

export const KEY = 'a-key-for-everything';
/** The folder of the shipped endpoints. */
export const SHIPPED = join(import.meta.dirname, '../../endpoints');

export interface TestService {
  readonly service: Service;
  readonly engine: Engine;
  readonly settings: Settings;
  /** The service's private folder of endpoint files, which tests may change. */
  readonly endpoints: string;
  readonly observed: Observation[];
  /** The token of the unrestricted key. */
  readonly keyHash: string;
  /** Requests a path with the unrestricted key, unless the headers name another. */
  readonly call: (path: string, init?: RequestInit) => Promise<Response>;
  /** The rows of an endpoint. */
  readonly rows: (path: string, init?: RequestInit) => Promise<Record<string, unknown>[]>;
  readonly stop: () => Promise<void>;
}

export interface TestServiceOptions {
  /** Folder whose files are copied, such as `SHIPPED`; none by default, since checking those takes most of a start. */
  readonly endpoints?: string;
  /** SQL executed before the service starts. */
  readonly sql?: readonly string[];
  /** The same with more than SQL; a service that starts before its tables exist is checked again after them. */
  readonly fill?: (engine: Engine) => Promise<unknown>;
  readonly tokens?: readonly Token[];
  readonly settings?: Partial<Settings>;
  readonly isDevelopment?: boolean;
}

/** The definitions of the sample tables, without rows. */
export function sampleTables(): Promise<string> {
  return readFile(new URL('../../seeds/01_tables.sql', import.meta.url), 'utf8');
}

export async function startService(options: TestServiceOptions = {}): Promise<TestService> {
  const folder = await mkdtemp(join(tmpdir(), 'millrace-'));
  const endpoints = join(folder, 'endpoints');
  await (options.endpoints === undefined
    ? mkdir(endpoints)
    : cp(options.endpoints, endpoints, { recursive: true }));
  const loaded = await loadSettings({ flags: {}, env: {}, file: { path: '', required: false } });
  if (!('settings' in loaded)) throw new Error('the defaults are valid');
  const settings = {
    ...loaded.settings,
    port: 0,
    adminPort: 0,
    endpoints,
    data: join(folder, 'data'),
    memory: 2 ** 31,
    engineSources: ['url'], // statements wait at gates
    ...options.settings,
  };
  const observed: Observation[] = [];
  const observe = (each: Observation): void => void observed.push(each);
  const remote = await openTestServer(folder);
  if (remote !== undefined) Object.assign(settings, remote.settings);
  const engineEvents = createRelay(observe);
  const engine = await openEngine(settings, engineEvents.observe);
  for (const sql of options.sql ?? []) await engine.execute(sql);
  await options.fill?.(engine);
  const everything: Token = {
    name: 'everything',
    sha256: hashKey(KEY),
    endpoints: ['*'],
    allow: ['sql', 'lql'],
  };
  const extraTokens = [everything, ...(options.tokens ?? [])];
  const { isDevelopment = false } = options;
  const service = await openService({ settings, engine, extraTokens, observe, engineEvents, isDevelopment });
  const call = (path: string, init: RequestInit = {}): Promise<Response> => {
    const headers = new Headers(init.headers);
    if (!headers.has('X-API-KEY') && !headers.has('Authorization')) headers.set('X-API-KEY', KEY);
    // The machine may be busy: the columns of a list are waited for.
    if (path === '/api/endpoints' && !headers.has('Prefer')) headers.set('Prefer', 'wait=60');
    return fetch(`${service.address}${path}`, { ...init, headers });
  };
  return {
    service,
    engine,
    settings,
    endpoints,
    observed,
    keyHash: hashKey(KEY),
    call,
    rows: async (path, init) => {
      const response = await call(`/api/endpoints/query/${path}`, init);
      if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`);
      const { result } = (await response.json()) as { result: Record<string, unknown>[] }; // our own envelope
      return result;
    },
    stop: async () => {
      await service.close('test');
      await remote?.close();
      await rm(folder, { recursive: true, force: true, maxRetries: 2 });
    },
  };
}

/** Writes an endpoint file into a service's folder. */
export function writeEndpoint(
  target: Pick<TestService, 'endpoints'>,
  name: string,
  text: string,
): Promise<void> {
  return writeFile(join(target.endpoints, `${name}.yaml`), text);
}
