// Dictionaries: over a table that exists here, or over an empty one with the same attributes.
import type { Cursor } from '../sql/cursor.ts';
import { quoteString } from '../sql/literal.ts';
import { stringValue } from '../sql/string-literal.ts';
import { splitList } from './columns.ts';
import { printName, type QualifiedName } from './name.ts';
import type { StatementContext, Normalised } from './step.ts';
import { clauseOf, textOf, type CreateParts } from './tables.ts';

/** The database of the tables that replace sources which are not reached. */
export const SOURCES_DATABASE = 'millrace_sources';

export function normaliseDictionary(parts: CreateParts, context: StatementContext): Normalised {
  const { cursor, head } = parts;
  const attributes = attributesOf(parts);
  const primary = textOf(parts, 'primary');
  if (attributes.length === 0 || primary === undefined)
    return { kind: 'unknown', target: head.name, message: 'its attributes or its PRIMARY KEY are missing' };
  const layout = layoutOf(cursor, clauseOf(parts, 'layout')?.from);
  const range = textOf(parts, 'range');
  const dictionary = (columns: string, source: string): string =>
    [
      `CREATE OR REPLACE DICTIONARY ${printName(head.name)} (${columns}) PRIMARY KEY ${primary}`,
      `SOURCE(CLICKHOUSE(${source})) LAYOUT(${layout}) LIFETIME(0)`,
      ...(range === undefined ? [] : [`RANGE${range}`]),
    ].join(' ');
  const written = attributes.map(({ sql }) => sql).join(', ');
  const source = localSource(parts, context);
  const direct =
    source === undefined ? [] : [`${source.check} FORMAT Null;\n${dictionary(written, source.sql)}`];
  const substitute = { database: SOURCES_DATABASE, name: `${head.name.database}.${head.name.name}` };
  const plain = attributes.map(({ plain: each }) => each).join(', ');
  const empty = `${substituteTable(substitute, attributes, layout)};\n${dictionary(plain, sourceOf(substitute))}`;
  return {
    kind: 'step',
    action: 'create',
    target: head.name,
    what: 'dictionary',
    attempts: [...direct, empty],
  };
}

interface Attribute {
  readonly sql: string;
  /** Without the expression that computes it from columns of the source. */
  readonly plain: string;
  /** Name and type. */
  readonly column: string;
}

const AFTER_TYPE =
  /^(DEFAULT|EXPRESSION|HIERARCHICAL|BIDIRECTIONAL|INJECTIVE|IS_OBJECT_ID|NULL|NOT|COMMENT)$/;

function attributesOf(parts: CreateParts): readonly Attribute[] {
  const { cursor } = parts;
  const clause = clauseOf(parts, 'columns');
  if (clause === undefined || cursor.kind(clause.from) !== '(') return [];
  return splitList(cursor, clause.from + 1, cursor.closing(clause.from)).map(([from, to]) => {
    const ends: number[] = [];
    for (let at = from + 1; at < to; at = cursor.after(at))
      if (AFTER_TYPE.test(cursor.word(at) ?? '')) ends.push(at);
    const expression = ends.findIndex((at) => cursor.word(at) === 'EXPRESSION');
    const sql = cursor.slice(from, to);
    const after = ends[expression + 1];
    const plain =
      expression < 0
        ? sql
        : `${cursor.slice(from, ends[expression] ?? to)} ${after === undefined ? '' : cursor.slice(after, to)}`;
    return { sql, plain, column: cursor.slice(from, ends[0] ?? to) };
  });
}

/** Layouts that keep values in a cache, or on a disk, hold all of them in memory instead. */
function layoutOf(cursor: Cursor, from: number | undefined): string {
  if (from === undefined || cursor.kind(from) !== '(') return 'HASHED()';
  const name = cursor.word(from + 1) ?? 'HASHED';
  if (/(^|_)CACHE$/.test(name)) return name.startsWith('COMPLEX_KEY_') ? 'COMPLEX_KEY_HASHED()' : 'HASHED()';
  return cursor.slice(from + 1, cursor.closing(from));
}

/** Where a dictionary over ClickHouse has its rows: a table or a query. */
export interface DictionarySource {
  readonly query?: string | undefined;
  readonly table?: QualifiedName | undefined;
  readonly where?: string | undefined;
}

/** The source of a dictionary, whatever its host; undefined if it is not ClickHouse. */
export function dictionarySource(parts: CreateParts, database: string): DictionarySource | undefined {
  const { cursor } = parts;
  const clause = clauseOf(parts, 'source');
  if (clause === undefined || cursor.word(clause.from + 1) !== 'CLICKHOUSE') return undefined;
  const values = new Map<string, string>();
  for (let at = clause.from + 3; at < cursor.closing(clause.from + 2); at++) {
    const key = cursor.word(at);
    const value = cursor.kind(at + 1) === 'string' ? stringValue(cursor.text(at + 1)) : cursor.name(at + 1);
    if (key === undefined || value === undefined) continue;
    values.set(key, value);
    at++;
  }
  const query = values.get('QUERY');
  if (query !== undefined && query !== '') return { query };
  const table = values.get('TABLE');
  if (table === undefined || table === '') return undefined;
  const dot = values.has('DB') ? -1 : table.indexOf('.');
  const name = {
    database: values.get('DB') || table.slice(0, Math.max(0, dot)) || database,
    name: table.slice(dot + 1),
  };
  return name.name === '' ? undefined : { table: name, where: values.get('WHERE') };
}

/** The same as SQL, and a statement that fails if it does not exist here. */
function localSource(
  parts: CreateParts,
  { database }: StatementContext,
): { readonly sql: string; readonly check: string } | undefined {
  const source = dictionarySource(parts, database);
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
function substituteTable(name: QualifiedName, attributes: readonly Attribute[], layout: string): string {
  const start = `CREATE DATABASE IF NOT EXISTS ${SOURCES_DATABASE};\nCREATE OR REPLACE TABLE ${printName(name)}`;
  if (!/^REGEXP_TREE\b/i.test(layout))
    return `${start} (${attributes.map(({ column }) => column).join(', ')}) ENGINE = MergeTree ORDER BY tuple()`;
  const columns = 'id UInt64, parent_id UInt64, regexp String, keys Array(String), `values` Array(String)';
  return `${start} (${columns}) ENGINE = MergeTree ORDER BY id;\nINSERT INTO ${printName(name)} VALUES (1, 0, 'a^', [], [])`;
}
