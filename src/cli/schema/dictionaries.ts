// Dictionaries: over a table that exists here, or over an empty one with the same attributes.
import { quoteString } from '../../sql/clickhouse/literal.ts';
import { dictionarySource, SOURCES_DATABASE } from '../../sql/definition/dictionary-source.ts';
import type { AttributeText, CreateRecord, DictionaryRecord } from '../../sql/definition/record.ts';
import { printName, type QualifiedName } from '../../sql/definition/qualified-name.ts';
import type { StatementContext, Normalised } from './step.ts';

export function normaliseDictionary(record: CreateRecord, context: StatementContext): Normalised {
  const { name, clauses, dictionary: written } = record;
  const { attributes } = written;
  const primary = clauses.get('primary');
  if (attributes.length === 0 || primary === undefined)
    return { kind: 'unknown', target: name, message: 'its attributes or its PRIMARY KEY are missing' };
  const layout = layoutOf(written);
  const range = clauses.get('range');
  const dictionary = (columns: string, source: string): string =>
    [
      `CREATE OR REPLACE DICTIONARY ${printName(name)} (${columns}) PRIMARY KEY ${primary}`,
      `SOURCE(CLICKHOUSE(${source})) LAYOUT(${layout}) LIFETIME(0)`,
      ...(range === undefined ? [] : [`RANGE${range}`]),
    ].join(' ');
  const all = attributes.map(({ sql }) => sql).join(', ');
  const source = localSource(record, context);
  const direct = source === undefined ? [] : [`${source.check} FORMAT Null;\n${dictionary(all, source.sql)}`];
  const substitute = { database: SOURCES_DATABASE, name: `${name.database}.${name.name}` };
  const plain = attributes.map(({ plain: each }) => each).join(', ');
  const empty = `${substituteTable(substitute, attributes, layout)};\n${dictionary(plain, sourceOf(substitute))}`;
  return {
    kind: 'step',
    action: 'create',
    target: name,
    what: 'dictionary',
    attempts: [...direct, empty],
    needs: dictionarySource(record, context.database)?.table,
  };
}

/** Layouts that keep values in a cache, or on a disk, hold all of them in memory instead. */
function layoutOf({ layout }: DictionaryRecord): string {
  if (layout === undefined) return 'HASHED()';
  const { name, sql } = layout;
  if (!/(^|_)CACHE$/.test(name)) return sql;
  return name.startsWith('COMPLEX_KEY_') ? 'COMPLEX_KEY_HASHED()' : 'HASHED()';
}

/** The same as SQL, and a statement that fails if it does not exist here. */
function localSource(
  record: CreateRecord,
  { database }: StatementContext,
): { readonly sql: string; readonly check: string } | undefined {
  const source = dictionarySource(record, database);
  if (source?.query !== undefined)
    return { sql: `QUERY ${quoteString(source.query)}`, check: `DESCRIBE TABLE (${source.query}\n)` };
  if (source?.table === undefined) return undefined;
  const condition = source.where === undefined ? '' : ` WHERE ${quoteString(source.where)}`;
  return { sql: `${sourceOf(source.table)}${condition}`, check: `DESCRIBE TABLE ${printName(source.table)}` };
}

function sourceOf({ database, name }: QualifiedName): string {
  return `DB ${quoteString(database)} TABLE ${quoteString(name)}`;
}

/** Rows of regular expressions have columns of their own; a dictionary of none cannot be loaded. */
function substituteTable(name: QualifiedName, attributes: readonly AttributeText[], layout: string): string {
  const start = `CREATE DATABASE IF NOT EXISTS ${SOURCES_DATABASE};\nCREATE OR REPLACE TABLE ${printName(name)}`;
  if (!/^REGEXP_TREE\b/i.test(layout))
    return `${start} (${attributes.map(({ column }) => column).join(', ')}) ENGINE = MergeTree ORDER BY tuple()`;
  const columns = 'id UInt64, parent_id UInt64, regexp String, keys Array(String), `values` Array(String)';
  return `${start} (${columns}) ENGINE = MergeTree ORDER BY id;\nINSERT INTO ${printName(name)} VALUES (1, 0, 'a^', [], [])`;
}
