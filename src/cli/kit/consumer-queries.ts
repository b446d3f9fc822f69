// Reads the queries of consumers: folders and files of single queries, and files of JSON lines.
import { readdir, stat } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { leadsOutside, OUTSIDE } from '../../service/config/leads-outside.ts';
import { readText } from '../../service/config/read-text.ts';
import { CommandError } from './command-error.ts';

export type Language = 'sql' | 'lql';

/** One query, as written in its file. */
export interface ConsumerQuery {
  readonly name: string;
  /** The file, and the line of a JSON lines file. */
  readonly source: string;
  readonly language: Language;
  readonly text: string;
  readonly dialect: string | undefined;
  /** Name or id of the endpoint that it is sent to, and who to ask about it, if the file says so. */
  readonly endpoint: string | undefined;
  readonly owner: string | undefined;
  /** In addition to those of the command. */
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly expected: Expected | undefined;
}

/** What a query must do; what is undefined is not compared. */
export interface Expected {
  readonly status?: number;
  readonly code?: string;
  /** Number of rows. */
  readonly rows?: number;
  readonly result?: readonly unknown[];
}

const LANGUAGES: Readonly<Record<string, Language>> = { '.sql': 'sql', '.txt': 'sql', '.lql': 'lql' };
const LINES = new Set(['.jsonl', '.ndjson']);
const MAX_QUERIES = 20_000;
const MAX_FILES = 20_000;
const MAX_DEPTH = 8;
const MAX_TEXT_BYTES = 2 ** 20;
const MAX_LINES_BYTES = 64 * 2 ** 20;
const MAX_NAME = 200;

/**
 * The queries of files and folders, in order of their names. A folder is read with its subfolders; hidden files, links and files
 * with other extensions in it are left out. Rejects with CommandError for anything else.
 */
export async function readQueries(paths: readonly string[]): Promise<readonly ConsumerQuery[]> {
  const files: string[] = [];
  for (const path of paths) await addFiles(path, files, { depth: 0, isNamed: true });
  const queries: ConsumerQuery[] = [];
  for (const file of files) {
    for (const query of await readFile(file)) queries.push(query);
    if (queries.length > MAX_QUERIES) throw invalid(`More than ${MAX_QUERIES} queries; run them in parts`);
  }
  if (queries.length > 0) return queries;
  throw invalid(`No queries in ${paths.join(', ')}: expected files named *.sql, *.txt, *.lql or *.jsonl`);
}

async function addFiles(
  path: string,
  files: string[],
  { depth, isNamed }: { readonly depth: number; readonly isNamed: boolean },
): Promise<void> {
  const stats = await stat(path).catch((cause: unknown) => {
    throw new CommandError(`${path} does not exist; specify a file or a folder of queries`, {
      exitCode: 2,
      cause,
    });
  });
  if (leadsOutside(path)) throw invalid(`${path}: ${OUTSIDE}`);
  if (!stats.isDirectory()) {
    if (isNamed && !isQueryFile(path)) throw invalid(`${path}: expected *.sql, *.txt, *.lql or *.jsonl`);
    files.push(path);
    if (files.length > MAX_FILES) throw invalid(`More than ${MAX_FILES} files; run them in parts`);
    return;
  }
  if (depth > MAX_DEPTH) throw invalid(`${path} is nested deeper than ${MAX_DEPTH} folders`);
  const entries = await readdir(path, { withFileTypes: true });
  for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    const isRead = entry.isDirectory() || (entry.isFile() && isQueryFile(entry.name));
    if (!isRead || entry.name.startsWith('.')) continue;
    await addFiles(join(path, entry.name), files, { depth: depth + 1, isNamed: false });
  }
}

function isQueryFile(path: string): boolean {
  const extension = extname(path);
  return extension in LANGUAGES || LINES.has(extension);
}

async function readFile(path: string): Promise<readonly ConsumerQuery[]> {
  const extension = extname(path);
  const isLines = LINES.has(extension);
  const text = await readText(path, isLines ? MAX_LINES_BYTES : MAX_TEXT_BYTES).catch((cause: unknown) => {
    throw new CommandError(`Cannot read ${path}: ${cause instanceof Error ? cause.message : String(cause)}`, {
      exitCode: 2,
      cause,
    });
  });
  if (!isLines) {
    const shared = { name: path, source: path, parameters: {}, expected: undefined };
    const language = LANGUAGES[extension] ?? 'sql';
    const head = language === 'sql' ? readHead(text) : NO_HEAD;
    return text.trim() === '' ? [] : [{ ...shared, ...head, language, text }];
  }
  return text.split('\n').flatMap((line, index) => {
    return line.trim() === '' ? [] : [readLine(line, `${path}:${index + 1}`)];
  });
}

type Head = Pick<ConsumerQuery, 'dialect' | 'endpoint' | 'owner'>;

const NO_HEAD: Head = { dialect: undefined, endpoint: undefined, owner: undefined };

/** The comments that a file of SQL begins with: `-- endpoint: orders`, `-- dialect: mysql`, `-- owner: payments`. */
function readHead(text: string): Head {
  const head: Record<string, string> = {};
  for (const line of text.split('\n', MAX_HEAD_LINES)) {
    if (line.trim() !== '' && !line.startsWith('--')) break;
    const [, key, value] = /^-- *(dialect|endpoint|owner): *(\S.*?)\s*$/.exec(line) ?? [];
    if (key !== undefined && value !== undefined) head[key] = value.slice(0, MAX_NAME);
  }
  return { ...NO_HEAD, ...head };
}

const MAX_HEAD_LINES = 20;

/** `{"name": …, "sql" or "lql": …, "dialect": …, "endpoint": …, "owner": …, "parameters": {…}, "expect": {…}}`. */
function readLine(line: string, source: string): ConsumerQuery {
  const entry = objectOf(parse(line, source), source);
  for (const key of Object.keys(entry))
    if (!KEYS.has(key))
      throw invalid(`${source}: unknown member "${key}"; allowed are ${[...KEYS].join(', ')}`);
  const { parameters = {}, expect } = entry;
  const [member, ...others] = TEXTS.filter((each) => entry[each] !== undefined);
  const text = member === undefined ? undefined : entry[member];
  if (typeof text !== 'string' || others.length > 0)
    throw invalid(`${source}: expected either "sql", "lql" or "text", a string`);
  const dialect = stringIn(entry, 'dialect', source);
  const isLql = member === 'lql' || (member === 'text' && dialect === 'lql');
  return {
    name: stringIn(entry, 'name', source) ?? source,
    source,
    language: isLql ? 'lql' : 'sql',
    text,
    dialect: isLql ? undefined : dialect,
    endpoint: stringIn(entry, 'endpoint', source),
    owner: stringIn(entry, 'owner', source),
    parameters: objectOf(parameters, `${source}: "parameters"`),
    expected:
      expect === undefined ? undefined : readExpected(objectOf(expect, `${source}: "expect"`), source),
  };
}

function stringIn(entry: Readonly<Record<string, unknown>>, key: string, source: string): string | undefined {
  const { [key]: value } = entry;
  if (value === undefined || value === null || value === '') return undefined;
  if (typeof value === 'string') return value.slice(0, MAX_NAME);
  throw invalid(`${source}: expected "${key}" to be a string`);
}

/** Members with the query, of which there must be one. */
const TEXTS = ['sql', 'lql', 'text'] as const;
const KEYS: ReadonlySet<string> = new Set([
  'name',
  ...TEXTS,
  'dialect',
  'endpoint',
  'owner',
  'parameters',
  'expect',
]); // prettier-ignore;

function readExpected(value: Readonly<Record<string, unknown>>, source: string): Expected {
  const checks: Readonly<Record<string, (each: unknown) => boolean>> = {
    status: Number.isInteger,
    code: (each) => typeof each === 'string',
    rows: Number.isInteger,
    result: Array.isArray,
  };
  for (const [key, each] of Object.entries(value)) {
    if (checks[key]?.(each) === true) continue;
    throw invalid(
      `${source}: expected "expect" to have status and rows (integers), code (a string) or result (a list of rows)`,
    );
  }
  return value; // every member has been checked
}

function parse(line: string, source: string): unknown {
  try {
    return JSON.parse(line);
  } catch (cause) {
    throw new CommandError(`${source}: invalid JSON: ${cause instanceof Error ? cause.message : ''}`, {
      exitCode: 2,
      cause,
    });
  }
}

function objectOf(value: unknown, source: string): Readonly<Record<string, unknown>> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value))
    return value as Readonly<Record<string, unknown>>; // an object that JSON.parse made
  throw invalid(`${source}: expected a JSON object`);
}

function invalid(message: string): CommandError {
  return new CommandError(message, { exitCode: 2 });
}
