// Files of the package beside its code. Only this module knows how deep it is: as deep in `src/` as the built code in `dist/commands/`.

/** The address of a file or a folder, by its path in the package. */
export function packageFile(path: string): URL {
  return new URL(`../../${path}`, import.meta.url);
}
