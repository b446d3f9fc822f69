// Opens what a service consists of, in order, and closes what was opened if a part fails.
import { openCore } from './core.ts';
import { openExports } from './exports.ts';
import { gaugesOf } from './gauges.ts';
import { openCalls } from './call-counting.ts';
import { createKeyCheck } from './key-check.ts';
import { openKeyring, openKeyUse } from './keys.ts';
import type { Parts } from './parts.ts';
import { openObserving } from './observing.ts';
import { openRedis } from './redis.ts';
import { loadingOf } from './loading.ts';
import { keepRollups } from './rollups.ts';
import { openSending } from './sending.ts';
import type { ServiceOptions } from './service-options.ts';

const none = (): number => 0;

export async function openParts(
  options: ServiceOptions,
  state: Parts['state'],
): Promise<{ readonly parts: Parts; close(): Promise<void> }> {
  const { settings, engine } = options;
  const observing = await (options.openObserving ?? openObserving)(options);
  const { observe, metrics } = observing;
  options.engineEvents?.to(observe);
  const sending = await openSending(settings, observe);
  const keyCheck = createKeyCheck(observe);
  const keyring = await openKeyring({ ...options, observe, check: keyCheck.check }).catch(
    async (cause: unknown) => {
      await observing.close();
      throw cause;
    },
  );
  const link = await openRedis(settings, observe);
  const keyUse = openKeyUse(settings, link, observe);
  const closeKeys = async (cause: unknown): Promise<never> => {
    await Promise.all([keyring.close(), link?.close(), observing.close()]);
    throw cause;
  };
  const core = await openCore({ settings, engine, link, keyring: keyring.current, keyUse, observe }).catch(
    closeKeys,
  );
  try {
    keyCheck.start(core.catalog, keyring.file);
  } catch (cause) {
    await core.close();
    await closeKeys(cause);
  }
  const { isDevelopment = false } = options;
  const calls = openCalls(link);
  const exports = await openExports(settings, core.path, observe).catch(async (cause: unknown) => {
    await core.close();
    return closeKeys(cause);
  });
  const services = { keyring, observing, calls, exports, ...sending };
  const parts = {
    ...core,
    ...services,
    settings,
    engine,
    link,
    state,
    isDevelopment,
    loading: loadingOf(options),
  };
  const keeper = keepRollups(options, core, observe);
  metrics.watch(gaugesOf({ ...parts, droppedLines: options.droppedLines ?? none }));
  const close = async (): Promise<void> => {
    keeper?.close();
    await exports.close();
    await Promise.all([keyUse.close(), calls.usage.close()]);
    await Promise.all([core.close(), keyring.close(), observing.close()]);
  };
  return { parts, close };
}
