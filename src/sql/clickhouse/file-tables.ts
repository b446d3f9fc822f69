// Where a statement names a file in place of a table: the default database of the embedded engine has a table for each file of
// the machine, `FROM "/etc/hostname"`, which no grant of a table function concerns.
import type { Cursor } from './cursor.ts';
import { decodedName } from './quoted-name.ts';
import { stringValue } from './literal.ts';
import { AFTER_TABLES } from './tree/keywords.ts';

/** Names of tables in which the engine looks for a path, a glob or an extension. */
const FILE_NAME = /[/\\*?{}]|^(?!\.inner(?:_id)?\.).*\./s;

/** The only database that has them. */
const DATABASE = 'default';

/** The name in an identifier or a string; `/` for one that the engine rejects. */
function nameIn(query: Cursor, at: number): string | undefined {
  const kind = query.kind(at);
  if (kind === 'word') return query.text(at);
  if (kind === 'quoted') return decodedName(query.text(at)) ?? '/';
  return kind === 'string' ? (stringValue(query.text(at)) ?? '/') : undefined;
}

/** Returns whether two arguments, a database and a table, name a file. */
export function argumentsNameFile(query: Cursor, database: number, table: number): boolean {
  const name = nameIn(query, table);
  return name !== undefined && [DATABASE, ''].includes(nameIn(query, database) ?? '') && FILE_NAME.test(name);
}

/** Which part of a query a token is in, for each level of parentheses. */
interface Level {
  isQuery: boolean;
  /** It is true if a comma, or the opening parenthesis, comes before a table. */
  isInFrom: boolean;
}

/** Indices of the tokens of one statement that name a file, or any string, in the place of a table. */
export function* fileTables(query: Cursor): Generator<number> {
  const outer: Level[] = [];
  let level: Level = { isQuery: true, isInFrom: false };
  for (let at = 0; at < query.length; at++) {
    const kind = query.kind(at);
    if (kind === '(') {
      outer.push(level);
      level = { isQuery: false, isInFrom: level.isInFrom && beginsTable(query, at, level) };
    } else if (kind === ')') level = outer.pop() ?? level;
    else if (kind === 'word') noteClause(query, at, level);
    else if (kind === 'string' && beginsTable(query, at, level)) yield at;
    else if (kind === 'quoted' && query.kind(at + 1) !== '.' && FILE_NAME.test(nameIn(query, at) ?? '')) {
      const first = query.kind(at - 1) === '.' ? at - 2 : at;
      if (first < at && nameIn(query, first) !== DATABASE) continue;
      if (beginsTable(query, first, level) || isMember(query, first, at)) yield at;
    }
  }
}

function noteClause(query: Cursor, at: number, level: Level): void {
  const word = query.word(at);
  if (word === 'SELECT' || word === 'WITH') {
    level.isQuery = true;
    level.isInFrom = false;
  } else if (word === 'FROM' && isFromClause(query, at, level)) {
    level.isQuery = true;
    level.isInFrom = true;
  } else if (word === 'JOIN') level.isInFrom = query.word(at - 1) !== 'ARRAY';
  else if (word === 'VALUES' || AFTER_TABLES.has(word ?? '')) level.isInFrom = false;
}

/** Otherwise an argument, as in `EXTRACT(YEAR FROM ts)`, or a part of an operator. */
function isFromClause(query: Cursor, at: number, { isQuery }: Level): boolean {
  const before = query.word(at - 1);
  if (before === 'FILL' || (before === 'DISTINCT' && query.word(at - 2) !== 'SELECT')) return false;
  return isQuery || query.kind(at - 1) === '(';
}

/** Returns whether a table, or a parenthesis around tables, may begin at a token. */
function beginsTable(query: Cursor, at: number, level: Level): boolean {
  const kind = query.kind(at - 1);
  if (kind === ',' || kind === '(') return level.isInFrom;
  const before = query.word(at - 1);
  if (before === 'FROM') return isFromClause(query, at - 1, level);
  if (before === 'JOIN') return query.word(at - 2) !== 'ARRAY';
  if (before === 'INTO') return query.kind(at) === 'quoted';
  if (before === 'TABLE') return !DEFINES.test(query.word(0) ?? '');
  return at === 1 && (before === 'DESC' || before === 'DESCRIBE');
}

/** Statements in which a name after TABLE is not looked for among files. */
const DEFINES = /^(?:CREATE|ATTACH|REPLACE|DROP|DETACH|UNDROP|ALTER|RENAME|EXCHANGE)$/;

/** `x IN "path"` and `x IN ("path")`. */
function isMember(query: Cursor, first: number, last: number): boolean {
  if (query.word(first - 1) === 'IN') return true;
  return query.kind(first - 1) === '(' && query.word(first - 2) === 'IN' && query.kind(last + 1) === ')';
}
