// Compiles a file with the files that it includes, as they are in the editor or on the disk.
import { basename, dirname, join } from 'node:path';
import type { InspectFile } from '../../../service/endpoints/compile.ts';
import type { SourceFile } from '../../../service/endpoints/include/sources.ts';
import { leadsOutside, OUTSIDE } from '../../../service/config/leads-outside.ts';
import { readText } from '../../../service/config/read-text.ts';
import { MAX_DOCUMENT_BYTES } from '../../../service/config/yaml-document.ts';

/** Texts of the files that are open in the editor, by path. */
export type OpenTexts = ReadonlyMap<string, string>;

/** Compiles the text, and again with each file that it turns out to include. */
export async function compose(
  inspect: InspectFile,
  path: string,
  open: OpenTexts,
): Promise<ReturnType<InspectFile>> {
  const known = new Map<string, SourceFile>();
  for (;;) {
    const result = inspect(path, open.get(path) ?? '', (name) => known.get(name));
    if (result.unread.length === 0) return result;
    for (const name of result.unread)
      known.set(name, await readPart(join(dirname(path), basename(name)), name, open));
  }
}

async function readPart(path: string, name: string, open: OpenTexts): Promise<SourceFile> {
  const text = open.get(path);
  if (text !== undefined) return { name, path, text };
  if (leadsOutside(path)) return { name, path, text: undefined, problem: OUTSIDE };
  return readText(path, MAX_DOCUMENT_BYTES).then(
    (read) => ({ name, path, text: read }),
    (cause: NodeJS.ErrnoException) => ({
      name,
      path,
      text: undefined,
      problem: cause.code === 'ENOENT' ? undefined : cause.message,
    }),
  );
}
