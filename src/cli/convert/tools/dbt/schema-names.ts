// The schemas of a dbt project's models and seeds: that of its profile, with custom schemas, or as the project's own macro names them.
// Source: https://docs.getdbt.com/docs/build/custom-schemas
import { entriesOf, member, textOf, type ExportDocument, type ExportFile } from '../../export/document.ts';
import { readPlaceholders } from '../../placeholders/read-placeholders.ts';
import { foldersOf, plainOf, profileOf, projectOf, type Profile } from './project.ts';

export type Resource = 'model' | 'seed';

/** The schema of a file's table; undefined if the profile is not in the export. */
export type SchemaOf = (file: ExportFile, resource: Resource) => string | undefined;

export function createSchemaOf(files: readonly ExportFile[], documents: readonly ExportDocument[]): SchemaOf {
  const profile = profileOf(documents);
  const macro = schemaMacroOf(files);
  return (file, resource) => {
    const custom = customSchemaOf(documents, file, resource);
    const named = macro && namedBy(macro, profile, { custom, resource });
    if (named !== undefined) return named === UNKNOWN ? undefined : named;
    if (profile.schema === undefined) return undefined;
    return custom === undefined ? profile.schema : `${profile.schema}_${custom}`;
  };
}

/** The body of the project's `generate_schema_name`. */
function schemaMacroOf(files: readonly ExportFile[]): string | undefined {
  const macro = /\{%-?\s*macro\s+generate_schema_name\b[^%]*-?%\}(.*?)\{%-?\s*endmacro\s*-?%\}/s;
  return files
    .filter(({ path }) => /(^|\/)macros\/.*\.sql$/i.test(path))
    .map(({ text }) => macro.exec(text)?.[1])
    .find((body) => body !== undefined);
}

/** True if the project's macro says the schemas of all that it is asked for without a run of dbt. */
export function readsSchemaMacro(
  files: readonly ExportFile[],
  documents: readonly ExportDocument[],
): boolean {
  const macro = schemaMacroOf(files);
  if (macro === undefined) return false;
  const custom = [undefined, 'custom'];
  return custom.every((each) => namedBy(macro, profileOf(documents), { custom: each, resource: 'model' }));
}

/** The macro gets this in place of the schema of a profile that the export does not have. */
const UNKNOWN = 'schema_of_the_profile';

function namedBy(
  body: string,
  { schema, target }: Profile,
  { custom, resource }: { readonly custom: string | undefined; readonly resource: Resource },
): string | undefined {
  const known = {
    custom_schema_name: custom,
    'node.resource_type': resource,
    'target.schema': schema ?? UNKNOWN,
    'target.name': target ?? 'default',
  };
  const set = Object.entries(known).map(
    ([name, value]) => `{% set ${name} = ${value === undefined ? 'none' : JSON.stringify(value)} %}`,
  );
  const template = readPlaceholders(set.join('') + body, {
    tool: 'dbt',
    dialect: 'clickhouse',
    declarations: [],
  });
  const written = template.restore(template.sql).trim();
  return template.notes.length === 0 && /^\w+$/.test(written) ? written : undefined;
}

/** `schema` of the file's own configuration, otherwise `+schema` of the innermost folder that has one. */
function customSchemaOf(
  documents: readonly ExportDocument[],
  { path, text }: ExportFile,
  resource: Resource,
): string | undefined {
  const own = /\bconfig\([^)]*?\bschema\s*=\s*(?:['"](\w+)['"]|(env_var\([^)]*\)))/.exec(text);
  if (own !== null) return own[1] ?? plainOf(own[2]);
  const settings = member(projectOf(documents), `${resource}s`);
  const [, project] = entriesOf(settings).find(([name]) => !name.startsWith('+')) ?? [];
  const folders = path.split('/');
  const roots = foldersOf(documents, resource);
  let at = project;
  let found = textOf(project, '+schema') ?? textOf(settings, '+schema');
  for (const folder of folders.slice(folders.findIndex((each) => roots.includes(each)) + 1, -1)) {
    at = member(at, folder);
    found = textOf(at, '+schema') ?? textOf(at, 'schema') ?? found;
  }
  return plainOf(found);
}
