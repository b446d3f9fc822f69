// The text of a new endpoint file.
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { relative } from 'node:path';
import type { Converted } from '../../../service/config/generated/endpoint.ts';
import { writeYaml } from '../../yaml/yaml-edit.ts';
import { packagePath } from '../../../service/config/package-files.ts';
import type { Lifted } from './lift.ts';

interface FileExtras {
  /** The keys of pages. */
  readonly by?: readonly string[];
  readonly converted?: Converted;
}

export function fileText(
  name: string,
  { query, parameters, example }: Lifted,
  { by, converted }: FileExtras,
): string {
  const hasParameters = Object.keys(parameters).length > 0;
  const isCallable = Object.entries(parameters).every(([each, { required }]) => !required || each in example);
  return writeYaml({
    id: randomUUID(),
    name,
    description: `What ${name} returns, in one sentence for its consumers.`,
    query: `${query.replace(/[ \t]+$/gm, '')}\n`,
    ...(hasParameters ? { parameters } : {}),
    max_rows: 1000,
    ...(by === undefined ? {} : { page: { by: [...by], size: 100, max: 1000 } }),
    cache: 'disabled',
    sandbox: { enabled: false },
    ...(isCallable
      ? { examples: [{ name: 'a first call', ...(hasParameters ? { parameters: example } : {}) }] }
      : {}),
    ...(converted === undefined ? {} : { converted }),
  });
}

/** For editors: the repository's copy of the schema, otherwise the package's if that is inside this folder. */
export function schemaLine(folder: string): string {
  const candidates = ['schemas', packagePath('schemas')];
  const found = candidates.find((path) => existsSync(path) && !relative('.', path).startsWith('..'));
  const path = relative(folder, found ?? 'schemas');
  return `# yaml-language-server: $schema=${path}/endpoint.schema.json\n`;
}
