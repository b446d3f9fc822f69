// Writes what an import has made. Nothing is overwritten unless that is asked for, and nothing is written outside of its folder.
import { existsSync, lstatSync, realpathSync } from 'node:fs';
import { dirname, resolve, sep } from 'node:path';
import { CommandError } from '../../kit/command-error.ts';
import type { NewFile } from '../check-written.ts';
import { write, writeNew } from '../../kit/write-file.ts';

export type Written = 'written' | 'overwritten' | 'kept';

/** Writes one file below `folder`. Rejects with CommandError if it cannot be written, or if a link leads elsewhere. */
export async function writeFileOf(
  { path, text }: NewFile,
  folder: string,
  isForced: boolean,
): Promise<Written> {
  requireInside(path, folder);
  if (await writeNew(path, text)) return 'written';
  if (!isForced) return 'kept';
  await write(path, text);
  return 'overwritten';
}

/** Throws CommandError if the file, or a folder between, is a link: the target of an import may be someone else's repository. */
function requireInside(path: string, folder: string): void {
  const error = new CommandError(`${path} leads out of ${folder}: remove the link, and import again`);
  const isLink = lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
  if (isLink || !resolve(path).startsWith(`${resolve(folder)}${sep}`)) throw error;
  let above = dirname(resolve(path));
  while (!existsSync(above)) above = dirname(above);
  if (!existsSync(folder)) return;
  const [real, root] = [realpathSync(above), realpathSync(folder)];
  if (real !== root && !real.startsWith(`${root}${sep}`) && !root.startsWith(`${real}${sep}`)) throw error;
}
