// `millrace init`: creates a repository of endpoints. Files that exist are never changed, except `package.json`, which
// gets the scripts and the dependency that it does not have.
import { randomUUID } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { basename, join, relative, resolve } from 'node:path';
import { readText } from '../../../service/config/read-text.ts';
import { count } from '../../findings/findings.ts';
import type { Terminal } from '../../kit/terminal.ts';
import { dependencySpec } from './dependency.ts';
import { SCRIPTS, writeManifest, type Manifest } from './manifest.ts';
import { inSubfolder, locate, packageManagerNotes, subfolderNotes } from './subfolder.ts';
import { filesOf, schemaFiles, type Template } from './templates.ts';
import { write, writeNew } from '../../kit/write-file.ts';

export interface InitOptions {
  readonly folder: string;
  readonly template: Template;
  /** Of this package. */
  readonly version: string;
}

const MAX_BYTES = 2 ** 20;

/** Creates the files and prints what to do next. Rejects with CommandError if the folder cannot be written. */
export async function init({ folder, template, version }: InitOptions, terminal: Terminal): Promise<void> {
  const name = nameOf(folder);
  const hasEndpoints = await isFilled(join(folder, 'endpoints'));
  const location = locate(folder) ?? { folder: '', installed: '' };
  const kept: string[] = [];
  let created = 0;
  for (const [path, source] of filesOf(hasEndpoints ? undefined : template)) {
    const filled = fill(await readFile(source, 'utf8'), name);
    const text = inSubfolder(path, filled, location);
    if (text === undefined) continue;
    if (await writeNew(join(folder, path), text)) created++;
    else kept.push(path);
  }
  const path = join(folder, 'package.json');
  const dependency = dependencySpec(folder, version);
  const manifest = await writeManifest(path, { name, dependency, hasHook: location.folder === '' });
  if (manifest.change === 'created') created++;
  const from = hasEndpoints
    ? '; there are endpoints already, so none were added'
    : `, from the template ${template}`;
  terminal.note(`${count(created, 'file')} created in ${resolve(folder)}${from}`);
  for (const path of kept) terminal.note(`  ${path} exists and was kept`);
  if (manifest.change === 'extended')
    terminal.note('  package.json exists: the missing scripts and the dependency were added');
  const notes = [...subfolderNotes(location), ...packageManagerNotes(folder), ...dependencyNotes(manifest)];
  for (const line of notes) terminal.note(line);
  for (const line of ['Next:', ...nextSteps(folder, manifest).map((step) => `  ${step}`)])
    terminal.print(line);
}

/** A path works only where it leads to Millrace: seldom in CI. */
function dependencyNotes({ dependency }: Manifest): readonly string[] {
  if (!dependency.startsWith('file:')) return [];
  return [
    `package.json names the millrace that ran this, ${dependency}: CI needs that file as well, or a version in a registry of your own`,
  ];
}

function nextSteps(folder: string, { scripts }: Manifest): readonly string[] {
  const path = relative('.', folder);
  return [
    ...(path === '' ? [] : [`cd ${quoteForShell(path)}`]),
    ...(locate(folder) === undefined
      ? ['git init        # then npm install also installs the pre-commit hook']
      : []),
    'npm install',
    ...runSteps(scripts),
  ];
}

function quoteForShell(path: string): string {
  return /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", String.raw`'\''`)}'`;
}

/** The repository's own `start` and `test` are kept: then the commands are run directly. */
function runSteps({ start, test }: Readonly<Record<string, unknown>>): readonly string[] {
  return [
    [
      start === SCRIPTS.start ? 'npm start' : 'npx --no-install millrace serve --dev',
      'the endpoints, with sample rows, on http://127.0.0.1:4000',
    ],
    [
      test === SCRIPTS.test
        ? 'npm test'
        : 'npx --no-install millrace validate && npx --no-install millrace test',
      'validates the files and runs their examples',
    ],
  ].map(([command = '', what = '']) => `${command.padEnd(15)} # ${what}`);
}

async function isFilled(folder: string): Promise<boolean> {
  return (await readdir(folder).catch(() => [])).length > 0;
}

/** Replaces the schemas that differ from those of this version. */
export async function updateSchemas(folder: string, terminal: Terminal): Promise<void> {
  let replaced = 0;
  for (const [path, source] of schemaFiles()) {
    const target = join(folder, path);
    const text = await readFile(source, 'utf8');
    if ((await readText(target, MAX_BYTES).catch(() => undefined)) === text) continue;
    await write(target, text, 'w');
    terminal.print(path);
    replaced++;
  }
  terminal.note(`${count(replaced, 'schema')} replaced`);
}

/** A name for `package.json`, from the folder's (https://docs.npmjs.com/cli/configuring-npm/package-json#name). */
function nameOf(folder: string): string {
  const name = basename(resolve(folder))
    .toLowerCase()
    .replace(/[^a-z0-9-]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 100);
  return name === '' ? 'endpoints' : name;
}

/** Endpoints get ids of their own. */
function fill(text: string, name: string): string {
  return text.replaceAll('{{name}}', name).replaceAll('{{uuid}}', () => randomUUID());
}
