// `millrace new NAME --new-version`: the next version of an endpoint, from a copy of its newest version.
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { Endpoint } from '../../../service/endpoints/endpoint.ts';
import { formatYaml } from '../../yaml/format-yaml.ts';
import { readText } from '../../../service/config/read-text.ts';
import { replaceFile } from '../../../service/config/replace-file.ts';
import { createSchemaCheck } from '../../../service/config/schema.ts';
import { MAX_DOCUMENT_BYTES, parseYaml } from '../../../service/config/yaml-document.ts';
import { setAt } from '../../yaml/yaml-edit.ts';
import { nearest, withSuggestion } from '../../../sql/base/nearest.ts';
import { CommandError } from '../../kit/command-error.ts';
import { readEndpoints } from '../../kit/endpoint-files.ts';
import type { Terminal } from '../../kit/terminal.ts';
import { write } from '../../kit/write-file.ts';

export interface NewVersionOptions {
  readonly name: string;
  readonly folder: string;
  /** Print the file instead of writing it, and change no other. */
  readonly isPrinted: boolean;
}

/** Of the calls of the version before. */
const SHADOW = '5%';
const MAX_VERSION = 9999;

/**
 * Writes `NAME.v2.yaml` and makes the version that callers get now the explicit default. Rejects with CommandError if there is no
 * such endpoint, or a file has errors.
 */
export async function newVersion(
  { name, folder, isPrinted }: NewVersionOptions,
  terminal: Terminal,
): Promise<void> {
  const catalog = await readEndpoints(folder, 'any');
  const [newest] = catalog.versions(name);
  const served = catalog.find(name);
  if (newest === undefined || served === undefined) {
    const guess = nearest(
      name,
      catalog.endpoints.map((each) => each.name),
    );
    throw new CommandError(withSuggestion(`There is no endpoint "${name}" in ${folder}`, guess), {
      exitCode: 2,
    });
  }
  const version = (newest.version ?? 1) + 1;
  if (version > MAX_VERSION) throw new CommandError(`${newest.file} has the highest number of a version`);
  const text = nextText(await readText(newest.file, MAX_DOCUMENT_BYTES), version);
  requireValid(newest.file, text);
  if (isPrinted) return terminal.write(text);
  const path = join(folder, `${name}.v${version}.yaml`);
  await keepDefault(served, terminal); // first, so that the new version is not the default for a moment
  await write(path, text, 'wx');
  terminal.note(`Wrote ${path}`);
  terminal.note(
    `Next: change it, then npx --no-install millrace validate ${folder}; callers get ${served.file} until default: true is moved`,
  );
}

function nextText(text: string, version: number): string {
  const changes: readonly (readonly [key: string, value: unknown])[] = [
    ['id', randomUUID()],
    ['version', version],
    ['default', undefined],
    ['deprecated', undefined],
    ['rollout', { shadow: SHADOW }],
    ['allow', undefined],
    ['allow_security', undefined],
  ];
  const changed = changes.reduce((all, [key, value]) => setAt(all, [key], value), text);
  return formatYaml(changed, 'endpoint');
}

async function keepDefault({ file, version, isDefault }: Endpoint, terminal: Terminal): Promise<void> {
  if (isDefault) return;
  const text = await readText(file, MAX_DOCUMENT_BYTES);
  const numbered = version === undefined ? setAt(text, ['version'], 1) : text;
  const changed = formatYaml(setAt(numbered, ['default'], true), 'endpoint');
  requireValid(file, changed);
  await replaceFile(file, changed);
  terminal.note(`${file}: ${version === undefined ? 'version: 1, ' : ''}default: true`);
}

/** Anchors and other unusual YAML may not survive the edit. */
function requireValid(file: string, text: string): void {
  const parsed = parseYaml(file, text);
  const found = 'diagnostics' in parsed ? parsed.diagnostics : createSchemaCheck('endpoint')(parsed.document);
  const [first] = found;
  if (first === undefined) return;
  throw new CommandError(`${file} cannot be copied: ${first.message}`);
}
