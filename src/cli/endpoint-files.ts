// Endpoint files that a command was pointed to.
import { stat } from 'node:fs/promises';
import { createCompile } from '../catalog/compile.ts';
import type { Endpoint } from '../catalog/endpoint.ts';
import { listFiles, loadFiles } from '../catalog/load.ts';
import { CommandError } from './command-error.ts';

/** Whether the service has a secret is the operator's concern, not the file's. */
export const ANY_KEY = 'any';

/** Paths of endpoint files: those that are files, and those directly in the ones that are folders. Rejects with CommandError. */
export async function expandPaths(paths: readonly string[]): Promise<readonly string[]> {
  const expanded = await Promise.all(
    paths.map(async (path) => {
      const stats = await stat(path).catch((cause: unknown) => {
        throw new CommandError(`${path} does not exist; name an endpoint file or a folder of them`, {
          exitCode: 2,
          cause,
        });
      });
      return stats.isDirectory() ? listFiles(path) : [path];
    }),
  );
  return [...new Set(expanded.flat())];
}

/** Paths of the files of a folder. Rejects with CommandError. */
export function listEndpointFiles(folder: string): Promise<readonly string[]> {
  return listFiles(folder).catch((cause: unknown) => {
    throw new CommandError(`There is no folder ${folder}; name that of the endpoint files with --endpoints`, {
      exitCode: 2,
      cause,
    });
  });
}

/** The endpoints of a folder, in name order. Rejects with CommandError where a file has errors. */
export async function readEndpoints(folder: string): Promise<readonly Endpoint[]> {
  const paths = await listEndpointFiles(folder);
  const { files } = await loadFiles(paths, new Map(), createCompile({ piiHashKey: ANY_KEY }));
  const all = [...files.values()];
  const broken = all.filter(({ candidate }) => candidate === undefined).map(({ file }) => file);
  if (broken.length > 0) throw new CommandError(`${broken.join(', ')}: has errors; see millrace validate`);
  const endpoints = all.flatMap(({ candidate }) => candidate?.endpoint ?? []);
  return endpoints.toSorted((a, b) => (a.name < b.name ? -1 : 1));
}
