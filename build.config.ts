// Builds the commands: the modules of `src/` in one file for each part that is loaded on demand. Node.js would take longer to
// find and open each module's own file than to run them. Libraries stay where npm installs them.
import { defineConfig } from 'vite';
import { compiledSchemas } from './tools/scripts/compiled-schemas.ts';

export default defineConfig({
  publicDir: false,
  plugins: [compiledSchemas()],
  build: {
    ssr: true,
    target: 'node20',
    outDir: 'dist/commands',
    emptyOutDir: true,
    sourcemap: true,
    reportCompressedSize: false,
    rollupOptions: {
      input: {
        main: 'src/cli/main.ts',
        'confined-process': 'src/service/engine/embedded/confinement/confined-process.ts',
        'engine-program': 'src/service/engine/embedded/engine-program.ts',
        'transform-program': 'src/service/request/transform/transform-program.ts',
        'parser-program': 'src/cli/convert/parse/parser-program.ts',
      },
      output: {
        entryFileNames: '[name].js',
        chunkFileNames: '[name]-[hash].js',
        // Names of functions and classes stay: stack traces are read.
        minify: { compress: false, mangle: { keepNames: true }, codegen: { removeWhitespace: true } },
      },
    },
  },
});
