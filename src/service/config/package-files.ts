// Finds the files of this package, whether it runs from `src/` or from `dist/`.
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder with `package.json`: both the sources and the built program are below it, as deep as they are. */
function packageFolder(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, 'package.json')) && dirname(folder) !== folder) folder = dirname(folder);
  return folder;
}

const FOLDER = packageFolder();

/** The absolute path of a file or folder of the package, such as `schemas/endpoint.schema.json`. */
export const packagePath = (path: string): string => join(FOLDER, path);
