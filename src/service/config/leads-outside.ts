// Whether a path leads, by symbolic links, out of where it seems to be: in a pull request, a link could show a file of the machine that
// checks it.
import { existsSync, realpathSync } from 'node:fs';
import type { Codes, Finding } from '../../sql/base/finding.ts';
import { dirname, join, relative, resolve, sep } from 'node:path';

export const LINK_CODES: Codes = {
  'file.outside_link': {
    title: 'A link that leads out of its folder',
    help: 'Commands that check files do not follow it, so that a pull request cannot show files of the machine that checks it. Write the file itself, or link to one in the same folder. A running service follows links.',
  },
};

/**
 * A link may lead anywhere in `folder`, by default that of the path. The folder may be a link itself, to another one of the repository of
 * the working directory. Its `.git` is outside: it may hold credentials. A path that does not exist leads nowhere.
 */
export function leadsOutside(path: string, folder: string = dirname(path)): boolean {
  try {
    const target = realpathSync(path);
    if (!isIn(target, realpathSync(folder))) return true;
    const root = repositoryRoot(process.cwd()) ?? process.cwd();
    if (!isIn(resolve(path), root)) return false;
    const [top] = relative(realpathSync(root), target).split(sep);
    return top === '..' || top === '.git';
  } catch {
    return false;
  }
}

/** Why a file was not read. */
export const OUTSIDE = 'the link leads out of its folder, and is not followed';

/** For commands that check files which others wrote: they do not read what such a path leads to. */
export function outsideFinding(file: string): Finding {
  const hint = 'Write the file itself, or link to one in the folder';
  return { file, line: 0, column: 0, severity: 'error', code: 'file.outside_link', message: OUTSIDE, hint };
}

function isIn(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : `${folder}${sep}`);
}

/** The nearest folder with `.git`; undefined: there is none. */
export function repositoryRoot(folder: string): string | undefined {
  for (let at = folder; ; at = dirname(at)) {
    if (existsSync(join(at, '.git'))) return at;
    if (dirname(at) === at) return undefined;
  }
}
