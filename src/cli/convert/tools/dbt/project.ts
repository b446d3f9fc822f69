// Reads what a dbt project's own files set: its profile, its variables, and its folders.
// Source: https://docs.getdbt.com/reference/dbt_project.yml
import { entriesOf, listOf, member, textOf, type ExportDocument } from '../../export/document.ts';
import type { Declaration } from '../../placeholders/template.ts';

export interface Profile {
  /** `type` of the output, such as clickhouse. */
  readonly engine: string | undefined;
  readonly schema: string | undefined;
  /** The name of the output. */
  readonly target: string | undefined;
}

/** The target output of the project's profile, or of the first one in profiles.yml. */
export function profileOf(documents: readonly ExportDocument[]): Profile {
  const project = projectOf(documents);
  const profiles = documents
    .filter(({ path }) => /(^|\/)profiles\.ya?ml$/.test(path))
    .flatMap(({ value }) => entriesOf(value))
    .filter(([name]) => name !== 'config');
  const named = textOf(project, 'profile');
  const [, profile] = profiles.find(([name]) => name === named) ?? profiles[0] ?? [];
  const outputs = entriesOf(member(profile, 'outputs'));
  const target = plainOf(textOf(profile, 'target'));
  const [name, output] = outputs.find(([each]) => each === target) ?? outputs[0] ?? [];
  return { engine: textOf(output, 'type'), schema: plainOf(textOf(output, 'schema')), target: name };
}

/** `target.type`, `target.name` and `target.schema` of the profile, as texts. */
export function targetOf({ engine, schema, target }: Profile): readonly Declaration[] {
  const known = { type: engine, name: target, schema };
  return Object.entries(known).flatMap(([name, text]) =>
    text === undefined ? [] : [{ name: `target.${name}`, text }],
  );
}

/** `var:name` with the value that dbt_project.yml has, if it is a plain one. */
export function variablesOf(documents: readonly ExportDocument[]): readonly Declaration[] {
  const project = projectOf(documents);
  const all = entriesOf(member(project, 'vars'));
  const own = entriesOf(member(member(project, 'vars'), textOf(project, 'name') ?? ''));
  return [...own, ...all].flatMap(([name, value]) =>
    (typeof value === 'string' && !value.includes('{{')) ||
    typeof value === 'number' ||
    typeof value === 'boolean'
      ? [{ name: `var:${name}`, default: value }]
      : [],
  );
}

export function projectOf(documents: readonly ExportDocument[]): unknown {
  return documents.find(({ path }) => /(^|\/)dbt_project\.ya?ml$/.test(path))?.value;
}

const FOLDERS = {
  model: { keys: ['model-paths', 'source-paths'], usual: 'models' },
  seed: { keys: ['seed-paths', 'data-paths'], usual: 'seeds' },
} as const;

/** The folders of models or seeds, also by the names that the setting had before dbt 1.0. */
export function foldersOf(documents: readonly ExportDocument[], of: 'model' | 'seed'): readonly string[] {
  const { keys, usual } = FOLDERS[of];
  const named = keys.flatMap((key) => listOf(projectOf(documents), key));
  const folders = named.filter((each) => typeof each === 'string' && each !== '' && each !== '.');
  return folders.length === 0 ? [usual] : folders.map((each) => String(each).replace(/^\.?\/+|\/+$/g, ''));
}

/** True if the path has one of the folders. */
export function isInFolder(path: string, folders: readonly string[]): boolean {
  return folders.some((folder) => `/${path}`.includes(`/${folder}/`));
}

/** A name, or the default of `{{ env_var('NAME', 'default') }}`. */
export function plainOf(text: string | undefined): string | undefined {
  const fallback = /env_var\(\s*['"]\w+['"]\s*,\s*['"](\w+)['"]/.exec(text ?? '')?.[1];
  return fallback ?? (text !== undefined && /^\w+$/.test(text) ? text : undefined);
}
