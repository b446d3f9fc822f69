// The programs of the processes and threads that tests start, such as that of the engine, compiled once for a run. Compiling them at each
// start, as elsewhere when running from source, takes longer than the start itself.
import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'vite';
import { PROGRAMS } from './program-file.ts';

const ROOT = join(import.meta.dirname, '../..');

/** What a run imports for the module that names the program's file. */
export const ENGINE_PROGRAM_ALIAS = {
  find: /^.*\/program-file\.ts$/,
  replacement: join(import.meta.dirname, 'program-file.ts'),
};

/** Writes the programs into a folder in that of the run, from which their libraries are found. */
export async function compilePrograms(run: string): Promise<void> {
  const folder = join(run, PROGRAMS);
  await build({
    root: ROOT,
    configFile: false,
    logLevel: 'warn',
    resolve: { alias: [ENGINE_PROGRAM_ALIAS] },
    build: {
      ssr: true,
      outDir: folder,
      emptyOutDir: false,
      rollupOptions: {
        input: {
          'confined-process': 'src/service/engine/embedded/confinement/confined-process.ts',
          'engine-program': 'src/service/engine/embedded/engine-program.ts',
          'parser-program': 'src/cli/convert/parse/parser-program.ts',
          'transform-program': 'src/service/request/transform/transform-program.ts',
          'clickhouse-front': 'test/support/clickhouse-front/main.ts',
          'confined-parent': 'test/service/engine/confined-parent.ts',
          'confined-probe': 'test/service/engine/confined-probe.ts',
          'engine-parent': 'test/service/engine/engine-parent.ts',
          'cache-replica': 'test/service/cache/replica.ts',
        },
        output: { entryFileNames: '[name].mjs', chunkFileNames: '[name]-[hash].mjs' },
      },
    },
  });
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules')).catch(() => undefined); // compiled again
}
