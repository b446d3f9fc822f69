// The checks that need the files of a folder together, and the tokens file beside them.
import { CATALOG_CHECKS, type CatalogInput } from '../../service/endpoints/checks/catalog-checks.ts';
import type { CheckEntry } from '../../service/endpoints/checks/check.ts';
import type { EndpointHead } from '../../service/endpoints/endpoint.ts';
import { findIgnored, IGNORED_CODES } from '../../service/endpoints/ignored-files.ts';
import { isBroken, listFiles, type LoadedFiles } from '../../service/endpoints/load.ts';
import { ROLLUP_CHECK } from '../../service/endpoints/rollups/collect-rollups.ts';
import type { Finding } from '../../sql/base/finding.ts';
import { VIEW_FILE_CHECK } from '../../service/endpoints/shared-views/collect-views.ts';
import { KEY_CODES, keyFindings, type KeyInput } from './keys.ts';
import { findUnusedShared, UNUSED_CODES } from './unused-shared.ts';

/** The files that a command looks at, and the settings that say what else belongs to them. */
export interface FolderInput extends CatalogInput, KeyInput {
  readonly files: LoadedFiles<EndpointHead>;
  /** The paths of those that are to be checked. */
  readonly concerned: ReadonlySet<string>;
  /** It is true if only the files that a change concerns are checked. */
  readonly isPart: boolean;
}

export const CHECKS_OF_FOLDERS: readonly CheckEntry<'catalog', Finding, FolderInput>[] = [
  ...CATALOG_CHECKS,
  { needs: 'catalog', codes: IGNORED_CODES, check: ignoredIn },
  { needs: 'catalog', codes: UNUSED_CODES, check: unusedIn },
  ROLLUP_CHECK,
  VIEW_FILE_CHECK,
  { needs: 'catalog', codes: KEY_CODES, check: keyFindings },
];

/** These say that no file has something. */
const ABSENCES: ReadonlySet<string> = new Set(['deprecated.successor_unknown', 'rollout.without_previous']);

/** While a file has errors, it is not known what it would have, so that nothing is reported as absent. */
export async function folderFindings(input: FolderInput): Promise<readonly Finding[]> {
  const found = CHECKS_OF_FOLDERS.map(async ({ check }) => [...((await check?.(input)) ?? [])]);
  const all = (await Promise.all(found)).flat();
  const isIncomplete = [...input.files.values()].some(isBroken);
  return isIncomplete ? all.filter(({ code }) => !ABSENCES.has(code)) : all;
}

/** Warnings about files in the folders among the paths. */
async function ignoredIn({ paths, isPart }: FolderInput): Promise<readonly Finding[]> {
  if (isPart) return [];
  const found = await Promise.all(paths.map((path) => findIgnored(path).catch(() => []))); // a file is no folder
  return found.flat();
}

/** Warnings about shared files in the folders among the paths; files named alone may not be all that include one. */
async function unusedIn({ paths, files, concerned }: FolderInput): Promise<readonly Finding[]> {
  if ([...files.values()].some(isBroken)) return [];
  const folders = await Promise.all(paths.map((path) => listFiles(path).catch(() => []))); // a file is no folder
  const whole = new Set(folders.flat());
  return findUnusedShared(files).filter(({ file }) => whole.has(file) && concerned.has(file));
}
