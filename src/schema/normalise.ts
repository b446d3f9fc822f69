// Turns a statement of a schema into one that gives the same columns in a single process, or leaves it out.
import { createCursor, significantTokens, type Cursor } from '../sql/cursor.ts';
import type { Token } from '../sql/lexer.ts';
import { quoteIdentifier } from '../sql/literal.ts';
import { stringValue } from '../sql/string-literal.ts';
import { normaliseAlter, normaliseDrop, normaliseRename } from './changes.ts';
import { readClauses } from './clauses.ts';
import { splitList } from './columns.ts';
import { createsTable, readCreateHead, type CreateHead } from './create-head.ts';
import { normaliseDictionary } from './dictionaries.ts';
import type { StatementContext, Normalised } from './step.ts';
import { normaliseTable, type CreateParts } from './tables.ts';
import { normaliseMaterialized, normaliseView } from './views.ts';

/** Statements about rows, sessions and the server itself: nothing that a query can name. */
const ROWS =
  /^(INSERT|SELECT|WITH|FROM|EXPLAIN|SHOW|DESCRIBE|DESC|EXISTS|CHECK|OPTIMIZE|TRUNCATE|SYSTEM|KILL|BACKUP|RESTORE|DELETE|UPDATE|WATCH|BEGIN|COMMIT|ROLLBACK|START|DETACH|UNDROP|ANALYZE|EXIT|QUIT)$/;
const ACCESS = /^(GRANT|REVOKE|MOVE|EXECUTE)$/;

/** Never throws for its content. Not verified: that the engine accepts the result. */
export function normalise(statement: string, context: StatementContext): Normalised {
  const tokens = significantTokens(statement);
  const broken = tokens.find(({ kind }) => kind === 'error');
  if (broken !== undefined)
    return { kind: 'unknown', message: broken.reason?.replaceAll('_', ' ') ?? 'malformed input' };
  const cursor = withoutCluster(statement, tokens);
  const first = cursor.word(0);
  if (first === undefined) return { kind: 'unknown', message: 'this is not a statement' };
  if (ROWS.test(first)) return { kind: 'skip' };
  if (ACCESS.test(first)) return { kind: 'skip', noted: first };
  switch (first) {
    case 'CREATE':
    case 'ATTACH':
    case 'REPLACE':
      return normaliseCreate(cursor, context);
    case 'ALTER':
      return normaliseAlter(cursor, context);
    case 'DROP':
      return normaliseDrop(cursor, context);
    case 'RENAME':
    case 'EXCHANGE':
      return normaliseRename(cursor, context);
    case 'USE': {
      const database = cursor.name(cursor.word(1) === 'DATABASE' && cursor.length > 2 ? 2 : 1);
      return database === undefined || database === ''
        ? { kind: 'unknown', message: 'USE without a name' }
        : { kind: 'use', database };
    }
    case 'SET':
      return { kind: 'set', settings: settingsOf(cursor) };
    default:
      return { kind: 'unknown', message: `${cursor.text(0).slice(0, 40)} is not a statement of ClickHouse` };
  }
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

/** ATTACH with columns is a CREATE; without, it refers to files of the server. */
function normaliseCreate(cursor: Cursor, context: StatementContext): Normalised {
  const head = readCreateHead(cursor, context.database);
  if (head === undefined)
    return createsTable(cursor)
      ? { kind: 'unknown', message: 'the name of what is created cannot be read' }
      : { kind: 'skip', noted: objectKind(cursor) };
  const brackets = cursor.brackets();
  if ('code' in brackets)
    return { kind: 'unknown', target: head.name, message: 'unmatched parenthesis or bracket' };
  if (cursor.word(0) === 'ATTACH' && head.next >= cursor.length) return { kind: 'skip' };
  const parts = { cursor, head, clauses: readClauses(cursor, head.next) };
  switch (head.what) {
    case 'DATABASE':
      return normaliseDatabase(cursor, head);
    case 'FUNCTION':
      return normaliseFunction(cursor, head);
    case 'DICTIONARY':
      return normaliseDictionary(parts, context);
    case 'MATERIALIZED VIEW':
      return normaliseMaterialized(parts, context);
    case 'VIEW':
    case 'LIVE VIEW':
    case 'WINDOW VIEW':
      return normaliseView(parts);
    default:
      return normaliseTable(parts satisfies CreateParts, context);
  }
}

/** The words after CREATE, up to a name: ROW POLICY, USER, NAMED COLLECTION. */
function objectKind(cursor: Cursor): string {
  const words = [1, 2, 3]
    .flatMap((at) => cursor.word(at) ?? [])
    .filter((word) => !/^(OR|REPLACE|IF|NOT|EXISTS)$/.test(word));
  const [first = '', second = ''] = words;
  return /^(ROW|SETTINGS|NAMED|MASKING|QUOTA|PROFILE)$/.test(first) &&
    /^(POLICY|PROFILE|COLLECTION)$/.test(second)
    ? `CREATE ${first} ${second}`
    : `CREATE ${first}`;
}

/** Databases whose tables are those of another system: they are not read. */
const FOREIGN =
  /^(PostgreSQL|MaterializedPostgreSQL|MySQL|MaterializedMySQL|MongoDB|SQLite|S3|HDFS|Filesystem|DataLakeCatalog|Iceberg|Backup)$/i;

function normaliseDatabase(cursor: Cursor, { name, next }: CreateHead): Normalised {
  const engine = readClauses(cursor, next).find(({ kind }) => kind === 'engine');
  const foreign = engine !== undefined && FOREIGN.test(cursor.text(engine.from));
  const target = { database: name.name, name: '' };
  const attempts = [`CREATE DATABASE IF NOT EXISTS ${quoteIdentifier(name.name)}`];
  if (!foreign) return { kind: 'step', action: 'create', target, what: 'database', attempts };
  const message = `the tables of a database of ${cursor.text(engine.from)} are not read; write CREATE TABLE for those that are needed`;
  return { kind: 'unknown', target, message };
}

/** Functions that run a program are not SQL. */
function normaliseFunction(cursor: Cursor, { name, next }: CreateHead): Normalised {
  if (cursor.word(next) !== 'AS') return { kind: 'skip', noted: 'CREATE FUNCTION of a program' };
  const target = { database: '', name: name.name };
  const sql = `CREATE OR REPLACE FUNCTION ${cursor.slice(next - 1, cursor.length)}`;
  return { kind: 'step', action: 'create', target, what: 'function', attempts: [sql] };
}

/** Settings that decide which columns a table or view gets, or whether its definition is accepted. */
const COLUMN_SETTINGS: ReadonlySet<string> = new Set([
  'flatten_nested',
  'data_type_default_nullable',
  'join_use_nulls',
  'cast_keep_nullable',
  'union_default_mode',
  'default_table_engine',
]);

function settingsOf(cursor: Cursor): readonly (readonly [string, string])[] {
  return splitList(cursor, 1, cursor.length).flatMap(([from, to]) => {
    const name = cursor.text(from);
    const value = cursor.text(to - 1);
    const isPlain = cursor.kind(to - 1) === 'string' ? stringValue(value) !== undefined : /^\w+$/.test(value);
    return COLUMN_SETTINGS.has(name) && to - from === 3 && isPlain ? [[name, value] as const] : [];
  });
}
