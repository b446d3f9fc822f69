// Finds what endpoint files show without an engine: each by itself, and all together.
import { assembleCatalog } from '../../../service/endpoints/catalog.ts';
import { dependsOnTime } from '../../../service/endpoints/checks/defaults.ts';
import { declaresEndpoint } from '../../../service/endpoints/file-kinds.ts';
import { fileFindings } from '../../checks/file.ts';
import { folderFindings } from '../../checks/folder.ts';
import type { Finding } from '../../../sql/base/finding.ts';
import type { AnalysisCache } from '../analysis/cache.ts';
import type { SoundFile } from '../analysis/sound-files.ts';
import type { ReadFiles } from './read-files.ts';
import type { ValidateOptions } from './options.ts';

export interface ListedFiles extends ReadFiles {
  readonly listed: readonly string[];
  readonly concerned: ReadonlySet<string>;
}

/** Reports what reading the files finds, and what they show together. */
export async function ofFolder(
  options: ValidateOptions,
  { files, reported, sound, listed, concerned }: ListedFiles,
): Promise<readonly Finding[]> {
  const candidates = [...files.values()].flatMap((file) => file.candidate ?? []);
  const { catalog, diagnostics } = assembleCatalog(candidates);
  const together = await folderFindings({
    ...options,
    catalog,
    candidates,
    files,
    concerned,
    sound: sound.flatMap(({ loaded }) => loaded.candidate?.endpoint ?? []),
    isPart: options.changed !== undefined,
    count: listed.filter(declaresEndpoint).length,
  });
  const own = [...files.values()].filter(({ file }) => reported.has(file));
  return [...own.flatMap((file) => file.diagnostics), ...diagnostics, ...together];
}

/** Returns what needs neither other files nor an engine, as it is known or found now. */
export function ownFindings(
  files: readonly SoundFile[],
  cache: AnalysisCache | undefined,
  options: ValidateOptions,
): readonly Finding[] {
  return files.flatMap(({ loaded, inspected }) => {
    if (inspected === undefined) return cache?.find(loaded)?.own ?? [];
    const found = fileFindings(inspected, options);
    const own = dependsOnTime(inspected.analysis.file) ? undefined : found;
    if (loaded.candidate !== undefined) cache?.keep(loaded, { candidate: inspected.candidate, own });
    return found;
  });
}
