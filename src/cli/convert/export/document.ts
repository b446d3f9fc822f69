// The documents of an export, YAML or JSON, with the positions of the strings inside, and the dialects of the databases that it names.
import type { TemplateDialect } from '../placeholders/template.ts';
import type { Finding } from '../../../sql/base/finding.ts';
import { extname } from 'node:path';
import { sourceOffset } from '../../../service/config/scalar-offsets.ts';
import { parseYaml } from '../../../service/config/yaml-document.ts';
import { createPositions, type Position } from '../../../sql/base/position.ts';

/** A file of an export. */
export interface ExportFile {
  /** Relative to the folder or archive, with `/`. */
  readonly path: string;
  /** For messages: where the user finds it. */
  readonly shown: string;
  readonly text: string;
}

/** What a file, or the export as a whole, could not be read for. */
export type ImportProblem = Pick<Finding, 'file' | 'line' | 'message'>;

export type DocumentPath = readonly (string | number)[];

export interface ExportDocument {
  /** Relative to the export. */
  readonly path: string;
  readonly file: string;
  readonly value: unknown;
  /** The position in the file of the character at `offset` in the string at `path`. */
  readonly locate: (path: DocumentPath, offset: number) => Position;
}

/** What a reader is given: all files, and those among them that are YAML or JSON. */
export interface Contents {
  readonly files: readonly ExportFile[];
  readonly documents: readonly ExportDocument[];
}

/** YAML is parsed with positions, which takes time: larger files are no cards or charts. */
const MAX_YAML_LENGTH = 4 * 1024 * 1024;

/** The document; a problem if it is malformed; undefined for other files. */
export function readDocument(file: ExportFile): ExportDocument | ImportProblem | undefined {
  const extension = extname(file.path).toLowerCase();
  if (extension === '.json') return readJson(file);
  return extension === '.yaml' || extension === '.yml' ? readYaml(file) : undefined;
}

function readYaml({ path, shown, text }: ExportFile): ExportDocument | ImportProblem {
  if (text.length > MAX_YAML_LENGTH)
    return { file: shown, line: 1, message: 'the file is larger than 4 MiB' };
  const parsed = parseYaml(shown, text);
  if ('diagnostics' in parsed) {
    const [first] = parsed.diagnostics;
    return { file: shown, line: first?.line ?? 1, message: first?.message ?? 'the file is not valid YAML' };
  }
  const { document } = parsed;
  return {
    path,
    file: shown,
    value: document.value,
    locate: (at, offset) => document.locateInside(at, offset),
  };
}

function readJson({ path, shown, text }: ExportFile): ExportDocument | ImportProblem {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return {
      file: shown,
      line: 1,
      message: `the file is not valid JSON: ${error instanceof Error ? error.message.slice(0, 200) : ''}`,
    };
  }
  let offsets: ReadonlyMap<string, { readonly start: number; readonly end: number }> | undefined;
  let positions: ((offset: number) => Position) | undefined;
  return {
    path,
    file: shown,
    value,
    locate: (at, offset) => {
      offsets ??= stringOffsets(text);
      positions ??= createPositions(text);
      const found = offsets.get(JSON.stringify(at));
      const string = stringAt(value, at);
      if (found === undefined || string === undefined) return { line: 1, column: 1 };
      return positions(sourceOffset({ text, ...found, type: 'QUOTE_DOUBLE' }, string, offset));
    },
  };
}

/** The string at a path. */
export function stringAt(value: unknown, path: DocumentPath): string | undefined {
  let at: unknown = value;
  for (const key of path) at = member(at, key);
  return typeof at === 'string' ? at : undefined;
}

/** A member of an object or list; undefined if there is none. */
export function member(value: unknown, key: string | number): unknown {
  if (Array.isArray(value)) return typeof key === 'number' ? (value[key] as unknown) : undefined;
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
  return (value as Readonly<Record<string | number, unknown>>)[key]; // an object, by the line above
}

/** The member as a list; empty if it is none. */
export function listOf(value: unknown, key: string): readonly unknown[] {
  const found = member(value, key);
  return Array.isArray(found) ? found : [];
}

/** The member as text; undefined if it is none or has only white space. */
export function textOf(value: unknown, key: string): string | undefined {
  const found = member(value, key);
  return typeof found === 'string' && found.trim() !== '' ? found : undefined;
}

/** The members of an object; empty if it is none. */
export function entriesOf(value: unknown): readonly (readonly [string, unknown])[] {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.entries(value) : [];
}

/** Keys of the supported exports whose values are SQL, or the titles of items without. */
const KEYS: ReadonlySet<string> = new Set([
  'query',
  'native',
  'rawSql',
  'rawSQL',
  'rawQuery',
  'queryText',
  'sql',
  'compiled_code',
  'raw_code',
  'compiled_sql',
  'raw_sql',
  'expr',
  'title',
  'name',
  'type',
]);
const MAX_DEPTH = 200;

interface JsonSpan {
  readonly start: number;
  readonly end: number;
}

/** The strings under these keys, by their path as JSON; quotes included. `text` must be valid JSON. Linear. */
function stringOffsets(text: string): ReadonlyMap<string, JsonSpan> {
  const found = new Map<string, JsonSpan>();
  const path: (string | number)[] = [];
  const lists: boolean[] = [];
  let expectsKey = false;
  for (let at = 0; at < text.length; at++) {
    const char = text[at];
    if (char === '"') {
      const end = stringEnd(text, at);
      const key = path.at(-1);
      if (expectsKey) path[path.length - 1] = unquoted(text.slice(at, end));
      else if (typeof key === 'string' && KEYS.has(key) && path.length <= MAX_DEPTH)
        found.set(JSON.stringify(path), { start: at, end });
      expectsKey = false;
      at = end - 1;
    } else if (char === '{' || char === '[') {
      lists.push(char === '[');
      path.push(char === '[' ? 0 : '');
      expectsKey = char === '{';
    } else if (char === '}' || char === ']') {
      lists.pop();
      path.pop();
      expectsKey = false;
    } else if (char === ',') {
      const last = path.at(-1);
      if (lists.at(-1) === true && typeof last === 'number') path[path.length - 1] = last + 1;
      expectsKey = lists.at(-1) === false;
    }
  }
  return found;
}

/** The index after the closing quote. */
function stringEnd(text: string, at: number): number {
  for (let end = at + 1; end < text.length; end++) {
    if (text[end] === '\\') end++;
    else if (text[end] === '"') return end + 1;
  }
  return text.length;
}

function unquoted(source: string): string {
  return source.includes('\\') ? String(JSON.parse(source)) : source.slice(1, -1);
}

const NAMES: readonly (readonly [RegExp, TemplateDialect])[] = [
  [/clickhouse|chdb/, 'clickhouse'],
  [/redshift/, 'redshift'],
  [/postgres|^pg$|^psycopg|timescale|cockroach|greenplum|alloydb|^neon/, 'postgresql'],
  [/mariadb/, 'mariadb'],
  [/mysql|aurora/, 'mysql'],
  [/snowflake/, 'snowflake'],
  [/bigquery/, 'bigquery'],
  [/trino|presto|athena|starburst/, 'trino'],
  [/sqlite/, 'sqlite'],
];

/** The dialect of a driver, data source or adapter, such as `grafana-postgresql-datasource`; undefined for others. */
export function dialectOfEngine(engine: string | undefined): TemplateDialect | undefined {
  if (engine === undefined) return undefined;
  const name = engine.toLowerCase();
  if (name.includes('duckdb')) return 'postgresql'; // its grammar is closest to PostgreSQL's
  return NAMES.find(([pattern]) => pattern.test(name))?.[1];
}
