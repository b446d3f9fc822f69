// The engine process's program in tests: see `engine-program.ts`.
import { join } from 'node:path';

export const PROGRAM_FILE = {
  path: join(process.env['TEST_RUN_FOLDER'] ?? '', 'engine-program.mjs'),
  execArgv: [],
};
