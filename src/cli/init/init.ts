// `millrace init`: creates a repository of endpoints. Files that exist are never changed, except `package.json`, which
// gets the scripts and the dependency that it does not have.
import { randomUUID } from 'node:crypto';
import { chmod, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { readText } from '../../config/read-text.ts';
import { CommandError } from '../command-error.ts';
import { count } from '../findings/findings.ts';
import type { Terminal } from '../terminal.ts';
import { inSubfolder, pathInRepository, subfolderNotes } from './subfolder.ts';
import { filesOf, schemaFiles, type Template } from './templates.ts';

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
  const subfolder = pathInRepository(folder);
  const kept: string[] = [];
  let created = 0;
  for (const [path, source] of filesOf(hasEndpoints ? undefined : template)) {
    const filled = fill(await readFile(source, 'utf8'), name);
    const text = subfolder === '' ? filled : inSubfolder(path, filled, subfolder);
    if (text === undefined) continue;
    if (await writeNew(join(folder, path), text)) created++;
    else kept.push(path);
  }
  const path = join(folder, 'package.json');
  const manifest = await writeManifest(path, { name, version, hasHook: subfolder === '' });
  if (manifest.change === 'created') created++;
  const from = hasEndpoints
    ? '; there are endpoints already, so none were added'
    : `, from the template ${template}`;
  terminal.note(`${count(created, 'file')} created in ${resolve(folder)}${from}`);
  for (const path of kept) terminal.note(`  ${path} exists and was kept`);
  if (manifest.change === 'extended')
    terminal.note('  package.json exists: the missing scripts and the dependency were added');
  if (subfolder !== '') for (const line of subfolderNotes(subfolder)) terminal.note(line);
  const steps = [
    ...(relative('.', folder) === '' ? [] : [`cd ${relative('.', folder)}`]),
    ...(subfolder === ''
      ? [
          'git init        # if it is not a repository yet; then npm install also installs the pre-commit hook',
        ]
      : []),
    'npm install',
    ...runSteps(manifest.scripts),
  ];
  terminal.print(['Next:', ...steps.map((step) => `  ${step}`)].join('\n'));
}

/** The repository's own `start` and `test` are kept: then the commands are run directly. */
function runSteps({ start, test }: Readonly<Record<string, unknown>>): readonly string[] {
  return [
    [
      start === SCRIPTS.start ? 'npm start' : 'npx millrace serve --dev',
      'the endpoints, with sample rows, on http://127.0.0.1:4000',
    ],
    [
      test === SCRIPTS.test ? 'npm test' : 'npx millrace validate && npx millrace test',
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

/** Whether the file was created; false if it exists. */
async function writeNew(path: string, text: string): Promise<boolean> {
  try {
    await write(path, text, 'wx');
  } catch (error) {
    if (error instanceof CommandError && isErrno(error.cause, 'EEXIST')) return false;
    throw error;
  }
  if (text.startsWith('#!')) await chmod(path, 0o755);
  return true;
}

async function write(path: string, text: string, flag: 'w' | 'wx'): Promise<void> {
  try {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text, { flag });
  } catch (cause) {
    throw new CommandError(
      `Cannot write ${path}: ${cause instanceof Error ? cause.message : String(cause)}`,
      {
        cause,
      },
    );
  }
}

function isErrno(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}

const SCRIPTS = {
  start: 'millrace serve --dev',
  test: 'millrace validate && millrace test',
  // Hooks that another tool has installed stay.
  prepare: 'git config core.hooksPath || git config core.hooksPath .githooks || true',
};

interface Manifest {
  readonly change: 'created' | 'extended' | 'kept';
  readonly scripts: Readonly<Record<string, unknown>>;
}

interface ManifestOptions {
  readonly name: string;
  readonly version: string;
  readonly hasHook: boolean;
}

async function writeManifest(path: string, { name, version, hasHook }: ManifestOptions): Promise<Manifest> {
  const { prepare, ...others } = SCRIPTS;
  const scripts = hasHook ? { ...others, prepare } : others;
  const own = { dependencies: { millrace: `^${version}` } };
  const text = await readText(path, MAX_BYTES).catch((cause: unknown) => {
    if (isErrno(cause, 'ENOENT')) return undefined;
    throw new CommandError(`Cannot read ${path}`, { cause });
  });
  if (text === undefined) {
    await write(path, `${JSON.stringify({ name, private: true, scripts, ...own }, null, 2)}\n`, 'wx');
    return { change: 'created', scripts };
  }
  const before = parseManifest(path, text);
  const isDependency = ['dependencies', 'devDependencies'].some(
    (kind) => 'millrace' in membersOf(before[kind]),
  );
  const after = {
    ...before,
    scripts: { ...scripts, ...membersOf(before['scripts']) },
    ...(isDependency ? {} : { dependencies: { ...membersOf(before['dependencies']), ...own.dependencies } }),
  };
  const indent = /^[ \t]+/m.exec(text)?.[0] ?? '  ';
  const extended = `${JSON.stringify(after, null, indent)}\n`;
  if (JSON.stringify(JSON.parse(extended)) === JSON.stringify(before))
    return { change: 'kept', scripts: after.scripts };
  await write(path, extended, 'w');
  return { change: 'extended', scripts: after.scripts };
}

function parseManifest(path: string, text: string): Readonly<Record<string, unknown>> {
  try {
    return membersOf(JSON.parse(text));
  } catch (cause) {
    throw new CommandError(`${path} is not valid JSON; correct it and run millrace init again`, { cause });
  }
}

function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}
