// Compiles the endpoint files that are listed.
import { createInspect, type CompileFile, type InspectedFile } from '../../../service/endpoints/compile.ts';
import { isBroken, loadFiles } from '../../../service/endpoints/load.ts';
import { CommandError } from '../../kit/command-error.ts';
import { ANY_KEY, expandPaths } from '../../kit/endpoint-files.ts';
import { LOADING } from '../../kit/real-time.ts';
import type { TenancySetting } from '../../../service/endpoints/tenancy.ts';
import type { EngineSources } from '../../../sql/clickhouse/outside-sources.ts';

export interface InspectedPaths {
  /** They are files and folders. */
  readonly paths: readonly string[];
  readonly tenancy: TenancySetting;
  readonly engineSources: EngineSources;
}

/** Resolves to results sorted by the name of the endpoint. Rejects with CommandError if a file has errors. */
export async function inspectAll({
  paths,
  tenancy,
  engineSources,
}: InspectedPaths): Promise<readonly InspectedFile[]> {
  const inspect = createInspect({ piiHashKey: ANY_KEY, tenancy, engineSources });
  const inspected: InspectedFile[] = [];
  const compile: CompileFile = (path, text, sources) => {
    const { inspected: file, ...rest } = inspect(path, text, sources);
    if (file !== undefined) inspected.push(file);
    return { candidate: file?.candidate, ...rest };
  };
  const { files } = await loadFiles(await expandPaths(paths), new Map(), { compile, ...LOADING });
  const broken = [...files.values()].filter(isBroken);
  if (broken.length > 0)
    throw new CommandError(`Errors in ${broken.map(({ file }) => file).join(', ')}; run millrace validate`);
  return inspected.toSorted((a, b) => (a.candidate.endpoint.name < b.candidate.endpoint.name ? -1 : 1));
}
