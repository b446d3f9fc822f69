// A folder of a larger repository: GitHub, GitLab and git read workflows and hooks at its root only.
import { existsSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';

const WORKFLOW = '.github/workflows/endpoints.yml';
const GITLAB = '.gitlab-ci.yml';
const HOOK = '.githooks/pre-commit';

/** Path of a folder from the root of its git repository, with slashes; empty at the root and outside a repository. */
export function pathInRepository(folder: string): string {
  const start = resolve(folder);
  for (let root = start; ; root = dirname(root)) {
    if (existsSync(join(root, '.git'))) return relative(root, start).split(sep).join('/');
    if (dirname(root) === root) return '';
  }
}

/** The text of a file of a repository as it is in this subfolder; undefined for a file without a use there. */
export function inSubfolder(path: string, text: string, subfolder: string): string | undefined {
  const quoted = JSON.stringify(subfolder);
  if (path === HOOK) return undefined;
  if (path === WORKFLOW)
    return text
      .replace(/^( +)- run: npm ci$/m, `$1- run: npm ci\n$1  working-directory: ${quoted}`)
      .replace(
        /^( +)- uses: \.\/node_modules\/(\S+)$/m,
        `$1- uses: ${JSON.stringify(`./${subfolder}/node_modules/`).slice(0, -1)}$2"\n$1  with: { working-directory: ${quoted} }`,
      );
  if (path !== GITLAB) return text;
  const [script = '', artifacts = ''] = text.split(/(?=^ {2}artifacts:)/m);
  return [
    script.replace(
      '  script:\n',
      `  script:\n    - ${JSON.stringify(`cd '${subfolder.replaceAll("'", "'\\''")}'`)}\n`,
    ),
    artifacts.replace(/[\w-]+\.(?:md|json|xml)/g, (file) => JSON.stringify(`${subfolder}/${file}`)),
  ].join('');
}

/** What to do with the files that are read at the root. */
export function subfolderNotes(subfolder: string): readonly string[] {
  return [
    `${subfolder} is a folder of a repository, whose CI reads only the files at its root:`,
    `  GitHub: move ${subfolder}/${WORKFLOW} to .github/workflows/ of the root`,
    `  GitLab: include ${subfolder}/${GITLAB} in .gitlab-ci.yml of the root`,
    '  for a hook before each commit, see "Before each commit" in continuous-integration.md',
  ];
}
