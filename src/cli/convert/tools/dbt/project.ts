// Where a dbt project keeps its models: the schema of its profile, with the custom schemas of folders and models.
// Source: https://docs.getdbt.com/docs/build/custom-schemas
import { entriesOf, member, textOf, type ExportDocument, type ExportFile } from '../../export/document.ts';
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

function projectOf(documents: readonly ExportDocument[]): unknown {
  return documents.find(({ path }) => /(^|\/)dbt_project\.ya?ml$/.test(path))?.value;
}

/** A name, or the default of `{{ env_var('NAME', 'default') }}`. */
function plainOf(text: string | undefined): string | undefined {
  const fallback = /env_var\(\s*['"]\w+['"]\s*,\s*['"](\w+)['"]/.exec(text ?? '')?.[1];
  return fallback ?? (text !== undefined && /^\w+$/.test(text) ? text : undefined);
}

/** The database of a model's table; undefined if the profile is not in the export. */
export function createSchemaOf(
  documents: readonly ExportDocument[],
): (file: ExportFile) => string | undefined {
  const { schema } = profileOf(documents);
  const [, models] = entriesOf(member(projectOf(documents), 'models'))[0] ?? [];
  return ({ path, text }) => {
    if (schema === undefined) return undefined;
    const own = /\bconfig\([^)]*\bschema\s*=\s*['"](\w+)['"]/.exec(text)?.[1];
    const custom = own ?? schemaOfFolder(models, path);
    return custom === undefined ? schema : `${schema}_${custom}`;
  };
}

/** `+schema` of the innermost folder that has one. */
function schemaOfFolder(models: unknown, path: string): string | undefined {
  const folders = path.split('/');
  let at = models;
  let found = textOf(models, '+schema');
  for (const folder of folders.slice(folders.indexOf('models') + 1, -1)) {
    at = member(at, folder);
    found = textOf(at, '+schema') ?? textOf(at, 'schema') ?? found;
  }
  return found !== undefined && /^\w+$/.test(found) ? found : undefined;
}
