// Opens what a service consists of, in order, and closes what was opened if a part fails.
import { openCore } from './core.ts';
import { gaugesOf } from './gauges.ts';
import { openCalls } from './call-counting.ts';
import { createKeyCheck } from './key-check.ts';
import { openKeyring, openKeyUse } from './keys.ts';
import type { Parts } from './parts.ts';
import { openObserving } from './observing.ts';
import { openRedis } from './redis.ts';
import { loadingOf } from './loading.ts';
import { openBackground } from './background.ts';
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
  const calls = openCalls(link);
  const background = await openBackground(options, { core, link, keyring, observe }).catch(
    async (cause: unknown) => {
      await core.close();
      return closeKeys(cause);
    },
  );
  const { watcher, exports } = background;
  const services = { keyring, observing, calls, exports, watcher, ...sending };
  const parts = {
    ...core,
    ...services,
    settings,
    engine,
    link,
    state,
    isDevelopment: options.isDevelopment ?? false,
    loading: loadingOf(options),
  };
  metrics.watch(gaugesOf({ ...parts, droppedLines: options.droppedLines ?? none }));
  const close = async (): Promise<void> => {
    await background.close();
    await Promise.all([keyUse.close(), calls.usage.close()]);
    await Promise.all([core.close(), keyring.close(), observing.close()]);
  };
  return { parts, close };
}
