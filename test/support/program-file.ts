// The files of the programs that tests start: see `engine-program.ts`. This module is also that of the engine process's program in tests.
import { join } from 'node:path';

export const PROGRAM_FILE = { path: compiledProgram('engine-program'), execArgv: [] };

/** The file of a program that was compiled for the run. */
export function compiledProgram(name: 'engine-program' | 'engine-parent' | 'cache-replica'): string {
  return join(process.env['TEST_RUN_FOLDER'] ?? '', `${name}.mjs`);
}
