// Reads the examples of endpoint files that differ between two revisions.
import { join, posix, relative, sep } from 'node:path';
import type { InspectedFile } from '../../../service/endpoints/compile.ts';
import { isSharedFile } from '../../../service/endpoints/include/sources.ts';
import type { MadeTables } from '../cost/fixture-tables.ts';
import type { Case } from '../test/call-example.ts';
import { chosenCases } from '../test/choose.ts';
import { createReadFiles } from '../test/endpoint-files.ts';
import { writeFolder, type FolderFile } from './folders.ts';

/** Returns the paths of files that are in both revisions and differ; of all files if a part that is shared by some differs. */
export function differingPaths(
  base: readonly FolderFile[],
  head: readonly FolderFile[],
): ReadonlySet<string> {
  const earlier = new Map(base.map(({ path, content }) => [path, JSON.stringify(content)]));
  const differs = ({ path, content }: FolderFile): boolean => earlier.get(path) !== JSON.stringify(content);
  const changed = head.filter(differs);
  const all = changed.some(({ path }) => isSharedFile(path)) ? head : changed;
  return new Set(all.map(({ path }) => path));
}

interface SideOptions {
  readonly made: Pick<MadeTables, 'settings'>;
  readonly differing: ReadonlySet<string>;
}

interface CostSide {
  readonly files: readonly InspectedFile[];
  readonly cases: readonly Case[];
}

/** Writes copies of the files, and resolves to the cases of those that differ. Rejects with CommandError. */
export async function readSide(
  folder: string,
  files: readonly FolderFile[],
  { made, differing }: SideOptions,
): Promise<CostSide> {
  const readable = files.filter(({ content }) => 'text' in content);
  const [first] = readable;
  if (first === undefined) return { files: [], cases: [] };
  await writeFolder(folder, readable);
  const endpoints = join(folder, posix.dirname(first.path));
  const reading = await createReadFiles(endpoints, made.settings.engineSources)();
  const cases = chosenCases(reading, { names: [], part: undefined }).cases.filter(
    ({ file, example }) =>
      differing.has(relative(folder, file.document.file).split(sep).join(posix.sep)) &&
      example.expect?.code === undefined,
  );
  return { files: reading.files, cases };
}
