// Reads the files that `millrace validate` checks, and what they include.
import {
  createInspect,
  type CompileFile,
  type CompileOptions,
  type InspectedFile,
} from '../../../service/endpoints/compile.ts';
import type { EndpointHead } from '../../../service/endpoints/endpoint.ts';
import { loadFiles, type LoadDeps, type LoadedFiles } from '../../../service/endpoints/load.ts';
import type { AnalysisCache } from '../analysis/cache.ts';
import { soundFiles, type SoundFile } from '../analysis/sound-files.ts';
import { ANY_KEY } from '../../kit/endpoint-files.ts';
import { LOADING } from '../../kit/real-time.ts';
import type { ChangedFiles } from './changed-files.ts';

export interface ReadFiles {
  readonly files: LoadedFiles<EndpointHead>;
  /** The paths of the files whose findings are reported. */
  readonly reported: ReadonlySet<string>;
  /** The files to be checked: those without errors, and those whose only errors are in their ids and names. */
  readonly sound: readonly SoundFile[];
}

interface ReadOptions extends Pick<Required<CompileOptions>, 'tenancy' | 'engineSources'> {
  readonly asksEngine: boolean;
}

/** Files that are as they were when the cache was written are not compiled. */
export async function readFiles(
  chosen: ChangedFiles,
  { tenancy, engineSources, asksEngine }: ReadOptions,
  cache: AnalysisCache | undefined,
): Promise<ReadFiles> {
  const inspect = createInspect({ piiHashKey: ANY_KEY, tenancy, engineSources });
  const inspected = new Map<string, InspectedFile>();
  const compile: CompileFile = (path, text, sources) => {
    const { inspected: file, checkable, ...rest } = inspect(path, text, sources);
    if (checkable !== undefined) inspected.set(path, checkable);
    return { candidate: file?.candidate, ...rest };
  };
  const { files, reported } = await loadWithParts(chosen, {
    compile,
    recall: cache?.recall(asksEngine ? ['own', 'ofEngine'] : ['own']),
  });
  return { files, reported, sound: soundFiles(files, chosen.concerned, inspected) };
}

/** Loads the files, and what the concerned ones include, whose findings are reported where it is. */
async function loadWithParts(
  { concerned, paths }: ChangedFiles,
  by: Pick<LoadDeps<EndpointHead>, 'compile' | 'recall'>,
): Promise<{ readonly files: LoadedFiles<EndpointHead>; readonly reported: ReadonlySet<string> }> {
  const { files } = await loadFiles(paths, new Map(), { ...by, ...LOADING });
  const parts = [...concerned].flatMap((path) => files.get(path)?.dependencies ?? []);
  const read = parts.filter(({ text }) => text !== undefined).map(({ path }) => path);
  const all = [...new Set([...files.keys(), ...read])];
  const reported = new Set([...concerned, ...read]);
  if (all.length === files.size) return { files, reported };
  return { files: (await loadFiles(all, files, { ...by, ...LOADING })).files, reported };
}
