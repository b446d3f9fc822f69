// The files of the programs that tests start: see `engine-program.ts`. This module is also that of the engine process's program in tests.
import { join } from 'node:path';

/** The programs' folder in that of the run. The process of an engine can read it, and nothing else of the run but its data. */
export const PROGRAMS = 'programs';

export const PROGRAM_FILE = {
  path: compiledProgram('engine-program'),
  execArgv: [],
  confined: ['--disable-warning=ExperimentalWarning', '--require', compiledProgram('confined-process')],
};

/** The file of a program that was compiled for the run. */
export type Program =
  | 'cache-replica'
  | 'confined-parent'
  | 'confined-probe'
  | 'confined-process'
  | 'engine-parent'
  | 'engine-program';

export function compiledProgram(name: Program): string {
  return join(process.env['TEST_RUN_FOLDER'] ?? '', PROGRAMS, `${name}.mjs`);
}
