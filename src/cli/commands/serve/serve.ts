// `millrace serve`: runs the service in the foreground until a signal ends it.
import { randomBytes } from 'node:crypto';
import { hashKey } from '../../../service/auth/keyring.ts';
import { TokensRejected } from '../../../service/auth/live-keyring.ts';
import type { Endpoint } from '../../../service/endpoints/endpoint.ts';
import { cacheSecrets } from '../../../service/config/cache-key.ts';
import type { Token } from '../../../service/config/generated/tokens.ts';
import type { Settings } from '../../../service/config/settings.ts';
import { createRelay, type Observe } from '../../../sql/base/observation.ts';
import type { Engine } from '../../../service/engine/engine.ts';
import { describeCause } from '../../../service/observe/describe.ts';
import { CommandError } from '../../kit/command-error.ts';
import { noEndpoints } from '../../kit/endpoint-files.ts';
import { renderFinding } from '../../kit/caret.ts';
import { reportService } from './check.ts';
import { followTables } from './follow-tables.ts';
import { hashKeyNote, withHashKey } from '../../kit/hash-key.ts';
import { openEngineOrExplain } from '../../kit/open-engine.ts';
import { rebuildTables, type PutInPlace } from './rebuild-tables.ts';
import { seed } from '../../kit/seed.ts';
import { isOutdated, signatureOfSources } from '../../kit/tables-state.ts';
import type { Terminal } from '../../kit/terminal.ts';
import type { Log } from '../../../service/observe/log.ts';
import type { OpenService, RunningService } from '../../kit/dependencies.ts';
import type { ServeDeps } from '../../kit/deps.ts';

export interface ServeOptions {
  readonly settings: Settings;
  /** Load sample data, create a temporary key and print sample calls. */
  readonly isDevelopment: boolean;
  /** The package's own endpoints and seeds are served, since the folder has none. */
  readonly hasSamples: boolean;
  readonly observe: Observe;
  readonly droppedLines: Log['droppedLines'];
}

/** Serves until a signal ends it, then resolves. In development, it starts again with new tables after each change of these. */
export async function serve(options: ServeOptions, deps: ServeDeps): Promise<void> {
  const { settings, isDevelopment, hasSamples } = options;
  requireKeys(options);
  const key = isDevelopment ? `dev_${randomBytes(18).toString('base64url')}` : undefined;
  const followsTables = isDevelopment && settings.clickhouse === undefined;
  if (followsTables && (await isOutdated(settings)))
    await (
      await rebuildTables(settings, await signatureOfSources(settings), deps)
    )?.();
  let service = await openServing(options, key, deps);
  if (key !== undefined) welcome(service, { key, hasSamples, settings }, deps.terminal);
  const stopping = new AbortController();
  const stopped = new Promise<void>((resolve, failed) => {
    deps.onSignal({
      stop: (signal) => {
        stopping.abort();
        void service.close(signal).then(resolve, failed);
      },
      reload: () => void service.reload(),
    });
  });
  const startAgain = async (putInPlace: PutInPlace): Promise<void> => {
    await service.close('the tables have changed');
    await putInPlace();
    const address = Number(new URL(service.address).port);
    service = await openServing({ ...options, settings: { ...settings, port: address } }, key, deps);
    if (stopping.signal.aborted) await service.close('stopped meanwhile');
  };
  const followed = followsTables
    ? followTables(settings, stopping.signal, async (signature) => {
        const putInPlace = await rebuildTables(settings, signature, deps);
        if (putInPlace !== undefined && !stopping.signal.aborted) await startAgain(putInPlace);
      })
    : stopped;
  await Promise.all([stopped, followed]);
}

/** Opens the engine and the service on it. */
async function openServing(
  { settings, isDevelopment, observe, droppedLines }: ServeOptions,
  key: string | undefined,
  deps: ServeDeps,
): Promise<RunningService> {
  const engineEvents = createRelay(observe);
  const engine = await openEngineOrExplain(deps.openEngine, settings, engineEvents.observe);
  await seedOrClose(
    engine,
    settings,
    isDevelopment ? deps.terminal : loggingTerminal(deps.terminal, observe),
  );
  return openOrExplain(deps, {
    settings: isDevelopment ? { ...withHashKey(settings), usage: isUsageOn(settings) } : settings,
    engine,
    extraTokens: key === undefined ? [] : [developmentToken(key)],
    observe,
    droppedLines,
    engineEvents,
    isDevelopment,
  });
}

/** Outside of development, what is said while the service starts is part of the log, whose lines are all JSON. */
function loggingTerminal(terminal: Terminal, observe: Observe): Terminal {
  return { ...terminal, note: (text) => observe({ kind: 'service.note', text }) };
}

/** On by default in development. */
function isUsageOn({ usage, shown }: Settings): boolean {
  return usage || shown['usage']?.source === 'default';
}

/** The report of a check shows everything relevant. */
function ignore(): void {}

/** Opens what serving needs, on random ports, and prints a report. Resolves to the exit code. */
export async function check(
  settings: Settings,
  isDevelopment: boolean,
  deps: Omit<ServeDeps, 'onSignal'>,
): Promise<0 | 1> {
  requireKeys({ settings, isDevelopment });
  const engine = await openEngineOrExplain(deps.openEngine, settings, ignore);
  await seedOrClose(engine, settings, deps.terminal);
  const free = { ...settings, port: 0, adminPort: 0, clickhousePort: undefined, usage: false };
  let redisCause: string | undefined;
  const observe: Observe = (event) => {
    if (event.kind === 'cache.remote_lost') redisCause = describeCause(event.cause);
  };
  const service = await openOrExplain(deps, { settings: free, engine, extraTokens: [], observe });
  const { warning } = settings.redisUrl === undefined ? { warning: undefined } : cacheSecrets(settings);
  return reportService(service, deps.terminal, { cacheWarning: warning, redisCause: () => redisCause });
}

/**
 * Opens the service on a free port of the loopback interface, for one key with all permissions, passes it to `use`, and
 * closes it.
 */
export async function withService<T>(
  {
    settings,
    key,
    whenInUse,
  }: { readonly settings: Settings; readonly key: string; readonly whenInUse: string },
  deps: Omit<ServeDeps, 'onSignal'>,
  use: (service: RunningService) => Promise<T>,
): Promise<T> {
  const engine = await openEngineOrExplain(deps.openEngine, settings, ignore, whenInUse);
  await seedOrClose(engine, settings, deps.terminal);
  const alone = { host: '127.0.0.1', port: 0, adminPort: 0, clickhousePort: undefined, usage: false };
  const service = await openOrExplain(deps, {
    settings: { ...settings, ...alone, tokens: undefined, jwt: undefined, redisUrl: undefined },
    engine,
    extraTokens: [developmentToken(key)],
    observe: ignore,
  });
  try {
    return await use(service);
  } finally {
    await service.close('done');
  }
}

/** Loads the seeds of an embedded engine as `seed` does; closes the engine if that fails. */
async function seedOrClose(engine: Engine, settings: Settings, terminal: Terminal): Promise<void> {
  if (engine.kind !== 'embedded') return;
  await seed(engine, settings, terminal).catch(async (cause: unknown) => {
    await engine.close(0);
    throw cause;
  });
}

function requireKeys({ settings, isDevelopment }: Pick<ServeOptions, 'settings' | 'isDevelopment'>): void {
  if (settings.tokens !== undefined || settings.jwt !== undefined || isDevelopment) return;
  throw new CommandError(
    'No keys configured: set MILLRACE_TOKENS to a tokens file (create one with: millrace token create NAME), or use serve --dev',
  );
}

function developmentToken(key: string): Token {
  return { name: 'development', sha256: hashKey(key), endpoints: ['*'], allow: ['sql', 'lql'] };
}

/** Closes the engine if the service fails to open. */
async function openOrExplain(
  { openService, terminal }: Pick<ServeDeps, 'openService' | 'terminal'>,
  options: Parameters<OpenService>[0],
): Promise<RunningService> {
  return openService(options).catch(async (cause: unknown) => {
    await options.engine.close(0);
    throw explainStart(cause, options.settings, terminal);
  });
}

function explainStart(cause: unknown, settings: Settings, terminal: Terminal): unknown {
  if (cause instanceof TokensRejected) {
    for (const finding of cause.diagnostics) {
      for (const line of renderFinding(finding, undefined, terminal)) terminal.note(line);
    }
    return new CommandError(`${cause.message}; the service requires a valid tokens file to start`, { cause });
  }
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  const { at, host, port } = addressOf(cause, settings);
  if (code === 'EADDRINUSE') {
    return new CommandError(
      `${at} is in use; stop the process that listens there, or choose another port with ${port}`,
      { cause },
    );
  }
  if (code === 'EACCES' || code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') {
    return new CommandError(`Cannot listen on ${at}; choose another address with ${host} and ${port}`, {
      cause,
    });
  }
  if (code === 'ENOENT') {
    return noEndpoints(settings, cause);
  }
  return cause;
}

/** The address that could not be listened on, and the flags of its host and port. */
function addressOf(
  cause: unknown,
  settings: Settings,
): { readonly at: string; readonly host: string; readonly port: string } {
  const failed = cause instanceof Error && 'port' in cause ? cause.port : undefined;
  const { host, port, clickhousePort, adminHost, adminPort } = settings;
  if (failed !== port && failed === clickhousePort)
    return { at: `${host}:${clickhousePort}`, host: '--host', port: '--clickhouse-port' };
  if (failed !== port && failed === adminPort)
    return { at: `${adminHost}:${adminPort}`, host: '--admin-host', port: '--admin-port' };
  return { at: `${host}:${port}`, host: '--host', port: '--port' };
}

const SAMPLES =
  'These are sample endpoints, since there is no endpoints folder here. To create your own, run: millrace init, then restart.';

function welcome(
  service: RunningService,
  { key, hasSamples, settings }: Pick<ServeOptions, 'hasSamples' | 'settings'> & { readonly key: string },
  { print, paint }: Terminal,
): void {
  print('');
  print(
    `Millrace is listening on ${paint('bold', service.address)} with a temporary key for this run: ${paint('bold', key)}`,
  );
  print(`Explorer: ${paint('bold', `${service.address}/#key=${key}`)}`);
  const clickhouse =
    service.clickhouse ?? (settings.clickhouseInterface ? `${service.address}/clickhouse` : '');
  if (clickhouse !== '')
    print(`ClickHouse clients: ${paint('bold', clickhouse)}, with the key as the password`);
  if (settings.mcp)
    print(`Agents (MCP): ${paint('bold', `${service.address}/mcp`)}, with the key in X-API-KEY`);
  print('');
  const { endpoints } = service.catalog.current();
  for (const endpoint of endpoints.slice(0, MAX_CALLS)) {
    print(paint('dim', `# ${(endpoint.description || endpoint.name).trim().replaceAll('\n', ' ')}`));
    print(`curl -H ${shellQuote(`X-API-KEY: ${key}`)} ${shellQuote(exampleUrl(service.address, endpoint))}`);
    print('');
  }
  if (endpoints.length > MAX_CALLS) {
    print(`… and ${endpoints.length - MAX_CALLS} more endpoints, with calls of each, in the explorer`);
    print('');
  }
  print(
    hasSamples
      ? SAMPLES
      : 'Edit a file in the endpoints folder and call again: changes take effect immediately.',
  );
  const note = hashKeyNote(settings, service.catalog.current());
  if (note !== undefined) print(note);
  print('Press Ctrl+C to stop.');
  print('');
}

/** Calls that are printed at the start. */
const MAX_CALLS = 10;

/** The URL of an endpoint's first example or, if none can be called, of plausible values for what is required. */
function exampleUrl(address: string, { name, examples, parameters, samples }: Endpoint): string {
  const [example] = examples;
  const [sample = {}] = samples();
  const required = Object.entries(sample).filter(([key]) => parameters[key]?.required === true);
  const values: Readonly<Record<string, unknown>> = example?.parameters ?? Object.fromEntries(required);
  const pairs = Object.entries(values).map(([key, value]): [string, string] => [
    key,
    typeof value === 'string' ? value : JSON.stringify(value),
  ]);
  const query = new URLSearchParams(pairs).toString();
  return `${address}/api/endpoints/query/${name}${query === '' ? '' : `?${query}`}`;
}

function shellQuote(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
