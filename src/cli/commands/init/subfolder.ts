// A folder of a larger repository: GitHub, GitLab and git read workflows and hooks at its root only.
import { existsSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { membersOf, readManifest } from './manifest.ts';

const WORKFLOW = '.github/workflows/endpoints.yml';
const GITLAB = '.gitlab-ci.yml';
const HOOK = '.githooks/pre-commit';

/** Where a folder is in its git repository; paths have slashes, and are empty at the root. */
export interface Location {
  /** The path from the root of the repository. */
  readonly folder: string;
  /** The path from the root of the repository to the folder whose `node_modules` npm fills: the root of workspaces. */
  readonly installed: string;
}

/** Undefined outside a git repository. */
export function locate(folder: string): Location | undefined {
  const start = resolve(folder);
  const root = ancestors(start).find((each) => existsSync(join(each, '.git')));
  if (root === undefined) return undefined;
  const fromRoot = (path: string): string => relative(root, path).split(sep).join('/');
  return { folder: fromRoot(start), installed: fromRoot(workspaceRoot(start) ?? start) };
}

/** From a folder to the root of the file system. */
function ancestors(folder: string): readonly string[] {
  const parent = dirname(folder);
  return parent === folder ? [folder] : [folder, ...ancestors(parent)];
}

/** The folder whose `package.json` has this one among its `workspaces`, whether it exists yet or not. */
function workspaceRoot(folder: string): string | undefined {
  return ancestors(dirname(folder)).find((each) => {
    const { workspaces } = readManifest(join(each, 'package.json'));
    const path = relative(each, folder).split(sep).join('/');
    const listed: unknown = Array.isArray(workspaces) ? workspaces : membersOf(workspaces)['packages'];
    const globs = (Array.isArray(listed) ? listed : []).filter((glob) => typeof glob === 'string');
    const [left, kept] = [true, false].map((isLeftOut) =>
      globs.filter((glob) => glob.startsWith('!') === isLeftOut).some((glob) => matches(glob, path)),
    );
    return kept === true && left === false;
  });
}

/** `*` is a part of a path, `**` any number of folders; braces and classes, which are rare here, are read as they are. */
function matches(glob: string, path: string): boolean {
  const parts = glob
    .replace(/^!/, '')
    .replace(/^\.?\/|\/$/g, '')
    .split(/(\*\*\/|\*\*|\*)/);
  const pattern = parts.map((part) => WILDCARDS[part] ?? part.replace(/[^\w/]/g, String.raw`\$&`)).join('');
  return new RegExp(`^${pattern}$`).test(path);
}

const WILDCARDS: Readonly<Record<string, string>> = { '**/': '(?:.+/)?', '**': '.+', '*': '[^/]+' };

/** The text of a file of a repository as it is in this subfolder; undefined for a file without a use there. */
export function inSubfolder(path: string, text: string, { folder, installed }: Location): string | undefined {
  if (folder === '') return text;
  const quoted = JSON.stringify(folder);
  if (path === HOOK) return undefined;
  if (path === WORKFLOW)
    return text
      .replace(
        /^( +)- run: npm ci$/m,
        installed === '' ? '$&' : `$&\n$1  working-directory: ${JSON.stringify(installed)}`,
      )
      .replace(/^( +)- uses: \.\/(node_modules\/\S+)$/m, (_, indent: string, action: string) => {
        const from = JSON.stringify(`./${installed === '' ? '' : `${installed}/`}${action}`);
        return `${indent}- uses: ${from}\n${indent}  with: { working-directory: ${quoted} }`;
      });
  if (path !== GITLAB) return text;
  const [script = '', artifacts = ''] = text.split(/(?=^ {2}artifacts:)/m);
  return [
    script.replace(
      '  script:\n',
      () => `  script:\n    - ${JSON.stringify(`cd '${folder.replaceAll("'", String.raw`'\''`)}'`)}\n`,
    ),
    artifacts.replace(/[\w-]+\.(?:md|json|xml)/g, (file) => JSON.stringify(`${folder}/${file}`)),
  ].join('');
}

/** What to do with the files that are read at the root. */
export function subfolderNotes({ folder }: Location): readonly string[] {
  if (folder === '') return [];
  return [
    `${folder} is a folder of a repository, whose CI reads only the files at its root:`,
    `  GitHub: move ${folder}/${WORKFLOW} to .github/workflows/ of the root`,
    `  GitLab: include ${folder}/${GITLAB} in .gitlab-ci.yml of the root`,
    '  for a hook before each commit, see "Before each commit" in continuous-integration.md',
  ];
}

const LOCKFILES: Readonly<Record<string, string>> = {
  'pnpm-lock.yaml': 'pnpm install --frozen-lockfile',
  'yarn.lock': 'yarn install --frozen-lockfile',
};

/** Another package manager that the folder, or one above it in its repository, uses: what to write for `npm ci`. */
export function packageManagerNotes(folder: string): readonly string[] {
  const above = ancestors(resolve(folder));
  const root = above.findIndex((each) => existsSync(join(each, '.git')));
  for (const each of above.slice(0, root + 1 || 1)) {
    const found = Object.keys(LOCKFILES).find((name) => existsSync(join(each, name)));
    if (found !== undefined)
      return [`There is a ${found}: write "${LOCKFILES[found] ?? ''}" for "npm ci" in the workflows`];
  }
  return [];
}
