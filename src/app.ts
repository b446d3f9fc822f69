// The one place where rooms are wired together: from settings to a running service.
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { Keyring, Principal } from './auth/keyring.ts';
import { fixedKeyring, openLiveKeyring, type LiveKeyring } from './auth/live-keyring.ts';
import { createCompile } from './catalog/compile.ts';
import { createDescribe, type Describe } from './catalog/describe.ts';
import { openLiveCatalog, type LiveCatalog } from './catalog/live.ts';
import type { Token } from './config/generated/tokens.ts';
import type { Settings } from './config/settings.ts';
import type { Observe } from './core/observation.ts';
import { createEmbeddedEngine } from './engine/embedded/embedded-engine.ts';
import { EngineError, type Engine } from './engine/engine.ts';
import { createHttpEngine } from './engine/http/http-engine.ts';
import { createServer, type Readiness } from './http/server.ts';
import { authenticate, createRequestPath, type Clock, type RequestPath } from './request/answer.ts';
import { listEndpoints } from './request/listing.ts';
import { createPlan } from './request/plan.ts';
import { runPreflight, type PreflightFinding } from './request/preflight.ts';
import { createSandboxes, type Sandboxes } from './request/sandboxes.ts';

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
  const core = await openCore(options, keyring.current).catch(async (cause: unknown) => {
    await keyring.close();
    throw cause;
  });
  const { catalog, describe, sandboxes } = core;
  await guard(options, core);
  let stopping = false;
  const server = createServer({
    answer: core.path.answer,
    list: async (key) => {
      const principal = authenticate(keyring.current(), key, clock.epoch());
      return listEndpoints(catalog.current(), principal, { describe, sandboxes });
    },
    readiness: () => readiness(engine, sandboxes, stopping),
    observe,
    headerPrefix: settings.headerPrefix,
    requestTimeout: settings.requestTimeout,
    now: clock.monotonic,
  });
  const stop = async (): Promise<void> => {
    await server.close();
    await Promise.all([catalog.close(), keyring.close()]);
  };
  const { host, port } = settings;
  const address = await server.listen({ host, port }).catch(async (cause: unknown) => {
    await stop();
    throw cause;
  });
  observe({ kind: 'service.started', address, engine: engine.kind });
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
  let closed: Promise<void> | undefined;
  return {
    address,
    catalog,
    reload: async () => {
      await Promise.all([catalog.reload(), keyring.reload()]);
      await guard(options, core);
    },
    close: (reason) => (closed ??= drain(reason)),
  };
}

/** What a service and a command share: endpoints, and the way of a request through them. */
interface Core {
  readonly catalog: LiveCatalog;
  readonly describe: Describe;
  readonly sandboxes: Sandboxes;
  readonly path: RequestPath;
}

type CoreOptions = Omit<ServiceOptions, 'extraTokens'>;

async function openCore({ settings, engine, observe }: CoreOptions, keyring: () => Keyring): Promise<Core> {
  const catalog = await openLiveCatalog({
    folder: settings.endpoints,
    compile: createCompile(),
    observe,
    now: clock.monotonic,
  });
  const describe = createDescribe(engine);
  const sandboxes = createSandboxes(engine, describe);
  const plan = createPlan({ sandboxes, describe, now: clock.epoch });
  const path = createRequestPath({ catalog: catalog.current, keyring, plan, engine, clock });
  return { catalog, describe, sandboxes, path };
}

/** Attacks itself, and takes no queries of consumers while anything gets through. */
async function guard(options: CoreOptions, { catalog, sandboxes }: Core): Promise<void> {
  const { engine, settings, observe } = options;
  const findings = await preflight(engine, catalog).catch((cause: unknown) => {
    if (cause instanceof EngineError) return undefined;
    throw cause;
  });
  if (findings === undefined)
    return switchOff(sandboxes, observe, ['the engine was away when the walls were tried']);
  const open = findings.filter(({ outcome, wall }) => {
    return outcome === 'open' && !(wall === 'connection' && settings.acceptSingleWall);
  });
  if (open.length > 0)
    return switchOff(
      sandboxes,
      observe,
      open.map(({ wall, name }) => `${wall}: ${name}`),
    );
  sandboxes.switch(undefined);
  const known = findings.filter((each) => each.outcome !== 'held').map((each) => each.name);
  observe({ kind: 'sandbox.checked', attacks: findings.length, known });
}

function switchOff(sandboxes: Sandboxes, observe: Observe, open: readonly string[]): void {
  sandboxes.switch(open.join('; '));
  observe({ kind: 'sandbox.switched_off', open });
}

/** Tries the walls with sandboxes of its own, which nobody switches off. */
function preflight(engine: Engine, catalog: LiveCatalog): Promise<readonly PreflightFinding[]> {
  const sandboxes = createSandboxes(engine, createDescribe(engine));
  return runPreflight({ catalog: catalog.current(), engine, sandboxes });
}

/** Runs calls without a server and with every right, for commands. */
export interface Local {
  readonly path: RequestPath;
  readonly preflight: () => Promise<readonly PreflightFinding[]>;
  close(): Promise<void>;
}

export async function openLocal(options: CoreOptions): Promise<Local> {
  const principal: Principal = {
    name: 'local',
    covers: () => true,
    languages: new Set(['sql', 'lql']),
    locked: new Map(),
    redact: false,
  };
  const keyring: Keyring = { authenticate: () => ({ kind: 'accepted', principal }) };
  const { path, catalog } = await openCore(options, () => keyring);
  return { path, preflight: () => preflight(options.engine, catalog), close: catalog.close };
}

function openKeyring({ settings, extraTokens, observe }: ServiceOptions): Promise<LiveKeyring> {
  if (settings.tokens === undefined) return Promise.resolve(fixedKeyring(extraTokens));
  return openLiveKeyring(settings.tokens, { extra: extraTokens, observe });
}

async function readiness(engine: Engine, sandboxes: Sandboxes, stopping: boolean): Promise<Readiness> {
  if (stopping) return { ready: false, checks: { service: 'stopping' } };
  const ok = await engine.ping().then(
    () => true,
    () => false,
  );
  const sandbox = sandboxes.offBecause() === undefined ? 'ok' : 'failed'; // saved queries are served all the same
  return { ready: ok, checks: { engine: ok ? 'ok' : 'failed', sandbox } };
}
