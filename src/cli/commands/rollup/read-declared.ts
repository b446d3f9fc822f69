// Reads the rollups that the files of the endpoints folder declare.
import type { Settings } from '../../../service/config/settings.ts';
import { createCompile } from '../../../service/endpoints/compile.ts';
import { isBroken, loadFiles } from '../../../service/endpoints/load.ts';
import { collectRollups } from '../../../service/endpoints/rollups/collect-rollups.ts';
import type { RollupDeclaration } from '../../../service/endpoints/rollups/read-rollups.ts';
import { describeFinding } from '../../../service/observe/describe.ts';
import { CommandError } from '../../kit/command-error.ts';
import { ANY_KEY, listEndpointFiles } from '../../kit/endpoint-files.ts';
import { LOADING } from '../../kit/real-time.ts';

/** Rejects with CommandError if a file that has rollups, or may have some, has errors. */
export async function readDeclared({ endpoints }: Settings): Promise<readonly RollupDeclaration[]> {
  const paths = await listEndpointFiles(endpoints);
  const compile = createCompile({ piiHashKey: ANY_KEY, engineSources: 'any' });
  const { files } = await loadFiles(paths, new Map(), { compile, ...LOADING });
  const { all, findings } = collectRollups(files);
  const broken = [...files.values()].filter((file) => isBroken(file) && file.rollups?.length !== 0);
  const errors = [...broken.flatMap(({ diagnostics }) => diagnostics), ...findings];
  const [first, ...others] = errors.map(describeFinding);
  if (first !== undefined) throw new CommandError(first, { details: others });
  return all;
}
