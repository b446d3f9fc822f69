// The name of a new endpoint: its form, and that no other endpoint has it.
import { withSuggestion } from '../../../sql/base/nearest.ts';
import { access } from 'node:fs/promises';
import { createCompile } from '../../../service/endpoints/compile.ts';
import { listFiles, loadFiles } from '../../../service/endpoints/load.ts';
import { CommandError } from '../../kit/command-error.ts';
import { ANY_KEY } from '../../kit/endpoint-files.ts';
import { LOADING } from '../../kit/real-time.ts';

const NAME = /^[a-z][a-z0-9_-]*(\.[a-z0-9_-]+)*$/;

/** Throws CommandError for an invalid name of an endpoint. */
export function requireName(name: string): void {
  if (NAME.test(name) && name.length <= 100) return;
  const guess = name
    .toLowerCase()
    .replace(/[^a-z0-9_.-]+/g, '-')
    .replace(/^[^a-z]+/, '')
    .replace(/\.+$/, '')
    .replace(/\.{2,}/g, '.')
    .slice(0, 100);
  throw new CommandError(
    withSuggestion(
      `Invalid endpoint name "${name}": use lowercase letters, digits, "_" or "-", in dot-separated segments, starting with a letter, at most 100 characters`,
      NAME.test(guess) ? guess : undefined,
    ),
    { exitCode: 2 },
  );
}

export async function requireFree(name: string, folder: string, path: string): Promise<void> {
  const isThere = await access(path).then(
    () => true,
    () => false,
  );
  if (isThere) throw new CommandError(`${path} already exists; choose another name or edit that file`);
  const paths = await listFiles(folder).catch(() => []);
  const { files } = await loadFiles(paths, new Map(), {
    compile: createCompile({ piiHashKey: ANY_KEY, engineSources: 'any' }),
    ...LOADING,
  });
  const taken = [...files.values()].find(({ candidate }) => candidate?.endpoint.name === name);
  if (taken !== undefined)
    throw new CommandError(`${taken.file} already has the name ${name}; choose another name`);
}
