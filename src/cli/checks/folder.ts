// The checks that need the files of a folder together, and the tokens file beside them.
import { locateAll } from '../../service/config/locate-finding.ts';
import { resolve } from 'node:path';
import { createReadTokens } from '../../service/auth/tokens-file.ts';
import { CATALOG_CHECKS, type CatalogInput } from '../../service/endpoints/checks/catalog-checks.ts';
import type { CheckEntry } from '../../service/endpoints/checks/check.ts';
import type { EndpointHead } from '../../service/endpoints/endpoint.ts';
import { findIgnored, IGNORED_CODES } from '../../service/endpoints/ignored-files.ts';
import { listFiles, type LoadedFiles } from '../../service/endpoints/load.ts';
import { collectRollups } from '../../service/endpoints/rollups/collect-rollups.ts';
import { ROLLUP_CODES } from '../../service/endpoints/rollups/rollup-codes.ts';
import { findUnlockedKeys, TENANCY_KEY_CODES } from '../../service/endpoints/tenancy-keys.ts';
import { leadsOutside, outsideFinding } from '../../service/config/leads-outside.ts';
import type { Finding } from '../../sql/base/finding.ts';
import { DEAD_KEY_CODES, findDeadKeys } from './dead-keys.ts';
import { findUnusedShared, UNUSED_CODES } from './unused-shared.ts';

/** The files that a command looks at, and the settings that say what else belongs to them. */
export interface FolderInput extends CatalogInput {
  /** Files and folders, as given. */
  readonly paths: readonly string[];
  readonly files: LoadedFiles<EndpointHead>;
  /** The paths of those that are to be checked. */
  readonly concerned: ReadonlySet<string>;
  /** The endpoints of those among them that have no errors. */
  readonly sound: readonly EndpointHead[];
  /** Whether only the files that a change concerns are checked. */
  readonly isPart: boolean;
  /** The number of endpoint files among the paths. */
  readonly count: number;
  /** The folder of endpoint files that a service would serve. */
  readonly endpoints: string;
  /** The tokens file, if one is set. */
  readonly tokens: string | undefined;
}

export const CHECKS_OF_FOLDERS: readonly CheckEntry<'catalog', Finding, FolderInput>[] = [
  ...CATALOG_CHECKS,
  { needs: 'catalog', codes: IGNORED_CODES, check: ignoredIn },
  { needs: 'catalog', codes: UNUSED_CODES, check: unusedIn },
  { needs: 'catalog', codes: ROLLUP_CODES, check: ({ files }) => collectRollups(files).findings },
  { needs: 'catalog', codes: { ...TENANCY_KEY_CODES, ...DEAD_KEY_CODES }, check: keyFindings },
];

export async function folderFindings(input: FolderInput): Promise<readonly Finding[]> {
  const found = CHECKS_OF_FOLDERS.map(async ({ check }) => [...((await check?.(input)) ?? [])]);
  return (await Promise.all(found)).flat();
}

/** Warnings about files in the folders among the paths. */
async function ignoredIn({ paths, isPart }: FolderInput): Promise<readonly Finding[]> {
  if (isPart) return [];
  const found = await Promise.all(paths.map((path) => findIgnored(path).catch(() => []))); // a file is no folder
  return found.flat();
}

/** Warnings about shared files in the folders among the paths; files named alone may not be all that include one. */
async function unusedIn({ paths, files, concerned }: FolderInput): Promise<readonly Finding[]> {
  const folders = await Promise.all(paths.map((path) => listFiles(path).catch(() => []))); // a file is no folder
  const whole = new Set(folders.flat());
  return findUnusedShared(files).filter(({ file }) => whole.has(file) && concerned.has(file));
}

/** Findings about the tokens file, if it exists; about keys without effect only if all endpoints are known. */
async function keyFindings(input: FolderInput): Promise<readonly Finding[]> {
  const { tokens: path, paths, endpoints: folder, sound, count } = input;
  if (path === undefined) return [];
  if (leadsOutside(path)) return [outsideFinding(path)];
  const read = await createReadTokens()(path);
  if (read.kind !== 'read') return read.kind === 'rejected' ? read.diagnostics : [];
  const isWhole = paths.some((each) => resolve(each) === resolve(folder)) && sound.length === count;
  const dead = isWhole ? findDeadKeys(read.tokens, sound) : [];
  return locateAll(read.document, [...findUnlockedKeys(read.tokens, sound), ...dead]);
}
