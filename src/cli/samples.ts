// The samples that come with the package, for folders without endpoints and seeds.
import { access } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { packageFile } from '../config/package-file.ts';
import { settingNames, type Settings } from '../config/settings.ts';

/**
 * The settings with the package's own endpoints and seeds, if neither folder was set or exists; undefined otherwise,
 * and for a ClickHouse server, which does not have the sample tables.
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

/** The path of a folder of the package: next to `dist/` when built, next to `src/` in a checkout. */
export function packaged(folder: string): string {
  return fileURLToPath(packageFile(folder));
}
