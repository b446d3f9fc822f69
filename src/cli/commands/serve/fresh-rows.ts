// In development, statements beside the seeds run while the service does: those that keep sample rows as fresh as they were when they were
// loaded, and those that remove the oldest.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Settings } from '../../../service/config/settings.ts';
import type { Engine } from '../../../service/engine/engine.ts';
import { runScripts } from '../../../service/engine/seeds.ts';
import type { After } from '../../../sql/base/clock.ts';
import { seedFailure } from '../../kit/seed.ts';
import type { Terminal } from '../../kit/terminal.ts';

/** These are below the folder of the seeds. Both run at once when the service starts. */
const [MINUTE, DAY] = ['dev/minute', 'dev/day'];
const MINUTE_MS = 60_000;
const MINUTES_OF_DAY = 1440;

interface FreshRowsOptions {
  readonly engine: Engine;
  readonly settings: Settings;
  readonly terminal: Terminal;
  readonly after: After;
}

/** Runs until the returned function is called; what runs then ends with the engine. A statement that fails is reported, and ends it. */
export function keepRowsFresh({ engine, settings, terminal, after }: FreshRowsOptions): () => void {
  const { seeds, engineSources } = settings;
  let isStopped = false;
  let cancel: (() => void) | undefined;
  /** Resolves to whether nothing failed. */
  const run = async (name: string): Promise<boolean> => {
    const folder = join(seeds, name);
    try {
      if (!isStopped && existsSync(folder)) await runScripts(engine, { folder, engineSources });
      return true;
    } catch (cause) {
      if (!isStopped && cause instanceof Error)
        terminal.note(seedFailure(cause, { ...settings, seeds: folder }).message);
      return false;
    }
  };
  const turn = async (minute: number): Promise<void> => {
    const isFine = (await run(MINUTE)) && (minute % MINUTES_OF_DAY !== 0 || (await run(DAY)));
    if (!isFine || isStopped) return;
    cancel = after(MINUTE_MS, () => void turn(minute + 1));
  };
  if (existsSync(join(seeds, 'dev'))) void turn(0);
  return () => {
    isStopped = true;
    cancel?.();
  };
}
