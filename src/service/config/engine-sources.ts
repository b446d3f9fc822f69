// The setting that names what SQL may reach outside of the embedded engine's data folder.
import type { Finding } from '../../sql/base/finding.ts';
import { didYouMean, nearest } from '../../sql/base/nearest.ts';
import type { SettingsFile } from './generated/settings.ts';
import { plainFinding } from './plain-finding.ts';
import { readSchema } from './schema-file.ts';

type Given = Pick<SettingsFile, 'engine_sources'>;

/** The names of a list. Not verified: that they are names of sources. */
export function engineSources(list = ''): readonly string[] {
  const names = list.split(',').map((name) => name.trim());
  return names.filter((name) => name !== '');
}

/** The names that the schema of the settings lists; `sql/clickhouse/outside-sources.ts` has what each of them covers. */
export function sourceNames(): readonly string[] {
  const properties = readSchema('settings')['properties'] as Record<string, Record<string, unknown>>; // our own schema
  return properties['engine_sources']?.['x-names'] as readonly string[]; // as above
}

/** A finding for each name that is no source. */
export function findUnknownSources(given: Given): Finding[] {
  const names = engineSources(given.engine_sources);
  if (names.length === 0) return [];
  const known = sourceNames();
  return names
    .filter((name) => !known.includes(name))
    .map((name) => {
      const message = `engine_sources: ${JSON.stringify(name)} is not a source`;
      const hint = didYouMean(nearest(name, known)) ?? `Use ${known.join(', ')}`;
      return plainFinding('settings', 'settings.unknown_source', message, hint);
    });
}
