// The file of a thread's program: built, or from source.
import { extname } from 'node:path';

export interface ThreadProgram {
  readonly file: URL;
  /** It is compiled while it is loaded. */
  readonly isSource: boolean;
}

/** The program beside the module at `from`; its file has the extension of that. */
export function threadProgram(name: string, from: string): ThreadProgram {
  const extension = extname(from);
  return { file: new URL(`${name}${extension}`, from), isSource: extension === '.ts' };
}
