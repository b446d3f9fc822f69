// `package.json` of the repository.
import { readText, readTextSync } from '../../../service/config/read-text.ts';
import { CommandError } from '../../kit/command-error.ts';
import { isErrno, write } from '../../kit/write-file.ts';

const MAX_BYTES = 2 ** 20;

/** The scripts that a repository gets. */
export const SCRIPTS = {
  // Otherwise npm's shell gets the signal that should end the service, and the service goes on.
  start: 'exec millrace serve --dev',
  test: 'millrace validate && millrace test',
  // Hooks that another tool has installed stay. Without git, or outside a repository, nothing is said.
  prepare: '{ git config core.hooksPath || git config core.hooksPath .githooks; } 2>/dev/null || true',
};

/** What happened to `package.json`, and the scripts that it has now. */
export interface Manifest {
  readonly change: 'created' | 'extended' | 'kept';
  readonly scripts: Readonly<Record<string, unknown>>;
  readonly dependency: string;
}

interface ManifestOptions {
  readonly name: string;
  /** The value of the dependency on Millrace. */
  readonly dependency: string;
  readonly hasHook: boolean;
}

/** Creates `package.json`, or adds the scripts and the dependency that it does not have. Rejects with CommandError. */
export async function writeManifest(
  path: string,
  { name, dependency, hasHook }: ManifestOptions,
): Promise<Manifest> {
  const { prepare, ...others } = SCRIPTS;
  const scripts = hasHook ? { ...others, prepare } : others;
  const own = { dependencies: { millrace: dependency } };
  const text = await readText(path, MAX_BYTES).catch((cause: unknown) => {
    if (isErrno(cause, 'ENOENT')) return undefined;
    throw new CommandError(`Cannot read ${path}`, { cause });
  });
  if (text === undefined) {
    await write(path, `${JSON.stringify({ name, private: true, scripts, ...own }, null, 2)}\n`, 'wx');
    return { change: 'created', scripts, dependency };
  }
  const before = parseManifest(path, text);
  const existing = dependencyIn(before);
  const after = {
    ...before,
    scripts: { ...scripts, ...membersOf(before['scripts']) },
    ...(existing !== undefined
      ? {}
      : { dependencies: { ...membersOf(before['dependencies']), ...own.dependencies } }),
  };
  const now = { scripts: after.scripts, dependency: existing ?? dependency };
  const indent = /^[ \t]+/m.exec(text)?.[0] ?? '  ';
  const extended = `${JSON.stringify(after, null, indent)}\n`;
  if (JSON.stringify(JSON.parse(extended)) === JSON.stringify(before)) return { change: 'kept', ...now };
  await write(path, extended, 'w');
  return { change: 'extended', ...now };
}

function parseManifest(path: string, text: string): Readonly<Record<string, unknown>> {
  try {
    return membersOf(JSON.parse(text));
  } catch (cause) {
    throw new CommandError(`${path} is not valid JSON; correct it and run millrace init again`, { cause });
  }
}

/** The content of a `package.json`; empty if it cannot be read. */
export function readManifest(path: string): Readonly<Record<string, unknown>> {
  const text = readTextSync(path, MAX_BYTES);
  try {
    return text === undefined ? {} : membersOf(JSON.parse(text));
  } catch {
    return {};
  }
}

/** How a manifest depends on Millrace; undefined if it does not. */
export function dependencyIn(manifest: Readonly<Record<string, unknown>>): string | undefined {
  const found = ['dependencies', 'devDependencies', 'optionalDependencies'].map(
    (kind) => membersOf(manifest[kind])['millrace'],
  );
  return found.find((spec) => typeof spec === 'string');
}

/** The members of an object; none of any other value. */
export function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}
