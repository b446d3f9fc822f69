// Reads a statement of a schema into a record.
import { createCursor, significantTokens, type Cursor } from '../clickhouse/cursor.ts';
import type { Token } from '../clickhouse/lexer.ts';
import { stringValue } from '../clickhouse/literal.ts';
import { QUERY_STARTS } from '../clickhouse/tree/keywords.ts';
import { readAlter, splitList } from './read-columns.ts';
import { readCreate, readEngine, readName } from './read-create.ts';
import type { CreateRecord, EngineRecord, StatementRecord } from './record.ts';

/** Other statements than queries that are about rows, sessions and the server. */
const ROWS =
  /^(INSERT|EXPLAIN|SHOW|DESCRIBE|DESC|EXISTS|CHECK|OPTIMIZE|TRUNCATE|SYSTEM|KILL|BACKUP|RESTORE|DELETE|UPDATE|WATCH|BEGIN|COMMIT|ROLLBACK|START|DETACH|UNDROP|ANALYZE|EXIT|QUIT)$/;
const ACCESS = /^(GRANT|REVOKE|MOVE|EXECUTE)$/;

/** Never throws for its content; `database` is the current one. Not verified: that the engine accepts the statement. */
export function readStatement(statement: string, database: string): StatementRecord {
  const tokens = significantTokens(statement);
  const broken = tokens.find(({ kind }) => kind === 'error');
  if (broken !== undefined)
    return { kind: 'unreadable', message: broken.reason?.replaceAll('_', ' ') ?? 'malformed input' };
  const cursor = withoutCluster(statement, tokens);
  const verb = cursor.word(0);
  if (verb === undefined) return { kind: 'unreadable', message: 'this is not a statement' };
  if (ROWS.test(verb) || QUERY_STARTS.has(verb)) return { kind: 'rows', verb };
  if (ACCESS.test(verb)) return { kind: 'access', verb };
  switch (verb) {
    case 'CREATE':
    case 'ATTACH':
    case 'REPLACE':
      return readCreate(cursor, database);
    case 'ALTER':
      return readAltered(cursor, database);
    case 'DROP':
      return readDrop(cursor, database);
    case 'RENAME':
    case 'EXCHANGE': {
      const name = readName(cursor, 2, database)?.name;
      return { kind: 'rename', verb, what: cursor.word(1) ?? '', name, sql: cursor.slice(0, cursor.length) };
    }
    case 'USE': {
      const read = cursor.name(cursor.word(1) === 'DATABASE' && cursor.length > 2 ? 2 : 1);
      return { kind: 'use', database: read === '' ? undefined : read };
    }
    case 'SET':
      return { kind: 'set', settings: settingsOf(cursor) };
    default: {
      const message = `${cursor.text(0).slice(0, 40)} is not a statement of ClickHouse`;
      return { kind: 'unreadable', message };
    }
  }
}

/** A definition as the server prints it; undefined for anything else. Names without a database are of `database`. */
export function readDefinition(sql: string, database: string): CreateRecord | undefined {
  const cursor = createCursor(sql);
  const record = cursor.word(0) === 'CREATE' ? readCreate(cursor, database) : undefined;
  return record?.kind === 'create' ? record : undefined;
}

/** An engine with its arguments, as system.tables has it. */
export function readEngineText(sql: string): EngineRecord {
  const cursor = createCursor(sql);
  return readEngine(cursor, { from: 0, to: cursor.length });
}

/** The statement without ON CLUSTER and its name, which may be a placeholder of a template. */
function withoutCluster(statement: string, tokens: readonly Token[]): Cursor {
  const cursor = createCursor(statement, tokens);
  const kept: Token[] = [];
  let sql = statement;
  for (let at = 0; at < tokens.length;) {
    const token = tokens[at];
    if (cursor.word(at) === 'ON' && cursor.word(at + 1) === 'CLUSTER') {
      const end = clusterEnd(cursor, at + 2);
      const [from, to] = [cursor.start(at), cursor.end(end - 1)];
      sql = sql.slice(0, from) + ' '.repeat(to - from) + sql.slice(to);
      at = end;
      continue;
    }
    if (token !== undefined) kept.push(token);
    at++;
  }
  return createCursor(sql, kept);
}

function clusterEnd(cursor: Cursor, at: number): number {
  const from = cursor.kind(at) === '$' ? at + 1 : at;
  return cursor.after(from);
}

function readAltered(cursor: Cursor, database: string): StatementRecord {
  const at = cursor.word(1) === 'TEMPORARY' ? 2 : 1;
  const hasIf = cursor.word(at + 1) === 'IF' && cursor.word(at + 2) === 'EXISTS';
  const read = readName(cursor, at + (hasIf ? 3 : 1), database);
  const what = cursor.word(at) ?? '';
  if (read === undefined)
    return { kind: 'alter', what, name: undefined, commands: [], checked: [], indexes: [] };
  return { kind: 'alter', what, name: read.name, ...readAlter(cursor, read.next) };
}

function readDrop(cursor: Cursor, database: string): StatementRecord {
  const at = cursor.word(1) === 'TEMPORARY' ? 2 : 1;
  let next = at + 1;
  while (/^(IF|EXISTS|EMPTY)$/.test(cursor.word(next) ?? '')) next++;
  const name = readName(cursor, next, database)?.name;
  const sql = cursor.slice(0, cursor.length);
  return { kind: 'drop', verb: 'DROP', what: cursor.word(at) ?? '', name, sql };
}

function settingsOf(cursor: Cursor): readonly (readonly [string, string])[] {
  return splitList(cursor, 1, cursor.length).flatMap(([from, to]) => {
    const value = cursor.text(to - 1);
    const isPlain = cursor.kind(to - 1) === 'string' ? stringValue(value) !== undefined : /^\w+$/.test(value);
    return to - from === 3 && isPlain ? [[cursor.text(from), value] as const] : [];
  });
}
