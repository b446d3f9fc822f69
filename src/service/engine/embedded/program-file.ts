// The file of the engine process's program, and the options with which Node.js loads it.
import { createRequire } from 'node:module';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';

const extension = extname(import.meta.url);

export interface ProgramFile {
  readonly path: string;
  readonly execArgv: readonly string[];
  /** Options with which the process is confined before anything else is loaded. Undefined: it is when its program is loaded. */
  readonly confined: readonly string[];
}

export const PROGRAM_FILE: ProgramFile = {
  path: fileURLToPath(new URL(`./engine-program${extension}`, import.meta.url)),
  // When running from source, it is compiled while it is loaded.
  execArgv: extension === '.ts' ? ['--import', createRequire(import.meta.url).resolve('tsx')] : [],
  confined:
    extension === '.ts'
      ? []
      : confinedBy(fileURLToPath(new URL(`./confined-process${extension}`, import.meta.url))),
};

/** Node.js runs the module before it starts a thread. Some releases warn that it is not a CommonJS module. */
function confinedBy(file: string): readonly string[] {
  return ['--disable-warning=ExperimentalWarning', '--require', file];
}
