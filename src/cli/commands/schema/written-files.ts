// The files of the schema folder that the command has written, and how they differ from the server.
import { visible } from '../../../service/observe/visible-text.ts';
import { readdir, readFile } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { HEADER } from '../../schema/definition-file.ts';
import type { SchemaFile } from '../../schema/schema-files.ts';
import { createGit } from '../diff/git.ts';
import { diffTexts } from '../diff/text-diff.ts';
import type { Terminal } from '../../kit/terminal.ts';

export interface PullDeps {
  readonly terminal: Terminal;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** The files in a folder that this command has written, by path relative to it, with forward slashes. */
export async function writtenFiles(folder: string): Promise<ReadonlyMap<string, string>> {
  const names = await readdir(folder, { recursive: true }).catch(() => []);
  const files = new Map<string, string>();
  for (const name of names.filter((each) => each.endsWith('.sql'))) {
    const text = await readFile(join(folder, name), 'utf8').catch(() => '');
    if (text.startsWith(HEADER)) files.set(name.split(sep).join('/'), text);
  }
  return files;
}

export async function printDifference(
  { path, text }: SchemaFile,
  before: string,
  { out, terminal, env }: PullDeps & { readonly out: string },
): Promise<void> {
  const name = join(out, path);
  terminal.print(`--- ${before === '' ? '/dev/null' : name}`);
  terminal.print(`+++ ${text === '' ? '/dev/null' : `${name} (on the server)`}`);
  for (const line of await diffTexts(createGit(process.cwd(), env), before, text))
    terminal.print(visible(line));
}
