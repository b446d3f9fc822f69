// `millrace serve`: runs the service in the foreground until a signal ends it.
import { randomBytes } from 'node:crypto';
import type { Settings } from '../../../service/config/settings.ts';
import { createRelay } from '../../../service/observe/log.ts';
import type { Observe } from '../../../sql/base/observation.ts';
import { followTables } from './follow-tables.ts';
import { withHashKey } from '../../kit/hash-key.ts';
import { openEngineOrExplain } from '../../kit/open-engine.ts';
import { rebuildTables, type PutInPlace } from './rebuild-tables.ts';
import { isOutdated, signatureOfSources } from '../../kit/tables-state.ts';
import type { Terminal } from '../../kit/terminal.ts';
import type { RunningService } from '../../kit/dependencies.ts';
import type { ServeDeps } from '../../kit/dependencies.ts';
import { welcome } from './welcome.ts';
import { openOrExplain } from './open-service.ts';
import { type ServeOptions, seedOrClose, requireKeys, developmentToken } from './requirements.ts';

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
