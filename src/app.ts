// The one place where rooms are wired together: from settings to a running service.
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fixedKeyring, openLiveKeyring, type LiveKeyring } from './auth/live-keyring.ts';
import { createCompile } from './catalog/compile.ts';
import { createDescribe } from './catalog/describe.ts';
import { openLiveCatalog, type LiveCatalog } from './catalog/live.ts';
import type { Token } from './config/generated/tokens.ts';
import type { Settings } from './config/settings.ts';
import type { Observe } from './core/observation.ts';
import { createEmbeddedEngine } from './engine/embedded/embedded-engine.ts';
import type { Engine } from './engine/engine.ts';
import { createHttpEngine } from './engine/http/http-engine.ts';
import type { Answer, Call } from './request/call.ts';
import { createServer, type Readiness } from './http/server.ts';
import { authenticate, createAnswer, type Clock } from './request/answer.ts';
import { listEndpoints } from './request/listing.ts';

/** A service that answers requests. */
export interface Service {
  /** Where it listens, as a URL without a path. */
  readonly address: string;
  readonly catalog: LiveCatalog;
  /** Reads endpoints and keys again. */
  reload(): Promise<void>;
  /** Stops listening, lets running requests finish for `drainTimeout` seconds, and closes everything. Idempotent. */
  close(reason: string): Promise<void>;
}

export interface ServiceOptions {
  readonly settings: Settings;
  readonly engine: Engine;
  /** Keys beside those of the tokens file. */
  readonly extraTokens: readonly Token[];
  readonly observe: Observe;
}

const clock: Clock = { epoch: () => Date.now(), monotonic: () => performance.now() };

/** The engine that the settings name. Rejects with EngineError. */
export async function openEngine(settings: Settings, observe: Observe): Promise<Engine> {
  const { connections, queue, memory, clickhouse } = settings;
  if (clickhouse !== undefined) return createHttpEngine({ ...clickhouse, connections, queue, observe });
  await mkdir(settings.data, { recursive: true });
  return createEmbeddedEngine({ path: join(settings.data, 'engine'), connections, queue, memory, observe });
}

/** Opens keys and endpoints over an open engine and listens. Whatever fails, what was opened is closed again. */
export async function openService(options: ServiceOptions): Promise<Service> {
  const { settings, engine, observe } = options;
  const keyring = await openKeyring(options);
  const catalog = await openLiveCatalog({
    folder: settings.endpoints,
    compile: createCompile(),
    observe,
    now: clock.monotonic,
  }).catch(async (cause: unknown) => {
    await keyring.close();
    throw cause;
  });
  const describe = createDescribe(engine);
  let stopping = false;
  const server = createServer({
    answer: createAnswer({ catalog: catalog.current, keyring: keyring.current, engine, clock }),
    list: async (key) => {
      const principal = authenticate(keyring.current(), key, clock.epoch());
      return listEndpoints(catalog.current(), principal, describe);
    },
    readiness: () => readiness(engine, stopping),
    observe,
    headerPrefix: settings.headerPrefix,
    requestTimeout: settings.requestTimeout,
    now: clock.monotonic,
  });
  const stop = async (): Promise<void> => {
    await server.close();
    await Promise.all([catalog.close(), keyring.close()]);
  };
  const address = await server
    .listen({ host: settings.host, port: settings.port })
    .catch(async (cause: unknown) => {
      await stop();
      throw cause;
    });
  observe({ kind: 'service.started', address, engine: engine.kind });
  let closed: Promise<void> | undefined;
  const drain = async (reason: string): Promise<void> => {
    const started = clock.monotonic();
    stopping = true;
    observe({ kind: 'service.stopping', reason });
    const stopped = stop();
    await Promise.race([stopped, setTimeout(settings.drainTimeout * 1000, undefined, { ref: false })]);
    await engine.close(0); // ends statements that outlived the grace, so that their requests are answered
    server.server.closeAllConnections();
    await stopped;
    observe({ kind: 'service.stopped', ms: clock.monotonic() - started });
  };
  return {
    address,
    catalog,
    reload: async () => {
      await Promise.all([catalog.reload(), keyring.reload()]);
    },
    close: (reason) => (closed ??= drain(reason)),
  };
}

/** Answers calls without a server and with every right, for commands. */
export async function openLocal(options: Omit<ServiceOptions, 'extraTokens'>): Promise<{
  readonly answer: (call: Call) => Promise<Answer>;
  close(): Promise<void>;
}> {
  const { settings, engine, observe } = options;
  const catalog = await openLiveCatalog({
    folder: settings.endpoints,
    compile: createCompile(),
    observe,
    now: clock.monotonic,
  });
  const everything = {
    name: 'local',
    covers: () => true,
    languages: new Set(['sql', 'lql'] as const),
    locked: new Map(),
    redact: false,
  };
  const keyring = { authenticate: () => ({ kind: 'accepted', principal: everything }) as const };
  const answer = createAnswer({ catalog: catalog.current, keyring: () => keyring, engine, clock });
  return { answer: (call) => answer({ ...call, key: 'local' }), close: catalog.close };
}

function openKeyring({ settings, extraTokens, observe }: ServiceOptions): Promise<LiveKeyring> {
  if (settings.tokens === undefined) return Promise.resolve(fixedKeyring(extraTokens));
  return openLiveKeyring(settings.tokens, { extra: extraTokens, observe });
}

async function readiness(engine: Engine, stopping: boolean): Promise<Readiness> {
  if (stopping) return { ready: false, checks: { service: 'stopping' } };
  const ok = await engine.ping().then(
    () => true,
    () => false,
  );
  return { ready: ok, checks: { engine: ok ? 'ok' : 'failed' } };
}
