// The file of the engine process's program, and the options with which Node.js loads it.
import { createRequire } from 'node:module';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';

const extension = extname(import.meta.url);

export const PROGRAM_FILE: { readonly path: string; readonly execArgv: readonly string[] } = {
  path: fileURLToPath(new URL(`./engine-program${extension}`, import.meta.url)),
  // When running from source, it is compiled while it is loaded.
  execArgv: extension === '.ts' ? ['--import', createRequire(import.meta.url).resolve('tsx')] : [],
};
