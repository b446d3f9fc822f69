// The files of an export: a file, a folder, or a zip archive, of bounded size.
import { isUtf8 } from 'node:buffer';
import { opendir, readFile, stat } from 'node:fs/promises';
import { basename, extname, join, relative } from 'node:path';
import { CommandError } from '../../kit/command-error.ts';
import type { ExportFile, ImportProblem } from '../../convert/export/document.ts';
import { type Budget, isExportFile, MAX_FILE_BYTES, MAX_FILES, MAX_TOTAL_BYTES, spend } from './bounds.ts';
import { readZip } from './zip.ts';

export interface ExportFiles {
  readonly files: readonly ExportFile[];
  readonly problems: readonly ImportProblem[];
}

const SKIPPED: ReadonlySet<string> = new Set([
  'node_modules',
  '.git',
  '.venv',
  'dbt_packages',
  '__pycache__',
]);

/** Files of tools of JavaScript projects, some with comments in JSON. */
const CONFIGURATION = /^(tsconfig.*|package|package-lock|jsconfig)\.json$/;
const MAX_DEPTH = 20;

/** All files that an export can consist of. Rejects with CommandError: exit 2 if nothing is there, 1 if it is too large. */
export async function readExportFiles(path: string): Promise<ExportFiles> {
  const stats = await stat(path).catch((cause: unknown) => {
    throw new CommandError(`Cannot read ${path}`, { exitCode: 2, cause });
  });
  const budget = { bytes: MAX_TOTAL_BYTES, files: MAX_FILES };
  const links: string[] = [];
  const paths = stats.isDirectory() ? await listFiles(path, 0, { budget, links }) : [path];
  const files: ExportFile[] = [];
  const problems: ImportProblem[] = links.map((link) => ({
    file: relative('.', link),
    line: 1,
    message: 'symbolic links are not followed: copy what this one leads to',
  }));
  const add = (file: Omit<ExportFile, 'text'>, bytes: Buffer): void => {
    const text = bytes.toString('utf8').replace(/^\uFEFF/, '');
    if (isUtf8(bytes)) files.push({ ...file, text });
    else problems.push({ file: file.shown, line: invalidLine(text), message: 'the file is not valid UTF-8' });
  };
  for (const each of paths) {
    const shown = relative('.', each);
    const name = stats.isDirectory() ? relative(path, each).replaceAll('\\', '/') : basename(each);
    const bytes = await readBounded(each);
    if (typeof bytes === 'string') {
      problems.push({ file: shown, line: 1, message: bytes });
      continue;
    }
    spend(budget, bytes.length);
    if (extname(each).toLowerCase() === '.zip') {
      const archive = await readZip(bytes, budget);
      problems.push(...archive.problems.map((message) => ({ file: shown, line: 1, message })));
      for (const { path: inside, bytes: content } of archive.entries)
        add({ path: inside, shown: `${shown}:${inside}` }, content);
    } else add({ path: name, shown }, bytes);
  }
  return { files, problems };
}

async function readBounded(path: string): Promise<Buffer | string> {
  const stats = await stat(path).catch(() => undefined);
  if (stats?.isFile() !== true) return 'this is not a file';
  if (stats.size > MAX_FILE_BYTES) return `the file is larger than ${MAX_FILE_BYTES / 1_048_576} MiB`;
  return readFile(path).catch(() => 'the file cannot be read');
}

/** The line of the first bytes that are not UTF-8, which are U+FFFD in the text. */
function invalidLine(text: string): number {
  return text.slice(0, Math.max(0, text.indexOf('\uFFFD'))).split('\n').length;
}

interface Listing {
  readonly budget: Budget;
  /** Symbolic links with the name of a file of an export, or to a folder. */
  readonly links: string[];
}

async function listFiles(folder: string, depth: number, listing: Listing): Promise<readonly string[]> {
  if (depth > MAX_DEPTH)
    throw new CommandError(`${folder} is more than ${MAX_DEPTH} folders deep: import parts of it`);
  const found: string[] = [];
  for await (const entry of await opendir(folder)) {
    const path = join(folder, entry.name);
    if (entry.name.startsWith('.')) continue;
    if (entry.isSymbolicLink()) {
      if (isExportFile(path) || (await isFolder(path))) listing.links.push(path);
    } else if (entry.isDirectory() && !SKIPPED.has(entry.name))
      found.push(...(await listFiles(path, depth + 1, listing)));
    else if (entry.isFile() && isExportFile(path) && !CONFIGURATION.test(entry.name)) {
      found.push(path);
      if (--listing.budget.files < 0)
        throw new CommandError(`The folder has more than ${MAX_FILES} files: import parts of it`);
    }
  }
  return found.toSorted();
}

async function isFolder(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isDirectory() === true;
}
