// The files of the programs that tests start: see `engine-program.ts`. In tests, this module is also the ones that name the programs of the
// engine's process and of threads.
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { ThreadProgram } from '../../src/service/threads/program-file.ts';

/** The programs' folder in that of the run. The process of an engine can read it, and nothing else of the run but its data. */
export const PROGRAMS = 'programs';

export const PROGRAM_FILE = {
  path: compiledProgram('engine-program'),
  execArgv: [],
  confined: ['--disable-warning=ExperimentalWarning', '--require', compiledProgram('confined-process')],
};

export const threadProgram = (name: string): ThreadProgram => ({
  file: pathToFileURL(fileOf(basename(name))),
  isSource: false,
});

/** The file of a program that was compiled for the run. */
export type Program =
  | 'cache-replica'
  | 'confined-parent'
  | 'confined-probe'
  | 'confined-process'
  | 'engine-parent'
  | 'engine-program';

export function compiledProgram(name: Program): string {
  return fileOf(name);
}

function fileOf(name: string): string {
  return join(process.env['TEST_RUN_FOLDER'] ?? '', PROGRAMS, `${name}.mjs`);
}
