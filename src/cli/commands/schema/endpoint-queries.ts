// The queries of a folder of endpoint files.
import { createCompile } from '../../../service/endpoints/compile.ts';
import { loadFiles } from '../../../service/endpoints/load.ts';
import { ANY_KEY, listEndpointFiles } from '../../kit/endpoint-files.ts';
import { LOADING } from '../../kit/real-time.ts';

/** The queries of the files without errors, with placeholders for their parameters. */
export async function queriesIn(folder: string): Promise<readonly string[]> {
  const compile = createCompile({ piiHashKey: ANY_KEY, engineSources: 'any' });
  const { files } = await loadFiles(await listEndpointFiles(folder), new Map(), { compile, ...LOADING });
  return [...files.values()].flatMap(
    ({ candidate }) => candidate?.endpoint.variants().map(({ query }) => query) ?? [],
  );
}
