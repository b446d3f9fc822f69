// Keeps the rollups of the embedded engine: those of a server are kept by `millrace rollup`, whose user may create tables.
import type { Observe } from '../../sql/base/observation.ts';
import { createKeeper, type Keeper } from '../rollups/keeper.ts';
import { after, clock } from './clock.ts';
import type { Core } from './core.ts';
import type { ServiceOptions } from './service-options.ts';

/** Creates the rollups in development, and otherwise keeps those that were applied. Returns undefined if the engine is a server. */
export function keepRollups(
  { engine, isDevelopment = false }: ServiceOptions,
  { catalog, rollups }: Pick<Core, 'catalog' | 'rollups'>,
  observe: Observe,
): Keeper | undefined {
  if (engine.kind !== 'embedded') return undefined;
  const keeper = createKeeper({
    engine,
    declared: catalog.rollups,
    creates: isDevelopment,
    onKept: rollups.refresh,
    observe,
    clock,
    after,
  });
  const stop = catalog.subscribe(() => void keeper.keep());
  void keeper.keep();
  return {
    ...keeper,
    close: () => {
      stop();
      keeper.close();
    },
  };
}
