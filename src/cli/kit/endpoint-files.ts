// Finds and reads the endpoint files that a command names.
import { stat } from 'node:fs/promises';
import { createCompile } from '../../service/endpoints/compile.ts';
import { assembleCatalog, type Catalog } from '../../service/endpoints/catalog.ts';
import { isBroken, listFiles, loadFiles } from '../../service/endpoints/load.ts';
import type { EngineSources } from '../../sql/clickhouse/outside-sources.ts';
import type { Settings } from '../../service/config/settings.ts';
import { CommandError } from './command-error.ts';
import { LOADING } from './real-time.ts';

/** Replaces the hash key: whether the service has one is not a property of the file. */
export const ANY_KEY = 'any';

/** Paths of endpoint files: files as given, and the endpoint files directly in folders. Rejects with CommandError. */
export async function expandPaths(paths: readonly string[]): Promise<readonly string[]> {
  const expanded = await Promise.all(
    paths.map(async (path) => {
      const stats = await stat(path).catch((cause: unknown) => {
        throw new CommandError(`${path} does not exist; specify an endpoint file or a folder`, {
          exitCode: 2,
          cause,
        });
      });
      return stats.isDirectory() ? listFiles(path) : [path];
    }),
  );
  return [...new Set(expanded.flat())];
}

/** Paths of the endpoint files in a folder. Rejects with CommandError. */
export function listEndpointFiles(folder: string): Promise<readonly string[]> {
  return listFiles(folder).catch((cause: unknown) => {
    throw new CommandError(
      `Folder ${folder} does not exist; set the folder of endpoint files with --endpoints`,
      {
        exitCode: 2,
        cause,
      },
    );
  });
}

/** The endpoints of a folder; `any`: for commands that run no query. Rejects with CommandError if a file has errors. */
export async function readEndpoints(folder: string, engineSources: EngineSources): Promise<Catalog> {
  const paths = await listEndpointFiles(folder);
  const { files } = await loadFiles(paths, new Map(), {
    compile: createCompile({ piiHashKey: ANY_KEY, engineSources }),
    ...LOADING,
  });
  const all = [...files.values()];
  const { catalog, diagnostics } = assembleCatalog(all.flatMap(({ candidate }) => candidate ?? []));
  const broken = [
    ...all.filter(isBroken),
    ...diagnostics, // such as two files with one name
  ].map(({ file }) => file);
  if (broken.length > 0) throw new CommandError(`Errors in ${broken.join(', ')}; run millrace validate`);
  return catalog;
}

/** Reports a missing folder of endpoint files. */
export function noEndpoints({ endpoints }: Settings, cause: unknown): CommandError {
  return new CommandError(
    `Folder ${endpoints} does not exist; set the folder of endpoint files with --endpoints, or create one with: millrace new NAME`,
    { cause },
  );
}
