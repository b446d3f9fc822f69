// The files that `millrace init` writes, as they are in the package.
import { readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { packagePath } from '../../../service/config/package-files.ts';

export type Template = 'events' | 'logs' | 'otel' | 'blank';

interface TemplateKind {
  readonly summary: string;
  /** Folders of the repository, and the folders of the package that they are copied from. */
  readonly folders: Readonly<Record<string, string>>;
}

export const TEMPLATES: Readonly<Record<Template, TemplateKind>> = {
  events: { summary: 'product events of tenants', folders: templateFolders('events') },
  logs: {
    summary: 'the nine tables of logs that come with Millrace',
    folders: { endpoints: 'endpoints', seeds: 'seeds' },
  },
  otel: { summary: 'the tables of the OpenTelemetry Collector', folders: { '': 'samples/otel' } },
  blank: { summary: 'one table, one endpoint', folders: templateFolders('blank') },
};

function templateFolders(name: string): Readonly<Record<string, string>> {
  return { endpoints: `samples/${name}/endpoints`, seeds: `samples/${name}/seeds` };
}

/** Files for every template. Their names in the package have no leading dot, since npm does not pack all of those. */
const REPOSITORY: Readonly<Record<string, string>> = {
  '.gitignore': 'samples/repository/gitignore',
  '.vscode/settings.json': 'samples/repository/vscode/settings.json',
  '.vscode/extensions.json': 'samples/repository/vscode/extensions.json',
  '.github/workflows/endpoints.yml': 'samples/repository/github/endpoints.yml',
  '.gitlab-ci.yml': 'deploy/gitlab/millrace.gitlab-ci.yml',
  '.githooks/pre-commit': 'samples/repository/githooks/pre-commit',
  'README.md': 'samples/repository/README.md',
};

/** Paths in the repository, and paths of the files in the package; without endpoints if there is no template. */
export function filesOf(template: Template | undefined): ReadonlyMap<string, string> {
  const files = new Map(Object.entries(REPOSITORY).map(([path, source]) => [path, packagePath(source)]));
  const folders = { ...(template === undefined ? {} : TEMPLATES[template].folders), schemas: 'schemas' };
  for (const [folder, source] of Object.entries(folders)) {
    for (const [path, file] of filesIn(packagePath(source))) files.set(join(folder, path), file);
  }
  return files;
}

/** The schemas, as `filesOf` gives them. */
export function schemaFiles(): ReadonlyMap<string, string> {
  return new Map([...filesIn(packagePath('schemas'))].map(([path, file]) => [join('schemas', path), file]));
}

/** The files of a folder and its subfolders: relative and full paths. */
function filesIn(folder: string): ReadonlyMap<string, string> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((each) => each.isFile());
  const paths = files.map((each) => join(each.parentPath, each.name)).toSorted();
  return new Map(paths.map((path) => [relative(folder, path), path]));
}
