// A service for the time of one command.
import { NO_TINYBIRD } from '../../../service/config/tinybird-settings.ts';
import type { Settings } from '../../../service/config/settings.ts';
import { openEngineOrExplain } from '../../kit/open-engine.ts';
import type { RunningService } from '../../kit/dependencies.ts';
import type { ServeDeps } from '../../kit/dependencies.ts';
import { openOrExplain } from './open-service.ts';
import { ignore, seedOrClose, developmentToken } from './requirements.ts';

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
  const own = { clickhousePort: undefined, tinybird: NO_TINYBIRD };
  const alone = { ...own, host: '127.0.0.1', port: 0, adminPort: 0, usage: false };
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
