// The samples that come with the package, for folders without endpoints and seeds.
import { access } from 'node:fs/promises';
import { packagePath } from '../../service/config/package-files.ts';
import { settingNames, type Settings } from '../../service/config/settings.ts';

/**
 * The settings with the package's own endpoints and seeds, if neither folder was set or exists; undefined otherwise,
 * and for a ClickHouse server, which does not have the sample tables.
 */
export async function sampleSettings(settings: Settings): Promise<Settings | undefined> {
  if (settings.clickhouse !== undefined) return undefined;
  for (const key of ['endpoints', 'seeds'] as const) {
    if (settings[key] !== defaultOf(key) || (await isThere(settings[key]))) return undefined;
  }
  return { ...settings, endpoints: packagePath('endpoints'), seeds: packagePath('seeds') };
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
