// Endpoint files without errors, each with its compiled form or with what the analysis cache knows of it.
import type { InspectedFile } from '../../../service/endpoints/compile.ts';
import type { EndpointHead } from '../../../service/endpoints/endpoint.ts';
import { isOfEndpoints } from '../../../service/endpoints/file-kinds.ts';
import type { LoadedFile, LoadedFiles } from '../../../service/endpoints/load.ts';
import type { AnalysisCache } from './cache.ts';

export interface SoundFile {
  readonly loaded: LoadedFile<EndpointHead>;
  /** Undefined: the cache has all findings about it. */
  readonly inspected: InspectedFile | undefined;
}

/** Returns those of `concerned`, in the order of the files. */
export function soundFiles(
  files: LoadedFiles<EndpointHead>,
  concerned: ReadonlySet<string>,
  inspected: ReadonlyMap<string, InspectedFile>,
): readonly SoundFile[] {
  return [...files.values()]
    .filter(({ file, candidate }) => concerned.has(file) && (candidate !== undefined || inspected.has(file)))
    .map((loaded) => ({ loaded, inspected: inspected.get(loaded.file) }));
}

/**
 * Notes what is known of the files that have errors and of shared ones, and saves the cache. What is checked in spite of errors is
 * checked again each time. Never rejects.
 */
export async function keepCompiled(
  { files, sound }: { readonly files: LoadedFiles<EndpointHead>; readonly sound: readonly SoundFile[] },
  concerned: ReadonlySet<string>,
  cache: AnalysisCache | undefined,
): Promise<void> {
  if (cache === undefined) return;
  const checked = new Set(sound.map(({ loaded }) => loaded.file));
  const isKept = ({ file, candidate }: LoadedFile<EndpointHead>): boolean =>
    concerned.has(file) && candidate === undefined && !checked.has(file) && isOfEndpoints(file);
  for (const file of files.values()) if (isKept(file) && cache.find(file) === undefined) cache.keep(file, {});
  await cache.save();
}
