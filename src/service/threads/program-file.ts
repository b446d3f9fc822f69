// Finds the file of a thread's program: the built one, or its source.
import { extname } from 'node:path';

export interface ThreadProgram {
  readonly file: URL;
  /** It is compiled while it is loaded. */
  readonly isSource: boolean;
}

/** Returns the program beside the module at `from`; its file has the extension of that module. */
export function threadProgram(name: string, from: string): ThreadProgram {
  const extension = extname(from);
  return { file: new URL(`${name}${extension}`, from), isSource: extension === '.ts' };
}
