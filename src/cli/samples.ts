// The samples that come with the package, for a folder that has nothing of its own yet.
import { access } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { settingNames, type Settings } from '../config/settings.ts';

/**
 * The settings with the package's own endpoints and seeds, where neither was named and neither folder is there;
 * undefined otherwise, and for a server, which does not have the sample tables.
 */
export async function sampleSettings(settings: Settings): Promise<Settings | undefined> {
  if (settings.clickhouse !== undefined) return undefined;
  for (const key of ['endpoints', 'seeds'] as const) {
    if (settings[key] !== defaultOf(key) || (await isThere(settings[key]))) return undefined;
  }
  return { ...settings, endpoints: packaged('endpoints'), seeds: packaged('seeds') };
}

function defaultOf(key: 'endpoints' | 'seeds'): unknown {
  return settingNames().find((name) => name.key === key)?.default;
}

async function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

/** The path of a folder of the package: beside `dist/` when built, beside `src/` in a checkout. */
export function packaged(folder: string): string {
  return fileURLToPath(new URL(`../../${folder}`, import.meta.url));
}
