// Tinybird's data sources as tables, with the rows of their fixtures.
// Source: https://www.tinybird.co/docs/forward/dev-reference/datafiles/datasource-files
import type { ExportFile, ImportProblem } from '../../export/document.ts';
import { member } from '../../export/document.ts';
import type { TableDefinition, TableRows } from '../../export/foreign-query.ts';
import { instructionsOf, nameOf } from './datafile.ts';

/** The engine itself has databases of these names. */
const RESERVED = /^(system|information_schema)$|^\d/i;

/** A comment is a line, or what follows a comma, outside of quotes. */
const COMMENTS = /(^|,)[ \t]*(?:#|--)[^\n]*$/gm;

/** A data source as CREATE TABLE. */
export function readDatasource(
  file: ExportFile,
  fixtures: readonly ExportFile[],
): TableDefinition | ImportProblem {
  // The name of a file that another workspace shares begins with the name of the workspace.
  const [, database, name = ''] = /^(?:(\w+)\.)?([^.]*)$/.exec(nameOf(file, '.datasource')) ?? [];
  const options = new Map(instructionsOf(file.text).map(({ name: key, value }) => [key, value.trim()]));
  const schema = options.get('SCHEMA');
  const problem = (message: string): ImportProblem => ({ file: file.shown, line: 1, message });
  if (!/^[A-Za-z_]\w*$/.test(name) || RESERVED.test(database ?? ''))
    return problem('the name of the file is no name of a table');
  if (schema === undefined || schema === '') return problem('the data source has no SCHEMA');
  const written = columnsOf(schema.replace(/^>\s*/, '').replace(COMMENTS, '$1'));
  const columns = [...written, ...connectorColumns(written, options)];
  const engine = engineClauses(options);
  if (engine === undefined || columns.length === 0)
    return problem('the data source has no columns, or no engine');
  const indexes = (options.get('INDEXES') ?? '')
    .split('\n')
    .map((line) => line.trim().replace(/,$/, ''))
    .filter((line) => /^INDEX\b/i.test(line));
  const parts = [...columns.map(({ definition }) => definition), ...indexes];
  if ([...parts, engine].some((part) => part.includes(';')))
    return problem('the data source has a semicolon: it would be several statements');
  const rows = rowsOf(name, written, fixtures);
  const version = options.get('VERSION');
  return {
    tool: 'tinybird',
    kind: 'data source',
    title: nameOf(file, '.datasource'),
    name,
    ...(database === undefined ? {} : { database }),
    ...(version === undefined ? {} : { aliases: [`${name}__v${version}`] }),
    file: file.shown,
    place: { line: 1, column: 1 },
    sql: (own) =>
      `CREATE TABLE ${database ?? own}.${name} (\n${parts.map((part) => `  ${part}`).join(',\n')}\n) ${engine};\n`,
    columns: columns.map((column) => column.name),
    ...(rows === undefined ? {} : { rows }),
  };
}

/** The connector to Kafka adds these to each row, whether or not the schema has them. */
const KAFKA_COLUMNS: readonly (readonly [string, string])[] = [
  ['__value', 'String'],
  ['__topic', 'LowCardinality(String)'],
  ['__partition', 'Int16'],
  ['__offset', 'Int64'],
  ['__timestamp', 'DateTime'],
  ['__key', 'String'],
];

function connectorColumns(
  written: readonly DataSourceColumn[],
  options: ReadonlyMap<string, string>,
): readonly DataSourceColumn[] {
  if (!options.has('KAFKA_CONNECTION_NAME')) return [];
  const headers = /true/i.test(options.get('KAFKA_STORE_HEADERS') ?? '')
    ? [['__headers', 'Map(String, String)'] as const]
    : [];
  return [...KAFKA_COLUMNS, ...headers]
    .filter(([name]) => written.every((each) => each.name !== name))
    .map(([name, type]) => ({ name, definition: `\`${name}\` ${type}`, path: [] }));
}

/** ENGINE and what belongs to it; undefined if it is no engine's name. */
export function engineClauses(options: ReadonlyMap<string, string>): string | undefined {
  const option = (key: string): string | undefined => {
    const value = options.get(`ENGINE${key}`)?.replace(/^(["'])(.*)\1$/s, '$2');
    return value === '' ? undefined : value;
  };
  const engine = option('') ?? 'MergeTree';
  if (!/^\w+$/.test(engine)) return undefined;
  const columns = option('_COLUMNS');
  const given = [
    ...(columns === undefined ? [] : [`(${columns})`]),
    ...['_SIGN', '_VER', '_VERSION', '_IS_DELETED', '_JOIN_STRICTNESS', '_JOIN_TYPE', '_KEY_COLUMNS'].flatMap(
      (key) => option(key) ?? [],
    ),
  ];
  const clause = (words: string, key: string, isList = false): readonly string[] => {
    const value = option(key);
    return value === undefined ? [] : [`${words} ${isList && !value.startsWith('(') ? `(${value})` : value}`];
  };
  const isMergeTree = engine.endsWith('MergeTree');
  const key = option('_SORTING_KEY') ?? option('_PRIMARY_KEY');
  const hasPrimary = option('_SORTING_KEY') !== undefined;
  // Columns of its keys may be Nullable in Tinybird.
  const settings = [option('_SETTINGS'), ...(isMergeTree ? ['allow_nullable_key = 1'] : [])].filter(
    (each) => each !== undefined,
  );
  return [
    `ENGINE = ${engine}${given.length === 0 ? '' : `(${given.join(', ')})`}`,
    ...clause('PARTITION BY', '_PARTITION_KEY'),
    ...(hasPrimary ? clause('PRIMARY KEY', '_PRIMARY_KEY', true) : []),
    ...(isMergeTree ? [`ORDER BY ${key === undefined || key === 'tuple()' ? 'tuple()' : listed(key)}`] : []),
    ...clause('SAMPLE BY', '_SAMPLING_KEY'),
    ...clause('TTL', '_TTL'),
    ...(settings.length === 0 ? [] : [`SETTINGS ${settings.join(', ')}`]),
  ].join('\n');
}

/** A list of expressions in parentheses, unless it is one already. */
function listed(key: string): string {
  return /^\([^()]*\)$/.test(key) ? key : `(${key})`;
}

/** The rows of the first fixture of this name, with the columns of the table as keys. */
function rowsOf(
  name: string,
  columns: readonly DataSourceColumn[],
  fixtures: readonly ExportFile[],
): TableRows | undefined {
  const file = fixtures.find(({ path }) =>
    [`${name}.ndjson`, `${name}.csv`].includes(path.split('/').at(-1) ?? ''),
  );
  if (file === undefined || file.text.trim() === '') return undefined;
  if (/\.csv$/i.test(file.path)) {
    const names = columns.map((column) => column.name);
    const first = file.text.split(/\r?\n/, 1)[0]?.replace(/["\s]/g, '').split(',') ?? [];
    const hasHeader = first.every((each) => names.includes(each));
    const text = hasHeader ? file.text : `${names.join(',')}\n${file.text}`;
    return { format: 'csv', text, file: file.shown };
  }
  const lines = file.text.split('\n').filter((line) => line.trim() !== '');
  return {
    format: 'ndjson',
    text: lines.map((line) => `${rowOf(line, columns)}\n`).join(''),
    file: file.shown,
  };
}

/** A line of JSON as a row of the table; a line that is no object stays as it is, and is reported when it is read. */
function rowOf(line: string, columns: readonly DataSourceColumn[]): string {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return line;
  }
  if (typeof value !== 'object' || value === null) return line;
  const members = columns.flatMap(({ name, path }): readonly (readonly [string, unknown])[] => {
    const found =
      path.length === 0 || path[0] === ''
        ? member(value, name)
        : path.reduce<unknown>((inner, key) => member(inner, key), value);
    return found === undefined ? [] : [[name, found]];
  });
  return JSON.stringify(Object.fromEntries(members));
}

interface DataSourceColumn {
  readonly name: string;
  /** As CREATE TABLE writes it. */
  readonly definition: string;
  /** The keys of its value in a JSON row. */
  readonly path: readonly string[];
}

/** The parts of a SCHEMA at the top level, with the JSON paths of their values. */
function columnsOf(schema: string): readonly DataSourceColumn[] {
  const columns: DataSourceColumn[] = [];
  let depth = 0;
  let from = 0;
  const add = (to: number): void => {
    const written = schema.slice(from, to);
    const path = /`json:\$\.?([^`]*)`/.exec(written)?.[1];
    const definition = written
      .replace(/`json:[^`]*`/g, '')
      .replace(/\s+/g, ' ')
      .trim();
    const name = /^`([^`]+)`|^(\w+)/.exec(definition);
    if (definition !== '')
      columns.push({
        name: name?.[1] ?? name?.[2] ?? '',
        definition,
        path: path === undefined ? [] : path.replace(/\[:?\]$/, '').split('.'),
      });
    from = to + 1;
  };
  for (let at = 0; at < schema.length; at++) {
    const char = schema[at];
    if (char === '(' || char === '[') depth++;
    else if (char === ')' || char === ']') depth--;
    else if (char === '`' || char === "'") {
      const close = schema.indexOf(char, at + 1);
      if (close < 0) break;
      at = close;
    } else if (char === ',' && depth === 0) add(at);
  }
  add(schema.length);
  return columns;
}
