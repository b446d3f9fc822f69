// Serving needs this besides the settings: keys and rows.
import { hashKey } from '../../../service/auth/keyring.ts';
import type { Token } from '../../../service/config/generated/tokens.ts';
import type { Settings } from '../../../service/config/settings.ts';
import type { Observe } from '../../../sql/base/observation.ts';
import type { Engine } from '../../../service/engine/engine.ts';
import { CommandError } from '../../kit/command-error.ts';
import { seed } from '../../kit/seed.ts';
import type { Terminal } from '../../kit/terminal.ts';
import type { Log } from '../../../service/observe/log.ts';

export interface ServeOptions {
  readonly settings: Settings;
  /** Load sample data, create a temporary key and print sample calls. */
  readonly isDevelopment: boolean;
  /** The package's own endpoints and seeds are served, since the folder has none. */
  readonly hasSamples: boolean;
  readonly observe: Observe;
  readonly droppedLines: Log['droppedLines'];
}

/** The report of a check shows everything relevant. */
export function ignore(): void {}

/** Loads the seeds of an embedded engine as `seed` does; closes the engine if that fails. */
export async function seedOrClose(engine: Engine, settings: Settings, terminal: Terminal): Promise<void> {
  if (engine.kind !== 'embedded') return;
  await seed(engine, settings, terminal).catch(async (cause: unknown) => {
    await engine.close(0);
    throw cause;
  });
}

export function requireKeys({
  settings,
  isDevelopment,
}: Pick<ServeOptions, 'settings' | 'isDevelopment'>): void {
  const { tokens, jwt, tinybird } = settings;
  if (tokens !== undefined || jwt !== undefined || tinybird.tokens !== undefined || isDevelopment) return;
  throw new CommandError(
    'No keys configured: set MILLRACE_TOKENS to a tokens file (create one with: millrace token create NAME), or use serve --dev',
  );
}

export function developmentToken(key: string): Token {
  return {
    name: 'development',
    sha256: hashKey(key),
    endpoints: ['*'],
    allow: ['sql', 'lql'],
    statements: true,
  };
}
