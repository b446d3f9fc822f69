// The checks that need one file, without the others and without an engine.
import { locateAll } from '../../service/config/locate-finding.ts';
import type { CheckEntry } from '../../service/endpoints/checks/check.ts';
import type { Settings } from '../../service/config/settings.ts';
import { HASH_WITHOUT_KEY, warnOfHashKey } from '../../service/endpoints/checks/confinement.ts';
import { FILE_CHECKS } from '../../service/endpoints/checks/file-checks.ts';
import { type InspectedFile } from '../../service/endpoints/compile.ts';
import type { TenancySetting } from '../../service/endpoints/tenancy.ts';
import { REASON_CODES, reasonFindings } from '../compare/reasons.ts';
import type { Finding, PathFinding } from '../../sql/base/finding.ts';
import { lint, LINTS } from './lint.ts';
import { READING_CODES } from './reading.ts';
import { TENANCY_CODES, tenancyFindings } from './tenancy.ts';
import { readWatchNames, WATCH_NAME_CODES, watchNameFindings, type WatchNames } from './watches.ts';

/** The settings that checks of one file depend on. */
export interface FileSettings {
  readonly tenancy: TenancySetting;
  /** It is true if the service's key to hash columns is configured here. */
  readonly hasHashKey: boolean;
  readonly watchNames: WatchNames;
}

/** Reads the part of the settings that checks of one file depend on. */
export async function readFileSettings(settings: Settings): Promise<FileSettings> {
  const { tenancy, piiHashKey } = settings;
  return { tenancy, hasHashKey: piiHashKey !== undefined, watchNames: await readWatchNames(settings) };
}

interface FileInput extends FileSettings, Pick<InspectedFile, 'analysis'> {}

interface CommandCheck extends CheckEntry<'file', PathFinding, FileInput> {
  readonly check?: (input: FileInput) => Iterable<PathFinding>;
}

const { [HASH_WITHOUT_KEY]: hashKey } = FILE_CHECKS;

/** These are the findings that compiling a file reports, and those that only commands look for. */
export const CHECKS_OF_FILES: readonly CommandCheck[] = [
  { needs: 'file', codes: READING_CODES },
  { needs: 'file', codes: FILE_CHECKS },
  { needs: 'file', codes: LINTS, check: ({ analysis }) => lint(analysis) },
  {
    needs: 'file',
    codes: hashKey === undefined ? {} : { [HASH_WITHOUT_KEY]: hashKey },
    check: ({ analysis, hasHashKey }) => (hasHashKey ? [] : warnOfHashKey(analysis)),
  },
  {
    needs: 'file',
    codes: TENANCY_CODES,
    check: ({ analysis, tenancy }) => tenancyFindings(analysis.file, tenancy),
  },
  {
    needs: 'file',
    codes: WATCH_NAME_CODES,
    check: ({ analysis, watchNames }) =>
      analysis.file.watch === undefined ? [] : watchNameFindings(analysis.file, watchNames),
  },
  { needs: 'file', codes: REASON_CODES, check: ({ analysis }) => reasonFindings(analysis.file) },
];

/** Finds what commands report about a file without errors, besides what compiling it reports. */
export function fileFindings(
  { document, analysis }: InspectedFile,
  settings: FileSettings,
): readonly Finding[] {
  const input = { ...settings, analysis };
  return locateAll(
    document,
    CHECKS_OF_FILES.flatMap(({ check }) => [...(check?.(input) ?? [])]),
  );
}
