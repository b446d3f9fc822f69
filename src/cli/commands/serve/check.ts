// `millrace serve --check`: opens everything that serving needs, reports its state and closes it.
import { visible } from '../../../service/observe/visible-text.ts';
import { renderFinding } from '../../kit/caret.ts';
import { count } from '../../findings/findings.ts';
import type { Style, Terminal } from '../../kit/terminal.ts';
import type { RunningService } from '../../kit/dependencies.ts';
import { cacheSecrets } from '../../../service/config/cache-key.ts';
import type { Settings } from '../../../service/config/settings.ts';
import type { Observe } from '../../../sql/base/observation.ts';
import { describeCause } from '../../../service/observe/describe.ts';
import { openEngineOrExplain } from '../../kit/open-engine.ts';
import type { ServeDeps } from '../../kit/dependencies.ts';
import { openOrExplain } from './open-service.ts';
import { ignore, seedOrClose, requireKeys } from './requirements.ts';

export interface ReportOptions {
  readonly cacheWarning: string | undefined;
  /** Why Redis could not be reached, if that was observed. */
  readonly redisCause: () => string | undefined;
}

/**
 * Prints the state of each part, with the cause of any failure in one line; resolves to 0 if requests would be answered
 * as configured, otherwise 1. Closes the service.
 */
async function reportService(
  service: RunningService,
  terminal: Terminal,
  { cacheWarning, redisCause }: ReportOptions,
): Promise<0 | 1> {
  const { print, note, paint } = terminal;
  const { checks, causes } = await service.readiness();
  const findings = service.catalog.diagnostics();
  const { endpoints } = service.catalog.current();
  await service.close('checked');
  for (const finding of findings) for (const line of renderFinding(finding, undefined, terminal)) note(line);
  print(line('settings', paint('green', 'ok'), ''));
  print(line('keys', paint('green', 'ok'), ''));
  for (const [part, state] of Object.entries(checks)) {
    const color = colorOf(part, state);
    const cause = (part === 'redis' ? redisCause() : undefined) ?? causes[part];
    const served = part === 'catalog' ? count(endpoints.length, 'endpoint') : '';
    const more = state === 'ok' || state === 'off' ? [served] : [served, oneLine(cause ?? '')];
    print(line(part, paint(color, state), more.filter(Boolean).join('; ')));
  }
  if (cacheWarning !== undefined) print(line('cache key', paint('yellow', 'derived'), cacheWarning));
  return Object.entries(checks).every(isGood) ? 0 : 1;
}

function colorOf(part: string, state: string): Style {
  if (state === 'ok') return 'green';
  if (state === 'off') return 'dim';
  return WARNED.has(part) ? 'yellow' : 'red';
}

/** The service works without Redis, and without layers of the engine's confinement unless they are required to start. */
const WARNED: ReadonlySet<string> = new Set(['redis', 'landlock', 'seccomp']);

function isGood([part, state]: readonly [string, string]): boolean {
  return state === 'ok' || state === 'off' || WARNED.has(part);
}

const MAX_CAUSE = 300;

function oneLine(text: string): string {
  return visible(text.replace(/\s+/g, ' ').trim()).slice(0, MAX_CAUSE);
}

function line(part: string, state: string, more: string): string {
  return `${part.padEnd(10)} ${state}  ${more}`.trimEnd();
}

/** Opens what serving needs, on random ports, and prints a report. Resolves to the exit code. */
export async function check(
  settings: Settings,
  isDevelopment: boolean,
  deps: Omit<ServeDeps, 'onSignal'>,
): Promise<0 | 1> {
  requireKeys({ settings, isDevelopment });
  const engine = await openEngineOrExplain(deps.openEngine, settings, ignore);
  await seedOrClose(engine, settings, deps.terminal);
  const own = { clickhousePort: undefined, tinybird: { ...settings.tinybird, port: undefined } };
  const free = { ...settings, ...own, port: 0, adminPort: 0, usage: false };
  let redisCause: string | undefined;
  const observe: Observe = (event) => {
    if (event.kind === 'cache.remote_lost') redisCause = describeCause(event.cause);
  };
  const service = await openOrExplain(deps, { settings: free, engine, extraTokens: [], observe });
  const { warning } = settings.redisUrl === undefined ? { warning: undefined } : cacheSecrets(settings);
  return reportService(service, deps.terminal, { cacheWarning: warning, redisCause: () => redisCause });
}
