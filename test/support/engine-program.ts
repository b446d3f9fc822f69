// The program of the engine process, compiled once for a run. Compiling it at each start of an engine, as elsewhere when
// running from source, takes longer than the start itself.
import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'vite';

const ROOT = join(import.meta.dirname, '../..');

/** What a run imports for the module that names the program's file. */
export const ENGINE_PROGRAM_ALIAS = {
  find: /^.*\/program-file\.ts$/,
  replacement: join(import.meta.dirname, 'program-file.ts'),
};

/** Writes the program into the folder of the run, from which its libraries are found. */
export async function compileEngineProgram(folder: string): Promise<void> {
  await build({
    root: ROOT,
    configFile: false,
    logLevel: 'warn',
    build: {
      ssr: 'src/engine/embedded/engine-program.ts',
      outDir: folder,
      emptyOutDir: false,
      rollupOptions: { output: { entryFileNames: 'engine-program.mjs' } },
    },
  });
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules')).catch(() => undefined); // compiled again
}
