// dbt: models, compiled if the project has been compiled, with descriptions of its manifest or schema files.
// Source: https://docs.getdbt.com/reference/artifacts/manifest-json
import { positionAt } from '../../../../sql/base/position.ts';
import type { Declaration } from '../../placeholders/template.ts';
import {
  dialectOfEngine,
  entriesOf,
  listOf,
  member,
  textOf,
  type ExportDocument,
  type ExportFile,
} from '../../export/document.ts';
import type {
  ForeignQuery,
  OtherItem,
  SourceItem,
  TableDefinition,
  ToolReader,
} from '../../export/foreign-query.ts';
import {
  foldersOf,
  isInFolder,
  plainOf,
  profileOf,
  targetOf,
  variablesOf,
  createSchemaOf,
  readsSchemaMacro,
  type SchemaOf,
  readSeed,
} from './project.ts';
import { projectMacros } from './project-macros.ts';

export const DBT: ToolReader = {
  isOwn: ({ files, documents }) =>
    files.some(({ path }) => /(^|\/)dbt_project\.yml$|(^|\/)models\/.*\.sql$/i.test(path)) ||
    documents.some(isManifest),
  read: ({ files, documents }) => ({
    queries: readDbt(files, documents),
    tables: seedsOf(files, documents),
    others: othersOf(files, documents),
  }),
};

function isManifest({ value }: ExportDocument): boolean {
  return (
    /dbt/.test(textOf(member(value, 'metadata'), 'dbt_schema_version') ?? '') &&
    entriesOf(member(value, 'nodes')).length > 0
  );
}

function seedsOf(
  files: readonly ExportFile[],
  documents: readonly ExportDocument[],
): readonly TableDefinition[] {
  const [folders, schemaOf] = [foldersOf(documents, 'seed'), createSchemaOf(files, documents)];
  return files
    .filter(({ path }) => /\.csv$/i.test(path) && isInFolder(path, folders))
    .flatMap((file) => readSeed(file, schemaOf(file, 'seed')) ?? []);
}

const COMPILED = /(^|\/)target\/compiled\//;

/** Each model once: compiled, of the manifest, or with its Jinja. */
function readDbt(
  files: readonly ExportFile[],
  documents: readonly ExportDocument[],
): readonly ForeignQuery[] {
  const sql = files.filter(({ path }) => /\.sql$/i.test(path));
  const folders = foldersOf(documents, 'model');
  const models = sql.filter(
    ({ path }) =>
      (isInFolder(path, folders) || !path.includes('/')) && !/(^|\/)(target|dbt_packages)\//.test(path),
  );
  const schemaOf = createSchemaOf(files, documents);
  const manifest = documents.find(isManifest);
  const profile = profileOf(documents);
  const engine = textOf(member(manifest?.value, 'metadata'), 'adapter_type') ?? profile.engine;
  const project: Project = {
    engine,
    schemaOf,
    referenced: referencedIn(models),
    descriptions: descriptionsOf(documents, manifest?.value),
    declarations: [
      ...relationsOf(documents, manifest?.value),
      ...modelRelations(models, schemaOf),
      ...projectMacros(files, engine),
      ...variablesOf(documents),
      ...targetOf({ ...profile, engine }),
    ],
  };
  const compiled = sql.filter(
    ({ path }) => COMPILED.test(path) && /\/models\//.test(path) && !/\.ya?ml\//.test(path),
  );
  const chosen = new Map([...models, ...compiled].map((file) => [nameOf(file), file]));
  const queries = [...chosen.values()].map((file) => queryOf(file, project));
  return queries.length > 0 || manifest === undefined ? queries : modelsOf(manifest, project);
}

interface Project {
  readonly engine: string | undefined;
  readonly schemaOf: SchemaOf;
  readonly referenced: ReadonlySet<string>;
  readonly descriptions: ReadonlyMap<string, string>;
  /** Tables of `ref` and `source`, macros, and what `var` and `target` are. */
  readonly declarations: readonly Declaration[];
}

function nameOf({ path }: ExportFile): string {
  return (path.split('/').at(-1) ?? path).replace(/\.sql$/i, '');
}

function queryOf(
  file: ExportFile,
  { engine, descriptions, declarations, schemaOf, referenced }: Project,
): ForeignQuery {
  const title = nameOf(file);
  const description = descriptions.get(title);
  const isCompiled = COMPILED.test(file.path);
  const isPython = /^\s*(import|def)\b/.test(file.text);
  return {
    tool: 'dbt',
    kind: 'model',
    title,
    segments: [title],
    ...(description === undefined ? {} : { description }),
    sql: file.text,
    dialect: dialectOfEngine(engine),
    ...(engine === undefined ? {} : { engine }),
    declarations: isCompiled ? [] : namedIn(file.text, declarations),
    file: file.shown,
    locate: (offset) => positionAt(file.text, offset),
    ...(isPython ? { reason: 'The model is not SQL' } : {}),
    ...(referenced.has(title)
      ? { relation: { database: schemaOf(file, 'model'), name: tableOf(file) } }
      : {}),
  };
}

/** Returns those that the text, or a macro that it calls, names. */
function namedIn(text: string, declarations: readonly Declaration[]): readonly Declaration[] {
  const found = new Set<Declaration>();
  const open = [text];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const words = new Set(next.match(/\w+/g));
    for (const each of declarations) {
      const isNamed = each.name.split(/[:.]/).every((word) => PREFIX.test(word) || words.has(word));
      if (!isNamed || found.has(each)) continue;
      found.add(each);
      if (each.name.startsWith('macro:')) open.push(each.text ?? '');
    }
  }
  return [...found];
}

const PREFIX = /^(ref|source|var|macro)$/;

/** From the manifest alone. */
function modelsOf(
  manifest: ExportDocument,
  { engine, descriptions, declarations }: Project,
): readonly ForeignQuery[] {
  return entriesOf(member(manifest.value, 'nodes')).flatMap(([id, node]): readonly ForeignQuery[] => {
    const title = textOf(node, 'name');
    if (textOf(node, 'resource_type') !== 'model' || title === undefined) return [];
    const key = ['compiled_code', 'compiled_sql', 'raw_code', 'raw_sql'].find(
      (each) => textOf(node, each) !== undefined,
    );
    if (key === undefined) return [];
    const description = descriptions.get(title);
    return [
      {
        tool: 'dbt',
        kind: 'model',
        title,
        segments: [title],
        ...(description === undefined ? {} : { description }),
        sql: textOf(node, key) ?? '',
        dialect: dialectOfEngine(engine),
        ...(engine === undefined ? {} : { engine }),
        declarations: key.startsWith('raw') ? namedIn(textOf(node, key) ?? '', declarations) : [],
        file: manifest.file,
        locate: (offset) => manifest.locate(['nodes', id, key], offset),
      },
    ];
  });
}

/** From the manifest, otherwise from `models:` of schema files. */
function descriptionsOf(
  documents: readonly ExportDocument[],
  manifest: unknown,
): ReadonlyMap<string, string> {
  const nodes = entriesOf(member(manifest, 'nodes')).map(([, node]) => node);
  const models = documents.flatMap(({ value }) => listOf(value, 'models'));
  return new Map(
    [...models, ...nodes].flatMap((model) => {
      const [name, description] = [textOf(model, 'name'), textOf(model, 'description')];
      return name === undefined || description === undefined || description.includes('{{')
        ? []
        : [[name, description] as const];
    }),
  );
}

/** `ref:model` and `source:name.table` with the names of their tables. */
function relationsOf(documents: readonly ExportDocument[], manifest: unknown): readonly Declaration[] {
  const relations: Declaration[] = [];
  for (const [, node] of [
    ...entriesOf(member(manifest, 'nodes')),
    ...entriesOf(member(manifest, 'sources')),
  ]) {
    const [name, source] = [textOf(node, 'name'), textOf(node, 'source_name')];
    const [schema, table] = [
      textOf(node, 'schema'),
      textOf(node, 'alias') ?? textOf(node, 'identifier') ?? name,
    ];
    if (name === undefined || schema === undefined || table === undefined) continue;
    relations.push({
      name: source === undefined ? `ref:${name}` : `source:${source}.${name}`,
      text: `${schema}.${table}`,
    });
  }
  for (const source of documents.flatMap(({ value }) => listOf(value, 'sources')))
    for (const table of listOf(source, 'tables')) {
      const [name, tableName] = [textOf(source, 'name'), textOf(table, 'name')];
      const schema = plainOf(textOf(source, 'schema') ?? name);
      const identifier = plainOf(textOf(table, 'identifier') ?? tableName);
      if (name === undefined || tableName === undefined || schema === undefined || identifier === undefined)
        continue;
      relations.push({ name: `source:${name}.${tableName}`, text: `${schema}.${identifier}` });
    }
  return relations.slice(0, 10_000);
}

/** `ref:model` of models that the manifest does not name, by the schema of the profile. */
function modelRelations(models: readonly ExportFile[], schemaOf: SchemaOf): readonly Declaration[] {
  return models.flatMap((file) => {
    const [name, schema] = [nameOf(file), schemaOf(file, 'model')];
    return schema === undefined ? [] : [{ name: `ref:${name}`, text: `${schema}.${tableOf(file)}` }];
  });
}

const ALIAS = /\{\{-?\s*config\s*\([^{}]*?\balias\s*=\s*(?:'(\w+)'|"(\w+)")/s;

/** The name of a model's table: its own, unless it is configured. */
function tableOf(file: ExportFile): string {
  const [, single, double] = ALIAS.exec(file.text) ?? [];
  return single ?? double ?? nameOf(file);
}

/** The models that others read by `ref`. */
function referencedIn(models: readonly ExportFile[]): ReadonlySet<string> {
  const calls = /\bref\s*\(\s*(?:['"]\w+['"]\s*,\s*)?['"](\w+)['"]/g;
  return new Set(models.flatMap(({ text }) => [...text.matchAll(calls)].map(([, name = '']) => name)));
}

const OTHERS: readonly (readonly [RegExp, string, string])[] = [
  [
    /\{%-?\s*macro\s+(\w+)/g,
    'macro',
    'The macro needs a run of dbt: run dbt compile, and import the folder with its target/compiled',
  ],
  [/\{%-?\s*snapshot\s+(\w+)/g, 'snapshot', 'A snapshot writes rows on a schedule, which no endpoint does'],
];
const WRITTEN_OUT = 'The macro is written out in the models that call it';
const NAMES_SCHEMAS = 'The macro names the databases of the models and seeds';
const TEST = 'A test of dbt: examples with the rows that they expect test an endpoint';

/** Macros, snapshots and tests. */
function othersOf(files: readonly ExportFile[], documents: readonly ExportDocument[]): readonly OtherItem[] {
  const used = new Map<string, string>(
    projectMacros(files).map(({ name }) => [name.slice('macro:'.length), WRITTEN_OUT]),
  );
  if (readsSchemaMacro(files, documents)) used.set('generate_schema_name', NAMES_SCHEMAS);
  const own = files.filter(({ path }) => /\.sql$/i.test(path) && !/(^|\/)(target|dbt_packages)\//.test(path));
  return own.flatMap((file): readonly OtherItem[] => [
    ...OTHERS.flatMap(([pattern, kind, reason]) =>
      [...file.text.matchAll(pattern)].map(({ 1: title = '', index }): OtherItem => {
        const item = { ...itemOf(file, kind, title), place: positionAt(file.text, index) };
        const isUsed = kind === 'macro' ? used.get(title) : undefined;
        return isUsed === undefined ? { ...item, reason } : { ...item, reason: isUsed, isEmpty: true };
      }),
    ),
    ...(isTest(file) ? [{ ...itemOf(file, 'test', nameOf(file)), reason: TEST, isEmpty: true }] : []),
  ]);
}

function itemOf(file: ExportFile, kind: string, title: string): SourceItem {
  return { tool: 'dbt', kind, title, file: file.shown, place: { line: 1, column: 1 } };
}

/** A query of the project's folder of tests, whose rows are failures. */
function isTest({ path, text }: ExportFile): boolean {
  return /(^|\/)tests\/.*\.sql$/i.test(path) && !/\{%-?\s*(test|macro)\b/.test(text);
}
