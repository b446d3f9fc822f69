// Where SQL reaches outside of the tables: files, the network, programs. Read from the tokens of statements, before an engine
// sees them, so that the content of a file cannot come out through an error of the engine.
import {
  OUTSIDE_SOURCE_NAMES,
  OUTSIDE_SOURCES,
  type EngineSources,
  type OutsideSource,
  type OutsideSourceName,
} from './outside-sources.ts';
import { createCursor, significantTokens, type Cursor } from './cursor.ts';
import { argumentsNameFile, fileTables } from './file-tables.ts';
import { takesFunction } from './higher-order.ts';
import type { Token } from './lexer.ts';
import { decodedName } from './quoted-name.ts';
import { stringValue } from './literal.ts';
import { QUERY_STARTS } from './tree/keywords.ts';

/** One place that reaches outside; offsets into the SQL (UTF-16 code units, end exclusive). */
export interface OutsideRead {
  readonly start: number;
  readonly end: number;
  /** How it is written: `url()`, `ENGINE = S3`, `INTO OUTFILE`. */
  readonly what: string;
  /** Undefined: no source that could be allowed. */
  readonly source: OutsideSourceName | undefined;
}

/**
 * What one or more statements reach and `allowed` does not name, in order. Of a name that is decided when the statement runs (a
 * parameter, a setting of the session) nothing is known; a table named without quotes may be a file of the engine's working folder.
 */
export function outsideReads(
  sql: string,
  allowed: EngineSources,
  tokens?: readonly Token[],
): readonly OutsideRead[] {
  if (allowed === 'any') return [];
  const found = new Map<number, OutsideRead>();
  for (const statement of statementsOf(sql, tokens ?? significantTokens(sql)))
    for (const read of readsOf(statement)) if (!found.has(read.start)) found.set(read.start, read);
  return [...found.values()]
    .filter(({ source }) => source === undefined || !allowed.includes(source))
    .toSorted((a, b) => a.start - b.start);
}

/**
 * The same of a script whose INSERT statements may have data inline. Where the data of FORMAT ends is up to the engine, so that what
 * follows is read as statements from the next line on, and each line by itself: a quote in the data hides nothing.
 */
export function outsideReadsOfScript(sql: string, allowed: EngineSources): readonly OutsideRead[] {
  if (allowed === 'any') return [];
  const found = new Map(outsideReads(sql, allowed).map((read) => [read.start, read]));
  const data = inlineData(createCursor(sql));
  if (data === undefined) return [...found.values()];
  const add = (from: number, to: number): void => {
    for (const read of outsideReads(sql.slice(from, to), allowed)) {
      const start = from + read.start;
      if (!found.has(start)) found.set(start, { ...read, start, end: from + read.end });
    }
  };
  for (let from = sql.indexOf('\n', data) + 1; from > 0; from = sql.indexOf('\n', from) + 1) {
    const end = sql.indexOf('\n', from);
    if (from === sql.indexOf('\n', data) + 1) add(from, sql.length);
    add(from, end < 0 ? sql.length : end);
  }
  return [...found.values()].toSorted((a, b) => a.start - b.start);
}

/** Where the first data of `INSERT … FORMAT name` begins. */
function inlineData(query: Cursor): number | undefined {
  let isInsert = false;
  for (let at = 0; at < query.length; at++) {
    if (query.word(at) === 'INSERT') isInsert = true;
    if (isInsert && query.word(at) === 'FORMAT' && query.kind(at + 1) === 'word') return query.end(at + 1);
  }
  return undefined;
}

/** What a finding about such a place says. */
export function explainOutside({ what, source }: OutsideRead): {
  readonly message: string;
  readonly hint: string;
} {
  if (source === undefined)
    return {
      message: `${what} is not allowed: what it reaches is not known before it runs`,
      hint: 'Remove it',
    };
  return {
    message: `${what} reaches ${OUTSIDE_SOURCES[source].title}, outside of the tables`,
    hint: `Read a table instead. If it is needed, name the source where the command or the service runs: MILLRACE_ENGINE_SOURCES=${source}`,
  };
}

function* statementsOf(sql: string, tokens: readonly Token[]): Generator<Cursor> {
  let first = 0;
  for (let at = 0; at <= tokens.length; at++) {
    const kind = tokens[at]?.kind;
    if (kind !== undefined && kind !== ';' && kind !== '\\G') continue;
    if (at > first) yield createCursor(sql, tokens.slice(first, at));
    first = at + 1;
  }
}

function* readsOf(query: Cursor): Generator<OutsideRead> {
  yield* statementReads(query);
  const isDefinition = /^(?:CREATE|ATTACH|REPLACE)$/.test(query.word(0) ?? '');
  for (let at = 0; at < query.length; at++) {
    const name = nameAt(query, at);
    if (name === undefined) continue;
    yield* callReads(query, at, name);
    yield* referenceReads(query, at, name);
    yield* clauseReads(query, at, name);
    if (isDefinition) yield* definitionReads(query, at, name);
  }
  for (const at of fileTables(query)) yield readAt(query, at, 'file', FILE_AS_TABLE);
}

function nameAt(query: Cursor, at: number): string | undefined {
  const kind = query.kind(at);
  if (kind === 'word') return query.text(at);
  return kind === 'quoted' ? (decodedName(query.text(at)) ?? '\\') : undefined;
}

function readAt(query: Cursor, at: number, source: OutsideSourceName | undefined, what: string): OutsideRead {
  return { start: query.start(at), end: query.end(at), source, what };
}

type NameKey = Exclude<keyof OutsideSource, 'access' | 'title'>;

/** By the name in lower case: some are not case-sensitive, and the others would be unknown to the engine. */
function byName(...keys: readonly NameKey[]): ReadonlyMap<string, OutsideSourceName> {
  const pairs = OUTSIDE_SOURCE_NAMES.flatMap((source) =>
    keys.flatMap((key) =>
      (OUTSIDE_SOURCES[source][key] ?? '').split(' ').map((name) => [name.toLowerCase(), source] as const),
    ),
  );
  return new Map(pairs.filter(([name]) => name !== ''));
}

const FUNCTIONS = byName('functions');
const CALLS = byName('functions', 'tableFunctions');
const ENGINES = byName('engines');
const DICTIONARIES = byName('dictionaries');
const SETTINGS = byName('settings');

/** They run or read what only their arguments tell: a query in a string, an address in the memory of the process. */
const UNCHECKED: ReadonlySet<string> = new Set(['eval', 'arrowstream', 'queryrunner', '\\']);

function* callReads(query: Cursor, at: number, name: string): Generator<OutsideRead> {
  if (query.kind(at + 1) !== '(') return;
  const folded = name.toLowerCase();
  const source = CALLS.get(folded);
  if (source !== undefined || UNCHECKED.has(folded)) {
    if (!isDefined(query, at)) yield readAt(query, at, source, `${shown(name)}()`);
  } else if (folded === 'disk') yield readAt(query, at, diskSource(query, at + 1), 'disk()');
  else if (folded === 'hascolumnintable' && countArguments(query, at + 1) > 3)
    yield readAt(query, at, 'remote', `${name}() with a host`);
  else if (folded === 'loop') {
    yield* namedTable(query, at + 1);
  }
}

function shown(name: string): string {
  return name === '\\' ? 'a name with an unknown escape' : name;
}

function countArguments(query: Cursor, open: number): number {
  let count = 1;
  for (let at = open + 1; at < query.closing(open); at = query.after(at)) if (query.kind(at) === ',') count++;
  return count;
}

/** A disk that a table defines for itself, by its type. */
function diskSource(query: Cursor, open: number): OutsideSourceName {
  for (let at = open + 1; at < query.closing(open); at++) {
    if (query.word(at) !== 'TYPE' || query.kind(at + 1) !== '=') continue;
    const type = (stringValue(query.text(at + 2)) ?? query.text(at + 2)).toLowerCase();
    if (type.startsWith('s3')) return 's3';
    if (type.startsWith('web')) return 'url';
    if (type.startsWith('azure')) return 'azure';
    if (type.startsWith('hdfs')) return 'hdfs';
  }
  return 'file';
}

/** Returns whether a name before a parenthesis is that of a table, an index or a table of a WITH clause, with its columns. */
function isDefined(query: Cursor, at: number): boolean {
  let first = at;
  while (query.kind(first - 1) === '.') first -= 2;
  const before = query.word(first - 1);
  const begins = query.word(0) ?? '';
  const close = query.closing(at + 1);
  const isQuery = query.word(close + 1) === 'AS' && query.kind(close + 2) === '(';
  if (isQuery && QUERY_STARTS.has(query.word(close + 3) ?? '')) return true;
  if (before === 'INTO') return begins === 'INSERT';
  if (before === 'TABLE')
    return /^(?:CREATE|ATTACH|REPLACE|TEMPORARY|INTO)$/.test(query.word(first - 2) ?? '');
  if (!/^(?:CREATE|ATTACH|REPLACE|ALTER)$/.test(begins)) return false;
  if (before === 'EXISTS') return query.word(first - 2) === 'NOT';
  if (before === 'ON') return query.tokens.slice(1, 3).some((_, index) => query.word(index + 1) === 'INDEX');
  return /^(?:INDEX|PROJECTION|VIEW|DICTIONARY)$/.test(before ?? '');
}

/** `arrayMap(file, …)` and `APPLY file` call a function that is named without parentheses. */
function* referenceReads(query: Cursor, at: number, name: string): Generator<OutsideRead> {
  const source = FUNCTIONS.get(name.toLowerCase());
  if (source === undefined || query.kind(at + 1) === '(') return;
  const what = `${name}() by its name`;
  let open = at - 1;
  while (query.kind(open) === '(' && query.kind(open - 1) === '(') open--;
  if (query.word(at - 1) === 'APPLY' || (query.kind(open) === '(' && query.word(open - 1) === 'APPLY'))
    yield readAt(query, at, source, what);
  if (query.kind(open) !== '(' || !takesFunction(nameAt(query, open - 1) ?? '')) return;
  let next = at + 1;
  while (query.kind(next) === ')' && next < query.closing(open)) next++;
  if (query.word(next) === 'AS') next += 2;
  while (query.kind(next) === ')' && next < query.closing(open)) next++;
  if (query.kind(next) === ',') yield readAt(query, at, source, what);
}

function* clauseReads(query: Cursor, at: number, name: string): Generator<OutsideRead> {
  const word = query.word(at);
  if (word === 'OUTFILE' && query.word(at - 1) === 'INTO') yield readAt(query, at, 'file', 'INTO OUTFILE');
  if (word === 'INFILE' && query.word(at - 1) === 'FROM') yield readAt(query, at, 'file', 'FROM INFILE');
  const setting = SETTINGS.get(name.toLowerCase());
  if (setting !== undefined && query.kind(at + 1) === '=' && query.kind(at - 1) !== '.')
    yield readAt(query, at, setting, `the setting ${name}`);
}

/** Of CREATE: engines of tables and databases, sources of dictionaries. */
function* definitionReads(query: Cursor, at: number, name: string): Generator<OutsideRead> {
  const word = query.word(at);
  if (word === 'ENGINE') yield* engineReads(query, query.kind(at + 1) === '=' ? at + 2 : at + 1);
  if (word !== 'SOURCE' || query.kind(at + 1) !== '(') return;
  const kind = query.word(at + 2) ?? nameAt(query, at + 2) ?? '';
  const source = DICTIONARIES.get(kind.toLowerCase());
  if (source !== undefined) yield readAt(query, at + 2, source, `${name}(${kind})`);
  if (kind.toUpperCase() === 'CLICKHOUSE') yield* clickhouseReads(query, at + 3);
}

function* engineReads(query: Cursor, at: number): Generator<OutsideRead> {
  const name = nameAt(query, at) ?? '';
  const folded = name.toLowerCase();
  const source = ENGINES.get(folded);
  if (source !== undefined || UNCHECKED.has(folded))
    yield readAt(query, at, source, `ENGINE = ${shown(name)}`);
  if (folded === 'alias' || folded === 'buffer') yield* namedTable(query, at + 1);
}

/** A table that arguments name: a database and a table, or the table alone. */
function* namedTable(query: Cursor, open: number): Generator<OutsideRead> {
  const isPair = query.kind(open + 2) === ',';
  const [database, table] = isPair ? [open + 1, open + 3] : [query.length, open + 1];
  if (argumentsNameFile(query, database, table)) yield readAt(query, table, 'file', FILE_AS_TABLE);
}

const FILE_AS_TABLE = 'a file in place of a table';

/** The source of a dictionary in this server, or in another one. Its queries are strings. */
function* clickhouseReads(query: Cursor, open: number): Generator<OutsideRead> {
  let database = query.length;
  let table = query.length;
  for (let at = open + 1; at < query.closing(open); at++) {
    const key = query.word(at);
    if (key === 'HOST' || key === 'PORT') yield readAt(query, at, 'remote', `SOURCE(CLICKHOUSE(${key}))`);
    if (key === 'DB') database = at + 1;
    if (key === 'TABLE') table = at + 1;
    const text = QUERIES.test(key ?? '') ? stringValue(query.text(at + 1)) : undefined;
    if (text === undefined) continue;
    for (const { source, what } of outsideReads(text, [])) yield readAt(query, at + 1, source, what);
  }
  if (argumentsNameFile(query, database, table)) yield readAt(query, table, 'file', FILE_AS_TABLE);
}

const QUERIES = /^(?:QUERY|INVALIDATE_QUERY|WHERE)$/;

/** Of statements that are no queries. */
function* statementReads(query: Cursor): Generator<OutsideRead> {
  const first = query.word(0);
  if (first === 'BACKUP' || first === 'RESTORE') yield* backupReads(query, first);
  if (first === 'SYSTEM' && !HARMLESS.test(`${query.word(1)} ${query.word(2)}`))
    yield readAt(query, 0, undefined, `SYSTEM ${query.word(1) ?? ''}`.trim());
  if (query.word(1) === 'NAMED' && query.word(2) === 'COLLECTION')
    yield readAt(query, 0, undefined, `${first} NAMED COLLECTION`);
  if (first === 'CREATE' && isProgram(query))
    yield readAt(query, 0, 'executable', 'CREATE FUNCTION of a program');
}

/** What reloads, stops or waits for tables; not what loads libraries and configuration, or stops the server. */
const HARMLESS =
  /^(?:(?:RELOAD (?:DICTIONARY|DICTIONARIES)|FLUSH (?:LOGS|ASYNC|DISTRIBUTED))$|(?:START|STOP|PAUSE|CANCEL|REFRESH|WAIT|SYNC|DROP|CLEAR|PREWARM|LOAD|UNLOAD|ENABLE|DISABLE) )/;

/** A copy goes to the place after TO, or comes from the one after FROM. */
function* backupReads(query: Cursor, first: string): Generator<OutsideRead> {
  const words = query.tokens.map((_, index) => query.word(index));
  const at = words.lastIndexOf(first === 'BACKUP' ? 'TO' : 'FROM') + 1;
  const place = nameAt(query, at) ?? '';
  if (at > 0 && place.toLowerCase() === 'memory') return;
  const source = ENGINES.get(place.toLowerCase());
  yield readAt(query, at, source, `${first} ${words[at - 1] ?? ''} ${place}`);
}

function isProgram(query: Cursor): boolean {
  const words = query.tokens.slice(0, 8).map((_, index) => query.word(index));
  const kind = words.indexOf('FUNCTION');
  return kind > 0 && kind <= 3 && !words.includes('AS');
}
