// The files of a dbt project: its settings, the names of its schemas, and its seeds.
import {
  entriesOf,
  listOf,
  member,
  textOf,
  type ExportDocument,
  type ExportFile,
} from '../../export/document.ts';
import type { Declaration } from '../../placeholders/template.ts';
import { readPlaceholders } from '../../placeholders/read-placeholders.ts';
import type { TableDefinition } from '../../export/foreign-query.ts';

interface Profile {
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

type Resource = 'model' | 'seed';

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

/** A table with the types that all values of a column have; undefined if the file has no names of columns. */
export function readSeed(file: ExportFile, schema: string | undefined): TableDefinition | undefined {
  const name = /([^/]+)\.csv$/i.exec(file.path)?.[1] ?? '';
  const [header = [], ...rows] = recordsOf(file.text);
  if (
    !/^[A-Za-z_]\w*$/.test(name) ||
    header.length === 0 ||
    !header.every((each) => /^[A-Za-z_]\w*$/.test(each))
  )
    return undefined;
  const columns = header.map((column, at) => `  ${column} ${typeOf(rows.map((row) => row[at] ?? ''))}`);
  return {
    tool: 'dbt',
    kind: 'seed',
    title: name,
    name,
    ...(schema === undefined ? {} : { database: schema }),
    file: file.shown,
    place: { line: 1, column: 1 },
    sql: (database) =>
      `CREATE TABLE ${database}.${name} (\n${columns.join(',\n')}\n) ENGINE = MergeTree\nORDER BY tuple();\n`,
    rows: { format: 'csv', text: file.text, file: file.shown },
  };
}

const TYPES: readonly (readonly [RegExp, string])[] = [
  [/^-?\d{1,18}$/, 'Int64'],
  [/^-?\d+(\.\d+)?([eE][+-]?\d+)?$/, 'Float64'],
  [/^\d{4}-\d\d-\d\d$/, 'Date32'],
  [/^\d{4}-\d\d-\d\d[ T]\d\d:\d\d(:\d\d(\.\d+)?)?Z?$/, 'DateTime64(3)'],
];

function typeOf(values: readonly string[]): string {
  const given = values.filter((value) => value !== '');
  const type = TYPES.find(
    ([pattern]) => given.length > 0 && given.every((value) => pattern.test(value)),
  )?.[1];
  if (type === undefined) return 'String';
  return given.length < values.length ? `Nullable(${type})` : type;
}

/** RFC 4180. Linear. */
function recordsOf(text: string): readonly (readonly string[])[] {
  const records: string[][] = [];
  let record: string[] = [];
  for (const [, quoted, plain = '', end = ''] of text.matchAll(
    /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|$)/g,
  )) {
    record.push((quoted?.replaceAll('""', '"') ?? plain).trim());
    if (end === ',') continue;
    if (record.length > 1 || record[0] !== '') records.push(record);
    record = [];
    if (end === '') break;
  }
  return records;
}
