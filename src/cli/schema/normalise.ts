// Turns a statement of a schema into one that gives the same columns in a single process, or leaves it out.
import { quoteIdentifier } from '../../sql/clickhouse/literal.ts';
import { normaliseAlter, normaliseDrop, normaliseRename } from './changes.ts';
import { normaliseDictionary } from './dictionaries.ts';
import { readStatement } from '../../sql/definition/read-statement.ts';
import type { CreateRecord } from '../../sql/definition/record.ts';
import type { StatementContext, Normalised } from './step.ts';
import { normaliseTable } from './tables.ts';
import { normaliseMaterialized, normaliseView } from './views.ts';

/** Never throws for its content. Not verified: that the engine accepts the result. */
export function normalise(statement: string, context: StatementContext): Normalised {
  const record = readStatement(statement, context.database);
  switch (record.kind) {
    case 'create':
      return normaliseCreate(record, context);
    case 'alter':
      return normaliseAlter(record);
    case 'drop':
      return normaliseDrop(record);
    case 'rename':
      return normaliseRename(record);
    case 'use':
      return record.database === undefined
        ? { kind: 'unknown', message: 'USE without a name' }
        : { kind: 'use', database: record.database };
    case 'set':
      return { kind: 'set', settings: record.settings.filter(([name]) => COLUMN_SETTINGS.has(name)) };
    case 'rows':
      return { kind: 'skip' };
    case 'access':
      return { kind: 'skip', noted: record.verb };
    case 'other object':
      return { kind: 'skip', noted: record.what };
    case 'unreadable':
      return { kind: 'unknown', message: record.message, target: record.name, at: record.at };
  }
}

/** ATTACH with columns is a CREATE; without, it refers to files of the server. */
function normaliseCreate(record: CreateRecord, context: StatementContext): Normalised {
  if (record.isAttached) return { kind: 'skip' };
  switch (record.what) {
    case 'DATABASE':
      return normaliseDatabase(record);
    case 'FUNCTION':
      return normaliseFunction(record);
    case 'DICTIONARY':
      return normaliseDictionary(record, context);
    case 'MATERIALIZED VIEW':
      return normaliseMaterialized(record, context);
    case 'VIEW':
    case 'LIVE VIEW':
    case 'WINDOW VIEW':
      return normaliseView(record);
    case 'TABLE':
      return normaliseTable(record, context);
  }
}

/** Databases whose tables are those of another system: they are not read. */
const FOREIGN =
  /^(PostgreSQL|MaterializedPostgreSQL|MySQL|MaterializedMySQL|MongoDB|SQLite|S3|HDFS|Filesystem|DataLakeCatalog|Iceberg|Backup)$/i;

function normaliseDatabase({ name, engine }: CreateRecord): Normalised {
  const target = { database: name.name, name: '' };
  const attempts = [`CREATE DATABASE IF NOT EXISTS ${quoteIdentifier(name.name)}`];
  if (engine === undefined || !FOREIGN.test(engine.name))
    return { kind: 'step', action: 'create', target, what: 'database', attempts };
  const message = `the tables of a database of ${engine.name} are not read; write CREATE TABLE for those that are needed`;
  return { kind: 'unknown', target, message };
}

/** Functions that run a program are not SQL. */
function normaliseFunction({ name, lambda }: CreateRecord): Normalised {
  if (lambda === undefined) return { kind: 'skip', noted: 'CREATE FUNCTION of a program' };
  const target = { database: '', name: name.name };
  const sql = `CREATE OR REPLACE FUNCTION ${lambda}`;
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
