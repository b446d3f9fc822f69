// SHOW, DESCRIBE, EXISTS and KILL: read, and answered with rows of what the key sees.
import { Problem } from '../../../sql/base/problem.ts';
import { createCursor, type Cursor } from '../../../sql/clickhouse/cursor.ts';
import { quoteString, stringValue } from '../../../sql/clickhouse/literal.ts';
import { createTokenReader, type TokenReader } from '../../../sql/clickhouse/token-reader.ts';
import type { TokenKind } from '../../../sql/clickhouse/lexer.ts';
import { findDatabase, splitSuffix, type Database, type Databases, type NamedDatabase } from './databases.ts';
import { placed } from './edited-text.ts';
import { noTable } from './names.ts';

/** A table of a database. */
export interface NamedTable {
  readonly database: Database;
  readonly table: string;
}

/** Conditions on a list, and how many rows of it. */
export interface Filter {
  /** SQL after the first column; undefined: all. */
  readonly condition: string | undefined;
  /** An expression of the caller over the columns of the list; undefined: all. */
  readonly where: Expression | undefined;
  readonly limit: number | undefined;
}

/** A part of the statement `sql`, by its offsets. */
export interface Expression {
  readonly sql: string;
  readonly start: number;
  readonly end: number;
}

export type Command =
  | { readonly kind: 'databases'; readonly filter: Filter }
  | {
      readonly kind: 'tables';
      readonly database: Database;
      readonly isFull: boolean;
      readonly filter: Filter;
    }
  | {
      readonly kind: 'columns';
      readonly named: NamedTable;
      readonly isFull: boolean;
      readonly filter: Filter;
    }
  | { readonly kind: 'create table'; readonly named: NamedTable }
  | { readonly kind: 'create database'; readonly database: Database }
  | { readonly kind: 'describe'; readonly named: NamedTable }
  | { readonly kind: 'describe query'; readonly query: Expression }
  | { readonly kind: 'exists'; readonly exists: boolean }
  | { readonly kind: 'kill'; readonly ids: ReadonlySet<string>; readonly mode: 'SYNC' | 'ASYNC' | 'TEST' }
  /** A list that is a query over the virtual tables. */
  | { readonly kind: 'select'; readonly sql: string; readonly filter: Filter };

/** What names in commands refer to. */
export interface Naming {
  readonly databases: Databases;
  readonly current: NamedDatabase | undefined;
}

type Reader = TokenReader<TokenKind>;

interface CommandReading extends Naming {
  readonly cursor: Cursor;
  readonly reader: Reader;
}

/** Reads a command. Throws Problem `clickhouse.*`. */
export function readCommand(sql: string, naming: Naming): Command {
  const cursor = createCursor(sql);
  const reading: CommandReading = { ...naming, cursor, reader: createTokenReader(cursor) };
  const command = readAny(reading);
  if (reading.reader.kind() !== undefined) throw unexpected(reading);
  return command;
}

function readAny(reading: CommandReading): Command {
  const { reader } = reading;
  if (reader.take('SHOW')) return readShow(reading);
  if (reader.take('DESCRIBE') || reader.take('DESC')) return readDescribe(reading);
  if (reader.take('EXISTS')) return readExists(reading);
  if (reader.take('KILL', 'QUERY')) return readKill(reading);
  throw unexpected(reading);
}

/** Lists that are queries over virtual tables. */
const LISTS: readonly (readonly [words: readonly string[], sql: string])[] = [
  [['FUNCTIONS'], 'SELECT * FROM functions'],
  [['SETTINGS'], 'SELECT name, type, value FROM settings'],
  [['CHANGED', 'SETTINGS'], 'SELECT name, type, value FROM settings WHERE changed'],
  [['PROCESSLIST'], 'SELECT * FROM processes'],
  [['ENGINES'], 'SELECT * FROM table_engines'],
  [['CLUSTERS'], 'SELECT DISTINCT cluster FROM clusters'],
  [['MERGES'], 'SELECT * FROM merges'],
  [['USERS'], 'SELECT name FROM users'],
  [['ROLES'], 'SELECT name FROM roles'],
  [['CURRENT', 'ROLES'], 'SELECT role_name AS name FROM current_roles'],
  [['ENABLED', 'ROLES'], 'SELECT role_name AS name FROM enabled_roles'],
  [['QUOTAS'], 'SELECT name FROM quotas'],
  [['POLICIES'], 'SELECT name FROM row_policies'],
  [['PROFILES'], 'SELECT name FROM settings_profiles'],
  [['PRIVILEGES'], 'SELECT * FROM privileges'],
  [
    ['GRANTS'],
    "SELECT concat('GRANT SELECT ON `', assumeNotNull(database), '`.* TO `', assumeNotNull(user_name), '`') AS `GRANTS` FROM grants",
  ],
  [
    ['ACCESS'],
    "SELECT concat('GRANT SELECT ON `', assumeNotNull(database), '`.* TO `', assumeNotNull(user_name), '`') AS `ACCESS` FROM grants",
  ],
];

/** Lists of what the key may do. */
const GRANTED: ReadonlySet<string> = new Set(['GRANTS', 'ACCESS']);

function readShow(reading: CommandReading): Command {
  const { reader } = reading;
  for (const [words, sql] of LISTS) {
    if (!reader.take(...words)) continue;
    if (GRANTED.has(words[0] ?? '')) reader.take('FOR', 'CURRENT_USER');
    return { kind: 'select', sql, filter: readFilter(reading) };
  }
  if (reader.take('SETTING')) return readShowSetting(reading);
  if (reader.take('CLUSTER')) return readShowCluster(reading);
  if (reader.take('DICTIONARIES')) {
    readFrom(reading);
    return { kind: 'select', sql: 'SELECT name FROM dictionaries', filter: readFilter(reading) };
  }
  if (reader.take('DATABASES') || reader.take('SCHEMAS'))
    return { kind: 'databases', filter: readFilter(reading) };
  if (reader.take('CREATE')) return readShowCreate(reading);
  reader.take('EXTENDED');
  const isFull = reader.take('FULL');
  reader.take('TEMPORARY');
  if (reader.take('TABLES')) {
    const database = readFrom(reading) ?? requireCurrent(reading);
    return { kind: 'tables', database, isFull, filter: readFilter(reading) };
  }
  if (reader.take('COLUMNS') || reader.take('FIELDS')) return readShowColumns(reading, isFull);
  if (['INDEX', 'INDEXES', 'INDICES', 'KEYS'].some((word) => reader.take(word))) {
    readTableOf(reading);
    return {
      kind: 'select',
      sql: 'SELECT name AS key_name FROM data_skipping_indices',
      filter: readFilter(reading),
    };
  }
  if (reader.take('TABLE')) return { kind: 'create table', named: readTable(reading) };
  throw unexpected(reading);
}

function readShowSetting(reading: CommandReading): Command {
  const name = quoteString(readPath(reading).join('.'));
  return { kind: 'select', sql: `SELECT value FROM settings WHERE name = ${name}`, filter: NO_FILTER };
}

function readShowCluster(reading: CommandReading): Command {
  const { reader } = reading;
  const name = stringValue(reader.text());
  if (name === undefined) throw unexpected(reading);
  reader.skip();
  return {
    kind: 'select',
    sql: `SELECT * FROM clusters WHERE cluster = ${quoteString(name)}`,
    filter: NO_FILTER,
  };
}

/** What SHOW CREATE shows on servers, and this interface does not have. */
const NOT_SHOWN = ['USER', 'ROLE', 'QUOTA', 'PROFILE', 'POLICY', 'ROW', 'DICTIONARY', 'FUNCTION'];

function readShowCreate(reading: CommandReading): Command {
  const { reader } = reading;
  const other = NOT_SHOWN.find((word) => reader.word() === word && reader.kind(1) !== undefined);
  if (other !== undefined) {
    const detail = `SHOW CREATE ${other} is not supported`;
    throw new Problem('clickhouse.statement_unsupported', {
      detail,
      hint: 'The key decides what is allowed.',
    });
  }
  if (reader.take('DATABASE')) return { kind: 'create database', database: readDatabase(reading) };
  reader.take('TEMPORARY');
  if (!reader.take('TABLE')) reader.take('VIEW');
  return { kind: 'create table', named: readTable(reading) };
}

function readShowColumns(reading: CommandReading, isFull: boolean): Command {
  return { kind: 'columns', named: readTableOf(reading), isFull, filter: readFilter(reading) };
}

/** `FROM table [FROM database]`. */
function readTableOf(reading: CommandReading): NamedTable {
  const { reader } = reading;
  if (!reader.take('FROM') && !reader.take('IN')) throw unexpected(reading);
  const path = readPath(reading);
  const database = readFrom(reading);
  return tableOf(reading, database === undefined ? path : [database.name, ...path]);
}

function readDescribe(reading: CommandReading): Command {
  const { reader, cursor } = reading;
  const isTable = reader.take('TABLE');
  if (reader.kind() !== '(' && (isTable || !isSelect(reader.word())))
    return { kind: 'describe', named: readTable(reading) };
  const from = reader.at();
  const until = reader.kind() === '(' ? cursor.after(from) : cursor.length;
  reader.skip(until - from);
  return { kind: 'describe query', query: expressionOf(cursor, from, until) };
}

function isSelect(word: string | undefined): boolean {
  return word === 'SELECT' || word === 'WITH';
}

function readExists(reading: CommandReading): Command {
  const { reader, databases } = reading;
  if (reader.take('DATABASE')) {
    const [name] = splitSuffix(readPath(reading).join('.'));
    return { kind: 'exists', exists: databases.find(name) !== undefined };
  }
  const isTemporary = reader.take('TEMPORARY');
  const isDictionary = reader.take('DICTIONARY');
  if (!reader.take('TABLE')) reader.take('VIEW');
  const path = readPath(reading);
  return { kind: 'exists', exists: !isTemporary && !isDictionary && findTable(reading, path) !== undefined };
}

const KILL_HINT = "Write KILL QUERY WHERE query_id = '…', with SYNC, ASYNC or TEST after it.";
const MAX_IDS = 100;

function readKill(reading: CommandReading): Command {
  const { reader, cursor } = reading;
  const ids = new Set<string>();
  const readId = (): void => {
    const id = stringValue(reader.text());
    if (id === undefined || ids.size >= MAX_IDS) throw unexpected(reading, KILL_HINT);
    ids.add(id);
    reader.skip();
  };
  if (!reader.take('WHERE') || cursor.name(reader.at()) !== 'query_id') throw unexpected(reading, KILL_HINT);
  reader.skip();
  if (reader.takeKind('=')) readId();
  else if (reader.take('IN') && reader.takeKind('(')) {
    do readId();
    while (reader.takeKind(','));
    if (!reader.takeKind(')')) throw unexpected(reading, KILL_HINT);
  } else throw unexpected(reading, KILL_HINT);
  const mode = (['SYNC', 'ASYNC', 'TEST'] as const).find((word) => reader.take(word)) ?? 'ASYNC';
  return { kind: 'kill', ids, mode };
}

const NO_FILTER: Filter = { condition: undefined, where: undefined, limit: undefined };

/** `[NOT] LIKE|ILIKE 'pattern'` or `WHERE expression`, then `LIMIT n`. */
function readFilter(reading: CommandReading): Filter {
  const { reader } = reading;
  const where = reader.take('WHERE') ? readExpression(reading) : undefined;
  let condition: string | undefined;
  const not = reader.take('NOT') ? 'NOT ' : '';
  const operator =
    where === undefined ? (['LIKE', 'ILIKE'] as const).find((word) => reader.take(word)) : undefined;
  if (operator !== undefined) {
    const pattern = stringValue(reader.text());
    if (pattern === undefined) throw unexpected(reading);
    reader.skip();
    condition = `${not}${operator} ${quoteString(pattern)}`;
  } else if (not !== '') throw unexpected(reading);
  let limit: number | undefined;
  if (reader.take('LIMIT')) {
    limit = reader.kind() === 'number' && reader.text().length < 10 ? Number(reader.text()) : Number.NaN;
    if (!Number.isSafeInteger(limit)) throw unexpected(reading);
    reader.skip();
  }
  return { condition, where, limit };
}

/** Up to LIMIT, a parenthesis that closes none of it, or the end. */
function readExpression(reading: CommandReading): Expression {
  const { reader, cursor } = reading;
  const from = reader.at();
  let until = from;
  const isEnd = (): boolean => cursor.word(until) === 'LIMIT' || cursor.kind(until) === ')';
  while (until < cursor.length && !isEnd()) until = cursor.after(until);
  if (until === from) throw unexpected(reading);
  reader.skip(until - from);
  return expressionOf(cursor, from, until);
}

function expressionOf(cursor: Cursor, from: number, until: number): Expression {
  return { sql: cursor.sql, start: cursor.start(from), end: cursor.end(until - 1) };
}

/** Names with dots between them. */
function readPath(reading: CommandReading): readonly string[] {
  const { reader, cursor } = reading;
  const parts: string[] = [];
  do {
    const name = cursor.name(reader.at());
    if (name === undefined) throw unexpected(reading);
    parts.push(name);
    reader.skip();
  } while (reader.takeKind('.'));
  return parts;
}

function readTable(reading: CommandReading): NamedTable {
  return tableOf(reading, readPath(reading));
}

function tableOf(reading: CommandReading, path: readonly string[]): NamedTable {
  const found = findTable(reading, path);
  if (found !== undefined) return found;
  const { databases } = reading;
  const [table = ''] = path.slice(-1);
  const qualifier = path.slice(0, -1).join('.');
  const database = qualifier === '' ? requireCurrent(reading) : findDatabase(databases, qualifier)?.database;
  throw noTable(database ?? requireCurrent(reading), table);
}

/** Characters. */
const MAX_NAME = 1000;

/** A table by `database.table`, both possibly with dots, or by its name alone. */
function findTable({ databases, current }: Naming, path: readonly string[]): NamedTable | undefined {
  const text = path.join('.');
  if (text.length > MAX_NAME) return undefined;
  for (let dot = text.lastIndexOf('.'); dot > 0; dot = text.lastIndexOf('.', dot - 1)) {
    const found = tableIn(databases.find(splitSuffix(text.slice(0, dot))[0]), text.slice(dot + 1));
    if (found !== undefined) return found;
  }
  return tableIn(current?.database ?? onlyOf(databases), text);
}

function tableIn(database: Database | undefined, name: string): NamedTable | undefined {
  if (database === undefined) return undefined;
  const isUpper = database.name === 'information_schema' && name === name.toUpperCase();
  const table = isUpper ? name.toLowerCase() : name;
  return database.tables.includes(table) ? { database, table } : undefined;
}

function onlyOf({ endpoints }: Databases): Database | undefined {
  return endpoints.length === 1 ? endpoints[0] : undefined;
}

/** `FROM database`. */
function readFrom(reading: CommandReading): Database | undefined {
  const { reader } = reading;
  return reader.take('FROM') || reader.take('IN') ? readDatabase(reading) : undefined;
}

function readDatabase(reading: CommandReading): Database {
  const name = readPath(reading).join('.');
  return findDatabase(reading.databases, name)?.database ?? requireCurrent(reading);
}

function requireCurrent({ current, databases }: Naming): Database {
  const database = current?.database ?? onlyOf(databases);
  if (database !== undefined) return database;
  const names = databases.endpoints.slice(0, 20).map(({ name }) => name);
  throw new Problem('clickhouse.database_missing', {
    detail: 'The statement needs a database',
    hint: `Databases of your key: ${names.join(', ') || 'none'}. Send database=, or write FROM \`database\`.`,
  });
}

function unexpected({ cursor, reader }: CommandReading, hint?: string): Problem {
  const source = reader.text().slice(0, 60);
  const message = source === '' ? 'The statement is incomplete' : `${source} is not supported here`;
  return new Problem('clickhouse.syntax_invalid', {
    ...placed(cursor.sql, cursor.start(reader.at()), message),
    ...(hint === undefined ? {} : { hint }),
  });
}
