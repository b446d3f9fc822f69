// Data sources of Tinybird: their files, columns, and examples of their values.
import {
  type ExportFile,
  type ImportProblem,
  member,
  entriesOf,
  textOf,
  type Contents,
} from '../../export/document.ts';
import { readRegions } from '../../placeholders/source-lexer.ts';
import type { Declaration } from '../../placeholders/template.ts';
import type { TableDefinition, TableRows, SourceExample } from '../../export/foreign-query.ts';
import { tablesOf } from './nodes.ts';

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
const listed = (key: string): string => (/^\([^()]*\)$/.test(key) ? key : `(${key})`);

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

type JsonRow = Readonly<Record<string, unknown>>;

/** By the name of the pipe. */
export function readExamples({ files, documents }: Contents): ReadonlyMap<string, readonly SourceExample[]> {
  const found = new Map<string, SourceExample[]>();
  const add = (pipe: string, example: SourceExample): void => {
    found.set(pipe, [...(found.get(pipe) ?? []), example]);
  };
  for (const { path, value } of documents) {
    const pipe = /(?:^|\/)tests\/([^/]+)\.ya?ml$/.exec(path)?.[1];
    if (pipe === undefined || !Array.isArray(value)) continue;
    for (const each of (value as readonly unknown[]).slice(0, MAX_EXAMPLES)) {
      const [name, expected] = [textOf(each, 'name'), textOf(each, 'expected_result')];
      if (name === undefined) continue;
      const rows = expected === undefined ? undefined : jsonRows(expected);
      const parameters = Object.fromEntries(new URLSearchParams(textOf(each, 'parameters') ?? ''));
      const status = Number(member(each, 'expected_http_status') ?? 200);
      if (status >= 400 && status < 500) add(pipe, { name, parameters, status });
      else add(pipe, { name, parameters, ...(rows === undefined ? {} : { rows }) });
    }
  }
  const texts = new Map(files.map(({ path, text }) => [path, text]));
  for (const { path, text } of files) {
    const name = /([^/]+)\.test$/.exec(path)?.[1];
    const [, pipe, options] = /^\s*tb\s+pipe\s+data\s+(\w+)([^\n]*)/m.exec(text) ?? [];
    if (name === undefined || pipe === undefined || options === undefined) continue;
    const result = texts.get(`${path}.result`);
    const rows = result === undefined || !/--format\s+CSV/i.test(options) ? undefined : csvRows(result);
    add(pipe, { name, parameters: parametersOf(options), ...(rows === undefined ? {} : { rows }) });
  }
  return found;
}

const MAX_EXAMPLES = 50;
const MAX_ROWS = 100;

/** `--name value` for each, apart from those of the command itself. */
function parametersOf(options: string): Readonly<Record<string, string>> {
  const pairs = [...options.matchAll(/--(\w+)[ =]("[^"]*"|'[^']*'|\S+)/g)].map(
    ([, name = '', value = '']) => [name, value.replace(/^(["'])(.*)\1$/, '$2')] as const,
  );
  return Object.fromEntries(pairs.filter(([name]) => name !== 'format'));
}

/** One object a line; undefined if they are none, or too many. */
function jsonRows(text: string): readonly JsonRow[] | undefined {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  if (lines.length > MAX_ROWS) return undefined;
  try {
    const rows = lines.map((line): unknown => JSON.parse(line));
    return rows.every((row) => entriesOf(row).length > 0)
      ? rows.map((row) => typed(Object.fromEntries(entriesOf(row))))
      : undefined;
  } catch {
    return undefined;
  }
}

/** Lines with a header; undefined if a value is a list or has a line break, which this does not read. */
function csvRows(text: string): readonly JsonRow[] | undefined {
  const lines = text
    .trim()
    .split(/\r?\n/)
    .map((line) =>
      [...line.matchAll(/("(?:[^"]|"")*"|[^,]*)(?:,|$)/g)].slice(0, -1).map(([, cell = '']) => cell),
    );
  const [header, ...rows] = lines;
  if (header === undefined || rows.length > MAX_ROWS) return undefined;
  if (rows.some((row) => row.length !== header.length || row.some((cell) => /^"?\[/.test(cell))))
    return undefined;
  return rows.map((row) =>
    typed(Object.fromEntries(row.map((cell, at) => [unquoted(header[at] ?? ''), cellOf(cell)]))),
  );
}

const unquoted = (cell: string): string => cell.replace(/^"([^]*)"$/, '$1').replaceAll('""', '"');

function cellOf(cell: string): unknown {
  if (cell === '\\N') return null;
  return /^-?\d+(\.\d+)?(e[+-]?\d+)?$/.test(cell) ? Number(cell) : unquoted(cell);
}

/** Times as Millrace writes them. */
function typed(row: JsonRow): JsonRow {
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => [
      name,
      typeof value === 'string' && /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d+)?$/.test(value)
        ? `${value.replace(' ', 'T')}Z`
        : value,
    ]),
  );
}

/** An instruction of a datafile: `NAME argument`, with its indented lines. */
export interface Instruction {
  readonly name: string;
  readonly value: string;
  /** The offset of the value in the file. */
  readonly start: number;
}

const NAMES =
  'VERSION|DESCRIPTION|TAGS|TOKEN|NODE|SQL|TYPE|DATASOURCE|ENGINE\\w*|COPY\\w*|TARGET_DATASOURCE|MATERIALIZED|SCHEMA|INDEXES|SHARED_WITH|FORWARD_QUERY|EXPORT\\w*|KAFKA\\w*|IMPORT\\w*|INCLUDE|CACHE\\w*|DEPLOYMENT_METHOD|BACKFILL|RETRIES|MAX_\\w+|UNIQUE\\w*|INDEX\\w*|S3\\w*|GCS\\w*';
const INSTRUCTION = new RegExp(`^[ \\t]*(${NAMES})\\b[ \\t]*(.*)$`, 'i');

/** Instructions after an indented block, which are indented themselves in some files. */
const INDENTED =
  /^[ \t]*(?:(?:SQL|DESCRIPTION|SCHEMA)[ \t]*>|TYPE[ \t]+(?:endpoint|materialized|copy|sink))\s*$/i;

/** In order. The value of an instruction with `>` is its following lines, which are indented. */
export function instructionsOf(text: string): readonly Instruction[] {
  const found: { name: string; value: string; readonly start: number }[] = [];
  let at = 0;
  let isBlock = false;
  for (const line of text.split(/(?<=\n)/)) {
    const isInstruction: boolean = !isBlock || /^[A-Z_]+\b/.test(line) || INDENTED.test(line);
    const match: RegExpExecArray | null = isInstruction
      ? INSTRUCTION.exec(line.replace(/[\r\n]+$/, ''))
      : null;
    const last = found.at(-1);
    if (match !== null) {
      const name: string = match[1] ?? '';
      const argument: string = match[2] ?? '';
      isBlock = /^\s*>\s*$/.test(argument) || (argument.trim() === '' && name.toUpperCase() !== 'NODE');
      const start = isBlock ? at + line.length : at + line.indexOf(argument);
      found.push({ name: name.toUpperCase(), value: isBlock ? '' : argument, start });
    } else if (isBlock && last !== undefined) last.value += line;
    at += line.length;
  }
  return found;
}

/** The name of the file without its folders and ending. */
export function nameOf({ path }: ExportFile, extension: string): string {
  const name = path.split('/').at(-1) ?? path;
  return name.slice(0, name.length - extension.length);
}

/** Declares the columns of data sources by `columns:TABLE`. */
export function declaredColumns(tables: readonly TableDefinition[]): readonly Declaration[] {
  return tables.flatMap(({ name, columns }) =>
    columns === undefined ? [] : [{ name: `columns:${name}`, enum: columns }],
  );
}

/** Undefined if the query reads more than one table, or one that is not known. */
export function columnsAround(
  text: string,
  offset: number,
  declarations: readonly Declaration[],
): readonly string[] | undefined {
  if (declarations.length === 0) return undefined;
  const [name, ...others] = tablesOf(queryAround(text, offset));
  if (name === undefined || others.length > 0) return undefined;
  const columns = declarations.find((each) => each.name === `columns:${name}`)?.enum;
  return columns?.map(String);
}

const TAG = /\{\{[^]*?\}\}|\{%[^]*?%\}|\{#[^]*?#\}/g;

/** The text between the parentheses around an offset, without what is in parentheses inside. */
function queryAround(text: string, offset: number): string {
  const plain = text.replace(TAG, (tag) =>
    tag.startsWith('{{') ? `'${' '.repeat(tag.length - 2)}'` : ' '.repeat(tag.length),
  );
  const levels: { text: string }[] = [{ text: '' }];
  const add = (char: string): void => {
    const level = levels.at(-1);
    if (level !== undefined) level.text += char;
  };
  let found: { text: string } | undefined;
  for (const { kind, start, end } of readRegions(plain, 'clickhouse', () => undefined)) {
    for (let at = start; at < end; at++) {
      const char = kind === 'comment' ? ' ' : plain.charAt(at);
      if (at === offset) found = levels.at(-1);
      const isCode = kind === 'code';
      const isClosing = isCode && char === ')' && levels.length > 1;
      if (isClosing && levels.pop() === found && found !== undefined) return found.text;
      add(char);
      if (isCode && char === '(') levels.push({ text: '' });
    }
  }
  return found?.text ?? '';
}
