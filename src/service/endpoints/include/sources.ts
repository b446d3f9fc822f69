// How the compiler reads the other files of a folder: from what has been read already, so that compiling never waits.

/** A file that another one includes. */
export interface SourceFile {
  /** Name in its folder. */
  readonly name: string;
  /** As findings report it. */
  readonly path: string;
  /** UTF-8 text; undefined: it is missing or cannot be read, and `problem` says why. */
  readonly text: string | undefined;
  /** Undefined: there is no such file, or it could be read. */
  readonly problem?: string | undefined;
}

/** The file of that name beside the one that is compiled; undefined: not read yet, so read it and compile again. */
export type Sources = (name: string) => SourceFile | undefined;

/** For files that are compiled alone: what they include is missing. */
export const NO_SOURCES: Sources = (name) => ({ name, path: name, text: undefined });

/** Names of the files that an included name may have, the preferred one first. */
export function fileNames(name: string, kind: 'shared' | 'endpoint'): readonly string[] {
  const ending = kind === 'shared' ? '.shared' : '';
  return [`${name}${ending}.yaml`, `${name}${ending}.yml`];
}

/** Returns whether a file holds shared parts, by its name or path. */
export function isSharedFile(path: string): boolean {
  return /\.shared\.ya?ml$/.test(path);
}

/** The files of one folder, all of them in memory; paths have forward slashes. */
export function sourcesIn(
  files: readonly { readonly path: string; readonly text: string | { readonly message: string } }[],
): Sources {
  const known = new Map(
    files.map(({ path, text }): [string, SourceFile] => {
      const name = path.slice(path.lastIndexOf('/') + 1);
      return [
        name,
        typeof text === 'string'
          ? { name, path, text }
          : { name, path, text: undefined, problem: text.message },
      ];
    }),
  );
  return (name) => known.get(name) ?? { name, path: name, text: undefined };
}
