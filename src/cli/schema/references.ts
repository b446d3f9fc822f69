// The tables, views and dictionaries that a query or a definition names.
import { mentionsIn, type Mention } from '../../sql/clickhouse/tree/lexemes.ts';
import { dictionarySource } from '../../sql/definition/dictionary-source.ts';
import { localEngine } from './engine-clause.ts';
import { keyOf } from '../../sql/definition/qualified-name.ts';
import { readDefinition } from '../../sql/definition/read-statement.ts';

/** What a text may name; more than it reads, if a column has the name of a table. */
export interface References {
  /** As `database.name`. */
  readonly tables: ReadonlySet<string>;
  /** Names before a parenthesis, which may be those of functions. */
  readonly functions: ReadonlySet<string>;
  /** Arguments of `merge` and of the engine Merge: a database or an expression for it, and an expression for tables. */
  readonly merges: readonly (readonly [database: string, tables: string])[];
}

/** Reads a query, or a definition as ClickHouse prints it. */
export function referencesOf(sql: string): References {
  const mentions = mentionsIn(sql);
  const tables = new Set<string>();
  const functions = new Set<string>();
  const merges: (readonly [string, string])[] = [];
  for (const [at, { kind, value, isCall, isPart }] of mentions.entries()) {
    if (kind === 'string') {
      if (QUALIFIED.test(value)) tables.add(value);
      continue;
    }
    if (isPart) tables.add(`${mentions[at - 1]?.value}.${value}`);
    if (!isCall) continue;
    functions.add(value);
    if (value.toLowerCase() === 'merge') merges.push(...mergeArguments(mentions.slice(at + 1, at + 4)));
  }
  for (const name of definedBy(sql)) tables.add(name);
  return { tables, functions, merges };
}

/** A string with the name of a dictionary, as the functions of dictionaries have it. */
const QUALIFIED = /^[^.\s]+\.\S+$/;

function mergeArguments(list: readonly Mention[]): readonly (readonly [string, string])[] {
  const [first] = list;
  const isPattern = first?.kind === 'name' && first.isCall && first.value.toUpperCase() === 'REGEXP';
  const [database, tables] = isPattern ? list.slice(1) : list;
  if (database === undefined || tables === undefined) return [];
  return [[isPattern ? database.value : `^${database.value.replace(/[^\w]/g, '\\$&')}$`, tables.value]];
}

/** The table behind a Distributed table, and the source of a dictionary, whose names are in arguments. */
function definedBy(sql: string): readonly string[] {
  const record = readDefinition(sql, 'default');
  if (record === undefined) return [];
  const { database } = record.name;
  const local = record.engine && localEngine(record.engine, database);
  const source = dictionarySource(record, database);
  return [
    ...(local?.kind === 'alias' ? [keyOf(local.target)] : []),
    ...(source?.table === undefined ? [] : [keyOf(source.table)]),
    ...(source?.query === undefined ? [] : referencesOf(source.query).tables),
  ];
}
