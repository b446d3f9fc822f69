// Confines the engine process when it is loaded: before everything else, so that each thread which opens files is started by a
// confined one. Node.js loads the modules of a program with such threads.
import { readdir } from 'node:fs/promises';
import { allowedPaths } from './allowed-paths.ts';
import { confine } from './confine.ts';
import type { ConfinementOptions, Layer } from './confinement.ts';

const [, program = '', data = '', , given] = process.argv;

const options = given === undefined ? undefined : (JSON.parse(given) as ConfinementOptions); // the parent's own
const applied = options === undefined ? [] : apply(options);

function apply({ read, write, network }: ConfinementOptions): readonly Layer[] {
  return confine({ paths: allowedPaths({ program, data, read, write, network, env: process.env }), network });
}

/** Settings of the engine's connections: it would try for minutes to open a denied connection. */
export const ENGINE_SETTINGS: readonly string[] =
  options?.network === false && applied.some(({ missing }) => missing === undefined)
    ? ['--http_max_tries=1', '--s3_retry_attempts=0', '--azure_sdk_max_retries=0']
    : [];

/** A folder that every user can read, unless Landlock denies it. */
const PROBE = '/proc';

/** The layers in force; empty if the process was not to be confined. */
export async function layersInForce(): Promise<readonly Layer[]> {
  // Node.js reads folders in the threads in which the engine runs its statements.
  const isOpen = await readdir(PROBE).then(
    () => true,
    () => false,
  );
  return applied.map((layer) =>
    layer.name === 'landlock' && layer.missing === undefined && isOpen
      ? { ...layer, missing: `its threads were started before, or ${PROBE} is to be readable` }
      : layer,
  );
}
